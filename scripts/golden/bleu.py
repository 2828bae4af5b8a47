#!/usr/bin/env python3
"""Writes tests/golden/evaluation/bleu.h: what sacreBLEU makes of lines and corpora that are
hard to get right.

    pip install sacrebleu==2.6.0 regex
    python3 scripts/golden/bleu.py

Not run by the build or by CI: the header is kept in the repository.
"""

import pathlib
import platform
import random
import string
import unicodedata

import sacrebleu
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/evaluation/bleu.h"

WHITESPACE = [chr(c) for c in range(0x110000) if chr(c).isspace()]
# Neighbors of whitespace, and characters that look like it.
NOT_WHITESPACE = [chr(c) for c in (
    0x0, 0x1, 0x8, 0xE, 0x1B, 0x7F, 0x84, 0x86, 0x9F, 0xA1, 0xAD, 0x167F, 0x1681, 0x180E, 0x1FFF,
    0x200B, 0x200E, 0x2027, 0x202A, 0x202E, 0x2030, 0x205E, 0x2060, 0x3001, 0xFEFF, 0xFFFD,
    0x10FFFF)]

NASTY_LINES = [
    "",
    " ",
    "Hello, world!",
    "Das kostet 1.000,50 € (inkl. 19% MwSt.), d.h. viel.",
    "It's \"quoted\" and `quoted` and 'quoted'.",
    "3.14 .5 5. 5.a a.5 1,000 ,1 1, 1.,2 ... .., 5..5",
    "1-2 -1 1- a-1 1-a a-b -- 5--6 1990-2000",
    ". leading and trailing .",
    ",",
    ".5.",
    "U.S.A., e.g. www.example.org/a?b=c&d=e#f",
    "!\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`{|}~",
    "x".join(string.punctuation) + "x",
    "7".join(string.punctuation) + "7",
    "&quot;a&quot; &amp; &lt;b&gt; &amp;lt; &amp;amp;lt; &amp;quot; &apos; &#39; &quot &AMP;",
    "a<skipped>b <ski<skipped>pped> <SKIPPED> <skipped> 1<skipped>.5",
    "a line that ends in a hyphen-\nis joined, another -\n\n one\nis not",
    "-<skipped>\nx &amp;\nlt; y-\n",
    "\n",
    "Straße, naïve; e\u0301tude… „Zitat“ «guillemets» – — ¿qué?",
    "数字は１２.３４です。 日本語,テスト.また",
    "٣.٤ ²,³ Ⅷ. 5\u0301.5",
    "😀,😀.😀 👩\u200d👩 שלום, مرحبا. 5😀.😀5",
    "a".join(WHITESPACE),
    ".".join(WHITESPACE),
    "5-".join(WHITESPACE),
    "x".join(NOT_WHITESPACE),
    "\u3000both ends\u2009\u00a0",
    "\ufeffbyte order mark",
    "猫坐在垫子上，对吗？（是的！） 2024年，价格3.50元 “引号” – ABC㈱ｶﾅＡ１",
    "x".join(chr(c) for c in (0x2000, 0x2001, 0x2A6D, 0x2A6E, 0x2F80, 0x2F81, 0x2FA1, 0x2FA2, 0x33FF,
                              0x3400, 0x4DB5, 0x4DB6, 0x9FBB, 0x9FBC, 0xFA2E, 0xFFEF, 0xFFF0, 0x20000)),
    "$5+3=8 §7 50° a|b ^c `d 1€2 ²,³ ½.½ «5» 5» a5,b 5,a ,5 5, 5:5 a:b _x_ 10%",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. ΑΣΑ Α\u0301Σ İstanbul IŞIK ẞ ǅ Ω K Å ÀÉ",
]


def random_line(generator):
    """Words, punctuation, digits, entities and every kind of space, put together without sense."""
    pieces = ["der", "the", "Haus", "über", "日本", "😀", "x", "7", "42", ".", ",", "-",
              "--", "...", "&amp;", "&quot;", "&lt;", "<skipped>", "'", "\"", "(", ")", "/", "%", "€", "“",
              "\u200b", "\u0301"]
    line = ""
    for _ in range(generator.choice([0, 1, 2, 5, 10, 15])):
        line += generator.choice(pieces)
        if generator.random() < 0.6:
            line += " " if generator.random() < 0.8 else generator.choice(WHITESPACE)
    return line


def changed(line, generator):
    """The line with some of its characters gone or doubled."""
    return "".join(c * generator.choice([0, 1, 1, 1, 1, 1, 1, 1, 1, 2]) for c in line)


