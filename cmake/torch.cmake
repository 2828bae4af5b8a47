# LibTorch, as the `torch` wheel in the project's own environment (.venv) or, where CMAKE_PREFIX_PATH has one, from there;
# without find_package(Torch), which wants a CUDA toolkit: imported targets over its headers and libraries. `torch::cuda`
# links against the wheel's CUDA half without needing the CUDA libraries that it needs itself.

set(TRANSFORMER_VENV "${CMAKE_SOURCE_DIR}/.venv" CACHE PATH "Python environment that holds the torch wheel")
set(torch_header include/torch/csrc/api/include/torch/torch.h)
file(GLOB site_packages LIST_DIRECTORIES true "${TRANSFORMER_VENV}/lib/python3*/site-packages")
set(TORCH_DIR "${site_packages}/torch")
foreach(prefix ${CMAKE_PREFIX_PATH})
  if(EXISTS "${prefix}/${torch_header}")
    set(TORCH_DIR "${prefix}")
    cmake_path(GET TORCH_DIR PARENT_PATH site_packages) # NVIDIA's wheels lie beside the wheel
    break()
  endif()
endforeach()
if(NOT EXISTS "${TORCH_DIR}/${torch_header}")
  message(FATAL_ERROR "No LibTorch in ${TRANSFORMER_VENV} or CMAKE_PREFIX_PATH: run scripts/setup.sh first.")
endif()
set(TORCH_LIBRARY_DIR "${TORCH_DIR}/lib")
# Where installed programs look for it: in a Python wheel, in the package beside ours (pyproject.toml).
set(installed_torch "${TORCH_LIBRARY_DIR}")
if(SKBUILD)
  set(installed_torch "$ORIGIN/../../torch/lib")
endif()

file(STRINGS "${TORCH_DIR}/include/torch/headeronly/version.h" torch_version
  REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
list(TRANSFORM torch_version REPLACE "[^0-9]" "")
list(JOIN torch_version . torch_version)
message(STATUS "LibTorch ${torch_version} in ${TORCH_DIR}")

foreach(part c10 torch_cpu c10_cuda torch_cuda)
  set(library "${TORCH_LIBRARY_DIR}/lib${part}.so")
  if(EXISTS "${library}")
    add_library(wheel::${part} SHARED IMPORTED)
    set_target_properties(wheel::${part} PROPERTIES IMPORTED_LOCATION "${library}" IMPORTED_NO_SONAME OFF)
  endif()
endforeach()

# The wheel has headers of another version of fmt than the library that the program is linked with. A folder that holds
# only a link to the library's own headers is searched before the wheel's: g++ ignores an option to search /usr/include
# earlier.
get_target_property(fmt_include_directory fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
set(linked_headers "${PROJECT_BINARY_DIR}/linked_headers")
file(MAKE_DIRECTORY "${linked_headers}")
file(CREATE_LINK "${fmt_include_directory}/fmt" "${linked_headers}/fmt" SYMBOLIC)

add_library(torch::cpu INTERFACE IMPORTED)
target_include_directories(torch::cpu SYSTEM INTERFACE
  "${linked_headers}" "${TORCH_DIR}/include" "${TORCH_DIR}/include/torch/csrc/api/include")
target_link_libraries(torch::cpu INTERFACE wheel::torch_cpu wheel::c10)
# at::parallel_for uses several threads only where it is compiled with OpenMP, and they must be the wheel's own. (The
# fuzz targets, which clang compiles, need none.)
target_compile_options(torch::cpu INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fopenmp>)
if(EXISTS "${TORCH_LIBRARY_DIR}/libgomp.so.1")
  add_library(wheel::gomp SHARED IMPORTED)
  set_target_properties(wheel::gomp PROPERTIES IMPORTED_LOCATION "${TORCH_LIBRARY_DIR}/libgomp.so.1")
  target_link_libraries(torch::cpu INTERFACE wheel::gomp)
else()
  target_link_options(torch::cpu INTERFACE -fopenmp)
endif()
# The wheel's libraries name others that only a GPU machine has.
target_link_options(torch::cpu INTERFACE "LINKER:--allow-shlib-undefined")

if(TARGET wheel::torch_cuda AND EXISTS "${site_packages}/nvidia/cu13/include/cuda_runtime_api.h"
   AND EXISTS "${site_packages}/nvidia/cu13/bin/nvcc" AND EXISTS "${site_packages}/nvidia/nccl/include/nccl.h")
  add_library(torch::cuda INTERFACE IMPORTED)
  target_include_directories(torch::cuda SYSTEM INTERFACE
    "${site_packages}/nvidia/cu13/include" "${site_packages}/nvidia/nccl/include")
  # The wheel's headers name a few types of cuBLAS, cuSPARSE and cuSOLVER, whose wheels weigh a gigabyte: where they are
  # not installed, headers that declare just those types stand in.
  target_compile_options(torch::cuda INTERFACE "SHELL:-idirafter \"${CMAKE_CURRENT_LIST_DIR}/cuda_handles\"")
  target_link_libraries(torch::cuda INTERFACE torch::cpu wheel::torch_cuda wheel::c10_cuda)
  # Loading this part is what brings in the wheel's CUDA half: keep the reference though no symbol may need it.
  target_link_options(torch::cuda INTERFACE "LINKER:--no-as-needed")
endif()
