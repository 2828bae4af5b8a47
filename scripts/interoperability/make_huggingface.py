"""Fits small MarianMT models of transformers for some steps, and writes what transformers says about a text.

    /tmp/peers/bin/pip install transformers==5.24.0 torch==2.11.0 sentencepiece sacremoses
    /tmp/peers/bin/python scripts/interoperability/make_huggingface.py OUT SOURCE TARGET [VARIANT...]

SOURCE and TARGET are texts, one sentence a line, from which the vocabularies are learned. OUT/VARIANT gets what
`save_pretrained` writes, `source.txt` and `target.txt`, `scores.txt`, the log-probability of each pair, and
`greedy.txt` and `beam.txt`, the translations.
"""

import json
import pathlib
import sys

import sentencepiece
import torch
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

# d_model, d_ff, pieces of each side, layers of encoder and decoder, number of texts; of the fit steps, lines, batch size
SIZES = {
    "small": (64, 128, 800, (2, 2), 200, (200, 2000, 32)),
    "tiny": (16, 24, 200, (2, 1), 12, (200, 2000, 32)),
    "trained": (128, 256, 2000, (2, 2), 20, (1000, 25000, 64)),  # which translates
    "base": (512, 2048, 4000, (6, 6), 0, (0, 0, 0)),  # of OPUS-MT's size, for measuring time and memory
}
NUM_PIECES = {"base": 58101}  # filled up with pieces that no text contains
VARIANTS = {
    "safetensors": ("small", {}),
    "pickle": ("small", {}),
    "legacy": ("small", {}),
    "half": ("small", {}),
    "gelu": ("small", {"activation_function": "gelu", "scale_embedding": False}),
    "separate": ("small", {"share_encoder_decoder_embeddings": False}),
    "lm_head": ("small", {"tie_word_embeddings": False}),
    "trained": ("trained", {}),
    "base": ("base", {}),
    "tiny": ("tiny", {}),
    "tiny_legacy": ("tiny", {}),
    "tiny_untied": ("tiny", {"tie_word_embeddings": False}),
}
LANGUAGES = [">>deu<<", ">>fra<<"]


def learn_vocabulary(path, file, size):
    sentencepiece.SentencePieceTrainer.train(
        input=file,
        model_prefix=str(path.with_suffix("")),
        vocab_size=size,
        bos_id=-1,
        eos_id=0,
        unk_id=1,
        minloglevel=2,
        num_threads=1,
        normalization_rule_name="identity",
    )
    path.with_suffix(".model").rename(path)
    path.with_suffix(".vocab").unlink()
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [processor.id_to_piece(i) for i in range(2, processor.get_piece_size())]


def write_vocabularies(directory, source, target, size, separate, num_pieces):
    """source.spm, target.spm and vocab.json, as OPUS-MT's models have them: </s> is 0, <unk> 1 and <pad> the last id.

    Returns the number of ids.
    """
    pieces = [learn_vocabulary(directory / "source.spm", source, size)]
    pieces.append(learn_vocabulary(directory / "target.spm", target, size))
    lists = pieces if separate else [sorted({*pieces[0], *pieces[1]})]
    if separate:  # of the same size, which transformers 5 needs
        num_pieces = max(len(one) for one in lists) + len(LANGUAGES) + len(["</s>", "<unk>", "<pad>"])
    for name, one in zip(["vocab.json", "target_vocab.json"], lists, strict=False):
        languages = LANGUAGES if name == "vocab.json" else []
        names = ["</s>", "<unk>", *languages, *one]
        names += [f"<none {i}>" for i in range(len(names) + 1, num_pieces)] + ["<pad>"]
        (directory / name).write_text(json.dumps({piece: i for i, piece in enumerate(names)}, indent=2))
    return len(json.loads((directory / "vocab.json").read_text()))


