#pragma once

// All of this library that the headers of torch need; see cmake/torch.cmake.
typedef struct cublasLtContext* cublasLtHandle_t;
