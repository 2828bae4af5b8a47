# The functions that the recipes in this folder share. A recipe sources this file and then works in the repository, or
# in $DIRECTORY: it writes to data/, prepared/ and runs/ there. A recipe can be interrupted; when it is run again, it
# keeps the files that are complete and resumes the download or the training that was interrupted.
#
# Environment variables:
#   DIRECTORY        where data/, prepared/ and runs/ are; default: the repository
#   TRANSFORMER      the program; default: build/release/transformer
#   TRAIN_FLAGS      more options for `transformer train`, separated by spaces: "--set training.train_steps=1000"
#   TRANSLATE_FLAGS  more options for `transformer translate`: "--precision int8 --workers 2"
#   MIRROR           take the files from this URL, MIRROR/NAME, instead of their origin; may be file:///FOLDER
#   CHECKSUMS=off    accept files whose checksum is not the expected one
# shellcheck shell=bash
set -euo pipefail
unset CDPATH
export LC_ALL=C.UTF-8  # awk reads and writes numbers with a decimal point

# A training that Ctrl-C stops ends with status 0, and bash would go on with the next command.
trap 'trap - INT; kill -INT $$' INT

say() { echo "$(basename "$0" .sh): $*" >&2; }
fail() { echo "error: $*" >&2; exit 1; }

# With -h or --help, a recipe prints the comment at its beginning.
case " $* " in *" -h "* | *" --help "*)
  sed -n '2,${ /^#/!q; /^# shellcheck/d; s/^# \{0,1\}//p }' "$0"
  exit
  ;;
esac

need() {
  local command
  for command in "$@"; do
    command -v "$command" >/dev/null || fail "the command '$command' is missing; install its Debian package"
  done
}

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(command -v "${TRANSFORMER:-$repository/build/release/transformer}") ||
  fail "${TRANSFORMER:-$repository/build/release/transformer}: there is no program; build it with scripts/build.sh," \
    "or set TRANSFORMER to its path"
program=$(realpath "$program")
read -ra train_flags <<<"${TRAIN_FLAGS:-}"
read -ra translate_flags <<<"${TRANSLATE_FLAGS:-}"
started_in=$PWD
mkdir -p "${DIRECTORY:=$repository}"
cd "$DIRECTORY"

# given_path PATH DEFAULT: PATH, which may be relative to where the recipe was started, or, if it is empty, DEFAULT.
given_path() {
  case $1 in
    "") echo "$2" ;;
    /*) echo "$1" ;;
    *) echo "$started_in/$1" ;;
  esac
}

# Prints the command and runs it.
transformer() { printf '\n$ transformer %s\n' "$*" >&2 && "$program" "$@"; }

# checksum FILE EXPECTED: the file's MD5 if EXPECTED is one, its SHA-256 otherwise.
checksum() {
  case ${#2} in
    32) md5sum "$1" ;;
    *) sha256sum "$1" ;;
  esac | cut -d ' ' -f 1
}

# download URL CHECKSUM FOLDER: makes sure that the file is in the folder, under the last part of the URL as its name.
# CHECKSUM is a SHA-256 or an MD5. "unknown" stands for files without a published checksum: their SHA-256 is recorded in
# NAME.sha256 at the first download and expected from then on.
download() {
  local url=$1 expected=$2 file=$3/${1##*/} candidate actual
  [[ -z ${MIRROR:-} ]] || url=${MIRROR%/}/${1##*/}
  need curl
  mkdir -p "$3"
  candidate=$file
  if [[ ! -e $file ]]; then
    candidate=$file.part
    say "downloading $url"
    curl_resuming "$url" "$candidate" ||
      fail "$url: the download failed (see above); run the recipe again to resume it, or set MIRROR to another place"
  fi
  if [[ ${CHECKSUMS:-} != off ]]; then
    if [[ $expected == unknown && -e $file.sha256 ]]; then
      expected=$(<"$file.sha256")
    fi
    actual=$(checksum "$candidate" "$expected")
    if [[ $expected == unknown ]]; then
      echo "$actual" >"$file.sha256"
      say "no checksum of $url is published; recorded $actual in $file.sha256"
    elif [[ $actual != "$expected" ]]; then
      mv "$candidate" "$file.wrong-checksum"
      fail "$url: the checksum is $actual instead of $expected; the file was moved to $file.wrong-checksum, so run" \
        "the recipe again to download it anew, or set MIRROR to another place"
    fi
  fi
  [[ $candidate == "$file" ]] || mv "$candidate" "$file"
}

