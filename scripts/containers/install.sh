#!/usr/bin/env bash
# Installs the built program with what it needs of LibTorch, so that the directory is complete without the repository:
#
#   scripts/containers/install.sh cpu|cuda DIRECTORY
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

kind=$1 prefix=$2
PATH="$PWD/.venv/tools:$PATH" cmake --install build/release --prefix "$prefix"
site=$(echo .venv/lib/python3*/site-packages)
mkdir -p "$prefix/torch"
case "$kind" in
  cpu)
    mkdir "$prefix/torch/lib"
    cp "$site"/torch/lib/{libtorch_cpu.so,libc10.so,libgomp.so.1} "$site"/nvidia/cu13/lib/{libcudart.so.13,libcupti.so.13} \
      "$prefix/torch/lib/"
    ;;
  cuda) # LibTorch looks for NVIDIA's libraries in ../../nvidia
    cp -r "$site/torch/lib" "$prefix/torch/"
    (cd "$site" && find nvidia -path '*/lib/*' -name '*.so*' -exec cp --parents {} "$prefix/" \;)
    ;;
  *) echo "usage: scripts/containers/install.sh cpu|cuda DIRECTORY" >&2; exit 2 ;;
esac
