# Lays out what a Python wheel holds (pyproject.toml) as pip installs it, with the binaries of the build in BUILD, and
# uses it with the Python and the torch that the build has:
# cmake -D BUILD=... -P wheel_content_test.cmake
cmake_minimum_required(VERSION 3.25)

set(source "${CMAKE_CURRENT_LIST_DIR}/..")
set(work "${BUILD}/wheel_test")
set(package "${work}/site/transformer_mt")
file(REMOVE_RECURSE "${work}")

include("${CMAKE_CURRENT_LIST_DIR}/output_of.cmake")

# The wheel's targets have the same binaries as those of the build, which need not be compiled again.
load_cache("${BUILD}" READ_WITH_PREFIX "" CMAKE_PROJECT_VERSION CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER TRANSFORMER_CUDA
  TRANSFORMER_VENV)
set(python "${TRANSFORMER_VENV}/bin/python")
output_of(output ${CMAKE_COMMAND} -S "${source}" -B "${work}/build" -G Ninja -D SKBUILD=ON -D BUILD_TESTING=OFF
  -D SKBUILD_SCRIPTS_DIR=${work}/scripts -D CMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
  -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -D TRANSFORMER_CUDA=${TRANSFORMER_CUDA}
  -D TRANSFORMER_VENV=${TRANSFORMER_VENV})
set(binaries transformer libtransformer.so)
if(TRANSFORMER_CUDA)
  list(APPEND binaries libtransformer_cuda.so)
endif()
foreach(binary ${binaries})
  file(REAL_PATH "${BUILD}/${binary}" file)
  file(COPY_FILE "${file}" "${work}/build/${binary}")
endforeach()
output_of(output ${CMAKE_COMMAND} --install "${work}/build" --prefix "${package}")
file(COPY "${source}/python/transformer_mt" DESTINATION "${work}/site" PATTERN __pycache__ EXCLUDE)

file(STRINGS "${source}/pyproject.toml" excluded REGEX "^wheel\\.exclude")
string(REGEX MATCHALL "transformer_mt/[a-z/]+" excluded "${excluded}")
if(NOT excluded)
  message(FATAL_ERROR "pyproject.toml has no wheel.exclude")
endif()
foreach(path ${excluded})
  if(NOT EXISTS "${work}/site/${path}")
    message(FATAL_ERROR "pyproject.toml excludes ${path} from the wheel, which is not there")
  endif()
  file(REMOVE_RECURSE "${work}/site/${path}")
endforeach()

file(GLOB_RECURSE files LIST_DIRECTORIES true RELATIVE "${package}" "${package}/*")
set(wanted __init__.py py.typed bin/transformer lib/libtransformer.so share/transformer/configs/base.yaml
  share/bash-completion/completions/transformer)
if(TRANSFORMER_CUDA)
  list(APPEND wanted lib/libtransformer_cuda.so)
endif()
if(EXISTS /etc/debian_version)
  list(APPEND wanted licenses/libfmt-dev licenses/libicu-dev licenses/libcpp-httplib-dev licenses/nlohmann-json3-dev)
endif()
foreach(file ${wanted})
  if(NOT file IN_LIST files)
    message(FATAL_ERROR "the wheel lacks ${file}; it has\n${files}")
  endif()
endforeach()
foreach(file ${files})
  if(file MATCHES "^(include|lib/(cmake|pkgconfig|libtransformer[.]so[.]))")
    message(FATAL_ERROR "the wheel has ${file}, which only users of C and C++ need, or a second name of the library")
  endif()
endforeach()

# The program, as pip writes its script, and the Python package give the same translation.
file(READ "${work}/scripts/transformer" script)
string(REGEX REPLACE "^#!python" "#!${python}" script "${script}")
file(WRITE "${work}/bin/transformer" "${script}")
file(CHMOD "${work}/bin/transformer" PERMISSIONS OWNER_READ OWNER_EXECUTE)
set(ENV{PYTHONPATH} "${work}/site")
set(model "${CMAKE_CURRENT_LIST_DIR}/compatibility/0.1.0/step-00000004.pt")
output_of(version "${work}/bin/transformer" --version)
if(NOT version MATCHES "${CMAKE_PROJECT_VERSION}")
  message(FATAL_ERROR "the version is not ${CMAKE_PROJECT_VERSION}:\n${version}")
endif()
file(WRITE "${work}/input" "bi\n")
output_of(by_program "${work}/bin/transformer" translate --quiet --model "${model}" --input "${work}/input" --beam-size 1
  --max-extra-tokens 5)
output_of(by_python "${python}" -c "import sys
from transformer_mt import Model
print(Model(sys.argv[1]).translate(['bi'], beam_size=1, max_extra_tokens=5)[0].text)" "${model}")
if(NOT by_python STREQUAL by_program)
  message(FATAL_ERROR "the Python package translates to\n${by_python}\nand the program to\n${by_program}")
endif()
file(REMOVE_RECURSE "${work}")
