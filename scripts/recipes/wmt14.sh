# WMT14, the paper's translation tasks; wmt14_en_de.sh and wmt14_en_fr.sh source this file. The text is that of
# statmt.org/wmt14/translation-task.html, not tokenized.
# shellcheck shell=bash
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The SHA-256 checksums are those that TensorFlow Datasets publishes for these archives, the MD5 is sacreBLEU's.
wmt14_archives='
0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7 www.statmt.org/wmt13/training-parallel-europarl-v7.tgz
c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5 www.statmt.org/wmt13/training-parallel-commoncrawl.tgz
29141b5c1eba149a94f7a59d3b1a834b2e47fe0f8758d68dcd77a3d3f497ee47 www.statmt.org/wmt13/training-parallel-un.tgz
cb8953f292298e6877ae433c98912b927cb0766b303f4540512ddd286c748485 www.statmt.org/wmt14/training-parallel-nc-v9.tgz
3ff8319f6919393520559bfbc7ad6a747ec81b3abc7be9993b338d4b017b4d9a www.statmt.org/wmt10/training-giga-fren.tar
7a7deccf82ebb05ba508dba5eb21356492224e8f630ec4f992132b029b4b25e7 data.statmt.org/wmt19/translation-task/dev.tgz
a8cd784e006feb32ac6f3d9ec7eb389a www.statmt.org/wmt14/test-full.tgz'

# The archive of each part and the part's files in it. LANGUAGE is en or OTHER, SIDE is src for en and ref for OTHER.
# The test set is the one with all 3,003 sentences.
declare -A wmt14_parts=(
  [europarl]='training-parallel-europarl-v7.tgz europarl-v7.OTHER-en.LANGUAGE'
  [common_crawl]='training-parallel-commoncrawl.tgz commoncrawl.OTHER-en.LANGUAGE'
  [united_nations]='training-parallel-un.tgz undoc.2000.OTHER-en.LANGUAGE'
  [news_commentary]='training-parallel-nc-v9.tgz news-commentary-v9.OTHER-en.LANGUAGE'
  [giga]='training-giga-fren.tar giga-OTHERen.release2.fixed.LANGUAGE.gz'
  [newstest2013]='dev.tgz newstest2013.LANGUAGE'
  [newstest2014]='test-full.tgz newstest2014-OTHERen-SIDE.LANGUAGE.sgm'
)

# The text of each <seg> of an SGML file, line by line.
sgm_segments() {
  sed -nE 's/.*<seg[^>]*> *(.*[^ ]|) *<\/seg>.*/\1/p' |
    sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&apos;/'/g; s/&amp;/\&/g"
}

# parts_of_text OTHER LANGUAGE PART...: prints the parts one after the other.
parts_of_text() {
  local other=$1 language=$2 side=ref part archive file
  [[ $language != en ]] || side=src
  for part in "${@:3}"; do
    read -r archive file <<<"${wmt14_parts[$part]}"
    file=${file/OTHER/$other} file=${file/LANGUAGE/$language} file=${file/SIDE/$side}
    tar --extract --to-stdout --file "data/wmt14_archives/$archive" --no-anchored "$file" |
      case $file in
        *.gz) gzip --decompress ;;
        *.sgm) sgm_segments ;;
        *) cat ;;
      esac || return
  done
}

# has_text FOLDER OTHER: whether the folder has the text of all parts in both languages.
has_text() {
  local name
  for name in {train,newstest2013,newstest2014}.{en,"$2"}; do [[ -e $1/$name ]] || return; done
}

# wmt14_text FOLDER OTHER PART...: downloads the archives, unless the text is complete, and writes training, validation
# and test text of both languages.
wmt14_text() {
  local folder=$1 other=$2 parts=("${@:3}") part language name archive sum url
  mkdir -p "$folder"
  for part in "${parts[@]}" newstest2013 newstest2014; do
    ! has_text "$folder" "$other" || break
    archive=${wmt14_parts[$part]%% *}
    read -r sum url < <(grep "/$archive\$" <<<"$wmt14_archives")
    download "https://$url" "$sum" data/wmt14_archives
  done
  for language in en "$other"; do
    make_file "$folder/train.$language" parts_of_text "$other" "$language" "${parts[@]}"
    for name in newstest2013 newstest2014; do
      make_file "$folder/$name.$language" parts_of_text "$other" "$language" $name
    done
  done
  for name in train newstest2013 newstest2014; do check_pairs "$folder/$name.en" "$folder/$name.$other"; done
}

# wmt14_model base|big CONFIG RUN SOURCE: trains, averages and translates as in the paper. Its checkpoints were ten
# minutes apart, which was 1,500 steps of the base model and 600 of the big one.
wmt14_model() {
  local every=1500 last=5 flags
  [[ $1 != big ]] || { every=600 last=20; }
  read -ra flags <<<"$(gpu_flags)"
  train "$2" "$3" --set training.checkpoint_minutes=null --set training.checkpoint_every=$every "${flags[@]}"
  average "$3" $last
  translate "$3/averaged.safetensors" "$4" "$3/test.translation" --beam-size 4 --alpha 0.6
}

size_of_model() {
  [[ $# -le 1 && ${1:-base} =~ ^(base|big)$ ]] || { echo "usage: $(basename "$0") [base|big]" >&2; exit 2; }
  echo "${1:-base}"
}
