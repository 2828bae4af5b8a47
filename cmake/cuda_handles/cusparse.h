#pragma once

// All of this library that the headers of torch need; see cmake/torch.cmake.
typedef struct cusparseContext* cusparseHandle_t;
typedef enum { CUSPARSE_STATUS_SUCCESS } cusparseStatus_t;
