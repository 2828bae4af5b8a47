#!/usr/bin/env bash
# Marian's decoder (pymarian 1.12.42) does not compute the model that Marian trains and scores with, if LayerNorm stands
# before the sub-layers (--transformer-preprocess n): `decode --n-best` and `score` give different log-probabilities for
# the same translation, and its translations are not those that the model prefers. With LayerNorm behind the sub-layers,
# the default, both agree. Whoever compares another program's translations of a pre-norm model with Marian's own must
# expect differences though every log-probability of `score` is reproduced.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install pymarian==1.12.42 \
  portalocker pyyaml tqdm requests huggingface-hub numpy
cd "$directory"
marian() { venv/bin/python -m pymarian "$@" --quiet --cpu-threads 1; }

# A small text: words and their counterparts in the other order.
venv/bin/python - <<'END'
words = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]
with open("source", "w") as source, open("target", "w") as target:
    for i in range(2000):
        line = [words[(i * (k + 3) + k * k) % len(words)] for k in range(3 + i % 6)]
        print(*line, file=source)
        print(*(word.upper() for word in reversed(line)), file=target)
END
head -5 source > text

failed=false
# check NAME AGREES OPTION...: trains a model with the options, and compares decoder and scorer.
check() {
  local name=$1 agrees=$2
  shift 2
  marian train --type transformer --dim-emb 32 --transformer-dim-ffn 64 --transformer-heads 4 --enc-depth 2 \
    --dec-depth 2 --tied-embeddings-all --learn-rate 0.003 --mini-batch 32 --after 60u --workspace 500 --seed 1 \
    --max-length 20 --model "$name.npz" --train-sets source target --vocabs vocab.yml vocab.yml "$@"
  marian decode -m "$name.npz" -v vocab.yml vocab.yml --mini-batch 1 -b 4 -n 1 --n-best \
    --max-length-factor 20 -i text |
    awk -F ' [|][|][|] ' '!seen[$1]++ { print $2 > "best"; split($3, parts, " "); print parts[2] > "decoded" }'
  marian score -m "$name.npz" -v vocab.yml vocab.yml --workspace 200 -t text best > scored
  local seen
  seen=$(paste decoded scored | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d } END { print most }')
  echo "$name: decoder and scorer differ by up to $seen nats a line"
  venv/bin/python -c "import sys; sys.exit(($seen < 1e-3) is not ($agrees))" || failed=true
}
check post True --transformer-postprocess dan
check pre False --transformer-preprocess n --transformer-postprocess da --transformer-postprocess-top n
if $failed; then
  echo "other scores than when this was written" >&2
  exit 1
fi
