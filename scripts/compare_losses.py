#!/usr/bin/env python3
"""Compares the training losses in the metrics of two runs; status 1 if they differ by more than the tolerance."""
import argparse
import json
import math
import pathlib
import sys


def losses_of(run):
    lines = [json.loads(line) for line in open(run / "metrics.jsonl")]
    return [math.nan if line["loss"] is None else line["loss"] for line in lines if "loss" in line]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=pathlib.Path, nargs=2, metavar="RUN", help="run directory")
    parser.add_argument("--lines", type=int, required=True, help="number of training lines that each must have")
    parser.add_argument("--tolerance", type=float, required=True, help="largest difference of two losses")
    args = parser.parse_args()
    first, second = (losses_of(run) for run in args.runs)
    if len(first) != args.lines or len(second) != args.lines:
        sys.exit(f"the runs have {len(first)} and {len(second)} training lines instead of {args.lines}")
    differences = [abs(a - b) for a, b in zip(first, second, strict=True)]
    difference = math.nan if any(map(math.isnan, differences)) else max(differences)
    print(json.dumps({"training_lines": args.lines, "largest_difference_of_loss": difference}))
    if not difference <= args.tolerance:
        sys.exit(f"the losses differ by more than {args.tolerance:g}")


if __name__ == "__main__":
    main()
