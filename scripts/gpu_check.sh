#!/usr/bin/env bash
# Tests and measures this program on a machine with an NVIDIA GPU, in about 15 minutes and without a network, the most
# important parts first.
#
#   scripts/gpu_check.sh OUT           runs all parts with the build in build/gpu, or without one with build/release, and
#                                      writes OUT/results.json, OUT/performance.md and OUT/logs.tar.gz after each part
#   scripts/gpu_check.sh OUT PART...   runs the parts with these names or patterns, such as doctor or 'benchmark-base-*',
#                                      in the script's order, and adds them to the results that are in build/gpu_check
#   scripts/gpu_check.sh --pack        makes build/gpu here: programs and libraries for a machine that cannot build, where
#                                      Python has the torch wheel of the version in cmake/torch_version.txt; the other
#                                      calls refuse one that was made from other sources
#
# The parts are doctor, tests, same_steps, training, decoding-PRECISION (after training), two_gpus (after same_steps and
# training), benchmark-MODEL-PRECISION, and compiled-MODEL, the benchmark beside PyTorch with torch.compile. A part
# fails, too, if the program warns that it took a slower form or ran out of memory. With DEADLINE=570, a part starts
# only if its usual time ends within 570 s of the start, the running program is stopped then, and the parts that are
# left are printed.
# PYTHON names the Python whose torch is used, by default that in .venv or else python3. QUICK=1 takes a minute, and
# DEVICE=cpu tries the script itself on a machine without a GPU.
set -euo pipefail
unset CDPATH
export LC_ALL=C.UTF-8  # numbers with a decimal point, files in UTF-8
[[ ${1:--} == -* || $1 == /* ]] || set -- "$PWD/$1" "${@:2}"  # OUT and PYTHON may be relative paths
[[ ${PYTHON:-} != */* || $PYTHON == /* ]] || PYTHON=$PWD/$PYTHON
cd "$(dirname "${BASH_SOURCE[0]}")/.."

device=${DEVICE:-cuda}
steps=20 train_steps=1000 lowest_bleu=97 large_models=(base big) small_models=(small tiny)
[[ -z ${QUICK:-} ]] || { steps=3 train_steps=60 lowest_bleu=0 large_models=() small_models=(tiny); }

say() { echo "gpu_check: $*" >&2; }
fail() { say "$*"; exit 1; }

sources() { # a checksum of what programs and tests are built from
  find CMakeLists.txt CMakePresets.json apps cmake lib tests -type f -not -name '*.pyc' -print0 | LC_ALL=C sort -z |
    xargs -0 sha256sum | sha256sum
}

pack() {
  local folder=build/gpu library
  cmake --build --preset release >/dev/null
  rm -rf "$folder"
  cmake --install build/release --prefix "$folder" >/dev/null
  install build/release/transformer_tests "$folder/bin"
  strip "$folder/bin/transformer_tests" "$folder/bin/transformer"
  sources >"$folder/sources"
  # Debian libraries that other systems may lack in these versions.
  for library in $(ldd "$folder/bin/transformer_tests" | awk '/=> \/(usr\/)?lib/ { print $3 }'); do
    case ${library##*/} in
      libstdc++.so* | libgcc_s.so*) ;;  # in LD_LIBRARY_PATH they would replace newer ones; those of g++ 12 are needed
      libc.so* | libm.so* | libutil.so* | libdl.so* | libpthread.so* | librt.so* | ld-linux*) ;;
      *) [[ -e $folder/lib/${library##*/} ]] || cp "$library" "$folder/lib" ;;
    esac
  done
  local size
  size=$({ find "$folder" -type f -print0; git ls-files -co --exclude-standard -z; } |
    du --files0-from=- --apparent-size --block-size=M -c | tail -n 1 | cut -f 1)
  say "$folder and the working tree have $size together"
}

if [[ ${1:-} == --pack ]]; then
  pack
  exit
fi
[[ $# -ge 1 && $1 != -* ]] || { say "usage: scripts/gpu_check.sh OUT [PART...] | --pack"; exit 2; }
mkdir -p "$1"
results=$(cd "$1" && pwd)
shift
wanted=("$@") ran=() left=()
out=$PWD/build/gpu_check/$device${QUICK:+-quick}
[[ $results/ != "$out"/* ]] || fail "$results is in $out, which is for the files of the parts; name another OUT"
[[ $# -gt 0 ]] || rm -rf "$out"
mkdir -p "$out/bin"

python=${PYTHON:-}
[[ -n $python ]] || python=$([[ -x .venv/bin/python ]] && echo .venv/bin/python || echo python3)
torch=$("$python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])' 2>/dev/null) ||
  fail "$python has no torch; name another Python with PYTHON"
version=$(sed -n "s/^__version__ = '\([0-9.]*\).*/\1/p" "$torch/version.py")
[[ $version == "$(<cmake/torch_version.txt)" ]] ||
  fail "$python has torch $version, and the program was built for $(<cmake/torch_version.txt)"

"$python" -c 'import numpy' 2>/dev/null ||
  say "warning: $python has no numpy, so the parts benchmark-* and compiled-* will fail"

build=build/release libraries=${LD_LIBRARY_PATH:-}
if [[ -d build/gpu ]]; then
  sources | cmp --quiet - build/gpu/sources 2>/dev/null ||
    fail "build/gpu was built from other sources; make it again with --pack, or remove it to use build/release"
  build=build/gpu/bin
  libraries=$torch/lib:$PWD/build/gpu/lib:$torch/../nvidia/cu13/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

program_limit=$([[ $device == cpu ]] && echo 600 || echo 120)
end_time=$((EPOCHSECONDS - SECONDS + ${DEADLINE:-1000000}))

wrap() { # PROGRAM: a script that runs this program of the build with its libraries, for two minutes at most (CPU: ten),
  # and not beyond the deadline
  # shellcheck disable=SC2016 # the script expands its variables
  printf '#!/usr/bin/env bash
left=$((%d - EPOCHSECONDS))
LD_LIBRARY_PATH=%q exec timeout --foreground -k 10 $((left < 1 ? 1 : left < %d ? left : %d)) %q "$@"
' "$end_time" "$libraries" "$program_limit" "$program_limit" "$PWD/$build/$1" >"$out/bin/$1"
  chmod +x "$out/bin/$1"
}
wrap transformer
wrap transformer_tests
transformer=$out/bin/transformer

part() { # NAME SECONDS COMMAND...: if the part is wanted and these seconds are left, runs the command with its output in
  # NAME.log, and goes on after a failure; in the functions that it runs, `set -e` has no effect
  local name=$1 start=$SECONDS status=0
  is_wanted "$name" || return 0
  if ((EPOCHSECONDS + $2 > end_time)); then
    left+=("$name")
    return
  fi
  ran+=("$name")
  shift 2
  "$@" >"$out/$name.log" 2>&1 || status=$?
  if [[ $status -eq 0 && $name != tests ]] &&
    grep -E '^warning: .*(does not work here|out of memory)' "$out/$name.log" >&2; then
    status=1
  fi
  printf '{"part": "%s", "status": %d, "seconds": %d, "machine": %s}\n' "$name" "$status" $((SECONDS - start)) \
    "$(<"$out/doctor.json")" >>"$out/parts.jsonl"
  summarize || say "there is no summary"
  local end=passed
  [[ $status -eq 0 ]] || end="failed with status $status (124: timeout), see $out/$name.log"
  say "$name: $end ($((SECONDS - start)) s)"
  [[ $device == cpu || $status -lt 124 || $name != same_steps ]] || fail "the GPU hangs; the other parts are left out"
}

is_wanted() { # NAME
  local pattern
  [[ ${#wanted[@]} -gt 0 ]] || return 0
  for pattern in "${wanted[@]}"; do
    # shellcheck disable=SC2053 # a pattern
    [[ $1 != $pattern ]] || return 0
  done
  return 1
}

summarize() { # writes results.json, performance.md and logs.tar.gz from the parts so far
  (cd "$out" && tar -czf "$results/logs.tar.gz" ./*.log parts.jsonl)
  "$python" scripts/gpu_check_summary.py "$out" "$results"
}

train_sample() { # DIRECTORY DEVICE STEPS [FLAG...]
  "$transformer" train --config configs/sample.yaml --device "$2" --overwrite --set "training.directory=$1" \
    --set "data.prepared=$out/prepared" --set "training.train_steps=$3" --set training.log_every=1 \
    --set training.validate_every=null "${@:4}"
}

take_60_steps() { # DIRECTORY DEVICE [FLAG...]
  # With the config's own warm-up of 500 steps, whose updates are almost three times as large, the order of additions
  # alone changes losses by up to 9e-5 in 60 steps; with this one by 1.3e-5.
  train_sample "$1" "$2" 60 --set training.warmup_steps=1000 --set training.tf32=false "${@:3}"
}

same_steps() { # the first 60 steps on the CPU and on the device: dropout included, losses in fp32 within 1e-4
  take_60_steps "$out/cpu" cpu && take_60_steps "$out/device" "$device" && compare_losses "$out/cpu" "$out/device"
}

compare_losses() { # RUN RUN
  "$python" scripts/compare_losses.py "$@" --lines 60 --tolerance 1e-4
}

bleu_is_at_least() { # BLEU TRANSLATION: prints the BLEU score of a translation of the test set
  local bleu
  bleu=$("$transformer" eval-bleu --hypothesis "$2" --reference data/sample/test.de --score-only --width 2) || return
  printf '{"bleu": %s}\n' "$bleu"
  awk -v bleu="$bleu" -v least="$1" 'BEGIN { exit bleu < least }' || { echo "BLEU is below $1" && return 1; }
}

training() { # a whole training in the precision that `auto` selects (bf16 on a GPU), and its BLEU
  train_sample "$out/sample" "$device" "$train_steps" --set training.precision=auto --set training.log_every=50 \
    --set "training.checkpoint_every=$((train_steps / 10))" || return
  "$transformer" average-checkpoints --last 5 "$out/sample" -o "$out/sample/averaged.safetensors" || return
  "$transformer" translate --model "$out/sample/averaged.safetensors" --device "$device" --input data/sample/test.en \
    --output "$out/sample/test.translation" || return
  bleu_is_at_least "$lowest_bleu" "$out/sample/test.translation"
}

needs() { # FILE PART: fails if the file is missing, which that part makes
  [[ -e $out/$1 ]] || { echo "$1 is missing: run the part $2 first" && return 1; }
}

two_gpus() { # the same 60 steps on two GPUs, optimizer sharded and not; the test set, translated by both
  needs device/metrics.jsonl same_steps && needs sample/test.translation training || return
  local sharded
  for sharded in false true; do
    take_60_steps "$out/two" "$device" --set "training.shard_optimizer=$sharded" --devices 2 || return
    compare_losses "$out/device" "$out/two" || return
  done
  "$transformer" translate --model "$out/sample/averaged.safetensors" --device "$device" --devices 2 \
    --input data/sample/test.en --output "$out/sample/two.translation" || return
  # Which sentences share a batch depends on time, and their number on the rounding.
  local different
  different=$(diff "$out/sample/test.translation" "$out/sample/two.translation" | grep -c '^<')
  echo "$different of 500 translations differ"
  ((different <= 10))
}

decoding() { # PRECISION: the BLEU score and the speed
  needs sample/averaged.safetensors training || return
  "$transformer" translate --model "$out/sample/averaged.safetensors" --device "$device" --precision "$1" \
    --input data/sample/test.en --output "$out/sample/$1.translation" || return
  bleu_is_at_least "$lowest_bleu" "$out/sample/$1.translation" || return
  "$transformer" benchmark translate --model "$out/sample/averaged.safetensors" --device "$device" --precision "$1" \
    --input data/sample/test.en --json
}

train_beside_pytorch() { # MODEL PRECISION [FLAG...]
  local tokens=25000 limit=300 remaining=$((end_time - EPOCHSECONDS))
  [[ $device != cpu ]] || tokens=1024 limit=600
  timeout -k 10 $((limit < remaining ? limit : remaining)) "$python" scripts/benchmarks/train.py "$1" \
    --precision "$2" --device "$device" --tokens "$tokens" --steps "$steps" --transformer "$transformer" --json "${@:3}"
}

benchmark() { # MODEL PRECISION SECONDS
  part "benchmark-$1-$2" "$3" train_beside_pytorch "$1" "$2" --rounds 2
}

"$transformer" doctor --json >"$out/doctor.json" || fail "doctor has failed"
[[ $device == cpu ]] || grep -q '"cuda:0"' "$out/doctor.json" || fail "there is no GPU to use: $(<"$out/doctor.json")"
part doctor 0 cat "$out/doctor.json"
if [[ $device == cpu ]]; then
  part tests 60 "$out/bin/transformer_tests" "[gpu]"
else
  part tests 60 env TRANSFORMER_TEST_GPU=1 "$out/bin/transformer_tests" "[gpu]"
fi
part same_steps 40 same_steps
part training 40 training
part decoding-bf16 40 decoding bf16
if grep -q '"cuda:1"' "$out/doctor.json"; then part two_gpus 60 two_gpus; fi
for precision in bf16 fp32; do
  for model in "${large_models[@]}"; do benchmark "$model" "$precision" 90; done
done
for precision in fp32 fp16; do part "decoding-$precision" 40 decoding "$precision"; done
for precision in bf16 fp32; do
  for model in "${small_models[@]}"; do benchmark "$model" "$precision" 50; done
done
for model in "${large_models[@]}"; do
  part "compiled-$model" 240 train_beside_pytorch "$model" bf16 --rounds 1 --compile
done

[[ ${#left[@]} -eq 0 ]] || say "no time was left; run scripts/gpu_check.sh $results ${left[*]}"
[[ ${#ran[@]} -gt 0 ]] || fail "no part has run; the parts were to be: ${wanted[*]:-all}"
cat "$results/performance.md" || true
failed=$("$python" -c 'import json, sys; print(*(k for k, v in json.load(open(sys.argv[1])).items() if v["status"]))' \
  "$results/results.json")
if [[ -n $failed ]]; then fail "failed, now or earlier: $failed"; fi
[[ ${#left[@]} -eq 0 ]] || exit 1
say "all parts passed"
