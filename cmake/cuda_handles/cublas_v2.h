#pragma once

// All of this library that the headers of torch need; see cmake/torch.cmake.
typedef struct cublasContext* cublasHandle_t;
typedef enum { CUBLAS_STATUS_SUCCESS } cublasStatus_t;
