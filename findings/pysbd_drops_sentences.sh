#!/usr/bin/env bash
# pysbd 0.3.4, asked to leave the text as it is (clean=False), leaves out every sentence with one of some symbols, such
# as ♬, ♭, ☝ and ♨ (U+266C, U+266D, U+261D, U+2668): "The chord is A♭ minor." has no sentence at all, and a song in
# subtitles, "♬ ... ♬", disappears. It uses these characters as marks of its own and makes punctuation of them at the
# end, so that it does not find the sentence in the text any more, and skips it without a message. So a document that is
# translated sentence by sentence loses text, and a parallel text its alignment.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install pysbd==0.3.4
"$directory/venv/bin/python" -W ignore - <<'END'
import importlib.metadata
import sys

import pysbd

texts = {
    "The chord is A♭ minor. Play it twice.": ["Play it twice."],
    "She sat down. ♬ Silent night ♬ came from the radio. Then she left.": ["She sat down. ", "Then she left."],
    "♬ Silent night, holy night ♬": [],
    "Read this first ☝ before you go on. It is short.": ["It is short."],
    # Symbols that it does not use itself stay.
    "♪ Silent night ♪ came from the radio.": ["♪ Silent night ♪ came from the radio."],
}
print("pysbd", importlib.metadata.version("pysbd"))
as_expected = True
for text, expected in texts.items():
    segments = pysbd.Segmenter(language="en", clean=False).segment(text)
    print(f"{text}\n    {segments}, {len(text) - len(''.join(segments))} of {len(text)} characters lost")
    as_expected = as_expected and segments == expected
if not as_expected:
    sys.exit("the package behaves in another way")
END
