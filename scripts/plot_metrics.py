#!/usr/bin/env python3
"""Draws the curves of a run as one SVG file, for documents that cannot include the run's report.html.

    python3 scripts/plot_metrics.py runs/sample/metrics.jsonl -o curves.svg
"""
import argparse
import json

from svg_plot import panel, write_svg


def read_series(path, key):
    """The points (step, value) of the lines that have this key."""
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["step"], row[key]) for row in rows if row.get(key) is not None]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("metrics", help="a run's metrics.jsonl")
    arguments.add_argument("-o", "--output", required=True, help="the SVG file to write")
    options = arguments.parse_args()
    loss = [("training loss", "#1f77b4", read_series(options.metrics, "loss")),
            ("validation loss", "#d62728", read_series(options.metrics, "valid_loss"))]
    bleu = [("validation BLEU", "#2ca02c", read_series(options.metrics, "valid_bleu"))]
    panels = [panel("Loss by step", [line for line in loss if line[2]], column=0)]
    if bleu[0][2]:
        panels.append(panel("BLEU by step", bleu, column=1))
    write_svg(options.output, panels)


if __name__ == "__main__":
    main()
