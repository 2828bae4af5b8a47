#!/usr/bin/env bash
# Sets up, builds, runs every test and, where clang is installed, fuzzes the parsers for some seconds. Arguments go to
# ctest: scripts/test.sh -R "beam search" runs these tests only.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/build.sh release
export PATH="$PWD/.venv/tools:$PATH" # as in scripts/build.sh
[[ -f build/release/libtransformer_cuda.so ]] || grep -q '^TRANSFORMER_CUDA:BOOL=OFF$' build/release/CMakeCache.txt || {
  echo "test: the build has no CUDA part (build/release/libtransformer_cuda.so)" >&2
  exit 1
}
ctest --preset release "$@"
[[ $# -eq 0 ]] || exit 0
scripts/fuzz.sh || [[ $? -eq 3 ]] # 3: clang is missing, which is only a warning
