#!/usr/bin/env python3
"""Writes tests/golden/evaluation/metrics.h: what sacreBLEU makes of the corpora of bleu.py with
every option, what its tests of significance say, and the random numbers behind them.

    pip install sacrebleu==2.6.0 regex 'numpy>=2'
    python3 scripts/golden/metrics.py

Not run by the build or by CI: the header is kept in the repository. Needs NumPy 2, whose rules for
single precision differ from NumPy 1's.
"""

import argparse
import contextlib
import io
import os
import pathlib
import platform
import random
import unicodedata

import numpy as np
import sacrebleu
from bleu import corpora, cpp_string
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest
from sacrebleu.utils import Color, print_results_table

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/evaluation/metrics.h"
WIDTH = 12
CORPORA = {name: (hypotheses, references) for name, hypotheses, references, _ in corpora()}
NAMES = ["two references", "case matters", "nothing matches", "an empty line among others", "too short for four words",
         "smoothed twice", "nasty lines", "random lines", "random lines with three references"]
RESAMPLED = ["two references", "nothing matches", "nasty lines", "random lines", "random lines with three references"]


def stripped(corpus):
    """As sacreBLEU's command line reads lines."""
    hypotheses, references = CORPORA[corpus]
    return [line.rstrip() for line in hypotheses], [[line.rstrip() for line in stream] for stream in references]


