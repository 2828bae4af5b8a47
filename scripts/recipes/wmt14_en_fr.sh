#!/usr/bin/env bash
# WMT14 English-French: wmt14_en_fr.sh [base|big], by default base. Published: 38.1 (base), 41.8 (big), the paper's
# Table 2: tokenized BLEU on newstest2014. The paper does not say how the French text was tokenized. If MOSES is the
# path of a clone of github.com/moses-smt/mosesdecoder, both sides are tokenized with its tokenizer and n-grams are
# counted as in multi-bleu.perl; otherwise only sacreBLEU's score is printed, which is usually lower.
# shellcheck source-path=SCRIPTDIR source=wmt14.sh
source "$(dirname "${BASH_SOURCE[0]}")/wmt14.sh"

size=$(size_of_model "$@")
declare -A published=([base]=38.1 [big]=41.8)
folder=data/wmt14_en_fr
run=runs/wmt14_en_fr_$size
tokenizer=$(given_path "${MOSES:-}" none)/scripts/tokenizer/tokenizer.perl
[[ -z ${MOSES:-} || -e $tokenizer ]] ||
  fail "$tokenizer does not exist; set MOSES to the path of a clone of mosesdecoder"

wmt14_text "$folder" fr europarl common_crawl united_nations news_commentary giga
wmt14_model "$size" "wmt14_en_fr_$size.yaml" "$run" "$folder/newstest2014.en"

tokenized() { perl "$tokenizer" -q -l fr <"$1"; }
if [[ -n ${MOSES:-} ]]; then
  need perl
  tokenized "$run/test.translation" >"$run/test.tokenized"
  tokenized "$folder/newstest2014.fr" >"$run/reference.tokenized"
  paper=$("$program" eval-bleu --hypothesis "$run/test.tokenized" --reference "$run/reference.tokenized" \
    --tokenize none --smooth-method none --score-only --width 2)
  report "BLEU, newstest2014, tokenized by Moses" "${published[$size]}" "$paper"
else
  say "MOSES is not set: the tokenized score, ${published[$size]} in the paper, is not computed"
fi
report_score "BLEU, newstest2014, 13a" - "$run/test.translation" "$folder/newstest2014.fr"
