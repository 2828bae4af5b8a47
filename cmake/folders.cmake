# Each folder of lib/ is a target of its own, transformer_<folder>, which states the folders that it may include.

# add_folder(<folder> [TORCH] [DEPENDS <folder>...] [HEADERS_OF <folder>...] [LIBRARIES <target>...] [OPTIONS <flag>...]
#   [UNITY <number>])
#
# Adds lib/<folder>, with everything below it, as a static library. It may include the headers of DEPENDS, which it is
# linked with, and of whatever these depend on; of HEADERS_OF it uses structs and constants only. The build fails where
# a file includes anything else of lib/. TORCH: the folder uses LibTorch. OPTIONS: compiler flags of this folder alone.
# UNITY: except in a Debug build the compiler takes that many of the sources at once; with TORCH, of those that include
# LibTorch.
function(add_folder folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "UNITY" "DEPENDS;HEADERS_OF;LIBRARIES;OPTIONS")
  set(target transformer_${folder})
  set(root "${PROJECT_SOURCE_DIR}/lib")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS
    "${root}/${folder}/*.h" "${root}/${folder}/*.cpp" "${root}/${folder}/*.cu")
  set(sources ${files})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/${folder}/cuda/") # part of libtransformer_cuda.so

  set(allowed ${folder} ${arg_HEADERS_OF})
  foreach(dependency ${arg_DEPENDS})
    get_target_property(inherited transformer_${dependency} ALLOWED_FOLDERS)
    list(APPEND allowed ${inherited})
  endforeach()
  list(REMOVE_DUPLICATES allowed)
  set(checked "${PROJECT_BINARY_DIR}/includes/${folder}.checked")
  add_custom_command(OUTPUT "${checked}"
    COMMAND awk -v "allowed=${allowed}" -v "root=${root}" -f "${PROJECT_SOURCE_DIR}/cmake/check_includes.awk" ${files}
    COMMAND ${CMAKE_COMMAND} -E touch "${checked}"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/check_includes.awk"
    COMMENT "Checking the includes of lib/${folder}" VERBATIM)

  add_library(${target} STATIC ${sources} "${checked}")
  set_target_properties(${target} PROPERTIES ALLOWED_FOLDERS "${allowed}")
  list(TRANSFORM arg_DEPENDS PREPEND transformer_)
  target_link_libraries(${target} PUBLIC transformer_options ${arg_DEPENDS} ${arg_LIBRARIES})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  if(arg_TORCH)
    target_link_libraries(${target} PUBLIC torch::cpu)
    precompile_torch(${target})
  endif()
  if(arg_UNITY AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    compile_together(${target} ${arg_UNITY})
  endif()
endfunction()

# Compiles the target's sources that include LibTorch behind the precompiled header, which all targets share. The others
# are compiled without it, because loading it takes longer than compiling most of them.
function(precompile_torch target)
  target_precompile_headers(${target} REUSE_FROM transformer_torch)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  sources_without_torch(without_torch ${sources})
  set_source_files_properties(${without_torch} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# sources_without_torch(<variable> <source>...): those of the sources that do not include LibTorch, through no header
# either.
function(sources_without_torch variable)
  file(GLOB_RECURSE headers "${PROJECT_SOURCE_DIR}/lib/*.h" "${PROJECT_SOURCE_DIR}/apps/*.h" "${PROJECT_SOURCE_DIR}/tests/*.h")
  execute_process(COMMAND awk -f "${PROJECT_SOURCE_DIR}/cmake/sources_without_torch.awk" ${headers} ${ARGN}
    OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" output "${output}")
  set(${variable} ${output} PARENT_SCOPE)
endfunction()

# Lets the compiler take several of the target's sources at once, up to `num_sources` from one folder, except for those
# that do not take part in the target's precompiled header.
function(compile_together target num_sources)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_source_file_property(alone ${source} SKIP_PRECOMPILE_HEADERS)
    if(alone OR NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    math(EXPR count_${folder} "${count_${folder}}+0")
    math(EXPR group "${count_${folder}} / ${num_sources}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}_${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
