#!/usr/bin/env python3
"""Measures how much slower `translate` is with terminology than without.

    python3 scripts/benchmarks/terminology.py --model MODEL --text train.en --input test.en

The terms are made from the model's translations of the first lines of --text: each word of the source with the word of
the translation that is most often aligned with it, without the --skip most frequent words, which no glossary has.
Their file is kept with --output.
"""

import argparse
import collections
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile


def words(text):
    """The words of a text, as spaces separate them; those that are not letters alone as None."""
    return [word if re.fullmatch(r"[^\W\d_]{3,}", word) else None for word in text.split()]


def make_terms(arguments, count):
    """The lines of a file of terms."""
    with open(arguments.text, encoding="utf-8") as file:
        lines = list(itertools.islice(file, arguments.lines))
    command = [*arguments.translate, "--format", "jsonl", "--word-alignment", "--input", "-", "--quiet"]
    output = subprocess.run(command, input="".join(lines), check=True, stdout=subprocess.PIPE, text=True).stdout
    aligned = collections.defaultdict(collections.Counter)
    for line, translated in zip(lines, output.splitlines(), strict=True):
        best = json.loads(translated)["translations"][0]
        source, target = words(line), words(best["text"])
        for i, j in best["word_alignment"]:
            if source[i] and target[j]:
                aligned[source[i]][target[j]] += 1
    chosen = sorted(aligned, key=lambda word: -aligned[word].total())[arguments.skip:arguments.skip + count]
    if len(chosen) < count:
        sys.exit(f"{arguments.text}: only {len(chosen)} terms; give more --lines or another text")
    with open(arguments.input, encoding="utf-8") as file:
        found = [sum(word in set(chosen) for word in line.split()) for line in file]
    print(f"{statistics.mean(found):.2f} terms a line, {sum(map(bool, found)) / len(found):.0%} of the lines have some")
    return "".join(f"{word}\t{aligned[word].most_common(1)[0][0]}\n" for word in chosen)


def measure(arguments, options):
    """Lines per second, without the start of the program."""
    command = [*arguments.translate, "--input", arguments.input, "--output", "/dev/null", *options]
    log = subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True).stderr
    found = re.search(r"([\d,]+) lines?, ([\d,]+) tokens? in .* \(([\d,]+) tokens/s\)", log)
    if not found:
        sys.exit(f"no speed in the messages of {' '.join(command)}:\n{log}")
    lines, tokens, tokens_per_second = (int(number.replace(",", "")) for number in found.groups())
    return lines * tokens_per_second / tokens, tokens / lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transformer", default="build/release/transformer")
    parser.add_argument("--model", required=True)
    parser.add_argument("--text", required=True, help="source text to make terms from")
    parser.add_argument("--lines", type=int, default=5000, help="so many lines of it")
    parser.add_argument("--input", required=True, help="source text to translate")
    parser.add_argument("--terms", type=int, default=1000)
    parser.add_argument("--skip", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--precision", default="int8")
    parser.add_argument("--output", help="keep the terms in this file")
    arguments = parser.parse_args()
    arguments.translate = [arguments.transformer, "translate", "--model", arguments.model, "--precision",
                           arguments.precision]
    terms = make_terms(arguments, arguments.terms)
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(arguments.output or pathlib.Path(directory) / "terms.tsv")
        file.write_text(terms, encoding="utf-8")
        runs = {"without": [], "with": []}
        for _ in range(arguments.rounds):
            runs["without"].append(measure(arguments, []))
            runs["with"].append(measure(arguments, ["--terminology", str(file)]))
    for name, of_name in runs.items():
        speeds, lengths = zip(*of_name)
        print(f"{name:8}{statistics.median(speeds):8.1f} lines/s  {lengths[0]:.1f} tokens a line  "
              f"({min(speeds):.1f} to {max(speeds):.1f})")
    ratios = [with_terms[0] / without[0] for without, with_terms in zip(runs["without"], runs["with"])]
    print(f"ratio   {statistics.median(ratios):8.3f}  ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
