#!/usr/bin/env bash
# The parser of section 6.3, trained on the sample of the Penn Treebank that NLTK distributes for non-commercial use:
# parsing_small.sh. Files 0001-0149 are the training text, 0150-0169 the validation text, on which F1 is measured too.
# The checksum is of the archive in this commit of github.com/nltk/nltk_data.
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

origin=https://raw.githubusercontent.com/nltk/nltk_data/5db857e6f7df11eabb5e5665836db9ec8df07e28/packages/corpora
folder=data/ptb
run=runs/ptb
need python3
download "$origin/treebank.zip" 9da92d76c3666cfb6cddeaed0f7e86b344cce0f0928a286d439e555f19c37399 "$folder"

# trees_of FIRST LAST: the trees of these files of the archive.
trees_of() {
  python3 - "$folder/treebank.zip" "$@" <<'END'
import sys, zipfile

archive = zipfile.ZipFile(sys.argv[1])
for number in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
    sys.stdout.buffer.write(archive.read(f"treebank/combined/wsj_{number:04}.mrg"))
END
}
make_file "$folder/train.mrg" trees_of 1 149
make_file "$folder/dev.mrg" trees_of 150 169
# With every bracket as an example of its own, the model cannot guess the brackets without looking at the words.
[[ -e $folder/train.brackets ]] ||
  transformer trees linearize --input "$folder/train.mrg" --subtrees --words "$folder/train.words" \
    --brackets "$folder/train.brackets" >&2
[[ -e $folder/dev.trees ]] ||
  transformer trees linearize --input "$folder/dev.mrg" --words "$folder/dev.words" --brackets "$folder/dev.brackets" \
    --tags "$folder/dev.tags" --trees "$folder/dev.trees" >&2

train parsing/small.yaml "$run"
average "$run" 8
translate "$run/averaged.safetensors" "$folder/dev.words" "$run/dev.brackets" --beam-size 21 --alpha 0.3
transformer trees restore --words "$folder/dev.words" --tags "$folder/dev.tags" --brackets "$run/dev.brackets" \
  -o "$run/dev.trees" >&2
transformer eval-parse --gold "$folder/dev.trees" --predicted "$run/dev.trees"
