#!/usr/bin/env bash
# The rows of Table 3 scaled down (configs/table3_small) on Tatoeba: table3_small.sh [FOLDER [SEED...]], by default
# data/tatoeba and the seeds 1 and 2. ROWS chooses some of the rows: ROWS="base table3/c_N2". Prints the table, as
# `transformer info --table3` does, for each seed.
# shellcheck source-path=SCRIPTDIR source=tatoeba.sh
source "$(dirname "${BASH_SOURCE[0]}")/tatoeba.sh"

configs=$repository/configs/table3_small
seeds=("${@:2}")
[[ ${#seeds[@]} -gt 0 ]] || seeds=(1 2)
if [[ -n ${ROWS:-} ]]; then
  read -ra rows <<<"$ROWS"
else
  mapfile -t rows < <(cd "$configs" && printf '%s\n' base.yaml table3/*.yaml big.yaml | sed 's/\.yaml$//')
fi

tatoeba_text "${1:-}"
for seed in "${seeds[@]}"; do
  runs=()
  for row in "${rows[@]}"; do
    run=runs/table3_small/${row##*/}-seed$seed
    train "table3_small/$row.yaml" "$run" --set training.seed="$seed" "${tatoeba_flags[@]}"
    runs+=(--run "$run")
  done
  printf 'seed %s\n' "$seed"
  transformer info --table3 --configs "$configs" "${runs[@]}"
done
