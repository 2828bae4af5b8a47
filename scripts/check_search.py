#!/usr/bin/env python3
"""Compares the translations of `translate` with those of a plain beam search without early termination.

    transformer export --model runs/multi30k/averaged.safetensors -o runs/multi30k/export
    .venv/bin/python scripts/check_search.py runs/multi30k/export runs/multi30k/averaged.safetensors \\
        data/multi30k/test_2016_flickr.lc.norm.tok.en

The reference uses the network of check_export.py, for one sentence at a time and without caches; its search (section 6.1,
Deviation D10) runs to the length limit, keeps all finished hypotheses, and selects the best of them at the end. Prints one
JSON object for each alpha, once for one translation per line and once for as many translations as the beam size:

- `same`: lines whose translations equal the reference's, rank by rank, in pieces, text and score;
- `tie`: lines with other pieces but equal scores (within 1e-4, absolute and relative);
- `different`: the remaining lines, which are printed on stderr; if there are any, the exit status is 1;
- `score_error`: the largest absolute difference between scores of the same pieces.

    .venv/bin/python scripts/check_search.py ... --lines 1000 --batches 1 7 64

compares runs of `translate` with the first one in the same way: with each of these batch sizes, in the order of the text
and, so that batches consist of other sentences, for each half of the shuffled lines.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy as np
from check_export import Network
from exported_vocabulary import BEGIN, END, PAD, UNKNOWN, read_vocabularies

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIE = 1e-4


def largest(values, n):
    """The places of the n largest values, the largest first."""
    some = np.argpartition(-values, n - 1)[:n] if n < len(values) else np.arange(len(values))
    return some[np.argsort(-values[some], kind="stable")]


def beam_search(network, source, beam_size, max_length):
    """(log P, tokens) of every hypothesis that finishes, and of those still alive at the end, best first."""
    memory = network.encode(source + [END])
    live, finished = [(0.0, [])], []
    for _ in range(max_length):
        decoded = network.decode(memory, [[network.start()] + tokens for _, tokens in live])
        log_probs = network.log_probs(decoded[:, -1])  # [hypotheses, vocabulary]
        log_probs[:, [PAD, UNKNOWN, BEGIN]] = -np.inf
        sums = (log_probs + np.array([log_prob for log_prob, _ in live])[:, None]).flatten()
        vocabulary_size = log_probs.shape[1]
        candidates = [(float(sums[place]), live[place // vocabulary_size][1] + [int(place % vocabulary_size)])
                      for place in largest(sums, 1 if beam_size == 1 else 2 * beam_size) if sums[place] > -np.inf]
        finished += [candidate for candidate in candidates if candidate[1][-1] == END]
        live = [candidate for candidate in candidates if candidate[1][-1] != END][:beam_size]
        if not live:  # greedy search came to its end
            break
    return finished, live


class Translation(NamedTuple):
    score: float
    pieces: list
    text: str


def n_best(finished, live, n, alpha, vocabulary):
    """The finished hypotheses with the best scores, and the best live ones where these are too few."""
    scored = [(log_prob / ((5 + len(tokens)) / 6) ** alpha, tokens) for log_prob, tokens in finished + live]
    scored[:len(finished)] = sorted(scored[:len(finished)], reverse=True)
    return [Translation(score, vocabulary.pieces(tokens), vocabulary.decode(tokens))
            for score, tokens in scored[:n]]


def by_transformer(arguments, lines, alpha, nbest, batch_size=64):
    """The `nbest` translations of each line."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as text:
        text.writelines(line + "\n" for line in lines)
        text.flush()
        command = [arguments.transformer, "translate", "--model", arguments.model, "--input", text.name, "--quiet",
                   "--format", "jsonl", "--nbest", nbest, "--beam-size", arguments.beam_size, "--alpha", alpha,
                   "--length-penalty", "gnmt", "--max-extra-tokens", arguments.max_extra_tokens, "--no-trees",
                   "--batch-size", batch_size, "--precision", "fp32", "--device", "cpu", "--threads", arguments.threads]
        output = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout
    found = [json.loads(line)["translations"] for line in output.split("\n")[:-1]]
    assert len(found) == len(lines), f"translations of {len(found)} lines, not of {len(lines)}"
    return [[Translation(one["score"], one["pieces"], one["text"]) for one in of_line] for of_line in found]


