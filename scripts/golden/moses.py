#!/usr/bin/env python3
"""Writes tests/golden/evaluation/moses.h: what the authors' script makes of German lines before it
computes BLEU: Moses' replace-unicode-punctuation.perl and tokenizer.perl, and compound splitting.

    git clone https://github.com/moses-smt/mosesdecoder data/mosesdecoder
    python3 scripts/golden/moses.py data/mosesdecoder

Not run by the build or by CI: the header is kept in the repository. Needs Perl.
"""

import pathlib
import random
import subprocess
import sys

from bleu import NASTY_LINES, cpp_string, random_line

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/evaluation/moses.h"

GERMAN_LINES = [
    "„So ‚etwas‘“, sagte Dr. Weiß, „kostet z.B. 1.000,50 EUR bzw. ca. 5 %“ … usw.",
    "Am 3. Mai kam Ludwig XIV. nach Nr. 100. Heute nicht. 3.'",
    "U-Bahn-Fahrer, a-b-c, ä-b-ö, x-- -y, 1990-2000 und rich-text-format -",
    "Nun ja... etc. ... A.b.C.d. www.example.org. 5.000. 5... ....' .' '.' 3, ,3 a,b,c, 1,2,3,",
    "１２．３４％。 次、（是）！？【一】〈二〉《三》「四」：；～━∶",
]


def period_lines(prefixes):
    """Each word with a period before a capitalized word, a number and a word in lower case."""
    words = list(dict.fromkeys(prefixes + [change(word) for word in prefixes if word.isalpha()
                                           for change in (str.swapcase, lambda word: word + "x")]))
    words += ["0", "00", "05", "100", "1a", "a.b", "1.2", "-", "ä", "XXI"]
    for following in ["Haus", "7", "haus", "über"]:
        yield " ".join(f"{word}. {following}" for word in words)


def perl(lines, *command):
    result = subprocess.run(["perl", *command], input="".join(line + "\n" for line in lines).encode(),
                            stdout=subprocess.PIPE, check=True)
    return result.stdout.decode().split("\n")[:-1]


def main():
    scripts = pathlib.Path(sys.argv[1]) / "scripts"
    german = (scripts / "share/nonbreaking_prefixes/nonbreaking_prefix.de").read_text(encoding="utf-8")
    prefixes = [line for line in german.splitlines() if line and not line.startswith("#")]
    generator = random.Random(1706)
    lines = NASTY_LINES + GERMAN_LINES + list(period_lines(prefixes)) + [random_line(generator) for _ in range(60)]
    lines = [line.replace("\n", " ") for line in lines if line.strip()]
    replaced = perl(lines, scripts / "tokenizer/replace-unicode-punctuation.perl")
    tokenized = perl(replaced, scripts / "tokenizer/tokenizer.perl", "-l", "de", "-q", "-no-escape")
    split = perl(tokenized, "-ple", "s{(\\S)-(\\S)}{$1 ##AT##-##AT## $2}g")
    assert len(lines) == len(replaced) == len(tokenized) == len(split)

    rows = "\n".join(f"    {{{cpp_string(line)},\n     {cpp_string(words)}}}," for line, words in zip(lines, split))
    OUTPUT.write_text(f"""\
// Written by scripts/golden/moses.py with Moses' scripts. Do not edit.
// clang-format off
#pragma once

#include <string>
#include <vector>

namespace transformer::golden {{

using namespace std::string_literals;

/// `words` is the line after the three steps of moses.h.
struct MosesLine {{
  std::string line, words;
}};

inline const std::vector<MosesLine> kMosesLines = {{
{rows}
}};

}}  // namespace transformer::golden
""", encoding="utf-8")


if __name__ == "__main__":
    main()
