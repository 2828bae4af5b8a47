"""Writes a small checkpoint in fairseq's format, with random weights, and what transformers' port of it says.

    /tmp/peers/bin/pip install transformers==5.24.0 torch==2.11.0
    /tmp/peers/bin/python scripts/interoperability/make_fairseq.py OUT

fairseq itself cannot be installed any more. transformers' FSMT is its Transformer, ported with the names of its
parameters; what it computes is written to `scores.txt`, for texts that are already divided into pieces.
"""

import argparse
import pathlib
import random
import sys

import torch
from transformers import FSMTConfig, FSMTForConditionalGeneration

WORDS = {
    "en": [*"the cat dog sat ran on mat red old big house tr@@ ee sees a and small".split()],
    "de": [*"die Katze der Hund saß lief auf Ma@@ tte rot alt groß Haus Baum sieht ein und klein".split()],
}
NUM_SYMBOLS = 4


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    for language, words in WORDS.items():
        (out / f"dict.{language}.txt").write_text("".join(f"{word} {9 - i % 9}\n" for i, word in enumerate(words)))
    sizes = {language: len(words) + NUM_SYMBOLS for language, words in WORDS.items()}
    settings = {"encoder_layers": 2, "decoder_layers": 1, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24}
    config = FSMTConfig(
        langs=["en", "de"],
        src_vocab_size=sizes["en"],
        tgt_vocab_size=sizes["de"],
        d_model=16,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        activation_function="relu",
        scale_embedding=True,
        tie_word_embeddings=False,
        **settings,
    )
    torch.manual_seed(1)
    random.seed(1)
    model = FSMTForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" not in name:
                parameter.add_(torch.randn_like(parameter) * 0.2)
    state = {name.removeprefix("model."): tensor for name, tensor in model.state_dict().items()}
    state = {name: tensor for name, tensor in state.items() if "embed_positions" not in name}
    for side in ("encoder", "decoder"):
        state[f"{side}.version"] = torch.tensor([3.0])
        state[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
    options = argparse.Namespace(
        arch="transformer_wmt_en_de",
        activation_fn="relu",
        encoder_embed_dim=16,
        decoder_embed_dim=16,
        encoder_ffn_embed_dim=24,
        decoder_ffn_embed_dim=24,
        encoder_layers=2,
        decoder_layers=1,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_normalize_before=False,
        decoder_normalize_before=False,
        encoder_learned_pos=False,
        decoder_learned_pos=False,
        share_all_embeddings=False,
        source_lang="en",
        target_lang="de",
        dropout=0.1,
    )
    torch.save({"args": options, "model": state, "optimizer_history": [], "extra_state": {}}, out / "checkpoint.pt")
    texts = {language: [] for language in WORDS}
    scores = []
    for _ in range(12):
        ids = {}
        for language, words in WORDS.items():
            chosen = random.choices(range(len(words)), k=random.randint(3, 9))
            texts[language].append(" ".join(words[i] for i in chosen))
            ids[language] = [i + NUM_SYMBOLS for i in chosen] + [config.eos_token_id]
        with torch.no_grad():
            logits = model(
                input_ids=torch.tensor([ids["en"]]),
                decoder_input_ids=torch.tensor([[config.eos_token_id, *ids["de"][:-1]]]),
                use_cache=False,
            ).logits[0]
        scores.append(logits.log_softmax(-1).gather(1, torch.tensor(ids["de"]).unsqueeze(1)).sum().item())
    for name, lines in {"source": texts["en"], "target": texts["de"], "scores": [f"{x:.6f}" for x in scores]}.items():
        (out / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
