#!/usr/bin/env bash
# Makes transformer-VERSION-linux-x86_64.tar.xz of a build, and in its directory: the program, libtransformer.so and the
# libraries that they need, for the CPU. It can be unpacked anywhere and needs glibc and libstdc++.
#
#   scripts/archive.sh [BUILD]    of the build tree BUILD (build/release)
#     --any-glibc                 also if a file needs a newer glibc than 2.31
#     --folder                    makes only the folder that would be packed
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() { echo "archive: $*" >&2; exit 1; }
build=build/release any_glibc='' folder_only=''
limit=150000000 # bytes
while [[ $# -gt 0 ]]; do
  case $1 in
    --any-glibc) any_glibc=yes ;;
    --folder) folder_only=yes ;;
    -*) echo "usage: scripts/archive.sh [--any-glibc] [--folder] [BUILD]" >&2; exit 2 ;;
    *) build=$1 ;;
  esac
  shift
done
[[ -f $build/CMakeCache.txt ]] || fail "$build is no build tree: run scripts/build.sh release transformer."
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

name=transformer-$(cached CMAKE_PROJECT_VERSION)-linux-x86_64
folder=$build/$name
rm -rf "$folder"
# With a component, the manifest of `cmake --install` keeps another name, and the user's own one stays.
cmake --install "$build" --prefix "$folder" --component Unspecified --strip >/dev/null
rm -f "$folder/lib/libtransformer_cuda.so" # which would need LibTorch's CUDA half
licenses=$folder/share/doc/transformer/licenses
mkdir -p "$licenses"

# All libraries but those of glibc and of GCC's runtime.
system='^(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libutil|libgcc_s|libstdc\+\+)\.so\.'
while read -r library arrow path _; do
  [[ $arrow == "=>" && ! $library =~ $system ]] || continue
  [[ $path == /* ]] || fail "$build/transformer does not find $library."
  [[ -e $folder/lib/$library ]] || cp -L "$path" "$folder/lib/$library"
done < <(LC_ALL=C ldd "$folder/bin/transformer" "$folder/lib/libtransformer.so")
chmod u+w "$folder"/lib/*
strip --strip-unneeded "$folder"/lib/lib{torch_cpu,c10}.so

# A libtorch_cpu.so that was made with CUDA names functions of CUDA's runtime and profiler, which it calls only where a
# GPU is. NVIDIA does not allow to pass on the profiler's library: libraries of the same names, whose functions return
# cudaErrorNoDevice, take their places.
for library in "$folder"/lib/lib{cudart,cupti}.so.*; do
  [[ -e $library ]] || continue
  soname=$(basename "$library")
  echo "$soname { global: *; };" >"$folder/symbols.map"
  nm -D --undefined-only "$folder/lib/libtorch_cpu.so" | sed -n \
    -e "s/.* U \(.*ErrorString\)@$soname\$/const char* \1(void) { return \"no CUDA device\"; }/p; t" \
    -e "s/.* U \(.*\)@$soname\$/int \1(void) { return 100; }/p" |
    cc -shared -nostdlib -fPIC -O1 -Wl,-soname,"$soname" -Wl,--version-script="$folder/symbols.map" -o "$library" -x c -
  rm "$folder/symbols.map"
done

# The build's path to LibTorch is of no use elsewhere.
cat >"$folder/set_rpath.cmake" <<'END'
file(RPATH_SET FILE "${CMAKE_CURRENT_LIST_DIR}/bin/transformer" NEW_RPATH "$ORIGIN/../lib")
file(GLOB library "${CMAKE_CURRENT_LIST_DIR}/lib/libtransformer.so.*.*")
file(RPATH_SET FILE "${library}" NEW_RPATH "$ORIGIN")
END
cmake -P "$folder/set_rpath.cmake" >/dev/null
rm "$folder/set_rpath.cmake"

# Licences: those of the Debian packages that the program is built with, or the libraries come from, and LibTorch's.
torch_licenses=$(echo "$(cached TRANSFORMER_VENV)"/lib/python3*/site-packages/torch-*.dist-info/licenses)
mkdir "$licenses/torch"
cp LICENSE "$licenses/transformer"
cp scripts/licenses/* "$licenses/"
cp "$torch_licenses"/* "$licenses/torch/"
mapfile -t packages < <(
  for library in "$folder"/lib/*.so.*; do echo "*/x86_64-linux-gnu/${library##*/}"; done |
    { xargs dpkg -S 2>/dev/null || true; } | sed 's/:.*//' | sort -u
)
scripts/copy_licenses.sh "$licenses" "${packages[@]}"
# Debian 11 and Ubuntu 20.04 have glibc 2.31 and the libstdc++ of GCC 10, which is 3.4.28.
newest() { # newest PREFIX: "VERSION FILE" of the newest symbol version PREFIX_VERSION that a file needs
  local file
  for file in "$folder"/bin/* "$folder"/lib/*.so*; do
    readelf -VW "$file" 2>/dev/null | sed -n "s|.*Name: $1_\([0-9.]*\).*|\1 $file|p"
  done | sort -V | tail -n 1
}
for limit in "GLIBC 2.31" "GLIBCXX 3.4.28"; do
  read -r symbols allowed <<<"$limit"
  read -r needed file < <(newest "$symbols")
  [[ -n $any_glibc || $(printf '%s\n' "$allowed" "$needed" | sort -V | tail -n 1) == "$allowed" ]] ||
    fail "$file needs ${symbols}_$needed, which systems with glibc 2.31 lack: build for them (docs/install.md), or" \
      "give --any-glibc."
  if [[ $symbols == GLIBC ]]; then glibc=$needed; fi
done
cat >"$folder/README" <<END
$name: bin/transformer trains and runs Transformer models for
translation on the CPU. It needs Linux on x86-64 with glibc $glibc or newer and libstdc++, no environment variables
and no other files. The folder may be moved.

  bin/transformer translate --model MODEL <INPUT >OUTPUT
  bin/transformer help

Programs in C and C++ use lib/libtransformer.so with include/transformer.h, and find it with CMake (lib/cmake) or
pkg-config (lib/pkgconfig). Licences are in share/doc/transformer/licenses/; that of oneMKL is for a part of
lib/libtorch_cpu.so.
END

[[ -z $folder_only ]] || exit 0
tar -C "$build" --sort=name --owner=0 --group=0 --numeric-owner -c "$name" |
  xz --threads=0 --x86 --lzma2=preset=9 >"$folder.tar.xz"
rm -rf "$folder"
size=$(stat --format=%s "$folder.tar.xz")
echo "archive: $folder.tar.xz, $size bytes" >&2
[[ $size -le $limit ]] || fail "more than $limit bytes"
