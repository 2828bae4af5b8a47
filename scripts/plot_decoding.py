#!/usr/bin/env python3
"""Measures BLEU over the number of averaged checkpoints, over the beam size and over alpha of the length penalty, and
draws the three curves side by side; lines mark the paper's choices (section 6.1: 5 checkpoints, beam 4, alpha 0.6).

    python3 scripts/plot_decoding.py runs/multi30k --source test.en --reference test.de -o decoding.svg

For each curve the two other settings stay at `--average`, `--beam-size` and `--alpha`. Prints every score.
"""
import argparse
import json
import os
import subprocess
import tempfile

from svg_plot import panel, write_svg

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Measurement:
    def __init__(self, options, directory):
        self.options, self.directory = options, directory
        self.scores = {}

    def transformer(self, *arguments):
        return subprocess.run([self.options.transformer, *map(str, arguments)], check=True, stdout=subprocess.PIPE,
                              text=True).stdout

    def model(self, average):
        path = os.path.join(self.directory, f"mean-of-{average}.safetensors")
        if not os.path.exists(path):
            self.transformer("average-checkpoints", "--last", average, self.options.run, "-o", path, "--quiet")
        return path

    def bleu(self, average, beam_size, alpha):
        setting = (average, beam_size, alpha)
        if setting not in self.scores:
            translation = os.path.join(self.directory, "translation")
            self.transformer("translate", "--model", self.model(average), "--input", self.options.source, "--output",
                             translation, "--beam-size", beam_size, "--alpha", alpha, "--quiet")
            out = self.transformer("eval-bleu", "--hypothesis", translation, "--reference", self.options.reference,
                                   "--tokenize", self.options.tokenize, "--width", 2, "--json")
            self.scores[setting] = json.loads(out)["score"]
            print(f"average {average:2}  beam {beam_size:2}  alpha {alpha:.1f}  BLEU {self.scores[setting]:.2f}",
                  flush=True)
        return self.scores[setting]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", help="the run directory")
    parser.add_argument("--source", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("-o", "--output", required=True, help="the SVG file to write")
    parser.add_argument("--average", type=int, default=5)
    parser.add_argument("--beam-size", type=int, default=4)
    parser.add_argument("--alpha", type=float, default=0.6)
    parser.add_argument("--averages", type=int, nargs="+", default=[1, 2, 3, 5, 8, 10, 15, 20])
    parser.add_argument("--beam-sizes", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6, 8, 12, 16])
    parser.add_argument("--alphas", type=float, nargs="+", default=[0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2])
    parser.add_argument("--tokenize", default="13a", help="of eval-bleu")
    parser.add_argument("--transformer", default=os.path.join(ROOT, "build/release/transformer"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        measurement = Measurement(options, directory)
        average, beam_size, alpha = options.average, options.beam_size, options.alpha
        curves = [
            (f"Averaged checkpoints (beam {beam_size}, α {alpha:g})", (5, "paper"),
             [(n, measurement.bleu(n, beam_size, alpha)) for n in options.averages]),
            (f"Beam size (average of {average}, α {alpha:g})", (4, "paper"),
             [(n, measurement.bleu(average, n, alpha)) for n in options.beam_sizes]),
            (f"α (average of {average}, beam {beam_size})", (0.6, "paper"),
             [(a, measurement.bleu(average, beam_size, a)) for a in options.alphas])]
    write_svg(options.output, [panel(title, [("BLEU", "#2ca02c", points)], column, from_zero=False, mark=mark)
                               for column, (title, mark, points) in enumerate(curves)])


if __name__ == "__main__":
    main()
