#!/usr/bin/env python3
"""Translates a text with CTranslate2 and with `translate`, and compares line by line.

    transformer export --model runs/sample/averaged.safetensors --format ctranslate2 -o runs/sample/ctranslate2
    python3 scripts/check_ctranslate2.py runs/sample/ctranslate2 runs/sample/averaged.safetensors data/sample/test.en

Needs the packages `ctranslate2` and `sentencepiece`. Both sides use the same beam size, no length penalty, and outputs
of at most 50 pieces more than the source without the unknown, padding and begin symbols. If the two translations of a
line differ, CTranslate2 scores both in fp32. Prints one JSON object:

- `lines` (without blank lines), `agree`, `agree_percent`;
- `ours_better`, `ours_worse`: the number of differing lines for which the translation of `translate` has a score that is
  higher or lower by more than 1e-3 nats; the other differing lines are ties;
- `score_error`: the largest difference between the log-probabilities that CTranslate2 and `translate` give to a
  translation of `translate`, in nats per piece;
- `compute_type`: the type in which CTranslate2 computes, which may differ from the requested one.
"""
import argparse
import json
import pathlib
import subprocess

import ctranslate2
from exported_vocabulary import read_vocabularies

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXTRA_TOKENS, END, TIE, BATCH = 50, "</s>", 1e-3, 64


def by_transformer(arguments):
    """The best translation of each line: its `pieces`, the end included where it came to one, and its `log_prob`."""
    command = [arguments.transformer, "translate", "--model", arguments.model, "--input", arguments.text, "--quiet",
               "--beam-size", str(arguments.beam_size), "--alpha", "0", "--max-extra-tokens", str(EXTRA_TOKENS),
               "--no-trees", "--format", "jsonl", "--device", "cpu", "--threads", str(arguments.threads)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line)["translations"][0] for line in output.split("\n")[:-1]]


def by_ctranslate2(translator, sources, beam_size):
    """The best pieces of each source, without the end. The length limit is a call's, so like lengths go together."""
    best = [None] * len(sources)
    for length in sorted({len(source) for source in sources}):
        places = [i for i, source in enumerate(sources) if len(source) == length]
        results = translator.translate_batch(
            [sources[i] for i in places], beam_size=beam_size, length_penalty=0, disable_unk=True,
            suppress_sequences=[["<pad>"], ["<s>"]], min_decoding_length=0, max_decoding_length=length + EXTRA_TOKENS,
            max_batch_size=BATCH)
        for i, result in zip(places, results):
            best[i] = result.hypotheses[0]
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="the directory written by `export --format ctranslate2`")
    parser.add_argument("model", help="the exported model file")
    parser.add_argument("text", help="lines to translate")
    parser.add_argument("--transformer", default=ROOT / "build/release/transformer")
    parser.add_argument("--beam-size", type=int, default=4)
    parser.add_argument("--compute-type", default="default", help="of CTranslate2; default: the type of the exported matrices")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    source = read_vocabularies(arguments.directory).source.model
    threads = {"inter_threads": 1, "intra_threads": arguments.threads}
    translator = ctranslate2.Translator(arguments.directory, compute_type=arguments.compute_type, **threads)
    judge = ctranslate2.Translator(arguments.directory, compute_type="float32", **threads)

    with open(arguments.text, encoding="utf-8", newline="\n") as file:
        lines = [source.encode(line, out_type=str) for line in file.read().removesuffix("\n").split("\n")]
    ours = by_transformer(arguments)
    assert len(ours) == len(lines), f"{len(ours)} translations of {len(lines)} lines"
    kept = [i for i, line in enumerate(lines) if line]
    sources = [lines[i] for i in kept]
    mine = [[piece for piece in ours[i]["pieces"] if piece != END] for i in kept]
    theirs = by_ctranslate2(translator, sources, arguments.beam_size)

    def judged(targets):
        return [sum(result.log_probs) for result in judge.score_batch(sources, targets, max_batch_size=BATCH)]

    mine_scores, their_scores = judged(mine), judged(theirs)
    differ = [k for k in range(len(kept)) if mine[k] != theirs[k]]
    gains = [mine_scores[k] - their_scores[k] for k in differ]
    agree = len(kept) - len(differ)
    print(json.dumps({
        "lines": len(kept),
        "agree": agree,
        "agree_percent": round(100 * agree / max(1, len(kept)), 2),
        "ours_better": sum(gain > TIE for gain in gains),
        "ours_worse": sum(gain < -TIE for gain in gains),
        "score_error": max((abs(mine_scores[k] - ours[i]["log_prob"]) / len(ours[i]["pieces"])
                            for k, i in enumerate(kept) if ours[i]["pieces"][-1] == END), default=0.0),
        "compute_type": translator.compute_type,
    }))


if __name__ == "__main__":
    main()
