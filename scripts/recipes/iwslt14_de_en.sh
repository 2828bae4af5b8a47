#!/usr/bin/env bash
# IWSLT14 German-English: iwslt14_de_en.sh, with Moses' tokenizer in $MOSES, by default data/mosesdecoder. Published:
# 34.5 (fairseq's recipe), about 35 with the last 10 checkpoints averaged as here; tokenized lower-cased BLEU.
#
# The text is prepared as in fairseq's recipe: tokenized by Moses, pairs with a side of more than 175 words or 1.5 times
# as long as the other left out, lower-cased; every 23rd pair is validation text; the test set joins dev2010, dev2012
# (TEDx), tst2010, tst2011 and tst2012. configs/iwslt14_de_en.yaml says what differs in training.
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

folder=data/iwslt14_de_en
run=runs/iwslt14_de_en
archive=$folder/de-en.tgz
moses=$(given_path "${MOSES:-}" data/mosesdecoder)/scripts/tokenizer
need perl
[[ -e $moses/tokenizer.perl ]] ||
  fail "$moses/tokenizer.perl does not exist: clone https://github.com/moses-smt/mosesdecoder and set MOSES to its path"
download https://dl.fbaipublicfiles.com/fairseq/data/iwslt14/de-en.tgz unknown "$folder"

member() { tar --extract --to-stdout --file "$archive" --no-anchored "$1"; }
tokenized() { perl "$moses/tokenizer.perl" -q -l "$1"; }
lower_cased() { perl "$moses/lowercase.perl"; }

# The lines of the talks with their titles and descriptions, but without their other tags.
training_text() {
  member "train.tags.de-en.$1" | sed -E '/<(url|talkid|keywords)>/d; s/<\/?(title|description)>//g' | tokenized "$1"
}
# Tab-separated pairs, cleaned by length and ratio.
training_pairs() {
  paste "$folder/talks.de" "$folder/talks.en" | awk -F '\t' '
    { source = split($1, words, " "); target = split($2, words, " ") }
    source >= 1 && target >= 1 && source <= 175 && target <= 175 && source <= 1.5 * target && target <= 1.5 * source' |
    lower_cased
}
# part_of_pairs train|valid COLUMN
part_of_pairs() {
  awk -F '\t' -v part="$1" -v column="$2" '(NR % 23 == 0) == (part == "valid") { print $column }' "$folder/pairs"
}
test_text() {
  local part
  for part in TED.dev2010 TEDX.dev2012 TED.tst2010 TED.tst2011 TED.tst2012; do
    member "IWSLT14.$part.de-en.$1.xml" | sed -nE "s/’/'/g; s/.*<seg id[^>]*> *(.*[^ ]|) *<\/seg>.*/\1/p" || exit 1
  done | tokenized "$1" | lower_cased
}

for language in de en; do
  make_file "$folder/talks.$language" training_text $language
  make_file "$folder/test.$language" test_text $language
done
check_pairs "$folder/talks.de" "$folder/talks.en"
check_pairs "$folder/test.de" "$folder/test.en"
make_file "$folder/pairs" training_pairs
for part in train valid; do
  make_file "$folder/$part.de" part_of_pairs $part 1
  make_file "$folder/$part.en" part_of_pairs $part 2
done

train iwslt14_de_en.yaml "$run"
average "$run" 10
translate "$run/averaged.safetensors" "$folder/test.de" "$run/test.translation"
report_score "BLEU, test, tokenized and lower-cased" 35 "$run/test.translation" "$folder/test.en" --tokenize none
report_score "BLEU, the same text tokenized again by 13a" - "$run/test.translation" "$folder/test.en"
