#!/usr/bin/env bash
# Marian's --word-penalty (pymarian 1.12.42) does nothing with --normalize 1, however large it is, and rewards words
# instead of penalizing them with a larger exponent: the penalty, which grows with the length, is subtracted before
# the division by the length, so that with --normalize 1 each translation loses the same constant. Its help says
# "Subtract (arg * translation length) from translation score", and that of --normalize speaks of the same score.
# Marian's presets for translation (--task) set `normalize: 1`, so that their models cannot be made more or less wordy
# by it.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install pymarian==1.12.42 \
  portalocker pyyaml tqdm requests huggingface-hub numpy
cd "$directory"
marian() { venv/bin/python -m pymarian "$@" --quiet --cpu-threads 1; }

# A small text: words and their counterparts, of which every third is left out at times.
venv/bin/python - <<'END'
words = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]
with open("source", "w") as source, open("target", "w") as target:
    for i in range(2000):
        line = [words[(i * (k + 3) + k * k) % len(words)] for k in range(3 + i % 6)]
        print(*line, file=source)
        print(*(word.upper() for k, word in enumerate(line) if k % 3 or (i * i + k) % 7 < 4), file=target)
END
head -100 source > text
echo "pymarian $(venv/bin/pip show pymarian | sed -n 's/^Version: //p')"
marian train --type transformer --dim-emb 32 --transformer-dim-ffn 64 --transformer-heads 4 --enc-depth 1 \
  --dec-depth 1 --tied-embeddings-all --learn-rate 0.003 --mini-batch 32 --after 150u --workspace 500 --seed 1 \
  --max-length 20 --model model.npz --train-sets source target --vocabs vocab.yml vocab.yml

# translate NORMALIZE PENALTY
translate() {
  marian decode -m model.npz -v vocab.yml vocab.yml -b 6 --mini-batch 16 --normalize "$1" --word-penalty "$2" \
    -i text
}
failed=false
for normalize in 0 1 1.5; do
  declare -A words=()
  for penalty in -5 0 5; do
    translate "$normalize" "$penalty" > "out.$penalty"
    words[$penalty]=$(wc -w < "out.$penalty")
    changed=$(diff "out.-5" "out.$penalty" | grep -c '^>' || true)
    echo "normalize $normalize, word penalty $penalty: ${words[$penalty]} words," \
      "$changed of 100 lines are others than with -5"
  done
  case $normalize in
    0) ((words[-5] > words[0] && words[0] > words[5])) || failed=true ;;
    1) cmp -s out.-5 out.0 && cmp -s out.-5 out.5 || failed=true ;;
    *) ((words[-5] < words[0] && words[0] < words[5])) || failed=true ;;
  esac
done
if $failed; then
  echo "other translations than when this was written" >&2
  exit 1
fi
