#!/usr/bin/env python3
"""Compares `transformer benchmark train` with the same model in Python PyTorch, in turn (A B A B).

    python3 scripts/benchmarks/train.py base [--precision bf16] [--rounds 3] [--device cuda --tokens 25000 --compile]

The Python side, pytorch_training.py, is written as well as PyTorch allows; it has fused Adam, batches sorted by length over
the whole corpus, of whose positions 6 % are padding, and memory in huge pages (THP_MEM_ALLOC_ENABLE). `--compile` adds
torch.compile. On a GPU nothing waits between the steps, whose time is that of all together, and PyTorch has seen every
batch before; both sides use TF32 for fp32 matrix products, and PyTorch may use FlashAttention or memory-efficient
attention but not cuDNN's, which is slow for each new batch shape. With `--json`, the results so far are printed after
each run, so that the last line has all of them.
Both sides train on sentence pairs of the same lengths and count target tokens without padding. Needs torch and
numpy (install them with pip, but not in .venv, whose torch serves C++ only).
"""
import argparse
import json
import pathlib
import subprocess
import sys

from runs import median, run_json

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEED, MEMORY = "target_tokens_per_second", "peak_memory_bytes"
MODELS = [path.stem for path in sorted((ROOT / "configs/benchmark").glob("*.yaml"))]


def model_of(transformer, config):
    """The settings of the config's model that pytorch_training.py needs."""
    out = subprocess.run([transformer, "config", config, "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    keys = json.loads(out)["keys"]
    return {**{name: keys[f"model.{name}"]["value"] for name in ("N", "d_model", "d_ff", "h", "P_drop")},
            "vocabulary": keys["data.vocabulary_size"]["value"]}


def run_ours(a, config):
    return run_json([a.transformer, "benchmark", "train", "--config", config, "--precision", a.precision,
                     "--steps", str(a.steps), "--threads", str(a.threads), "--device", a.device,
                     "--set", f"training.batch_tokens={a.tokens}",
                     "--set", f"training.device_tokens={a.tokens}", "--json"])


def run_pytorch(settings):
    return run_json([sys.executable, ROOT / "scripts/benchmarks/pytorch_training.py", json.dumps(settings)],
                    {"THP_MEM_ALLOC_ENABLE": "1"})


def ratio(ours, theirs, key):
    return median(ours, key) / median(theirs, key) if theirs else None


def format_json(a, ours, theirs):
    return json.dumps({"model": a.model, "precision": a.precision, "device": a.device, "tokens": a.tokens, "ours": ours,
                       "pytorch": theirs, "ratio": ratio(ours, theirs, SPEED)})


def format_text(a, ours, theirs):
    def speeds(runs):
        return ", ".join(f"{run[SPEED]:,.0f}" for run in runs) + " target tokens/s"

    return "\n".join([
        f"{a.model}, {a.precision}, {a.threads} threads, {a.rounds} rounds of {a.steps} steps in turn",
        f"transformer: {speeds(ours)}; {100 * median(ours, 'model_flops_utilization'):.0f} % of its matrix products "
        f"alone, {median(ours, MEMORY) / 1e9:.2f} GB",
        f"PyTorch:     {speeds(theirs)}; {median(theirs, MEMORY) / 1e9:.2f} GB",
        f"ratio of the medians: {ratio(ours, theirs, SPEED):.2f} in speed, {ratio(ours, theirs, MEMORY):.2f} in peak "
        "memory",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--rounds", type=int, default=3, help="number of runs of each side, in turn")
    parser.add_argument("--steps", type=int, default=6, help="timed steps in each run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--tokens", type=int, default=4096, help="tokens of a step")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--compile", action="store_true", help="torch.compile on the Python side")
    parser.add_argument("--transformer", default=ROOT / "build/release/transformer")
    a = parser.parse_args()

    config = ROOT / f"configs/benchmark/{a.model}.yaml"
    settings = {**model_of(a.transformer, config), "tokens": a.tokens, "device": a.device, "precision": a.precision,
                "threads": a.threads, "steps": a.steps, "compile": a.compile}
    ours, theirs = [], []
    for _ in range(a.rounds):
        for name, runs, run in (("transformer", ours, lambda: run_ours(a, config)),
                                ("PyTorch", theirs, lambda: run_pytorch(settings))):
            try:
                runs.append(run())
            except subprocess.CalledProcessError as failure:
                sys.exit(f"{name} failed with status {failure.returncode}")
            if a.json:
                print(format_json(a, ours, theirs), flush=True)
            else:
                print(f"{name}: {runs[-1][SPEED]:,.0f} target tokens/s", file=sys.stderr)
    if not a.json:
        print(format_text(a, ours, theirs))


if __name__ == "__main__":
    main()