def cpp(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return cpp_string(value) if isinstance(value, str) else repr(value)


def row(*values):
    return "    {" + ", ".join(map(cpp, values)) + "},"


def text(metric, corpus, samples=1):
    hypotheses, references = stripped(corpus)
    score = metric.corpus_score(hypotheses, references, n_bootstrap=samples)
    return score.format(WIDTH, False, metric.get_signature().format())


def bleu_rows():
    for corpus in NAMES:
        for tokenize in ["13a", "intl", "zh", "char", "none"]:
            for lowercase in [False, True]:
                metric = BLEU(lowercase=lowercase, tokenize=tokenize)
                yield row(corpus, tokenize, lowercase, "exp", -1.0, False, text(metric, corpus))
        for smooth, value in [("none", None), ("floor", None), ("floor", 0.37), ("add-k", None), ("add-k", 2.5)]:
            for effective in [False, True]:
                metric = BLEU(smooth_method=smooth, smooth_value=value, effective_order=effective)
                shown = -1.0 if value is None else value
                yield row(corpus, "13a", False, smooth, shown, effective, text(metric, corpus))


def chrf_rows():
    for corpus in NAMES:
        for orders in [(6, 0, 2), (6, 2, 2), (3, 1, 1), (8, 2, 3)]:
            for lowercase, whitespace, eps in [(False, False, False), (True, False, False), (False, True, False),
                                               (False, False, True)]:
                metric = CHRF(*orders, lowercase, whitespace, eps)
                yield row(corpus, *orders, lowercase, whitespace, eps, text(metric, corpus))


TER_OPTIONS = [dict(normalized=n, no_punct=p, asian_support=a, case_sensitive=c)
               for n in [False, True] for p in [False, True] for a in [False, True] for c in [False, True]]


def ter_options(options):
    return [options[name] for name in ["case_sensitive", "normalized", "no_punct", "asian_support"]]


def ter_rows():
    for corpus in NAMES:
        for options in TER_OPTIONS:
            yield row(corpus, *ter_options(options), text(TER(**options), corpus))


def edited(words, vocabulary):
    """The words after some insertions, deletions, substitutions and shifts."""
    words = list(words)
    for _ in range(random.randint(0, 8)):
        place = random.randrange(len(words) + 1)
        kind = random.randrange(4)
        if kind == 0:
            words.insert(place, random.choice(vocabulary))
        elif kind == 1:
            del words[place:place + 1]
        elif kind == 2:
            words[place:place + 1] = [random.choice(vocabulary)]
        else:
            moved = words[place:place + random.randint(1, 14)]
            del words[place:place + len(moved)]
            place = random.randrange(len(words) + 1)
            words[place:place] = moved
    return words


def ter_segments():
    """Pairs that come to each of TER's limits: long and short words' sequences, many equal words, other lengths."""
    random.seed(5)
    for words_of_language in [1, 2, 3, 8, 40, 1000]:
        vocabulary = [str(word) for word in range(words_of_language)]
        for length in [0, 1, 4, 12, 30, 70, 130]:
            reference = [random.choice(vocabulary) for _ in range(length)]
            yield edited(reference, vocabulary), reference
    for hypothesis, reference in [(1, 60), (1, 140), (3, 200), (200, 3), (140, 1), (60, 120), (120, 60)]:
        yield ([random.choice("abcd") for _ in range(hypothesis)], [random.choice("abcd") for _ in range(reference)])
    words = [f"a{number}" for number in range(60)]
    yield [f"x{number}" for number in range(30)] + words, words + [f"y{number}" for number in range(30)]
    for place in (50, 51):
        yield ["w"] + words, words[:place] + ["w"] + words[place:]
    yield [], []


def segment_rows():
    for hypothesis, reference in ter_segments():
        hypothesis, reference = " ".join(hypothesis), " ".join(reference)
        edits, _ = TER()._extract_corpus_statistics([hypothesis], [[reference]])[0]
        yield row(hypothesis, reference, edits)


def resampled_rows():
    for corpus in RESAMPLED:
        for samples, seed in [(1000, "12345"), (77, "3")]:
            os.environ["SACREBLEU_SEED"] = seed
            for name, metric in [("BLEU", BLEU()), ("chrF2", CHRF()), ("chrF2++", CHRF(word_order=2)),
                                 ("TER", TER())]:
                try:
                    yield row(corpus, name, samples, int(seed), text(metric, corpus, samples))
                except TypeError:  # where only some scores are 0, Python's statistics refuses the mixture
                    continue
    del os.environ["SACREBLEU_SEED"]


def table(systems, references, metrics, paired, format, width):
    metrics = {name: metric(references=references) for name, metric in metrics.items()}
    if paired:
        signatures, scores = PairedTest(systems, metrics, None, "bs", paired)()
    else:
        signatures, scores = {}, {"System": [name for name, _ in systems]}
        for metric in metrics.values():
            results = [metric.corpus_score(lines, None) for _, lines in systems]
            signatures[results[0].name] = metric.get_signature()
            scores[results[0].name] = [result.format(width, True) for result in results]
    signatures = {name: signature.format() for name, signature in signatures.items()}
    args = argparse.Namespace(format=format, width=width, paired_bs=bool(paired), paired_ar=False, paired_bs_n=paired)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        print_results_table(scores, signatures, args)
    return output.getvalue()


def table_rows():
    hypotheses, references = stripped("random lines with three references")
    systems = [("one", hypotheses), ("a/longer/name", references[0]), ("drei", [""] + references[2][1:])]
    bleu, both = {"BLEU": BLEU}, {"BLEU": BLEU, "CHRF": CHRF}
    all_three = {**both, "TER": TER}
    for metrics, paired, format, width in [(both, 0, "text", 1), (both, 0, "json", 4), (both, 1000, "text", 1),
                                           (both, 50, "text", 9), (bleu, 1000, "json", 1),
                                           (both, 1000, "text", 12), (all_three, 0, "json", 4),
                                           (all_three, 1000, "text", 12)]:
        named = [("Baseline: one", hypotheses)] + systems[1:] if paired else systems
        shown = table(named, [references[1]], metrics, paired, format, width)
        yield f"    {{{len(metrics)}, {paired}, {cpp(format == 'json')}, {width}, R\"({shown})\"}},"


def random_rows():
    for seed in [0, 1, 12345, 2**32, 2**64 - 1]:
        state = ", ".join(f"{word}u" for word in np.random.SeedSequence(seed).generate_state(4, np.uint64).tolist())
        words = ", ".join(f"{word}u" for word in np.random.PCG64(seed).random_raw(4).tolist())
        draws = []
        for bound in [1, 2, 10, 3004, 2**31 + 1]:
            numbers = np.random.default_rng(seed).choice(bound, size=8).tolist()
            draws.append(f"{{{bound}u, {{{', '.join(f'{number}u' for number in numbers)}}}}}")
        yield f"    {{{seed}u, {{{state}}}, {{{words}}},\n     {{{', '.join(draws)}}}}},"


def main():
    Color.ENABLE_COLORS = False
    assert np.__version__ >= "2"

    def lines(rows):
        return "\n".join(rows)

    OUTPUT.write_text(f"""\
// Written by scripts/golden/metrics.py with sacreBLEU {sacrebleu.__version__}, NumPy {np.__version__},
// Python {platform.python_version()}, Unicode {unicodedata.unidata_version}. Do not edit.
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace transformer::golden {{

using namespace std::string_literals;

// Every `corpus` is one of bleu.h, every `text` has {WIDTH} digits.

/// A negative smooth_value is the default.
struct BleuText {{
  std::string corpus, tokenize;
  bool lowercase;
  std::string smooth;
  double smooth_value;
  bool effective_order;
  std::string text;
}};

struct ChrfText {{
  std::string corpus;
  int char_order, word_order, beta;
  bool lowercase, whitespace, eps_smoothing;
  std::string text;
}};

struct TerText {{
  std::string corpus;
  bool case_sensitive, normalized, no_punctuation, asian_support;
  std::string text;
}};

/// The number of edits between two lines.
struct TerSegment {{
  std::string hypothesis, reference;
  int64_t edits;
}};

struct ResampledText {{
  std::string corpus, metric;
  int64_t num_samples;
  uint64_t seed;
  std::string text;
}};

/// Systems of "random lines with three references": the hypotheses, the first reference, the third with its first line
/// empty; against the second reference.
struct SystemsTable {{
  int num_metrics;
  int64_t num_samples;
  bool json;
  int width;
  std::string text;
}};

struct RandomNumbers {{
  uint64_t seed;
  std::array<uint64_t, 4> state, words;
  std::vector<std::pair<uint32_t, std::array<uint32_t, 8>>> below;
}};

inline const std::vector<BleuText> kBleuTexts = {{
{lines(bleu_rows())}
}};

inline const std::vector<ChrfText> kChrfTexts = {{
{lines(chrf_rows())}
}};

inline const std::vector<TerText> kTerTexts = {{
{lines(ter_rows())}
}};

inline const std::vector<TerSegment> kTerSegments = {{
{lines(segment_rows())}
}};

inline const std::vector<ResampledText> kResampledTexts = {{
{lines(resampled_rows())}
}};

inline const std::vector<SystemsTable> kSystemsTables = {{
{lines(table_rows())}
}};

inline const std::vector<RandomNumbers> kRandomNumbers = {{
{lines(random_rows())}
}};

}}  // namespace transformer::golden
""", encoding="utf-8")


if __name__ == "__main__":
    main()
