#!/usr/bin/env bash
# From a fresh clone to a translated test set: sets up, builds, trains on the sample corpus, translates and scores.
# It can be stopped at any time and continues when it is run again; files that are up to date are kept.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
trap 'echo "quickstart: stopped; run scripts/quickstart.sh again to continue." >&2; exit 130' INT TERM

checkpoints=runs/sample/checkpoints
model=runs/sample/averaged.safetensors
source=data/sample/test.en
reference=data/sample/test.de
translation=runs/sample/test.de

show() { printf '\n$ %s\n' "$*"; }
transformer() { show transformer "$@" && build/release/transformer "$@"; }

show scripts/build.sh release transformer
scripts/build.sh release transformer
printf '\nFrom here on "transformer" is build/release/transformer.\n'

transformer train --config configs/sample.yaml
grep -q '"status": "finished"' runs/sample/run.json || {
  echo "quickstart: the training was stopped before its end; run scripts/quickstart.sh again to continue it." >&2
  exit 1
}

newest=$(printf '%s\n' $checkpoints/step-*.safetensors | tail -n 1) # their names sort by step
if [[ $model -nt $newest ]]; then
  printf '\n%s is up to date.\n' $model
else
  transformer average-checkpoints runs/sample
fi

if [[ $translation -nt $model && $translation -nt $source ]]; then
  printf '\n%s is up to date.\n' $translation
else
  transformer translate --model $model --input $source --output $translation
fi

transformer eval-bleu --hypothesis $translation --reference $reference
show python3 data/sample/generate.py --check $translation --source $source
python3 data/sample/generate.py --check $translation --source $source

printf '\nFive of the translations:\n'
for line in 1 2 3 4 5; do
  echo
  for text in "source:$source" "translation:$translation" "reference:$reference"; do
    printf '  %-12s %s\n' "${text%%:*}" "$(sed -n "${line}p" "${text#*:}")"
  done
done

printf '\nDone in %d min %02d s.\n' $((SECONDS / 60)) $((SECONDS % 60))
