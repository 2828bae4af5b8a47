#!/usr/bin/env bash
# Fine-tuning: fine_tuning.sh [FOLDER]. The general model is that of tatoeba_en_de.sh with the text in FOLDER, and is
# trained first if it is not there. It is tuned on the first 2,000 captions of Multi30k (data/task1/raw of
# github.com/multi30k/dataset), alone and mixed with general text. Prints the BLEU of the three models on captions and
# on Tatoeba.
# shellcheck source-path=SCRIPTDIR source=tatoeba.sh
source "$(dirname "${BASH_SOURCE[0]}")/tatoeba.sh"

captions_origin=https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw
declare -A captions_checksums=(
  [train.en]=d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f
  [train.de]=726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6
  [val.en]=14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28
  [val.de]=f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a
  [test_2016_flickr.en]=611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9
  [test_2016_flickr.de]=9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8
)
captions=data/fine_tuning
general=runs/tatoeba_en_de
runs=runs/fine_tuning

tatoeba_text "${1:-}"
train tatoeba_en_de.yaml "$general" "${tatoeba_flags[@]}"
average "$general" 10

first_captions() { gzip -cd "$captions/train.$1.gz" | sed -n 1,2000p; }
for language in en de; do
  for part in train val test_2016_flickr; do
    download "$captions_origin/$part.$language.gz" "${captions_checksums[$part.$language]}" "$captions"
  done
  make_file "$captions/train.$language" first_captions "$language"
  make_file "$captions/val.$language" gzip -cd "$captions/val.$language.gz"
  make_file "$captions/test.$language" gzip -cd "$captions/test_2016_flickr.$language.gz"
done

# tune NAME [OPTION...]: tunes the general model in the run directory runs/fine_tuning/NAME.
tune() {
  train fine_tuning.yaml "$runs/$1" --set data.prepared="prepared/fine_tuning/$1" \
    --set training.init_from="$general/averaged.safetensors" "${@:2}"
}

tune captions
# An epoch has the captions once and a fiftieth of the general text, which is nearly as many tokens.
yaml_text() { printf "'%s'" "${1//\'/\'\'}"; }
tune mixed --set "data.train.source=[$captions/train.en, $(yaml_text "${tatoeba_files[train.en]}")]" \
  --set "data.train.target=[$captions/train.de, $(yaml_text "${tatoeba_files[train.de]}")]" --set "data.train.weight=[1, 0.02]"

# report_bleu NAME MODEL: BLEU of a model on captions and on Tatoeba.
report_bleu() {
  local translation=$runs/$1
  translate "$2" "$captions/test.en" "$translation.captions"
  report_score "BLEU, 13a, captions, $1" - "$translation.captions" "$captions/test.de"
  translate "$2" "$tatoeba_test.en" "$translation.tatoeba"
  report_score "BLEU, 13a, Tatoeba, $1" - "$translation.tatoeba" "$tatoeba_test.de"
}
report_bleu general "$general/averaged.safetensors"
report_bleu captions "$runs/captions/checkpoints/best.safetensors"
report_bleu mixed "$runs/mixed/checkpoints/best.safetensors"
