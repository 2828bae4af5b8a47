#!/usr/bin/env bash
# eole (0.6.4) translates with memory that was never written, if `add_qkvbias` is set for the whole model: its encoder is
# trained without the bias of `final_linear`, since the default of `add_final_linear_bias` follows from `add_qkvbias`
# before the encoder gets that setting. When the model is loaded, the encoder has the setting, so that the layer gets a
# bias, which the file lacks. It stays uninitialized, and "Missing key in safetensors checkpoint" among the information
# in the log is all that says so. Log-probabilities change from run to run and may be NaN. `add_final_linear_bias: false`
# under `encoder` of config.json gives the model that was trained.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install eole==0.6.4 aiohttp
cd "$directory"
eole() { OMP_NUM_THREADS=1 venv/bin/eole "$@" 2>&1; }

# A small text: words and their counterparts in the other order.
venv/bin/python - <<'END'
words = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du"]
with open("source", "w") as source, open("target", "w") as target:
    for i in range(500):
        line = [words[(i * (k + 3) + k * k) % len(words)] for k in range(3 + i % 6)]
        print(*line, file=source)
        print(*(word.upper() for word in reversed(line)), file=target)
END
head -2 source > text
head -2 target > reference

cat > train.yaml <<'END'
{src_vocab: vocab, tgt_vocab: vocab, share_vocab: true, save_data: saved, overwrite: true, n_sample: -1, seed: 1,
 data: {corpus: {path_src: source, path_tgt: target}}}
END
eole build_vocab -config train.yaml > build_vocab.log
cat > train.yaml <<'END'
{src_vocab: vocab, tgt_vocab: vocab, share_vocab: true, save_data: saved, overwrite: true, seed: 1,
 data: {corpus: {path_src: source, path_tgt: target}},
 model: {architecture: transformer, layers: 1, hidden_size: 32, transformer_ff: 64, heads: 2, add_qkvbias: true,
         embeddings: {word_vec_size: 32, position_encoding_type: SinusoidalInterleaved}},
 training: {model_path: model, world_size: 1, gpu_ranks: [], num_workers: 0, bucket_size: 500, batch_type: sents,
            batch_size: 32, compute_dtype: fp32, param_init_method: xavier_uniform, optim: adam, learning_rate: 0.002,
            train_steps: 30, save_checkpoint_steps: 30, valid_steps: 30}}
END
eole train -config train.yaml > train.log

cat > predict.yaml <<'END'
{model_path: model, src: text, tgt: reference, output: found, world_size: 1, gpu_ranks: [], batch_size: 1, verbose: true}
END
missing="Missing key in safetensors checkpoint: encoder.transformer_layers.0.self_attn.final_linear.bias"
# predict NAME: what a translation says about the missing bias and the reference.
predict() {
  eole predict -config predict.yaml > "$1.log"
  echo "$1: $(grep -c "$missing" "$1.log" || true) messages of a missing bias, log-probabilities of the reference:" \
    "$(grep -o '^GOLD SCORE: .*' "$1.log" | tr '\n' ' ')"
}
predict first
predict second
venv/bin/python - <<'END'
import json

config = json.load(open("model/config.json"))
config["model"]["encoder"]["add_final_linear_bias"] = False
json.dump(config, open("model/config.json", "w"))
END
predict mended
grep -q "$missing" first.log && grep -q "$missing" second.log && ! grep -q "$missing" mended.log
