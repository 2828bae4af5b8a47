#!/usr/bin/env bash
# Builds the fuzz targets and runs each, from the inputs in tests/fuzz/corpus on, which take no time to run again. An
# input that fails is kept in build/fuzz/findings; ASAN_OPTIONS=detect_leaks=0:new_delete_type_mismatch=0
# build/fuzz/tests/fuzz/fuzz_TARGET FILE runs it alone.
#
#   scripts/fuzz.sh [SECONDS [TARGET...]]    by default 5 seconds for each of all targets
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export seconds=${1:-5}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "usage: scripts/fuzz.sh [SECONDS [TARGET...]]" >&2; exit 2; }
shift || true
fuzzer=$(clang++ -print-file-name="libclang_rt.fuzzer-$(uname -m).a" 2>/dev/null) || true
[[ -f $fuzzer ]] || {
  echo "fuzz: nothing was fuzzed; it needs clang and its sanitizers: apt-get install clang libclang-rt-dev" >&2
  exit 3
}
inputs=(tests/fuzz/corpus/*)
targets=("${inputs[@]##*/}")
[[ $# -gt 0 ]] || set -- "${targets[@]}"
for target in "$@"; do
  [[ -d tests/fuzz/corpus/$target ]] || { echo "fuzz: there is no target '$target', only: ${targets[*]}" >&2; exit 2; }
done
scripts/build.sh fuzz

# LibTorch frees some of its own memory in ways that the sanitizer takes for errors.
export ASAN_OPTIONS=detect_leaks=0:new_delete_type_mismatch=0
fuzz() {
  local target=$1 found=build/fuzz/corpus/$1 log=build/fuzz/$1.log
  mkdir -p "$found" build/fuzz/findings
  if OMP_NUM_THREADS=1 "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -malloc_limit_mb=512 -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$target-" \
    "$found" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
    echo "fuzz: $target: $(sed -n 's/stat::number_of_executed_units: *//p' "$log") executions"
  else
    tail -n 60 "$log"
    echo "fuzz: $target: failed; the input is in build/fuzz/findings, all messages are in $log" >&2
    return 1
  fi
}
export -f fuzz
printf '%s\n' "$@" | xargs --max-procs="$(nproc)" -I{} bash -c 'fuzz {}'