def corpora():
    """Yields name, hypotheses, reference streams, and the number of digits to print."""
    english = ["The cat sat on the mat, didn't it?", "It cost $3.50 in 1999-2000.",
               "Nothing else mattered to them."]
    second = ["Surely the cat is on the mat now?", "In 1999 it did cost $3.50.",
              "To them nothing else matters."]
    system = ["The cat is on the mat, isn't it?", "It did cost $3.50 in 1999.",
              "Nothing else matters to them."]
    yield "ordinary sentences", system, [english], 1
    yield "two references", system, [english, second], 2
    yield "identical", english, [english], 1
    yield "no digits", system, [english], 0
    yield "case matters", ["the cat Sat on The mat"], [["The cat sat on the mat"]], 4
    yield "nothing matches", ["a b c d e"], [["f g h i j k"]], 1
    yield "empty hypotheses", ["", " "], [["a b", "c d"]], 1
    yield "empty references", ["a b c d", "e f g h"], [["", "\u2003"]], 1
    yield "nothing at all", ["", ""], [["", ""]], 1
    yield "an empty line among others", ["", system[0]], [[english[1], english[0]]], 1
    yield "too short for four words", ["a b c", "d"], [["a b c", "d"]], 1
    yield "smoothed twice", ["a b x y z"], [["a b c d e"]], 3
    yield "very short hypothesis", ["a b c d"], [["a b c d " + "e " * 60]], 10
    streams = [["a b c d e f"], ["a b"], ["a b c x y z v w"]]
    yield "closest length, of two the shorter", ["a b c d"], streams, 1
    yield "seventeen digits", ["a b c d e"], [["a b c d f"]], 17
    generator = random.Random(1706)
    nasty = [changed(line, generator) for line in NASTY_LINES]
    yield "nasty lines", nasty, [NASTY_LINES], 5
    references = [random_line(generator) for _ in range(40)]
    hypotheses = [changed(line, generator) for line in references]
    others = [changed(line, generator) for line in references]
    yield "random lines", hypotheses, [references], 8
    yield "random lines with three references", hypotheses, [others, references, others[::-1]], 8


def cpp_string(text):
    """A std::string literal; what an editor might not show, or might change, is escaped."""
    literal = ""
    for c in text:
        left_to_right = unicodedata.bidirectional(c) not in ("R", "AL")
        shown = unicodedata.category(c)[0] in "LNPS" and left_to_right
        if c == "\n":
            literal += "\\n"
        elif c in "\"\\":
            literal += "\\" + c
        elif c == " " or shown:
            literal += c
        else:
            literal += "".join(f"\\{byte:03o}" for byte in c.encode("utf-8"))
    return f'"{literal}"s'


def cpp_strings(lines):
    return "{" + ", ".join(cpp_string(line) for line in lines) + "}"


def cpp_numbers(numbers):
    return "{" + ", ".join(repr(number) for number in numbers) + "}"


def main():
    tokenizers = [Tokenizer13a(), TokenizerV14International(), TokenizerZh()]
    lines = []
    for line in NASTY_LINES:
        members = [line] + [tokenizer(line) for tokenizer in tokenizers] + [line.lower()]
        lines.append("    {" + ",\n     ".join(map(cpp_string, members)) + "},")

    scores = []
    for name, hypotheses, references, width in corpora():
        bleu = BLEU()
        score = bleu.corpus_score(hypotheses, references)
        signature = bleu.get_signature().format()
        streams = ",\n      ".join(cpp_strings(stream) for stream in references)
        scores.append(f"""    {{{cpp_string(name)},
     {cpp_strings(hypotheses)},
     {{{streams}}},
     {score.score!r}, {cpp_numbers(score.precisions)},
     {score.bp!r}, {float(score.ratio)!r}, {score.sys_len}, {score.ref_len},
     {cpp_numbers(score.counts)}, {cpp_numbers(score.totals)},
     {width},
     {cpp_string(score.format(width, False, signature, False))},
     R"json({score.format(width, False, signature, True)})json"}},""")

    newline = "\n"
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(f"""\
// Written by scripts/golden/bleu.py with sacreBLEU {sacrebleu.__version__},
// Python {platform.python_version()}, Unicode {unicodedata.unidata_version}. Do not edit.
// clang-format off
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace transformer::golden {{

using namespace std::string_literals;

struct TokenizedLine {{
  std::string line, words_13a, words_intl, words_zh, lowercase;
}};

struct ScoredCorpus {{
  std::string name;
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
  double score;
  std::array<double, 4> precisions;
  double brevity_penalty, ratio;
  int64_t hypothesis_length, reference_length;
  std::array<int64_t, 4> counts, totals;
  int width;
  std::string text, json;
}};

inline const std::string kSacrebleuVersion = "{sacrebleu.__version__}";

inline const std::vector<TokenizedLine> kTokenizedLines = {{
{newline.join(lines)}
}};

inline const std::vector<ScoredCorpus> kScoredCorpora = {{
{newline.join(scores)}
}};

}}  // namespace transformer::golden
""", encoding="utf-8")


if __name__ == "__main__":
    main()
