#!/usr/bin/env bash
# eole (0.6.4) `predict` leaves out the blank lines of a text if the model has the transform `sentencepiece`: a text of 5
# lines, 2 of them blank, gets 3 translations, so that line 2 of the output belongs to line 3 of the text. Nothing in the
# log says so but the number of sentences. Without transforms, the same text gets 5 lines, and blank ones some words.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install eole==0.6.4 aiohttp
cd "$directory"
eole() { OMP_NUM_THREADS=1 venv/bin/eole "$@" > "$1.log" 2>&1; }

# A small text: words and their counterparts in the other order.
venv/bin/python - <<'END'
import sentencepiece

words = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]
with open("source", "w") as source, open("target", "w") as target:
    for i in range(500):
        line = [words[(i * (k + 3) + k * k) % len(words)] for k in range(3 + i % 6)]
        print(*line, file=source)
        print(*(word.upper() for word in reversed(line)), file=target)
sentencepiece.SentencePieceTrainer.train(input="source,target", model_prefix="subwords", vocab_size=50, minloglevel=2)
END
printf 'ba be bi\n\nbo bu\n\nda de\n' > text

# translate NAME SETTINGS: trains a model with these settings, and translates the text with it.
translate() {
  local vocabulary="src_vocab: $1.words, tgt_vocab: $1.words, share_vocab: true, save_data: $1.saved, overwrite: true"
  local data="data: {corpus: {path_src: source, path_tgt: target}}"
  echo "{$vocabulary, n_sample: -1, seed: 1, $2 $data}" > config.yaml
  eole build_vocab -config config.yaml
  cat > config.yaml <<END
{$vocabulary, seed: 1, $2 $data,
 model: {architecture: transformer, layers: 1, hidden_size: 32, transformer_ff: 64, heads: 2,
         embeddings: {word_vec_size: 32, position_encoding_type: SinusoidalInterleaved}},
 training: {model_path: $1.model, world_size: 1, gpu_ranks: [], num_workers: 0, bucket_size: 500, batch_type: sents,
            batch_size: 32, compute_dtype: fp32, param_init_method: xavier_uniform, optim: adam, learning_rate: 0.002,
            train_steps: 30, save_checkpoint_steps: 30, valid_steps: 30}}
END
  eole train -config config.yaml
  echo "{model_path: $1.model, src: text, output: $1.found, world_size: 1, gpu_ranks: [], batch_size: 1}" > config.yaml
  eole predict -config config.yaml
  echo "$1: $(wc -l < "$1.found") lines for $(wc -l < text), $(grep -c '^$' text) of them blank;" \
    "the log says $(grep -o 'NB SENTENCES: [0-9]*' predict.log | head -n 1)"
}
translate words ""
translate pieces "transforms: [sentencepiece], transforms_configs: {sentencepiece: {src_subword_model: subwords.model,
  tgt_subword_model: subwords.model}},"
[[ $(wc -l < words.found) == 5 && $(wc -l < pieces.found) == 3 ]]
