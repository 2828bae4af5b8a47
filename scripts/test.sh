#!/usr/bin/env bash
# Sets up, builds and runs every test; arguments go to ctest: scripts/test.sh -R "beam search".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/build.sh release
[[ -f build/release/libtransformer_cuda.so ]] || {
  echo "test: the build has no CUDA part (build/release/libtransformer_cuda.so); is TRANSFORMER_CUDA off?" >&2
  exit 1
}
ctest --preset release --output-on-failure "$@"
