# CUDA C++ without CMake's CUDA language, whose check of the compiler wants a complete toolkit: the compiler is nvcc from
# the wheels in the project's environment, in the version of torch's own CUDA.

set(TRANSFORMER_CUDA_ARCHITECTURES 80 90 100 CACHE STRING
  "GPU architectures (without the point) that kernels are compiled for; newer GPUs compile the last one's PTX when they load it")

# add_cuda_source(<target> <source>): compiles the source for all of TRANSFORMER_CUDA_ARCHITECTURES into the target.
function(add_cuda_source target source)
  set(toolkit "${site_packages}/nvidia/cu13")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/${source}.o")
  get_filename_component(folder "${object}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  foreach(architecture ${TRANSFORMER_CUDA_ARCHITECTURES})
    list(APPEND code "-gencode=arch=compute_${architecture},code=sm_${architecture}")
  endforeach()
  list(GET TRANSFORMER_CUDA_ARCHITECTURES -1 latest)
  list(APPEND code "-gencode=arch=compute_${latest},code=compute_${latest}")
  add_custom_command(OUTPUT "${object}"
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${toolkit}/bin/nvcc" -ccbin ${CMAKE_CXX_COMPILER} -std=c++20 -O3
      --expt-relaxed-constexpr -Xcompiler -fPIC ${code} "-I${PROJECT_SOURCE_DIR}/lib"
      -isystem "${TORCH_DIR}/include" -isystem "${toolkit}/include"
      -MD -MF "${object}.d" -c "${PROJECT_SOURCE_DIR}/${source}" -o "${object}"
    DEPENDS "${PROJECT_SOURCE_DIR}/${source}" DEPFILE "${object}.d"
    COMMENT "Compiling ${source} for the GPU architectures ${TRANSFORMER_CUDA_ARCHITECTURES}" VERBATIM)
  target_sources(${target} PRIVATE "${object}")
endfunction()
