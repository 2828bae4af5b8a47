"""Trains a small Transformer with eole for some steps, and writes what eole says about a text.

    /tmp/peers/bin/pip install eole==0.6.4 aiohttp
    /tmp/peers/bin/python scripts/interoperability/make_eole.py OUT SOURCE TARGET [VARIANT...]

SOURCE and TARGET are texts, one sentence a line, on which it is trained; their first lines are the text that it
translates. OUT/VARIANT gets `config.json`, `vocab.json` and `model.00.safetensors` without the tables of its positions,
the SentencePiece model, `source.txt` and `target.txt`, `scores.txt`, the log-probability of each pair, and `greedy.txt`
and `beam.txt`, the translations with beams of 1 and 5.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import sentencepiece
import yaml
from safetensors.torch import load_file, save_file

SMALL = {"hidden_size": 64, "transformer_ff": 128, "heads": 4}
TINY = {"hidden_size": 32, "transformer_ff": 48, "heads": 4}
SHARED = {"share_embeddings": True, "share_decoder_embeddings": True, "generator_bias": False}
POSITIONS = {"position_encoding_type": "SinusoidalInterleaved"}
# the model, number of pieces, of steps and of texts
VARIANTS = {
    "small": ({**SMALL, **SHARED, "embeddings": POSITIONS}, (2, 2), 1000, 300, 100),
    "other": (
        {
            **SMALL,
            "add_ffnbias": True,
            "add_qkvbias": True,
            "mlp_activation_fn": "gelu",
            "embeddings": {"position_encoding_type": "SinusoidalConcat"},
        },
        (2, 1),
        1000,
        300,
        100,
    ),
    "learned": (
        {
            **SMALL,
            "share_decoder_embeddings": True,
            "add_qkvbias": True,
            "add_final_linear_bias": False,
            "mlp_activation_fn": "silu",
            "embeddings": {"position_encoding_type": "Learned", "n_positions": 300},
        },
        (1, 2),
        1000,
        300,
        100,
    ),
    "tiny": ({**TINY, **SHARED, "embeddings": POSITIONS}, (2, 1), 300, 800, 12),
}


def run(out, command, config):
    path = out / f"{command}.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    eole = pathlib.Path(sys.executable).with_name("eole")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    log = subprocess.run([eole, command, "-config", path], check=True, env=environment, text=True, capture_output=True)
    path.unlink()
    return log.stdout + log.stderr


def translate(out, transforms, beam_size):
    found = out / "found.txt"
    config = {
        **transforms,
        "model_path": str(out),
        "src": str(out / "source.txt"),
        "tgt": str(out / "target.txt"),
        "output": str(found),
        "beam_size": beam_size,
        "max_length_ratio": 0,
        "verbose": True,
        "world_size": 1,
        "gpu_ranks": [],
        "batch_size": 1,
    }
    scores = re.findall(r"GOLD SCORE: (-[0-9.]+)\n", run(out, "predict", config))
    text = found.read_text(encoding="utf-8")
    found.unlink()
    return text, scores


def write_model(out, source, target, name):
    model, layers, num_pieces, steps, num_lines = VARIANTS[name]
    out = (out / name).absolute()
    out.mkdir(parents=True, exist_ok=True)
    texts = [line for path in (source, target) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
    with open(out / "sentencepiece.model", "wb") as model_file:  # without the names of files
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=model_file,
            vocab_size=num_pieces,
            model_type="bpe",
            normalization_rule_name="identity",
            minloglevel=2,
            num_threads=1,
        )
    subwords = {side: str(out / "sentencepiece.model") for side in ("src_subword_model", "tgt_subword_model")}
    transforms = {"transforms": ["sentencepiece"], "transforms_configs": {"sentencepiece": subwords}}
    data = {
        **transforms,
        "data": {"corpus": {"path_src": str(source), "path_tgt": str(target)}},
        "src_vocab": str(out / "vocab.src"),
        "tgt_vocab": str(out / "vocab.src"),
        "share_vocab": True,
        "save_data": str(out / "saved"),
        "overwrite": True,
    }
    run(out, "build_vocab", {**data, "n_sample": 3000, "num_threads": 1})
    training = {
        "model_path": str(out / "trained"),
        "world_size": 1,
        "gpu_ranks": [],
        "num_workers": 0,
        "bucket_size": 2000,
        "compute_dtype": "fp32",
        "param_init_method": "xavier_uniform",
        "batch_type": "sents",
        "batch_size": 32,
        "optim": "adam",
        "learning_rate": 0.002,
        "train_steps": steps,
        "save_checkpoint_steps": steps,
        "valid_steps": steps,
    }
    model = {
        "architecture": "transformer",
        # eole trains an encoder without this bias unless the encoder's own setting asks for it, but predicts with one.
        "encoder": {"layers": layers[0], "add_final_linear_bias": False},
        "decoder": {"layers": layers[1]},
        **model,
        "embeddings": {"word_vec_size": model["hidden_size"], **model["embeddings"]},
    }
    run(out, "train", {**data, "seed": 1, "model": model, "training": training})
    for side, path in (("source", source), ("target", target)):
        with open(path, encoding="utf-8") as file:
            (out / f"{side}.txt").write_text("".join(next(file) for _ in range(num_lines)), encoding="utf-8")
    config = json.loads((out / "trained" / "config.json").read_text())
    config |= {"src_vocab": "vocab.src", "tgt_vocab": "vocab.src", "data": {}}  # instead of paths of this machine
    del config["save_data"], config["training"]["model_path"]
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    shutil.copy(out / "trained" / "vocab.json", out / "vocab.json")
    weights = "model.00.safetensors"
    shutil.copy(out / "trained" / weights, out / weights)
    greedy, scores = translate(out, transforms, 1)
    beam, _ = translate(out, transforms, 5)
    # Without the tables of the positions, which eole needs and `transformer import` does not.
    tensors = {key: value for key, value in load_file(out / weights).items() if not key.endswith(".pe.pe")}
    save_file(tensors, out / weights)
    (out / "greedy.txt").write_text(greedy, encoding="utf-8")
    (out / "beam.txt").write_text(beam, encoding="utf-8")
    (out / "scores.txt").write_text("".join(score + "\n" for score in scores))
    (out / "vocab.src").unlink()
    for directory in ("trained", "saved"):
        shutil.rmtree(out / directory, ignore_errors=True)


if __name__ == "__main__":
    directory, source_text, target_text, *names = sys.argv[1:]
    for variant in names or VARIANTS:
        write_model(pathlib.Path(directory), source_text, target_text, variant)
