# The toolchain file for programs that run with glibc 2.28: scripts/manylinux.sh makes the compiler and the libraries.
cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/manylinux/sysroot")
set(CMAKE_C_COMPILER "${root}/compiler/gcc")
set(CMAKE_CXX_COMPILER "${root}/compiler/g++")
# Everything but programs such as protoc is searched there only.
set(CMAKE_FIND_ROOT_PATH "${root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} "${root}/usr/lib/x86_64-linux-gnu/pkgconfig")
# Libraries that are linked statically stay private: LibTorch exports a protobuf of its own, and a program's symbols would
# replace those of the shared libraries.
list(JOIN "libbrotlicommon.a;libbrotlidec.a;libbrotlienc.a;libbz2.a;libexpat.a;libfmt.a;libicui18n.a;libicuuc.a;\
liblzma.a;libmd4c.a;libprotobuf.a;libprotobuf-lite.a;libsentencepiece.a;libsentencepiece_train.a;libspdlog.a;\
libstdc++_nonshared.a;libyaml-cpp.a;libz.a;libzstd.a" ":" private)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,--exclude-libs,${private}")
endforeach()
