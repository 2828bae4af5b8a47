#pragma once

// All of this library that the headers of torch need; see cmake/torch.cmake.
typedef enum { CUSOLVER_STATUS_SUCCESS } cusolverStatus_t;
