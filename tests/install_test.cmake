# Installs the build in BUILD into a directory of its own, moves that, and uses the program and the library there:
# cmake -D BUILD=... -P install_test.cmake
cmake_minimum_required(VERSION 3.25)

# An installation replaces the manifest, by which the user's own one is removed (docs/install.md): that is put back.
set(installed "${BUILD}/install_test")
set(prefix "${BUILD}/install_test_moved")
set(manifest "${BUILD}/install_manifest.txt")
file(REMOVE_RECURSE "${installed}" "${prefix}")
if(EXISTS "${manifest}" AND NOT EXISTS "${manifest}.kept")  # which a test that was killed has left
  file(RENAME "${manifest}" "${manifest}.kept")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --install "${BUILD}" --prefix "${installed}"
  OUTPUT_QUIET RESULT_VARIABLE status)
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

load_cache("${BUILD}" READ_WITH_PREFIX "" CMAKE_PROJECT_VERSION TRANSFORMER_CUDA)
set(files bin/transformer include/transformer.h lib/libtransformer.so lib/cmake/transformer/transformer-config.cmake
  lib/pkgconfig/transformer.pc share/transformer/configs/table3/c_N2.yaml
  share/bash-completion/completions/transformer share/zsh/site-functions/_transformer
  share/fish/vendor_completions.d/transformer.fish)
if(TRANSFORMER_CUDA)
  list(APPEND files lib/libtransformer_cuda.so)
endif()
foreach(file ${files})
  if(NOT EXISTS "${installed}/${file}")
    message(FATAL_ERROR "cmake --install wrote no ${file}")
  endif()
endforeach()

# Every file is in the manifest, with which docs/install.md removes them, and every name there is a file.
file(GLOB_RECURSE found "${installed}/*")
list(SORT listed)
list(SORT found)
if(NOT listed STREQUAL found)
  message(FATAL_ERROR "install_manifest.txt lists\n${listed}\ninstead of\n${found}")
endif()

# The directory may be moved. From here on nothing writes into it.
file(RENAME "${installed}" "${prefix}")
set(work "${BUILD}/install_test_work")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")

# Whoever uses the program has no environment and, where the test runs as root, no rights: the user with the number of
# nobody, if that can read the build at all.
set(as_user env -i)
execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
if(user EQUAL 0)
  set(as_nobody setpriv --reuid 65534 --regid 65534 --clear-groups)
  execute_process(COMMAND ${as_nobody} test -x "${prefix}/bin/transformer" RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0)
    set(as_user ${as_nobody} env -i)
  else()
    message("warning: another user cannot read ${BUILD}, so the installed program is tested as root only")
  endif()
endif()

# output_of(<variable> <command>...): what the command writes to stdout.
function(output_of variable)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY / OUTPUT_VARIABLE output ERROR_VARIABLE errors
    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${status}:\n${output}\n${errors}")
  endif()
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# expect(<text> <regular expression>)
function(expect text expression)
  if(NOT text MATCHES "${expression}")
    message(FATAL_ERROR "expected ${expression} in\n${text}")
  endif()
endfunction()

# The program finds its libraries, its configs from anywhere, and the CUDA part where there is a driver.
set(program "${prefix}/bin/transformer")
set(model "${CMAKE_CURRENT_LIST_DIR}/compatibility/0.1.0/step-00000004.pt")
output_of(output ${as_user} "${program}" --version)
expect("${output}" "${CMAKE_PROJECT_VERSION}")
output_of(output ${as_user} "${program}" info configs/table3/c_N2.yaml)
file(WRITE "${work}/input" "bi\n")
set(translate translate --quiet --model "${model}" --input "${work}/input" --beam-size 1 --max-extra-tokens 5)
output_of(translation ${as_user} "${program}" ${translate})
set(stand_in "${BUILD}/tests/stand_in/libcuda.so.1")
if(TRANSFORMER_CUDA AND EXISTS "${stand_in}")
  cmake_path(GET stand_in PARENT_PATH folder)
  output_of(output ${as_user} LD_LIBRARY_PATH=${folder} "${program}" doctor)
  if(output MATCHES "libtransformer_cuda.so is neither in")
    message(FATAL_ERROR "the installed program does not find the CUDA part:\n${output}")
  endif()
endif()

# expect_libraries(<binary> <folder> <libraries>): those of the libraries whose names match are loaded from the folder.
function(expect_libraries binary folder libraries)
  output_of(output ${as_user} LC_ALL=C ldd "${binary}")
  string(REGEX MATCHALL "[^ \t\n]+ => [^ \n]+" loaded "${output}")
  foreach(library ${loaded})
    string(REGEX REPLACE ".* => " "" place "${library}")
    cmake_path(GET place FILENAME name)
    cmake_path(NORMAL_PATH place)
    if(name MATCHES "${libraries}" AND NOT place STREQUAL "${folder}/${name}")
      message(FATAL_ERROR "${binary} loads ${place} and not the one in ${folder}")
    endif()
  endforeach()
endfunction()

# No library that was installed is taken from elsewhere, also by libraries that need it.
file(GLOB libraries RELATIVE "${prefix}/lib" "${prefix}/lib/*.so*")
string(REGEX REPLACE "([.+])" "\\\\\\1" libraries "${libraries}")
string(REPLACE ";" "|" libraries "${libraries}")
expect_libraries("${program}" "${prefix}/lib" "^(${libraries})$")
expect_libraries("${prefix}/lib/libtransformer.so" "${prefix}/lib" "^(${libraries})$")

