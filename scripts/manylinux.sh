#!/usr/bin/env bash
# Makes build/manylinux: a g++ whose programs run with glibc 2.28 and the libstdc++ of GCC 8 (manylinux_2_28), as
# LibTorch does, and the libraries that ours need, to be linked statically. cmake/manylinux.cmake is the toolchain file
# for it. Runs on Debian 12 with the packages of scripts/setup.sh: it uses Debian's compiler, and its archives of ICU,
# zlib, xz and Brotli.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
top=$PWD/build/manylinux
root=$top/sysroot
stamp=$top/.complete
gcc=12 # newer than Debian 12's is untested, and an older one has no C++20

say() { echo "manylinux: $*" >&2; }
fail() { say "$*"; exit 1; }
version=$(cat scripts/manylinux.sh scripts/manylinux/* | sha256sum)
[[ -f $stamp && $(<"$stamp") == "$version" ]] && exit 0
for command in "g++-$gcc" "gcc-$gcc" cmake curl dpkg-deb genrb icupkg ninja patch protoc ccache; do
  command -v "$command" >/dev/null || fail "$command is missing: install the packages of scripts/setup.sh on Debian 12."
done
rm -rf "$root" "$top/source" "$stamp"
mkdir -p "$root/compiler/lib" "$root/compiler/include/bits" "$top/download" "$top/source"

# fetch <SHA-256> <URL>: downloads the file into build/manylinux/download.
fetch() {
  local file=$top/download/${2##*/}
  sha256sum --check --status <<<"$1  $file" 2>/dev/null && return
  say "downloading $2"
  curl --fail --silent --show-error --location --retry 2 --output "$file" "$2"
  sha256sum --check --quiet <<<"$1  $file" || fail "$2 is another file than the one that was tested: see what changed."
}

# Ubuntu 18.04: glibc 2.27 and the libstdc++ of GCC 8, the newest before 2.28 that can still be had.
while read -r sha256 path; do
  fetch "$sha256" "http://archive.ubuntu.com/ubuntu/pool/main/$path"
  dpkg-deb --extract "$top/download/${path##*/}" "$root"
done <<'END'
5b813d4512491cd8fb30b2eb9192349ee75ffe3c9f21ae136cc7b2429f70c3b2 g/glibc/libc6_2.27-3ubuntu1.6_amd64.deb
96ae7d2cf38f0547ca3cccb3344c8802fdf5bcd71c4b6d9aed09558ac8cc87db g/glibc/libc6-dev_2.27-3ubuntu1.6_amd64.deb
116dadf4ceaba7150eb46a6598dd3defa62b1b2a6578fb494f4c932878634994 g/gcc-8/libgcc1_8.4.0-1ubuntu1~18.04_amd64.deb
4dbd1ffa20011329608f584ff329a10507cfa78c3f76fa34e6f479f9680b64f4 g/gcc-8/libstdc++6_8.4.0-1ubuntu1~18.04_amd64.deb
06d9f16644d3a1b2ab7dd01730e833d516b6f575d975855f496eea6463fef2f6 l/linux/linux-libc-dev_4.15.0-213.224_amd64.deb
END
find "$root" -type l -lname '/*' | while read -r link; do
  ln --symbolic --force --relative "$root$(readlink "$link")" "$link"
done

# The compiler: Debian's, which looks for headers and libraries in that system first, and which takes from its own
# libstdc++ only what the old one lacks, as Red Hat's gcc-toolset does. So there is one libstdc++ in a process, and
# exceptions and strings travel between LibTorch and a program.
base=$root/usr/lib/x86_64-linux-gnu
for language in gcc g++; do
  cat >"$root/compiler/$language" <<END
#!/bin/sh
unset CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH
exec $language-$gcc --sysroot=$root -isystem $root/compiler/include -B$base -L$root/compiler/lib -L$base \\
  -L$root/lib/x86_64-linux-gnu "\$@"
END
  chmod +x "$root/compiler/$language"
done
# What libstdc++'s headers may use of glibc depends on the one that it was configured with.
sed -E '/define _GLIBCXX_USE_PTHREAD_(COND|MUTEX|RWLOCK)_CLOCK(WAIT|LOCK) /d; /define _GLIBCXX_HAVE_ARC4RANDOM /d' \
  "/usr/include/x86_64-linux-gnu/c++/$gcc/bits/c++config.h" >"$root/compiler/include/bits/c++config.h"
libstdcxx=$root/compiler/lib/libstdc++_nonshared.a
cp "$("g++-$gcc" -print-file-name=libstdc++.a)" "$libstdcxx"
"$root/compiler/gcc" -O2 -fPIC -c scripts/manylinux/newer_glibc.c -o "$top/newer_glibc.o"
ar -r "$libstdcxx" "$top/newer_glibc.o"
echo 'INPUT ( /usr/lib/x86_64-linux-gnu/libstdc++.so.6 /compiler/lib/libstdc++_nonshared.a )' \
  >"$root/compiler/lib/libstdc++.so"

