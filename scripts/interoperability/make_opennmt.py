"""Trains a small Transformer with OpenNMT-py for some steps, and writes what OpenNMT-py says about a text.

    /tmp/peers/bin/pip install --no-deps OpenNMT-py==3.5.1
    /tmp/peers/bin/pip install torch sentencepiece sacrebleu configargparse 'pyonmttok<2' pyahocorasick fasttext-wheel \
        tensorboard flask waitress rapidfuzz spacy
    /tmp/peers/bin/python scripts/interoperability/make_opennmt.py OUT SOURCE TARGET [VARIANT...]

SOURCE and TARGET are texts, one sentence a line, on which it is trained; their first lines are the text that it
translates. OUT/VARIANT gets the checkpoint without the tables of its positions and without the state of its optimizer,
the SentencePiece model, `source.txt` and `target.txt`, `scores.txt`, the log-probability of each pair, and `greedy.txt`
and `beam.txt`, the translations.
"""

import os
import pathlib
import re
import subprocess
import sys

import sentencepiece
import torch

SMALL = {"hidden_size": 64, "word_vec_size": 64, "transformer_ff": 128, "enc_layers": 2, "dec_layers": 2}
TINY = {"hidden_size": 32, "word_vec_size": 32, "transformer_ff": 48, "enc_layers": 2, "dec_layers": 1}
SHARED = {"share_embeddings": "true", "share_decoder_embeddings": "true"}
# options of onmt_train, number of pieces, of steps and of texts
VARIANTS = {
    "small": ({**SMALL, **SHARED}, 1000, 300, 100),
    "other": (
        {
            **SMALL,
            "dec_layers": 1,
            "position_encoding_type": "SinusoidalConcat",
            "add_ffnbias": "true",
            "add_qkvbias": "true",
            "pos_ffn_activation_fn": "gelu",
        },
        1000,
        300,
        100,
    ),
    "tiny": ({**TINY, **SHARED}, 300, 800, 12),
}
CONFIG = """
save_data: {out}/vocab
src_vocab: {out}/vocab.src
tgt_vocab: {out}/vocab.tgt
share_vocab: true
overwrite: true
data: {{corpus: {{path_src: {source}, path_tgt: {target}, transforms: [sentencepiece, filtertoolong]}}}}
src_subword_model: {out}/sentencepiece.model
tgt_subword_model: {out}/sentencepiece.model
encoder_type: transformer
decoder_type: transformer
position_encoding: true
heads: 4
batch_size: 32
optim: adam
learning_rate: 0.002
train_steps: {steps}
save_checkpoint_steps: {steps}
save_model: {out}/model
num_workers: 0
bucket_size: 2000
seed: 1
"""


def run(program, *arguments):
    # Newer versions of torch refuse OpenNMT-py's own checkpoints otherwise.
    environment = {**os.environ, "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1"}
    subprocess.run([pathlib.Path(sys.executable).parent / program, *map(str, arguments)], check=True, env=environment)


def translate(out, checkpoint, beam_size):
    found, log = out / "found.txt", out / "translate.log"
    log.unlink(missing_ok=True)
    options = ["-config", out / "translate.yaml", "-model", checkpoint, "-src", out / "source.txt"]
    options += ["-tgt", out / "target.txt", "-output", found, "-beam_size", beam_size, "-max_length_ratio", 0]
    run("onmt_translate", *options, "-verbose", "-log_file", log)
    scores = re.findall(r"GOLD SCORE: (-[0-9.]+)\n", log.read_text(encoding="utf-8"))
    text = found.read_text(encoding="utf-8")
    log.unlink()
    found.unlink()
    return text, scores


def write_model(out, source, target, name):
    options, num_pieces, steps, num_lines = VARIANTS[name]
    out = out / name
    out.mkdir(parents=True, exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        input=f"{source},{target}",
        model_prefix=str(out / "sentencepiece"),
        vocab_size=num_pieces,
        model_type="bpe",
        normalization_rule_name="identity",
        minloglevel=2,
        num_threads=1,
    )
    config = CONFIG.format(out=out, source=source, target=target, steps=steps)
    config += "".join(f"{key}: {value}\n" for key, value in options.items())
    (out / "config.yaml").write_text(config)
    (out / "translate.yaml").write_text(
        "transforms: [sentencepiece]\n"
        + "".join(f"{side}_subword_model: {out}/sentencepiece.model\n" for side in ("src", "tgt"))
    )
    run("onmt_build_vocab", "-config", out / "config.yaml", "-n_sample", 3000)
    run("onmt_train", "-config", out / "config.yaml")
    for side, path in (("source", source), ("target", target)):
        with open(path, encoding="utf-8") as file:
            (out / f"{side}.txt").write_text("".join(next(file) for _ in range(num_lines)), encoding="utf-8")
    trained = out / f"model_step_{steps}.pt"
    greedy, scores = translate(out, trained, 1)
    beam, _ = translate(out, trained, 5)
    (out / "greedy.txt").write_text(greedy, encoding="utf-8")
    (out / "beam.txt").write_text(beam, encoding="utf-8")
    (out / "scores.txt").write_text("".join(score + "\n" for score in scores))
    checkpoint = torch.load(trained, map_location="cpu", weights_only=False)
    checkpoint["optim"] = None
    checkpoint["model"] = {key: value for key, value in checkpoint["model"].items() if not key.endswith(".pe.pe")}
    torch.save(checkpoint, out / "model.pt")
    for path in (trained, out / "config.yaml", out / "translate.yaml", *out.glob("vocab.*"), *out.glob("*.vocab")):
        path.unlink()


if __name__ == "__main__":
    directory, source_text, target_text, *names = sys.argv[1:]
    for variant in names or VARIANTS:
        write_model(pathlib.Path(directory), source_text, target_text, variant)