# curl_resuming URL FILE: downloads, and continues if the file has its beginning already.
curl_resuming() {
  local status=0
  local command=(curl --fail --location --retry 3 --no-progress-meter --output "$2" "$1")
  "${command[@]}" --continue-at - || status=$?
  # 33: the server cannot resume. 36: the file is longer than what the server has.
  if [[ $status == 33 || $status == 36 ]]; then
    rm -f "$2"
    status=0
    "${command[@]}" || status=$?
  fi
  return "$status"
}

# make_file FILE COMMAND...: writes the command's output to FILE, unless the file is there. In a function that is called
# this way, `set -e` has no effect.
make_file() {
  [[ ! -e $1 ]] || return 0
  say "writing $1"
  "${@:2}" >"$1.part" || fail "$1: writing it failed (see above)"
  mv "$1.part" "$1"
}

# check_pairs SOURCE TARGET: both files must have the same number of lines.
check_pairs() {
  local lines=("$(wc -l <"$1")" "$(wc -l <"$2")")
  [[ ${lines[0]} == "${lines[1]}" ]] ||
    fail "$1 has ${lines[0]} lines and $2 has ${lines[1]}; remove both and run the recipe again"
}

# Options for training on the GPUs of this machine, if there are any: bf16, and one process for each.
gpu_flags() {
  local gpus
  gpus=$("$program" doctor --json | grep -o '"cuda:[0-9]*"' | wc -l) || return 0
  echo "--set training.precision=bf16 --devices $gpus"
}

# train CONFIG RUN [OPTION...]: trains configs/CONFIG in the run directory RUN.
train() {
  transformer train --config "$repository/configs/$1" --set training.directory="$2" "${@:3}" "${train_flags[@]}" >&2
  grep -q '"status": "finished"' "$2/run.json" ||
    fail "$2: the training was stopped before its end; run the recipe again to continue it"
}

newest_checkpoint() { find "$1/checkpoints" -name 'step-*.safetensors' | sort | tail -n 1; }

# average RUN LAST: writes RUN/averaged.safetensors, the mean of the newest LAST checkpoints.
average() {
  [[ $1/averaged.safetensors -nt $(newest_checkpoint "$1") ]] ||
    transformer average-checkpoints --last "$2" "$1" -o "$1/averaged.safetensors" >&2
}

# translate MODEL SOURCE TRANSLATION [OPTION...]: writes the translation, unless it is newer than model and source and
# has the same options, which are kept in TRANSLATION.options.
translate() {
  local options="${*:4} ${translate_flags[*]}"
  [[ $3 -nt $1 && $3 -nt $2 && -e $3.options && $(<"$3.options") == "$options" ]] && return
  transformer translate --model "$1" --input "$2" --output "$3" "${@:4}" "${translate_flags[@]}" >&2
  echo "$options" >"$3.options"
}

# score TRANSLATION REFERENCE [OPTION...]: one score of a translation.
score() { "$program" eval-bleu --hypothesis "$1" --reference "$2" --score-only --width 2 "${@:3}"; }

# report_score NAME PUBLISHED TRANSLATION REFERENCE [OPTION...]: prints one score of a translation.
report_score() {
  local value
  value=$(score "${@:3}")
  report "$1" "$2" "$value"
}

# report NAME PUBLISHED SCORE...: prints the scores' mean, of several scores also the best and the worst, and how far
# the mean is from the published score ("-": none is published).
report() {
  printf '%s\n' "${@:3}" | awk -v name="$1" -v published="$2" '
    { sum += $1; if (NR == 1 || $1 > best) best = $1; if (NR == 1 || $1 < worst) worst = $1 }
    END {
      printf "%s: %.2f", name, sum / NR
      if (NR > 1) printf " (mean of %d; best %.2f, worst %.2f)", NR, best, worst
      if (published != "-") printf "; published %s, difference %+.2f", published, sum / NR - published
      print ""
    }'
}
