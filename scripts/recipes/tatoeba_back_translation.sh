#!/usr/bin/env bash
# What back-translation gains on Tatoeba English-German: tatoeba_back_translation.sh [FOLDER [PAIRS]], by default
# data/tatoeba and 30,000. The first PAIRS pairs are the parallel text. Of the others only the German side is used, and a
# German-English model of the parallel text samples English sides for it. Prints BLEU of a model of the parallel text
# alone and of a model of both, trained for as many steps.
# shellcheck source-path=SCRIPTDIR source=tatoeba.sh
source "$(dirname "${BASH_SOURCE[0]}")/tatoeba.sh"

tatoeba_text "${1:-}"
pairs=${2:-30000}
name=tatoeba_back_translation
data=data/$name
runs=runs/$name
mkdir -p "$data"
arguments="${tatoeba_files[train.en]} ${tatoeba_files[train.de]} $pairs"
[[ ! -e $data/arguments || $(<"$data/arguments") == "$arguments" ]] ||
  fail "$data was made from $(<"$data/arguments") pairs; remove it, prepared/$name and $runs, or give the same arguments"
echo "$arguments" >"$data/arguments"

# first LANGUAGE: that side of the parallel text; rest LANGUAGE: that side of the other pairs.
first() { gzip -cdf "${tatoeba_files[train.$1]}" | sed -n "1,${pairs}p"; }
rest() { gzip -cdf "${tatoeba_files[train.$1]}" | sed "1,${pairs}d"; }
make_file "$data/parallel.en" first en
make_file "$data/parallel.de" first de
make_file "$data/monolingual.de" rest de

# train_to LANGUAGE RUN [OPTION...]: trains a model that translates into the language, and averages its checkpoints.
train_to() {
  local from=en
  [[ $1 == de ]] || from=de
  train $name.yaml "$runs/$2" --set data.prepared="prepared/$name/$2" \
    --set data.valid.source="${tatoeba_files[dev.$from]}" --set data.valid.target="${tatoeba_files[dev.$1]}" "${@:3}"
  average "$runs/$2" 10
}

# parallel_alone SOURCE TARGET: sets `flags`, the options to train without the back-translated text.
parallel_alone() {
  flags=(--set data.train.source="$data/parallel.$1" --set data.train.target="$data/parallel.$2"
    --set "data.train.weight=[]" --set "data.train.tag=[]")
}

parallel_alone de en
train_to en reverse --set training.train_steps=3000 "${flags[@]}" # the pairs alone teach no more in more steps
[[ $data/synthetic.en -nt $runs/reverse/averaged.safetensors ]] ||
  transformer translate --model "$runs/reverse/averaged.safetensors" --input "$data/monolingual.de" --sample \
    --output "$data/synthetic.en" "${translate_flags[@]}" >&2

parallel_alone en de
train_to de without "${flags[@]}"
train_to de with
for run in without with; do
  translate "$runs/$run/averaged.safetensors" "$tatoeba_test.en" "$runs/$run/test.translation"
  report_score "BLEU, ${tatoeba_test##*/}, 13a, $run back-translated text" - "$runs/$run/test.translation" \
    "$tatoeba_test.de"
done