def verdict(ours, theirs):
    pairs = list(zip(ours, theirs))
    same_scores = all(abs(a.score - b.score) <= TIE * min(1, abs(b.score)) for a, b in pairs)
    other_texts = any(a.pieces == b.pieces and a.text != b.text for a, b in pairs)
    if len(ours) != len(theirs) or not same_scores or other_texts:
        return "different"
    return "same" if all(a.pieces == b.pieces for a, b in pairs) else "tie"


def compare(ours, theirs):
    """How many lines have each verdict, and how far scores of the same pieces are apart; prints the lines that differ."""
    verdicts = [verdict(a, b) for a, b in zip(ours, theirs)]
    for i, a, b in zip(range(len(ours)), ours, theirs):
        if verdicts[i] == "different":
            print(f"line {i + 1} is different: {a}, not {b}", file=sys.stderr)
    errors = [abs(a.score - b.score) for line in zip(ours, theirs) for a, b in zip(*line) if a.pieces == b.pieces]
    counts = {name: verdicts.count(name) for name in ("same", "tie", "different")}
    return counts | {"score_error": max(errors, default=0.0)}


def check_search(arguments, vocabularies, lines):
    network, searches = Network(arguments.directory), []
    for line in lines:
        source = vocabularies.source.encode(line)
        max_length = int(min(len(source) + arguments.max_extra_tokens, network.max_positions))
        searches.append(beam_search(network, source, arguments.beam_size, max_length))
    for alpha in arguments.alpha:
        for nbest in sorted({1, arguments.beam_size}):
            ours = by_transformer(arguments, lines, alpha, nbest)
            theirs = [n_best(*found, nbest, alpha, vocabularies.target) for found in searches]
            yield {"lines": len(lines), "alpha": alpha, "nbest": nbest} | compare(ours, theirs)


def check_batches(arguments, lines):
    alpha, places, first = arguments.alpha[0], range(len(lines)), None
    shuffled = random.Random(1).sample(places, len(lines))
    for batch_size in arguments.batches:
        for order, parts in {"text": [places], "shuffled": [shuffled[::2], shuffled[1::2]]}.items():
            found = {}
            for part in parts:
                found |= zip(part, by_transformer(arguments, [lines[i] for i in part], alpha, 1, batch_size))
            found = [found[i] for i in places]
            if first:
                yield {"lines": len(lines), "alpha": alpha, "batch": batch_size, "order": order} | compare(found, first)
            first = first or found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="the directory written by `export`")
    parser.add_argument("model", help="the exported model file")
    parser.add_argument("text", help="lines to translate; blank lines are skipped")
    parser.add_argument("--transformer", default=ROOT / "build/release/transformer")
    parser.add_argument("--lines", type=int, default=100, help="number of lines, from the first one")
    parser.add_argument("--beam-size", type=int, default=4)
    parser.add_argument("--alpha", type=float, nargs="+", default=[0.6, 0.0, 1.0], help="of --batches: the first")
    parser.add_argument("--max-extra-tokens", type=int, default=50)
    parser.add_argument("--batches", type=int, nargs="+", help="compare `translate` with itself for these batch sizes")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    vocabularies = read_vocabularies(arguments.directory)
    with open(arguments.text, encoding="utf-8", newline="\n") as file:
        lines = [line for line in file.read().split("\n") if vocabularies.source.encode(line)][:arguments.lines]
    check = check_batches(arguments, lines) if arguments.batches else check_search(arguments, vocabularies, lines)
    different = 0
    for report in check:
        print(json.dumps(report), flush=True)
        different += report["different"]
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
