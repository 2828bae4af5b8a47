#!/usr/bin/env python3
"""Compares the speed of a model in Marian (pymarian) with `transformer translate`, in turn (A B A B).

    python3 scripts/interoperability/measure_marian.py --model model.safetensors --marian exported --input newstest2017.en

`--marian` is the directory that `transformer export --format marian` wrote for the model, whose two sides have one
vocabulary. Both translate with two threads and a beam of 4, in batches of 32 lines and one line at a time, Marian in
fp32. The time to start is left out: output tokens per second are those of a longer text minus those of a shorter one,
which has a batch for each thread, because the first ones of Marian's threads take long. A model that is not trained
translates up to a limit, which is twice the source in Marian and 32 tokens here.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import sentencepiece

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_marian(directory: str, lines: list[str], batch: int, text: pathlib.Path) -> tuple[float, int]:
    """The seconds of a whole process, and the tokens that it wrote."""
    source = sentencepiece.SentencePieceProcessor(model_file=f"{directory}/source.spm")
    text.write_text("".join(" ".join(source.encode(line, out_type=str)) + "\n" for line in lines), encoding="utf-8")
    vocabulary = f"{directory}/vocab.yml"
    command = [sys.executable, "-m", "pymarian", "decode", "--quiet", "-m", f"{directory}/model.npz", "-v", vocabulary,
               vocabulary, "--cpu-threads", "2", "--mini-batch", str(batch), "--maxi-batch", "100", "--maxi-batch-sort",
               "src", "-b", "4", "--normalize", "1", "--max-length-factor", "2", "-i", str(text)]
    begin = time.perf_counter()
    output = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    seconds = time.perf_counter() - begin
    # A piece of an id without a name, "<none 17>", has a blank; each line has an end symbol.
    return seconds, len(output.split()) - output.count("<none ") + output.count("\n")


def run_transformer(model: str, precision: str, lines: list[str], batch: int, text: pathlib.Path) -> tuple[float, int]:
    text.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    command = [ROOT / "build/release/transformer", "translate", "--model", model, "--threads", "2", "--batch-size",
               str(batch), "--precision", precision, "--beam-size", "4", "--alpha", "1", "--max-length", "32",
               "--input", text, "--output", f"{text}.translated"]
    begin = time.perf_counter()
    messages = subprocess.run(command, stderr=subprocess.PIPE, encoding="utf-8", check=True).stderr
    return time.perf_counter() - begin, int(re.findall(r"lines?, ([\d,]+) tokens", messages)[-1].replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--marian", required=True, help="the model as `export --format marian` writes it")
    parser.add_argument("--input", required=True, help="text, one sentence per line")
    parser.add_argument("--rounds", type=int, default=3)
    a = parser.parse_args()
    lines = pathlib.Path(a.input).read_text(encoding="utf-8").splitlines()[:192]
    with tempfile.TemporaryDirectory() as directory:
        text = pathlib.Path(directory) / "text"
        programs = {
            "Marian, fp32": lambda part, batch: run_marian(a.marian, part, batch, text),
            "transformer, fp32": lambda part, batch: run_transformer(a.model, "fp32", part, batch, text),
            "transformer, int8": lambda part, batch: run_transformer(a.model, "int8", part, batch, text),
        }
        for batch, shorter, longer in ((32, 64, 192), (1, 2, 8)):
            speeds = {name: [] for name in programs}
            for _ in range(a.rounds):
                for name, run in programs.items():
                    (short_seconds, short_tokens), (seconds, tokens) = (run(lines[:n], batch) for n in (shorter, longer))
                    speeds[name].append((tokens - short_tokens) / (seconds - short_seconds))
            marian = statistics.median(speeds["Marian, fp32"])
            for name, values in speeds.items():
                speed = statistics.median(values)
                print(f"batches of {batch}: {name}: {speed:.0f} output tokens/s, {speed / marian:.1f} times Marian's")


if __name__ == "__main__":
    main()
