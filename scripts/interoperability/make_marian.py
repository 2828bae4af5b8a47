"""Trains small Marian models, each with other options of the family.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install pymarian==1.12.42 pyyaml tqdm requests huggingface-hub \
        portalocker sentencepiece
    /tmp/peers/bin/python scripts/interoperability/make_marian.py OUT SOURCE TARGET [VARIANT...]

SOURCE and TARGET are the training text, one sentence a line. OUT/VARIANT gets model.npz, decoder.yml, the
vocabularies, and for the first lines of the text `scores.txt`, their log-probabilities, and `greedy.txt` and `beam.txt`,
their translations.
"""

import pathlib
import subprocess
import sys

import sentencepiece

# d_model, d_ff, the numbers of pieces and of updates; `tiny` is small enough to be committed.
SIZES = {"small": (64, 128, 1000, 60), "good": (64, 128, 2000, 200), "tiny": (16, 32, 300, 400)}

PRE = ["--transformer-preprocess", "n", "--transformer-postprocess", "da"]
VARIANTS = {
    "all": ("good", ["--tied-embeddings-all"]),
    "target_output": ("small", ["--tied-embeddings"]),
    "source_target": ("small", ["--tied-embeddings-src"]),
    "none": ("small", []),
    "pre": ("small", ["--tied-embeddings-all", *PRE, "--transformer-postprocess-top", "n"]),
    "pre_without_top": ("small", ["--tied-embeddings-all", *PRE]),
    "gelu": (
        "small",
        ["--tied-embeddings-all", "--transformer-ffn-activation", "gelu", "--transformer-postprocess-emb", "nd"],
    ),
    "deep": ("small", ["--tied-embeddings-all", "--enc-depth", "3", "--dec-depth", "1"]),
    "positions": ("small", ["--tied-embeddings-all", "--transformer-train-position-embeddings", "true"]),
    "ssru": ("small", ["--tied-embeddings-all", "--transformer-decoder-autoreg", "rnn", "--dec-cell", "ssru"]),
    "separate": ("small", ["--tied-embeddings"]),
    "tiny": ("tiny", ["--tied-embeddings-all"]),
}
MARIAN = [sys.executable, "-m", "pymarian"]


def learn_vocabulary(path, files, size):
    """A vocabulary as Marian learns it: </s> is 0, <unk> is 1, and there are no other symbols."""
    sentencepiece.SentencePieceTrainer.train(
        input=files,
        model_prefix=str(path.with_suffix("")),
        vocab_size=size,
        model_type="unigram",
        bos_id=-1,
        eos_id=0,
        unk_id=1,
        pad_id=-1,
        minloglevel=2,
        num_threads=1,
        normalization_rule_name="identity",
    )
    path.with_suffix(".model").rename(path)
    path.with_suffix(".vocab").unlink()


def train(out, source, target, name):
    size, options = VARIANTS[name]
    d_model, d_ff, pieces, updates = SIZES[size]
    directory = out / name
    directory.mkdir(parents=True, exist_ok=True)
    vocabularies = [directory / "vocab.spm"] * 2
    if name == "separate":
        vocabularies = [directory / "source.spm", directory / "target.spm"]
        learn_vocabulary(vocabularies[0], [source], pieces)
        learn_vocabulary(vocabularies[1], [target], pieces // 2)
    else:
        learn_vocabulary(vocabularies[0], [source, target], pieces)
    vocabularies = [str(path) for path in vocabularies]
    depth = [] if "--enc-depth" in options else ["--enc-depth", "2", "--dec-depth", "2"]
    settings = f"""--type transformer --dim-emb {d_model} --transformer-dim-ffn {d_ff} --transformer-heads 4
        --learn-rate 0.003 --lr-warmup 100 --mini-batch 64 --after {updates}u --disp-freq 100 --cpu-threads 1
        --workspace 1000 --seed 1 --quiet --label-smoothing 0.1 --clip-norm 1 --max-length 60 --transformer-dropout 0.1"""
    model = directory / "model.npz"
    command = [*MARIAN, "train", *settings.split(), *depth, *options, "--model", str(model)]
    subprocess.run([*command, "--train-sets", source, target, "--vocabs", *vocabularies], check=True)
    for extra in directory.glob("model.npz.*"):
        if not extra.name.endswith("decoder.yml"):
            extra.unlink()
    (directory / "model.npz.decoder.yml").rename(directory / "decoder.yml")
    write_results(directory, source, target, vocabularies, num_lines=12 if name == "tiny" else 200)


def write_results(directory, source, target, vocabularies, num_lines):
    for side, text in (("source", source), ("target", target)):
        with open(text, encoding="utf-8") as file:
            (directory / f"{side}.txt").write_text("".join(next(file) for _ in range(num_lines)), encoding="utf-8")
    model = ["-m", str(directory / "model.npz"), "-v", *vocabularies, "--cpu-threads", "1", "--workspace", "200"]
    texts = [str(directory / "source.txt"), str(directory / "target.txt")]
    found = {
        "scores": [*MARIAN, "score", *model, "--quiet", "-t", *texts],
        "greedy": [*MARIAN, "decode", *model, "--quiet", "--mini-batch", "1", "-b", "1", "-i", texts[0]],
        "beam": [*MARIAN, "decode", *model, "--quiet", "--mini-batch", "1", "-b", "4", "-n", "1", "-i", texts[0]],
    }
    for name, command in found.items():
        with open(directory / f"{name}.txt", "w", encoding="utf-8") as file:
            subprocess.run(command, stdout=file, check=True)


if __name__ == "__main__":
    out, source, target, *names = sys.argv[1:]
    for name in names or VARIANTS:
        train(pathlib.Path(out), source, target, name)
