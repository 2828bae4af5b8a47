#!/usr/bin/env python3
"""Compares `transformer benchmark translate` with CTranslate2 on the same model and text, in turn (A B A B).

    python3 scripts/benchmarks/decode.py --model runs/sample/averaged.safetensors --input data/sample/test.en

Every output has the same number of tokens on both sides, so that both do the same work. Each round runs every
combination of batch size and parallelism (one search on all threads, or one search on each); for each side the
combination with the best median is printed. `--one-at-a-time` measures single sentences instead: one after the other, and
one on each thread. Needs ctranslate2 and sentencepiece (pip install ctranslate2 sentencepiece).
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from runs import median, run_json

ROOT = pathlib.Path(__file__).resolve().parents[2]
THEIR_TYPES = {"fp32": "float32", "int8": "int8", "bf16": "bfloat16"}


def their_side(a):
    import ctranslate2

    sys.path.append(str(ROOT / "scripts"))
    from exported_vocabulary import read_vocabularies

    source = read_vocabularies(a["directory"]).source.model
    with open(a["input"], encoding="utf-8") as text:
        lines = [source.encode(line.rstrip("\n"), out_type=str) for line in text][:a["lines"]]
    translator = ctranslate2.Translator(a["directory"], device="cpu", compute_type=THEIR_TYPES[a["precision"]],
                                        inter_threads=a["workers"], intra_threads=a["threads"] // a["workers"])
    options = {"beam_size": a["beam"], "length_penalty": 0, "max_batch_size": a["batch"],
               "min_decoding_length": a["tokens"], "max_decoding_length": a["tokens"]}
    translator.translate_batch(lines[:2], **options)
    start = time.perf_counter()
    if a["batch"] == 1 and a["workers"] == 1:
        found = [translator.translate_batch([line], **options)[0] for line in lines]
    else:
        found = translator.translate_batch(lines, **options)
    seconds = time.perf_counter() - start
    assert all(len(result.hypotheses[0]) == a["tokens"] for result in found)
    print(json.dumps({"output_tokens_per_second": a["tokens"] * len(lines) / seconds,
                      "peak_memory_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--input", required=True, help="text, one sentence per line")
    parser.add_argument("--lines", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=30, help="length of every output")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--ours", nargs="+", default=["fp32", "int8"], help="precisions of this program")
    parser.add_argument("--theirs", nargs="+", default=["fp32", "int8"], choices=THEIR_TYPES, help="precisions of CTranslate2")
    parser.add_argument("--batches", type=int, nargs="+", default=[16, 32, 64])
    parser.add_argument("--one-at-a-time", action="store_true", help="batches of one sentence")
    parser.add_argument("--rounds", type=int, default=3, help="number of runs of each side, in turn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--transformer", default=ROOT / "build/release/transformer")
    a = parser.parse_args()
    if a.one_at_a_time:
        a.batches = [1]

    def ours(precision, workers, batch):
        return run_json([a.transformer, "benchmark", "translate", "--model", a.model, "--input", a.input, "--lines",
                         str(a.lines), "--output-tokens", str(a.tokens), "--beam-size", str(a.beam), "--precision",
                         precision, "--workers", str(workers), "--batch-size", str(batch), "--threads", str(a.threads),
                         "--rounds", "1", "--json"])

    def theirs(precision, workers, batch):
        return run_json([sys.executable, __file__, "--their-side", json.dumps(
            {"directory": directory, "input": a.input, "lines": a.lines, "tokens": a.tokens, "beam": a.beam,
             "precision": precision, "workers": workers, "batch": batch, "threads": a.threads})])

    speed = "output_tokens_per_second"
    with tempfile.TemporaryDirectory() as name:
        directory = f"{name}/ctranslate2"
        subprocess.run([a.transformer, "export", "--quiet", "--model", a.model, "--format", "ctranslate2", "-o",
                        directory], check=True)
        sides = [("transformer", ours, precision) for precision in a.ours]
        sides += [("CTranslate2", theirs, precision) for precision in a.theirs]
        settings = [(workers, batch) for workers in sorted({1, a.threads}) for batch in a.batches]
        runs = {(side, setting): [] for setting in settings for side in sides}
        for _ in range(a.rounds):
            for ((_, run, precision), setting), found in runs.items():
                found.append(run(precision, *setting))
    printed = list(runs) if a.one_at_a_time else [
        max(((side, setting) for setting in settings), key=lambda plan: median(runs[plan], speed)) for side in sides]
    print(f"beam {a.beam}, {a.lines} lines, outputs of {a.tokens} tokens, {a.threads} threads; output tokens/s, "
          f"{a.rounds} rounds in turn")
    for plan in printed:
        (name, _, precision), (workers, batch) = plan
        print(f"{name:12} {precision:5} {workers} x {a.threads // workers} threads, batch {batch:4}:",
              f"{median(runs[plan], speed):8.1f}", "(" + " ".join(f"{run[speed]:.1f}" for run in runs[plan]) + ")",
              f"{median(runs[plan], 'peak_memory_bytes') / 1e9:6.2f} GB")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--their-side":
        their_side(json.loads(sys.argv[2]))
    else:
        main()
