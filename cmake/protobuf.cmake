# The protobuf library for the messages of .proto files. It is linked statically and its symbols stay hidden, because
# the program also loads SentencePiece, which uses the shared library, and LibTorch, which exports another protobuf.
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Protobuf REQUIRED)

# add_messages(<target> <file>): the messages of lib/<folder>/<name>.proto as a static library with the header
# "<folder>/<name>.pb.h". Sources that include it must not include LibTorch, which brings headers of another protobuf.
function(add_messages target file)
  set(output "${PROJECT_BINARY_DIR}/messages")
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/lib" OUTPUT_VARIABLE name)
  cmake_path(REMOVE_EXTENSION name OUTPUT_VARIABLE name)
  file(MAKE_DIRECTORY "${output}")
  add_custom_command(OUTPUT "${output}/${name}.pb.cc" "${output}/${name}.pb.h"
    COMMAND protobuf::protoc --proto_path "${PROJECT_SOURCE_DIR}/lib" --cpp_out "${output}" "${file}"
    DEPENDS "${file}" protobuf::protoc VERBATIM)
  add_library(${target} STATIC "${output}/${name}.pb.cc" "${output}/${name}.pb.h")
  target_include_directories(${target} SYSTEM PUBLIC "${output}")
  target_compile_options(${target} PRIVATE -w)
  target_compile_options(${target} PUBLIC -fvisibility=hidden)
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf-lite)
  target_link_options(${target} INTERFACE "LINKER:--exclude-libs,libprotobuf-lite.a")
endfunction()
