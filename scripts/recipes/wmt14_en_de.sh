#!/usr/bin/env bash
# WMT14 English-German: wmt14_en_de.sh [base|big], by default base. Published: 27.3 (base), 28.4 (big), the paper's
# Table 2: tokenized BLEU on newstest2014 with compounds split, which `eval-bleu --paper` computes (D17 in
# docs/deviations.md).
# shellcheck source-path=SCRIPTDIR source=wmt14.sh
source "$(dirname "${BASH_SOURCE[0]}")/wmt14.sh"

size=$(size_of_model "$@")
declare -A published=([base]=27.3 [big]=28.4)
folder=data/wmt14 # the configs' name for it
run=runs/$size

wmt14_text "$folder" de europarl common_crawl news_commentary
wmt14_model "$size" "$size.yaml" "$run" "$folder/newstest2014.en"

scores=$(score "$run/test.translation" "$folder/newstest2014.de" --paper) # two lines, 13a first
report "BLEU, newstest2014, tokenized and compounds split as in the paper" "${published[$size]}" "${scores#*$'\n'}"
report "BLEU, newstest2014, 13a" - "${scores%$'\n'*}"
