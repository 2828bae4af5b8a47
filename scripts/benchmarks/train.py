#!/usr/bin/env python3
"""Compares `transformer benchmark train` with the same model in Python PyTorch, in turn (A B A B).

    python3 scripts/benchmarks/train.py base [--precision bf16] [--rounds 3] [--device cuda --tokens 25000 --compile]

The Python side, pytorch_training.py, is written as well as PyTorch allows; it has fused Adam, batches sorted by length over
the whole corpus, of whose positions 6 % are padding, and memory in huge pages (THP_MEM_ALLOC_ENABLE). `--compile` adds
torch.compile, or goes on without it where that fails; PyTorch then runs only once. On a GPU nothing waits between the
steps, whose time is that of all together, and PyTorch has seen every batch before; both sides use TF32 for fp32 matrix
products, and PyTorch may use FlashAttention or memory-efficient attention but not cuDNN's, which is slow for each new
batch shape.
Both sides train on sentence pairs of the same lengths and count target tokens without padding. Needs torch and
numpy (install them with pip, but not in .venv, whose torch serves C++ only).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = [path.stem for path in sorted((ROOT / "configs/benchmark").glob("*.yaml"))]


def run_json(command, environment):
    """The last line that the command prints, read as JSON; it is shown at once, so that it is kept if a later run fails."""
    out = subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE,
                         text=True).stdout
    result = out.strip().splitlines()[-1]
    print(result, file=sys.stderr)
    return json.loads(result)


def run_python_side(settings):
    """Runs the Python side, or again without torch.compile if it fails with it; None if it fails."""
    for compiled in [True, False] if settings["compile"] else [False]:
        try:
            return run_json([sys.executable, ROOT / "scripts/benchmarks/pytorch_training.py",
                             json.dumps({**settings, "compile": compiled})], {"THP_MEM_ALLOC_ENABLE": "1"})
        except (subprocess.CalledProcessError, IndexError) as failure:
            print(f"PyTorch failed{' with torch.compile' if compiled else ''}: {failure}", file=sys.stderr)
    return None


def model_of(transformer, config):
    """The settings of the config's model that pytorch_training.py needs."""
    out = subprocess.run([transformer, "config", config, "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    keys = json.loads(out)["keys"]
    return {**{name: keys[f"model.{name}"]["value"] for name in ("N", "d_model", "d_ff", "h", "P_drop")},
            "vocabulary": keys["data.vocabulary_size"]["value"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--rounds", type=int, default=3, help="number of runs of each side, in turn")
    parser.add_argument("--steps", type=int, default=6, help="timed steps in each run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--tokens", type=int, default=4096, help="tokens of a step")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--compile", action="store_true", help="torch.compile on the Python side")
    parser.add_argument("--transformer", default=ROOT / "build/release/transformer")
    a = parser.parse_args()

    config = ROOT / f"configs/benchmark/{a.model}.yaml"
    python = {**model_of(a.transformer, config), "tokens": a.tokens, "device": a.device, "precision": a.precision, "threads": a.threads,
              "steps": a.steps, "compile": a.compile}
    ours, theirs = [], []
    for turn in range(a.rounds):
        ours.append(run_json([a.transformer, "benchmark", "train", "--config", config, "--precision", a.precision,
                              "--steps", str(a.steps), "--threads", str(a.threads), "--device", a.device,
                              "--set", f"training.batch_tokens={a.tokens}",
                              "--set", f"training.device_tokens={a.tokens}", "--json"], {}))
        if turn == 0 or not a.compile:
            theirs.append(run_python_side(python))
    theirs = [run for run in theirs if run]

    def median(runs, key):
        return statistics.median(run[key] for run in runs)

    speed = "target_tokens_per_second"
    ratio = median(ours, speed) / median(theirs, speed) if theirs else None
    if a.json:
        print(json.dumps({"model": a.model, "precision": a.precision, "device": a.device, "tokens": a.tokens,
                          "ours": ours, "pytorch": theirs, "ratio": ratio}))
    if not theirs:
        sys.exit("the Python side has failed in every round")
    if a.json:
        return
    print(f"{a.model}, {a.precision}, {a.threads} threads, {a.rounds} rounds of {a.steps} steps in turn")
    print("transformer:", ", ".join(f"{run[speed]:,.0f}" for run in ours), "target tokens/s;",
          f"{100 * median(ours, 'model_flops_utilization'):.0f} % of its matrix products alone,",
          f"{median(ours, 'peak_memory_bytes') / 1e9:.2f} GB")
    print("PyTorch:    ", ", ".join(f"{run[speed]:,.0f}" for run in theirs), "target tokens/s;",
          f"{median(theirs, 'peak_memory_bytes') / 1e9:.2f} GB")
    print(f"ratio of the medians: {ratio:.2f} in speed,",
          f"{median(ours, 'peak_memory_bytes') / median(theirs, 'peak_memory_bytes'):.2f} in peak memory")


if __name__ == "__main__":
    main()
