# Installs the build in BUILD into a directory of its own and uses the program there: cmake -D BUILD=... -P install_test.cmake
cmake_minimum_required(VERSION 3.25)

# An installation replaces the manifest, by which the user's own one is removed (docs/install.md): that is put back.
set(prefix "${BUILD}/install_test")
set(manifest "${BUILD}/install_manifest.txt")
file(REMOVE_RECURSE "${prefix}")
if(EXISTS "${manifest}" AND NOT EXISTS "${manifest}.kept")  # which a test that was killed has left
  file(RENAME "${manifest}" "${manifest}.kept")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}" OUTPUT_QUIET RESULT_VARIABLE status)
if(EXISTS "${manifest}")
  file(STRINGS "${manifest}" listed)
  file(REMOVE "${manifest}")
endif()
if(EXISTS "${manifest}.kept")
  file(RENAME "${manifest}.kept" "${manifest}")
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cmake --install ended with ${status}")
endif()

foreach(file bin/transformer share/transformer/configs/table3/c_N2.yaml
    share/bash-completion/completions/transformer share/zsh/site-functions/_transformer
    share/fish/vendor_completions.d/transformer.fish)
  if(NOT EXISTS "${prefix}/${file}")
    message(FATAL_ERROR "cmake --install wrote no ${file}")
  endif()
endforeach()

# Every file is in the manifest, with which docs/install.md removes them, and every name there is a file.
file(GLOB_RECURSE found "${prefix}/*")
list(SORT listed)
list(SORT found)
if(NOT listed STREQUAL found)
  message(FATAL_ERROR "install_manifest.txt lists\n${listed}\ninstead of\n${found}")
endif()

# The program finds its libraries, and its configs from anywhere.
foreach(arguments "--version" "info;configs/table3/c_N2.yaml")
  execute_process(COMMAND "${prefix}/bin/transformer" ${arguments} WORKING_DIRECTORY "${prefix}/share"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE_RECURSE "${prefix}")
