#!/usr/bin/env bash
# ttconv 1.2.3, a converter of subtitles, writes WebVTT without escaping "<" and "&": it reads "x &lt; 3 &amp; y &gt; 5"
# as it should, but writes "x < 3 & y > 5", in which "< 3 & y >" is a tag. Whoever reads the file loses text: ttconv
# itself has "x & y > 5", and webvtt-py 0.6.0 "x  5". From SubRip, which has no escapes, to WebVTT it is the same. So
# the loss comes with the next program, not with the one that is at fault, and nothing is said.
# Ends with status 1 if the packages behave in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install ttconv==1.2.3 webvtt-py==0.6.0

cd "$directory"
printf '1\n00:00:01,000 --> 00:00:04,000\nIf x < 3 & y > 5, stop.\n' > text.srt
printf 'WEBVTT\n\n00:01.000 --> 00:04.000\nIf x &lt; 3 &amp; y &gt; 5, stop.\n' > text.vtt
# convert FROM TO
convert() { venv/bin/tt convert -i "$1" -o "$2" > log 2>&1 || { cat log >&2; exit 1; }; }
convert text.srt from_srt.vtt
convert text.vtt from_vtt.vtt
convert from_srt.vtt again_srt.srt
convert from_vtt.vtt again_vtt.srt

venv/bin/python - << 'END'
import importlib.metadata
import re
import sys

import webvtt


def cue(file):
    lines = open(file, encoding="utf-8").read().split("\n")
    time = next(n for n, line in enumerate(lines) if "-->" in line)
    return re.sub("</?c[^>]*>", "", lines[time + 1])  # without the colour that ttconv adds


for package in ("ttconv", "webvtt-py"):
    print(package, importlib.metadata.version(package))
as_expected = cue("text.vtt") == "If x &lt; 3 &amp; y &gt; 5, stop."
for kind in ("srt", "vtt"):
    written = cue(f"from_{kind}.vtt")
    again = cue(f"again_{kind}.srt")
    other = webvtt.read(f"from_{kind}.vtt")[0].text
    print(f"{cue(f'text.{kind}')}\n    as WebVTT: {written}\n    again:     {again}\n    webvtt-py: {other}")
    as_expected = as_expected and written == "If x < 3 & y > 5, stop."
    as_expected = as_expected and again == "If x & y > 5, stop." and other == "If x  5, stop."
if not as_expected:
    sys.exit("the packages behave in another way")
END
