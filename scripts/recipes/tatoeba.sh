# English-German sentences of Tatoeba; the recipes on Tatoeba source this file. They come from the
# German-English file of manythings.org/anki, which changes over time, so that no URL always has the same text. The
# configs are made for the file of 2018-04-07 (169,159 different pairs), split so that no sentence of the validation or
# test text is in the training text.
# shellcheck shell=bash disable=SC2034
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# tatoeba_text FOLDER: looks for train and dev, each .en and .de, plain or as .gz; if FOLDER is empty, in data/tatoeba.
# Sets tatoeba_files, their paths by name ("train.en"), tatoeba_flags, the options that name them to `transformer train`,
# and tatoeba_test, the test set's path without the language; if the folder has no test set, this is dev.
tatoeba_text() {
  local folder part language side path
  folder=$(given_path "$1" data/tatoeba)
  tatoeba_flags=()
  declare -gA tatoeba_files
  for part in train dev; do
    for language in en de; do
      path=$folder/$part.$language
      [[ -e $path ]] || path=$path.gz
      [[ -e $path ]] ||
        fail "$folder/$part.$language: there is no such file and none with .gz; give the folder of the text"
      tatoeba_files[$part.$language]=$path
      side=source
      [[ $language == en ]] || side=target
      tatoeba_flags+=(--set "data.${part/dev/valid}.$side=$path")
    done
  done
  tatoeba_test=$folder/test
  if [[ ! -e $folder/test.en || ! -e $folder/test.de ]]; then
    tatoeba_test=$folder/dev
    say "there is no test.en or test.de in $folder; dev is scored, which was also the validation text"
  fi
}
