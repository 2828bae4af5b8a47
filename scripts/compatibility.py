#!/usr/bin/env python3
"""Writes tests/compatibility/VERSION: files of this version of the program, and what it makes of them.

    cmake --build --preset release --target transformer
    python3 scripts/compatibility.py

Run once for each release that changes a format or a config key (docs/changelog.md), and commit the folder: tests
require every later version to use these files with the same results. The build and CI never run it.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
STEPS = 400  # of the run whose checkpoint is kept
RESUMED_STEPS = 420
CONFIG = f"""model:
  N: 1
  d_model: 16
  d_ff: 32
  h: 2
  P_drop: 0
data:
  train:
    source: train.source
    target: train.target
  valid:
    source: valid.source
    target: valid.target
  normalization: identity
  vocabulary_size: 44
  prepared: prepared
training:
  directory: run
  train_steps: {STEPS}
  batch_tokens: 600
  warmup_steps: 100
  learning_rate_scale: 2
  log_every: 20
  validate_every: 20
  checkpoint_every: 20
  checkpoint_minutes: null
  keep_checkpoints: 2
"""


def sentences(count):
    """Pairs of sentences of made-up words; the translation of "ba" is "al", of "be" "el", and so on."""
    for _ in range(count):
        words = [(random.choice("bdg"), random.choice("aeiou")) for _ in range(random.randint(2, 6))]
        yield (" ".join(consonant + vowel for consonant, vowel in words),
               " ".join(vowel + "lmn"["bdg".index(consonant)] for consonant, vowel in words))


def write_text(folder, name, count):
    pairs = list(sentences(count))
    for side, text in zip(("source", "target"), zip(*pairs)):
        (folder / f"{name}.{side}").write_text("".join(line + "\n" for line in text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transformer", default=REPOSITORY / "build/release/transformer", help="the program")
    parser.add_argument("--folder", help="where to write instead")
    program = os.path.abspath(parser.parse_args().transformer)
    given = parser.parse_args().folder
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    target = pathlib.Path(given) if given else REPOSITORY / "tests/compatibility" / version
    if target.exists():
        parser.error(f"{target}: exists; files of a released version stay as they are, so remove it only before that")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*arguments, **options):
            command = [program, *map(str, arguments)]
            return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, **options).stdout

        def translations(model, *more):
            return run("translate", "--model", model, "--input", "test.source", "--threads", 1, *more).splitlines()

        random.seed(1)
        for text, count in ("train", 300), ("valid", 10), ("test", 10):
            write_text(folder, text, count)
        (folder / "config.yaml").write_text(CONFIG)
        run("train", "config.yaml", "--threads", 1)
        last = f"run/checkpoints/step-{STEPS:08}.safetensors"
        run("average-checkpoints", "--last", 2, "run", "-o", "model.safetensors")
        run("export", "--model", "model.safetensors", "--quantization", "int8", "-o", "int8")
        expected = {
            "test.target": (folder / "test.target").read_text().splitlines(),
            "model.safetensors": translations("model.safetensors"),
            "int8": translations("int8", "--precision", "int8"),
            "checkpoint": translations(last),
            "scores": json.loads(run("score", "--model", "model.safetensors", "--source", "test.source", "--target",
                                     "test.target", "--json", "--threads", 1)),
        }
        (folder / "test.target").unlink()

        # Of the run, all that a resumed run needs.
        kept = folder / "kept"
        (kept / "checkpoints").mkdir(parents=True)
        shutil.copy(folder / "run/config.yaml", kept)
        shutil.copy(folder / last, kept / "checkpoints")
        run("train", "config.yaml", "--threads", 1, "--set", f"training.train_steps={RESUMED_STEPS}")
        metrics = [json.loads(line) for line in (folder / "run/metrics.jsonl").read_text().splitlines()]
        expected["resumed"] = {key: value for line in metrics if line["step"] == RESUMED_STEPS
                               for key, value in line.items() if key in ("step", "loss", "valid_loss")}
        expected["resumed"]["translations"] = translations(f"run/checkpoints/step-{RESUMED_STEPS:08}.safetensors")
        shutil.rmtree(folder / "run")
        kept.rename(folder / "run")
        (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
        shutil.copytree(folder, target)
    print(target)


if __name__ == "__main__":
    main()
