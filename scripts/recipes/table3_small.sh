#!/usr/bin/env bash
# The rows of Table 3 scaled down (configs/table3_small) on Multi30k English-German: table3_small.sh [SEED...], by
# default the seeds 1 and 2. ROWS chooses some of the rows: ROWS="base table3/c_N2". Prints the table, as `transformer info
# --table3` does, with the mean and the spread of the seeds.
# shellcheck source-path=SCRIPTDIR source=multi30k.sh
source "$(dirname "${BASH_SOURCE[0]}")/multi30k.sh"

configs=$repository/configs/table3_small
seeds=("$@")
[[ ${#seeds[@]} -gt 0 ]] || seeds=(1 2)
if [[ -n ${ROWS:-} ]]; then
  read -ra rows <<<"$ROWS"
else
  mapfile -t rows < <(cd "$configs" && printf '%s\n' base.yaml table3/*.yaml big.yaml | sed 's/\.yaml$//')
fi

multi30k_text de
runs=()
for row in "${rows[@]}"; do
  for seed in "${seeds[@]}"; do
    run=runs/table3_small/${row##*/}-seed$seed
    train "table3_small/$row.yaml" "$run" --set training.seed="$seed"
    runs+=(--run "$run")
  done
done
transformer info --table3 --configs "$configs" "${runs[@]}"