# The libraries, in Debian's versions and with its patches, because others would split or normalize text differently.
# library <name> <folder of CMakeLists.txt> <CMake options>...: builds and installs build/manylinux/source/<name>, or
# builds $target only.
library() {
  local name=$1 folder=$2
  shift 2
  local build=$top/source/$name-build log=$top/source/$name.log
  say "building $name"
  { cmake -S "$top/source/$name/$folder" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/manylinux.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$root/usr" -DCMAKE_INSTALL_LIBDIR=lib/x86_64-linux-gnu \
    -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@" &&
    cmake --build "$build" --target "${target:-install}"; } >"$log" 2>&1 || fail "$name: $(tail -n 40 "$log")"
}
# unpack <name> <archive>: into build/manylinux/source/<name>.
unpack() {
  mkdir -p "$top/source/$1"
  tar --extract --file "$top/download/$2" --directory "$top/source/$1" "${@:3}"
}
while read -r name sha256 path; do
  fetch "$sha256" "http://deb.debian.org/debian/pool/main/$path"
  case "$path" in
    *.debian.tar.xz) # the patches of the source before
      unpack "$name/debian" "${path##*/}" --strip-components=1
      while read -r patch; do
        [[ -z $patch || $patch == \#* || $patch == disable-static-library.patch ]] ||
          patch --quiet --strip=1 --directory "$top/source/$name" <"$top/source/$name/debian/patches/$patch"
      done <"$top/source/$name/debian/patches/series"
      ;;
    *) unpack "$name" "${path##*/}" --strip-components=1 ;;
  esac
done <<'END'
bzip2 ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269 b/bzip2/bzip2_1.0.8.orig.tar.gz
expat ab00ee05c7067fd10a35c5d2a4922ebba746ddd50ff83b79c828da17bbdf1757 e/expat/expat_2.5.0.orig.tar.gz
expat 7e29f5db5067e55193540089ed0f3ec9676704cf79dcea81a9bfb9f49435ae53 e/expat/expat_2.5.0-1+deb12u2.debian.tar.xz
fmt 84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583 f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz
httplib 8b1a5df569003b6a4f24c68489bbda5c64aec94697bdc9ebba5d79408b2ae7eb c/cpp-httplib/cpp-httplib_0.11.4+ds.orig.tar.xz
httplib a0adf8a38610806f6d94ba69839438635e5e6580775e28ff31d6a081e34f1484 c/cpp-httplib/cpp-httplib_0.11.4+ds-1+deb12u1.debian.tar.xz
icu a2d2d38217092a7ed56635e34467f92f976b370e20182ad325edea6681a71d68 i/icu/icu_72.1.orig.tar.gz
md4c 4a457df853425b6bb6e3457aa1d1a13bccec587a04c38c622b1013a0da41439f m/md4c/md4c_0.4.8.orig.tar.gz
protobuf 930c2c3b5ecc6c9c12615cf5ad93f1cd6e12d0aba862b572e076259970ac3a53 p/protobuf/protobuf_3.21.12.orig.tar.gz
sentencepiece 56430381f45dc6debfd2e0cbde4f039f9499c49ca825af184b0cbf318c17a18f s/sentencepiece/sentencepiece_0.1.97.orig.tar.gz
sentencepiece 6aaa1a376752f204107e4fcb816115c4eb401dfc9ce50aa6b245e9b2ee5a63ee s/sentencepiece/sentencepiece_0.1.97-3.debian.tar.xz
spdlog 620ca6842b5c21014470bd42eb4716024674214fb973b5ffa3aaea33310ad327 s/spdlog/spdlog_1.10.0+ds.orig.tar.xz
yaml-cpp dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312 y/yaml-cpp/yaml-cpp_0.7.0+dfsg.orig.tar.xz
zstd 8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953 libz/libzstd/libzstd_1.5.4+dfsg2.orig.tar.xz
zstd 82ce911445772861d0838bd4545f93bc50658bc7f3cefdb17a307dfb8ffca5d8 libz/libzstd/libzstd_1.5.4+dfsg2-5.debian.tar.xz
END

# Headers, and the archives that serve as they are: their code is position-independent enough, and needs no newer glibc.
dpkg-query --listfiles libbrotli-dev libcli11-dev libgloo-dev libicu-dev liblzma-dev nlohmann-json3-dev zlib1g-dev |
  grep -E '^/usr/(include/.*|share/cmake/.*|lib/x86_64-linux-gnu/lib(brotli.*|icuuc|icui18n|lzma|z)\.a)$' |
  while read -r file; do
    [[ -d $file ]] || install -D --mode 644 "$file" "$root$file"
  done

# Debian's patches compare XML_DTD with 1, which CMakeLists.txt defines without a value.
library expat expat -DEXPAT_DTD=OFF -DCMAKE_C_FLAGS=-DXML_DTD=1 -DEXPAT_BUILD_DOCS=OFF -DEXPAT_BUILD_EXAMPLES=OFF \
  -DEXPAT_BUILD_TESTS=OFF -DEXPAT_BUILD_TOOLS=OFF
library fmt . -DFMT_DOC=OFF -DFMT_TEST=OFF
library md4c .
library spdlog . -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF
library yaml-cpp . -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF
library zstd build/cmake -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF -DZSTD_LEGACY_SUPPORT=OFF
# Only the lite library is linked; FindProtobuf looks for the other one, too.
target=libprotobuf-lite library protobuf . -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_PROTOC_BINARIES=OFF
cp -r "$top/source/protobuf/src/google" "$root/usr/include/"
cp "$top/source/protobuf-build/libprotobuf-lite.a" "$base/"
cp "$base/libprotobuf-lite.a" "$base/libprotobuf.a"
# SentencePiece has a copy of protobuf, another version than the program's own, whose names must differ.
library sentencepiece . -DSPM_ENABLE_SHARED=OFF -DSPM_ENABLE_TCMALLOC=OFF -DCMAKE_CXX_FLAGS=-Dgoogle=sentencepiece_google

# bzip2 has no CMakeLists.txt.
bzip2=$top/source/bzip2
(cd "$bzip2" && "$root/compiler/gcc" -O2 -fPIC -D_FILE_OFFSET_BITS=64 -c blocksort.c bzlib.c compress.c crctable.c \
  decompress.c huffman.c randtable.c && ar -r libbz2.a ./*.o)
install -D --mode 644 "$bzip2/bzlib.h" "$root/usr/include/bzlib.h"
install --mode 644 "$bzip2/libbz2.a" "$base/libbz2.a"

# cpp-httplib is one header. OpenSSL is left out: the server speaks no TLS.
install --mode 644 "$top/source/httplib/httplib.h" "$root/usr/include/httplib.h"
mkdir -p "$base/pkgconfig"
cat >"$base/pkgconfig/cpp-httplib.pc" <<END
Name: cpp-httplib
Description: HTTP server
Version: 0.11.4
Cflags: -DCPPHTTPLIB_ZLIB_SUPPORT -DCPPHTTPLIB_BROTLI_SUPPORT
Libs: -L$base -lbrotlienc -lbrotlidec -lbrotlicommon -lz
END

# Of ICU's data, 31 MB, what sentence boundaries, regular expressions, encodings and the English names of languages
# need, in an object file.
icu=$top/source/icu
mkdir -p "$icu/added/brkitr" "$icu/used" # icupkg writes the name of the file into it
(cd "$icu" && ar -x /usr/lib/x86_64-linux-gnu/libicudata.a &&
  objcopy -O binary --only-section .rodata ./*_dat.o icudt72l.dat)
genrb --quiet --destdir "$icu/added/brkitr" --sourcedir scripts/manylinux sentence_boundaries.txt
used='brkitr/.*\.(brk|res)|[^/]*\.(cnv|icu|nrm)|(lang/|region/)?(root|en|pool|res_index)\.res'
used+='|(likelySubtags|metadata|supplementalData|keyTypeData|langInfo)\.res'
icupkg --list "$icu/icudt72l.dat" | grep -vxE "$used" >"$icu/unused.txt"
icupkg --remove "$icu/unused.txt" --add brkitr/root.res --sourcedir "$icu/added" "$icu/icudt72l.dat" "$icu/used/icudt72l.dat"
cat >"$icu/data.s" <<END
.section .rodata
.balign 16
.globl icudt72_dat
icudt72_dat:
.incbin "$icu/used/icudt72l.dat"
.section .note.GNU-stack,"",@progbits
END
"$root/compiler/gcc" -c "$icu/data.s" -o "$icu/data.o"

# merge <archive>... : each of the archives gets the members of all, because they need one another in any order.
merge() {
  local archive merged=$top/source/merged.a
  rm -f "$merged"
  { echo "create $merged"; printf 'addlib %s\n' "$@"; printf 'save\nend\n'; } | ar -M
  for archive; do cp "$merged" "$archive"; done
}
# Debian's umutex.ao reads the thread-local variables of std::call_once in a way that only a program may: Python could
# not load the library after torch.
"$root/compiler/g++" -O2 -fPIC -DU_COMMON_IMPLEMENTATION -I"$icu/source/common" -c "$icu/source/common/umutex.cpp" \
  -o "$icu/umutex.o"
ar -d "$base/libicuuc.a" umutex.ao
ar -r "$base/libicuuc.a" "$icu/data.o" "$icu/umutex.o"
# This code expects two variables of glibc in the program itself, as in no shared library: it gets its own ones.
objcopy --redefine-sym __timezone=unused_timezone --redefine-sym tzname=unused_tzname "$base/libicuuc.a"
merge "$base/libicuuc.a" "$base/libicui18n.a"
merge "$base/libsentencepiece.a" "$base/libsentencepiece_train.a"

echo "$version" >"$stamp"
say "complete."
