# WMT14, the paper's translation tasks; wmt14_en_de.sh and wmt14_en_fr.sh source this file. The text is that of
# statmt.org/wmt14/translation-task.html, not tokenized. The SHA-256 checksums are those that TensorFlow Datasets
# publishes for these files, the MD5 is sacreBLEU's.
# shellcheck shell=bash
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

wmt14_archives=data/wmt14_archives

# member_of ARCHIVE URL_FOLDER CHECKSUM MEMBER: prints a file of an archive, which is downloaded if needed.
member_of() {
  download "$2/$1" "$3" "$wmt14_archives" >&2
  tar --extract --to-stdout --file "$wmt14_archives/$1" --no-anchored "$4"
}
europarl() {
  member_of training-parallel-europarl-v7.tgz https://www.statmt.org/wmt13 \
    0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7 "europarl-v7.$1-en.$2"
}
common_crawl() {
  member_of training-parallel-commoncrawl.tgz https://www.statmt.org/wmt13 \
    c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5 "commoncrawl.$1-en.$2"
}
news_commentary() {
  member_of training-parallel-nc-v9.tgz https://www.statmt.org/wmt14 \
    cb8953f292298e6877ae433c98912b927cb0766b303f4540512ddd286c748485 "news-commentary-v9.$1-en.$2"
}
united_nations() {
  member_of training-parallel-un.tgz https://www.statmt.org/wmt13 \
    29141b5c1eba149a94f7a59d3b1a834b2e47fe0f8758d68dcd77a3d3f497ee47 "undoc.2000.$1-en.$2"
}
giga_word() {
  member_of training-giga-fren.tar https://www.statmt.org/wmt10 \
    3ff8319f6919393520559bfbc7ad6a747ec81b3abc7be9993b338d4b017b4d9a "giga-$1en.release2.fixed.$2.gz" |
    gzip --decompress
}
newstest2013() {
  member_of dev.tgz https://data.statmt.org/wmt19/translation-task \
    7a7deccf82ebb05ba508dba5eb21356492224e8f630ec4f992132b029b4b25e7 "newstest2013.$2"
}
# All 3,003 lines; the archive test-filtered.tgz has only 2,737 of the German ones.
newstest2014() {
  local side=ref
  [[ $2 != en ]] || side=src
  member_of test-full.tgz https://www.statmt.org/wmt14 a8cd784e006feb32ac6f3d9ec7eb389a \
    "newstest2014-$1en-$side.$2.sgm" | sgm_segments
}

# The text of each <seg> of an SGML file, line by line.
sgm_segments() {
  sed -nE 's/.*<seg[^>]*> *(.*[^ ]|) *<\/seg>.*/\1/p' |
    sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&apos;/'/g; s/&amp;/\&/g"
}

# all_parts OTHER_LANGUAGE LANGUAGE PART...: prints the parts of the training text one after the other.
all_parts() {
  local part
  for part in "${@:3}"; do "$part" "$1" "$2" || return; done
}

# wmt14_text FOLDER OTHER_LANGUAGE PART...: writes training, validation and test text of both languages.
wmt14_text() {
  local folder=$1 other=$2 language name
  mkdir -p "$folder"
  for language in en "$other"; do
    make_file "$folder/train.$language" all_parts "$other" "$language" "${@:3}"
    make_file "$folder/newstest2013.$language" newstest2013 "$other" "$language"
    make_file "$folder/newstest2014.$language" newstest2014 "$other" "$language"
  done
  for name in train newstest2013 newstest2014; do check_pairs "$folder/$name.en" "$folder/$name.$other"; done
}

# wmt14_model base|big CONFIG RUN SOURCE: trains, averages and translates as in the paper. Its checkpoints were ten
# minutes apart, which was 1,500 steps of the base model and 600 of the big one.
wmt14_model() {
  local every=1500 last=5
  [[ $1 != big ]] || { every=600 last=20; }
  local flags
  read -ra flags <<<"$(gpu_flags)"
  train "$2" "$3" --set training.checkpoint_minutes=null --set training.checkpoint_every=$every "${flags[@]}"
  average "$3" $last
  translate "$3" "$4" --beam-size 4 --alpha 0.6
}

size_of_model() {
  [[ $# -le 1 && ${1:-base} =~ ^(base|big)$ ]] || { echo "usage: $(basename "$0") [base|big]" >&2; exit 2; }
  echo "${1:-base}"
}
