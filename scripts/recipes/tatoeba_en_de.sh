#!/usr/bin/env bash
# Tatoeba English-German: tatoeba_en_de.sh [FOLDER], by default data/tatoeba. No score is published.
# shellcheck source-path=SCRIPTDIR source=tatoeba.sh
source "$(dirname "${BASH_SOURCE[0]}")/tatoeba.sh"

run=runs/tatoeba_en_de
tatoeba_text "${1:-}"
train tatoeba_en_de.yaml "$run" "${tatoeba_flags[@]}"
average "$run" 10
translate "$run/averaged.safetensors" "$tatoeba_test.en" "$run/test.translation"
report_score "BLEU, ${tatoeba_test##*/}, 13a" - "$run/test.translation" "$tatoeba_test.de"
report_score "chrF++, ${tatoeba_test##*/}" - "$run/test.translation" "$tatoeba_test.de" --metrics chrf++
