# Functions for Multi30k, which multi30k_en_de.sh, multi30k_en_fr.sh (both "Transformer-Tiny" of Wu et al. 2021, arXiv
# 2105.14462) and table3_small.sh source. The text is data/task1/tok of github.com/multi30k/dataset: tokenized,
# lower-cased, with normalized punctuation. The checksums are of the files in this commit of that repository.
# shellcheck shell=bash
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

multi30k_commit=a3d2e0d26b56f3846f66a952536ffed4e401d05a
multi30k_origin=https://raw.githubusercontent.com/multi30k/dataset/$multi30k_commit/data/task1/tok
declare -A multi30k_checksums=(
  [train.en]=08925f8e0572bcd5a006702fc5fe20e2d77c6917d4eebd576fc20de6693c2119
  [train.de]=cb5a23529b65ec2061f1dc446192a9c37382b63cc75f81a0be59d34894b3a505
  [train.fr]=8fa41bb718412bcb7c5dfa58603842810a01543eae86a51279f9886b901266e1
  [val.en]=46573ce391ae227f1c72f873392436a20ef18e0a6d518098cfbd70b77c8572ec
  [val.de]=97232bd273eceb7207f689527386a97e4be2616b18ada47576bdaf96c8ae1f00
  [val.fr]=b303e301aa21fe7822a846b2b3fb2d5a1121ec807cd5b1d006fb7b2b5507168a
  [test_2016_flickr.en]=5b7f32627cf99eced828311b955dae9800bb52bc8b91cf8b6526829e605b29d2
  [test_2016_flickr.de]=c6a33d39d48f9f510de147651316cd9d918e09ad0219df734a2f16b6baccacc4
  [test_2016_flickr.fr]=1463bd5960f9bfe098ec3cd752d3df0c49c84dc646fb518964a29232658cd836
)

# multi30k_text TARGET_LANGUAGE: downloads both sides of the training, validation and test text to data/multi30k.
multi30k_text() {
  local part language
  for part in train val test_2016_flickr; do
    for language in en "$1"; do
      download "$multi30k_origin/$part.lc.norm.tok.$language" "${multi30k_checksums[$part.$language]}" data/multi30k
    done
  done
}

# multi30k_recipe CONFIG RUNS TARGET_LANGUAGE PUBLISHED [SEED...]
multi30k_recipe() {
  local config=$1 runs=$2 target=$3 published=$4 seeds=("${@:5}")
  [[ ${#seeds[@]} -gt 0 ]] || seeds=(1)
  multi30k_text "$target"

  local seed run test=data/multi30k/test_2016_flickr.lc.norm.tok tokenized=() retokenized=()
  for seed in "${seeds[@]}"; do
    run=$runs/seed$seed
    train "$config" "$run" --set training.seed="$seed"
    average "$run" 10
    translate "$run/averaged.safetensors" "$test.en" "$run/test.translation" --beam-size 5
    tokenized+=("$(score "$run/test.translation" "$test.$target" --tokenize none)")
    retokenized+=("$(score "$run/test.translation" "$test.$target")")
    echo "seed $seed: BLEU ${tokenized[-1]} without further tokenization (as published), ${retokenized[-1]} with 13a"
  done
  report "BLEU, test 2016, tokenized and lower-cased" "$published" "${tokenized[@]}"
  report "BLEU, the same text tokenized again by 13a" - "${retokenized[@]}"
}
