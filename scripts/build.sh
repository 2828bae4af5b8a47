#!/usr/bin/env bash
# Sets up and builds: scripts/build.sh [release|debug|asan|tsan|fuzz [TARGET...]], by default all of release, in
# build/<preset>.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
case "$preset" in
  release | debug | asan | tsan | fuzz) ;;
  *) echo "usage: scripts/build.sh [release|debug|asan|tsan|fuzz [TARGET...]]" >&2; exit 2 ;;
esac

scripts/setup.sh
export PATH="$PWD/.venv/tools:$PATH" # what is too old in the system
# Configured once, and anew when the setup has changed; CMake itself notices everything else.
configured=build/$preset/.setup-complete
if ! cmp -s .venv/.setup-complete "$configured"; then
  cmake --preset "$preset"
  cp .venv/.setup-complete "$configured"
fi
# A compiler process takes up to 2 GB of memory, which a container may limit.
if [[ -z ${CMAKE_BUILD_PARALLEL_LEVEL:-} ]]; then
  jobs=$(($(nproc) + 1))
  limit=$(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | head -n 1) || true
  fitting=$(awk -v limit="$limit" '/^MemAvailable:/ {
    bytes = 1024 * $2
    if (limit + 0 > 0 && limit + 0 < bytes) bytes = limit # "max": no limit
    print int(bytes / 2e9)
  }' /proc/meminfo)
  export CMAKE_BUILD_PARALLEL_LEVEL=$((fitting < 1 ? 1 : fitting < jobs ? fitting : jobs))
fi
cmake --build --preset "$preset" ${2:+--target "${@:2}"}
