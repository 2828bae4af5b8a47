#!/usr/bin/env bash
# Compiles the program and the tests for Arm (64 bits) on another Debian machine, in build/arm64, and runs the tests of
# the kernels and a translation there with QEMU. It needs the packages g++-aarch64-linux-gnu and qemu-user, downloads
# 0.5 GB and takes an hour on two cores. Arguments replace the filter of the tests.
#
#   scripts/arm64.sh
#   QEMU_CPU=neoverse-n1 scripts/arm64.sh '[#attention_test]'     the processor (qemu-aarch64 -cpu help)
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
top=$PWD/build/arm64
packages=(libc6-dev libstdc++-12-dev libgomp1 libsentencepiece-dev libcli11-dev libyaml-cpp-dev libfmt-dev libspdlog-dev
  nlohmann-json3-dev catch2 libgloo-dev zlib1g-dev liblzma-dev libbz2-dev libzstd-dev libexpat1-dev libmd4c-dev
  libicu-dev libprotobuf-dev libcpp-httplib-dev)
for command in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v "$command" >/dev/null || {
    echo "arm64: $command is missing: install g++-aarch64-linux-gnu and qemu-user." >&2
    exit 1
  }
done

# Debian's packages for Arm, unpacked; the machine's own lists of packages stay as they are.
if [[ ! -f $top/system/.complete ]]; then
  mkdir -p "$top"/apt/{state/lists,cache/archives}/partial "$top/system"
  : >"$top/apt/status"
  apt=(apt-get -o "Dir::State=$top/apt/state" -o "Dir::Cache=$top/apt/cache" -o "Dir::State::status=$top/apt/status"
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 --quiet)
  "${apt[@]}" update
  "${apt[@]}" install -y --no-install-recommends --download-only "${packages[@]}"
  for package in "$top"/apt/cache/archives/*.deb; do dpkg-deb --extract "$package" "$top/system"; done
  touch "$top/system/.complete"
fi

# LibTorch, and the two of its libraries that the CPU needs.
site=$top/venv/lib/python3.11/site-packages
if [[ ! -f $site/.complete ]]; then
  .venv/bin/python -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.11 --dest "$top/wheels" \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_25_aarch64 --platform manylinux_2_17_aarch64 \
    "torch==$(<cmake/torch_version.txt)" 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cupti==13.0.*'
  mkdir -p "$site"
  for wheel in "$top"/wheels/*.whl; do python3 -m zipfile --extract "$wheel" "$site"; done
  touch "$site/.complete"
fi

[[ -f $top/release/build.ninja ]] || cmake -S . -B "$top/release" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm64.cmake"
cmake --build "$top/release" --target transformer transformer_tests

emulated() {
  qemu-aarch64 -L "$top/system" -E "LD_LIBRARY_PATH=$site/torch/lib:$site/nvidia/cu13/lib" "$top/release/$1" "${@:2}"
}
tests=$(basename --suffix .cpp --multiple tests/ops/*_test.cpp golden_test.cpp | sed 's/.*/[#&]/' | paste --serial --delimiters ,)
emulated transformer_tests --filenames-as-tags "${@:-$tests}"
emulated transformer doctor
