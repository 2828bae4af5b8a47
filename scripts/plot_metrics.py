#!/usr/bin/env python3
"""Draws the curves of a run as one SVG file, for documents that cannot include the run's report.html.

    python3 scripts/plot_metrics.py runs/sample/metrics.jsonl -o curves.svg
"""

import argparse
import json
import math

WIDTH, HEIGHT, MARGIN = 420, 240, 46


def read_series(path, key):
    """The points (step, value) of the lines that have this key."""
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["step"], row[key]) for row in rows if row.get(key) is not None]


def ticks(low, high):
    """About four round numbers from low to high."""
    step = 10 ** math.floor(math.log10((high - low) / 3 or 1))
    step = next(s for s in (step, 2 * step, 5 * step, 10 * step) if (high - low) / s <= 5)
    first = math.ceil(low / step)
    return [round(i * step, 10) for i in range(first, math.floor(high / step) + 1)]


def panel(title, series, left):
    """One diagram, its upper left corner at x = left. Series are (name, colour, points)."""
    points = [point for _, _, line in series for point in line]
    last_step = max(step for step, _ in points)
    low, high = min(0, min(value for _, value in points)), max(value for _, value in points)

    def x(step):
        return left + MARGIN + step / last_step * (WIDTH - MARGIN - 12)

    def y(value):
        return HEIGHT - 34 - (value - low) / ((high - low) or 1) * (HEIGHT - 70)

    parts = [f'<text x="{left + MARGIN}" y="18" font-weight="bold">{title}</text>']
    for value in ticks(low, high):
        parts.append(f'<line x1="{x(0)}" x2="{x(last_step)}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x(0) - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for step in ticks(0, last_step):
        parts.append(f'<text x="{x(step):.1f}" y="{HEIGHT - 16}" text-anchor="middle">{step:,.0f}</text>')
    for number, (name, colour, line) in enumerate(series):
        path = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<text x="{left + WIDTH - 12}" y="{34 + 15 * number}" fill="{colour}" text-anchor="end">{name}</text>')
    return parts


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("metrics", help="a run's metrics.jsonl")
    arguments.add_argument("-o", "--output", required=True, help="the SVG file to write")
    options = arguments.parse_args()
    loss = [("training loss", "#1f77b4", read_series(options.metrics, "loss")),
            ("validation loss", "#d62728", read_series(options.metrics, "valid_loss"))]
    bleu = [("validation BLEU", "#2ca02c", read_series(options.metrics, "valid_bleu"))]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>']
    parts += panel("Loss by step", [line for line in loss if line[2]], 0)
    if bleu[0][2]:
        parts += panel("BLEU by step", bleu, WIDTH)
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("\n".join(parts + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
