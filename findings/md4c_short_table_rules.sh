#!/usr/bin/env bash
# md4c (in pymd4c 1.3.0), with its flags for GitHub's dialect, takes a table whose second line has fewer than three
# characters for a column, such as "|-|-|" or "|-|:-:|", for a paragraph, so that its rows become one text. GitHub Flavored
# Markdown asks for one hyphen or more (section 4.10), and cmark-gfm (in cmarkgfm 2025.10.22), GitHub's own program, makes
# a table of it.
# Ends with status 1 if the packages behave in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install pymd4c==1.3.0 cmarkgfm==2025.10.22
"$directory/venv/bin/python" - <<'END'
import sys

import cmarkgfm
import md4c

found = {}
for rule in ("|-|-|", "|-|:-:|", "|--|--|", "|---|---|"):
    text = f"|a|b|\n{rule}\n|1|2|\n"
    by_md4c = "<table" in md4c.HTMLRenderer(md4c.MD_DIALECT_GITHUB).parse(text)
    by_cmark = "<table" in cmarkgfm.github_flavored_markdown_to_html(text)
    found[rule] = (by_md4c, by_cmark)
    print(f"{rule:10}  md4c: {'table' if by_md4c else 'text':5}  cmark-gfm: {'table' if by_cmark else 'text'}")
expected = {"|-|-|": (False, True), "|-|:-:|": (False, True), "|--|--|": (False, True), "|---|---|": (True, True)}
if found != expected:
    sys.exit("the packages behave in another way")
END
