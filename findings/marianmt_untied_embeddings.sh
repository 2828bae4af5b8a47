#!/usr/bin/env bash
# A MarianMT model of transformers 5.24.0 with `share_encoder_decoder_embeddings: true`, the default, does not share them
# if `tie_word_embeddings` is false: one would expect that this key is about the output projection alone. The encoder,
# the decoder and the output have three matrices, and a fourth, `model.shared.weight`, is written to the file though
# nothing uses it. Whoever reads the file by its names, and takes `model.shared.weight` for both sides as the config says,
# computes another model. Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install --extra-index-url \
  https://download.pytorch.org/whl/cpu transformers==5.24.0 torch
cd "$directory"
venv/bin/python - <<'END'
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import MarianConfig, MarianMTModel

print("transformers", transformers.__version__)
seen = {}
for tie in (True, False):
    torch.manual_seed(1)
    config = MarianConfig(
        vocab_size=20,
        d_model=8,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=8,
        decoder_ffn_dim=8,
        max_position_embeddings=16,
        pad_token_id=19,
        eos_token_id=0,
        decoder_start_token_id=19,
        share_encoder_decoder_embeddings=True,
        tie_word_embeddings=tie,
    )
    MarianMTModel(config).save_pretrained("model")
    ends = ("shared.weight", "embed_tokens.weight", "lm_head.weight")
    names = [name for name in load_file("model/model.safetensors") if name.endswith(ends)]

    def logits():
        model = MarianMTModel.from_pretrained("model").eval()
        with torch.no_grad():
            return model(input_ids=torch.tensor([[3, 4, 0]]), decoder_input_ids=torch.tensor([[19, 5]])).logits

    before = logits()
    tensors = load_file("model/model.safetensors")
    tensors["model.shared.weight"] = tensors["model.shared.weight"] + 1
    save_file(tensors, "model/model.safetensors", {"format": "pt"})
    changed = not torch.equal(before, logits())
    print(f"tie_word_embeddings {tie}: the file has {len(names)} matrices: {', '.join(sorted(names))}")
    print(f"  another model.shared.weight changes the logits: {changed}")
    seen[tie] = (len(names), changed)
if seen != {True: (1, True), False: (4, False)}:
    print("other matrices than when this was written", file=sys.stderr)
    sys.exit(1)
END