# A project of others finds the library with CMake, in the versions that semantic versions say are compatible.
set(version_file "${prefix}/lib/cmake/transformer/transformer-config-version.cmake")
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" PACKAGE_FIND_VERSION "${CMAKE_PROJECT_VERSION}")
math(EXPR next_major "${CMAKE_MATCH_1} + 1")
math(EXPR next_minor "${CMAKE_MATCH_2} + 1")
set(wanted "${CMAKE_PROJECT_VERSION}" "${PACKAGE_FIND_VERSION}")
set(unwanted "${next_major}.0" "${CMAKE_MATCH_1}.${next_minor}")
if(CMAKE_MATCH_1 EQUAL 0 AND CMAKE_MATCH_2 GREATER 0)
  list(APPEND unwanted 0.0)
endif()
foreach(version ${wanted} ${unwanted})
  set(PACKAGE_FIND_VERSION "${version}")
  string(REPLACE "." ";" parts "${version}")
  list(GET parts 0 PACKAGE_FIND_VERSION_MAJOR)
  list(GET parts 1 PACKAGE_FIND_VERSION_MINOR)
  unset(PACKAGE_VERSION_COMPATIBLE)
  include("${version_file}")
  if((PACKAGE_VERSION_COMPATIBLE AND version IN_LIST unwanted) OR
     (NOT PACKAGE_VERSION_COMPATIBLE AND version IN_LIST wanted))
    message(FATAL_ERROR "find_package(transformer ${version}): compatible is '${PACKAGE_VERSION_COMPATIBLE}'")
  endif()
endforeach()
output_of(output ${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/programs/installed" -B "${work}"
  -D CMAKE_PREFIX_PATH=${prefix} -D WANTED_VERSION=${CMAKE_PROJECT_VERSION})
output_of(output ${CMAKE_COMMAND} --build "${work}")
output_of(output ${as_user} "${work}/version_in_cpp")
expect("${output}" "^${CMAKE_PROJECT_VERSION}$")
execute_process(COMMAND ${as_user} "${work}/translate_in_c" "${model}" "{\"beam_size\": 1, \"max_extra_tokens\": 5}"
  INPUT_FILE "${work}/input" OUTPUT_VARIABLE output ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(FIND "${output}" "\t${translation}\n" place)
if(place LESS 0)
  message(FATAL_ERROR "the library translates to\n${output}\nand the program to\n${translation}")
endif()

# And with pkg-config.
find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${prefix}/lib/pkgconfig")
output_of(flags "${PKG_CONFIG}" --cflags --libs transformer)
output_of(directory "${PKG_CONFIG}" --variable=libdir transformer)
separate_arguments(flags UNIX_COMMAND "${flags}")
find_program(CXX NAMES c++ g++ REQUIRED)
output_of(output "${CXX}" "${CMAKE_CURRENT_LIST_DIR}/programs/installed/version_in_cpp.cpp" -o "${work}/with_pkg_config"
  ${flags} -Wl,-rpath,${directory})
output_of(output ${as_user} "${work}/with_pkg_config")
expect("${output}" "^${CMAKE_PROJECT_VERSION}$")

# The folder of an archive (scripts/archive.sh) has LibTorch as well, and all libraries but those of glibc and GCC.
set(archived "${BUILD}/transformer-${CMAKE_PROJECT_VERSION}-linux-x86_64")
execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/../scripts/archive.sh" --folder "${BUILD}"
  OUTPUT_QUIET ERROR_VARIABLE errors RESULT_VARIABLE status)
if(status EQUAL 0 OR NOT errors MATCHES "which systems with glibc 2.31 lack")
  message(FATAL_ERROR "scripts/archive.sh does not refuse a program for newer systems only:\n${errors}")
endif()
output_of(output "${CMAKE_CURRENT_LIST_DIR}/../scripts/archive.sh" --folder --any-glibc "${BUILD}")
set(unpacked "${BUILD}/install_test_archive")
file(REMOVE_RECURSE "${unpacked}")
file(RENAME "${archived}" "${unpacked}")
set(not_system "^lib(c10|crypto|expat|fmt|gomp|icu|md4c|sentencepiece|torch|yaml|z)")
expect_libraries("${unpacked}/bin/transformer" "${unpacked}/lib" "${not_system}")
expect_libraries("${unpacked}/lib/libtransformer.so" "${unpacked}/lib" "${not_system}")
output_of(output ${as_user} "${unpacked}/bin/transformer" ${translate})
if(NOT output STREQUAL translation)
  message(FATAL_ERROR "the archive's program translates to\n${output}\nand the installed one to\n${translation}")
endif()
foreach(package libfmt-dev libicu-dev libcpp-httplib-dev nlohmann-json3-dev torch/LICENSE transformer)
  if(EXISTS /etc/debian_version AND NOT EXISTS "${unpacked}/share/doc/transformer/licenses/${package}")
    message(FATAL_ERROR "the archive lacks the licence of ${package}")
  endif()
endforeach()
file(REMOVE_RECURSE "${prefix}" "${unpacked}" "${work}")
