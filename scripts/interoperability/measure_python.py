#!/usr/bin/env python3
"""Compares the speed of the Python package with `transformer benchmark translate` on the same model and text, in turn
(A B A B), and measures what a call of the package costs.

    python3 scripts/interoperability/measure_python.py --model base.safetensors --input newstest2017.en

Every output has 30 tokens on both sides. The cost of a call is that of blank lines, which are not searched.
"""
import argparse
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts/benchmarks")]

from runs import run_json  # noqa: E402, I001
from transformer_mt import Model  # noqa: E402

TOKENS = 30


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--input", required=True, help="text, one sentence per line")
    parser.add_argument("--lines", type=int, default=128)
    parser.add_argument("--precision", default="int8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    a = parser.parse_args()
    with open(a.input, encoding="utf-8") as text:
        lines = [line.rstrip("\n") for line in text][:a.lines]
    benchmark = [ROOT / "build/release/transformer", "benchmark", "translate", "--model", a.model, "--input", a.input,
                 "--lines", str(a.lines), "--output-tokens", str(TOKENS), "--precision", a.precision, "--threads",
                 str(a.threads), "--workers", str(a.threads), "--batch-size", str(a.batch), "--rounds", "1", "--json"]
    package, program = [], []
    with Model(a.model, precision=a.precision, threads=a.threads, workers=a.threads, batch_size=a.batch) as model:
        model.translate(lines[:2])
        for _ in range(a.rounds):
            start = time.perf_counter()
            model.translate(lines, min_length=TOKENS, max_length=TOKENS)
            package.append(TOKENS * len(lines) / (time.perf_counter() - start))
            program.append(run_json(benchmark)["output_tokens_per_second"])
        for name, rates in (("package", package), ("benchmark translate", program)):
            print(f"{name:20} {statistics.median(rates):8.1f} output tokens/s", [round(rate) for rate in rates])
        for count in (1, 100, 10000):
            seconds = []
            for _ in range(9):
                start = time.perf_counter()
                model.translate([""] * count)
                seconds.append(time.perf_counter() - start)
            print(f"call with {count:5} blank lines: {1e6 * min(seconds) / count:5.1f} us a line")


if __name__ == "__main__":
    main()