def write_model(out, source, target, name):
    size, options = VARIANTS[name]
    d_model, d_ff, pieces, layers, num_lines, plan = SIZES[size]
    directory = out / name
    directory.mkdir(parents=True, exist_ok=True)
    separate = options.get("share_encoder_decoder_embeddings") is False
    num_pieces = write_vocabularies(directory, source, target, pieces, separate, NUM_PIECES.get(size, 0))
    config = MarianConfig(
        vocab_size=num_pieces,
        decoder_vocab_size=num_pieces,
        d_model=d_model,
        encoder_layers=layers[0],
        decoder_layers=layers[1],
        encoder_attention_heads=max(4, d_model // 64),
        decoder_attention_heads=max(4, d_model // 64),
        encoder_ffn_dim=d_ff,
        decoder_ffn_dim=d_ff,
        max_position_embeddings=512,
        pad_token_id=num_pieces - 1,
        eos_token_id=0,
        forced_eos_token_id=0,
        decoder_start_token_id=num_pieces - 1,
        **{"activation_function": "swish", "scale_embedding": True, **options},
    )
    torch.manual_seed(1)
    model = MarianMTModel(config).eval()
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            if "embed_positions" in key:
                continue
            parameter.add_(torch.randn_like(parameter) * (0.3 / d_model**0.5 if parameter.dim() > 1 else 0.1))
        model.final_logits_bias.copy_(torch.randn_like(model.final_logits_bias) * 0.3)
        model.final_logits_bias[0, config.decoder_start_token_id] = 0
        for embedding in {model.model.encoder.embed_tokens, model.model.decoder.embed_tokens}:
            embedding.weight[-1] = 0
    tokenizer = MarianTokenizer(
        source_spm=str(directory / "source.spm"),
        target_spm=str(directory / "target.spm"),
        vocab=str(directory / "vocab.json"),
        target_vocab_file=str(directory / "target_vocab.json") if separate else None,
        separate_vocabs=separate,
    )
    tokenizer.punc_normalizer = lambda text: text
    fit(model, tokenizer, source, target, *plan)
    model.generation_config = GenerationConfig(
        bad_words_ids=[[config.decoder_start_token_id]],
        num_beams=4,
        max_length=64,
        eos_token_id=0,
        pad_token_id=config.pad_token_id,
        decoder_start_token_id=config.decoder_start_token_id,
        forced_eos_token_id=0,
        length_penalty=1.0,
    )
    if name == "half":
        model.half()
    model.save_pretrained(directory)
    if name in {"pickle", "legacy", "tiny_legacy"}:
        (directory / "model.safetensors").unlink()
        state = model.state_dict()
        # As files of 4.x: one storage for all names of the shared matrix, and the tables of positions.
        state["lm_head.weight"] = state["model.shared.weight"]
        torch.save(state, directory / "pytorch_model.bin", _use_new_zipfile_serialization=name == "pickle")
    model.float()
    write_results(directory, model, tokenizer, source, target, num_lines)
    tokenizer.save_pretrained(directory)


def read_lines(source, target, num_lines):
    """The first lines of both texts, two of three with a target language."""
    lines = []
    for text in (source, target):
        with open(text, encoding="utf-8") as file:
            lines.append([next(file).rstrip("\n") for _ in range(num_lines)])
    lines[0] = [(LANGUAGES[i % 2] + " " if i % 3 else "") + line for i, line in enumerate(lines[0])]
    return lines


def fit(model, tokenizer, source, target, steps, num_lines, batch_size):
    lines = read_lines(source, target, num_lines)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.003)
    for step in range(steps):
        chosen = [(step * batch_size + i) % len(lines[0]) for i in range(batch_size)]
        one, other = ([side[i] for i in chosen] for side in lines)
        batch = tokenizer(one, text_target=other, return_tensors="pt", padding=True)
        batch["labels"][batch["labels"] == model.config.pad_token_id] = -100
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def write_results(directory, model, tokenizer, source, target, num_lines):
    lines = read_lines(source, target, num_lines)
    scores, greedy, beam = [], [], []
    with torch.no_grad():
        for one, other in zip(*lines, strict=True):
            batch = tokenizer(one, text_target=other, return_tensors="pt")
            logits = model(**batch).logits[0].log_softmax(-1)
            scores.append(logits.gather(1, batch["labels"][0].unsqueeze(1)).sum().item())
            inputs = {key: batch[key] for key in ("input_ids", "attention_mask")}
            for found, beams in ((greedy, 1), (beam, 4)):
                ids = model.generate(**inputs, num_beams=beams)
                found.append(tokenizer.decode(ids[0], skip_special_tokens=True))
    write = {"source": lines[0], "target": lines[1], "greedy": greedy, "beam": beam}
    write["scores"] = [f"{score:.6f}" for score in scores]
    for name, texts in write.items():
        (directory / f"{name}.txt").write_text("".join(text + "\n" for text in texts), encoding="utf-8")


if __name__ == "__main__":
    out, source, target, *names = sys.argv[1:]
    for name in names or VARIANTS:
        write_model(pathlib.Path(out), source, target, name)
