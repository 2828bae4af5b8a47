#!/usr/bin/env bash
# mtdata 0.5.1 and tmxutil 1.3, two programs for training data, read the text of a TMX segment only as far as its first
# inline tag: of "Press <ph>{0}</ph> to start the engine." and its translation, the pair "Press", "Taste" is left. Each
# side is cut where its own first tag stands, so that such a pair looks like a short one but need not mean the same. A
# unit that begins with a tag is left out by mtdata (it counts an "entry due to language mismatch"), and has an empty
# side in tmxutil. Neither names the unit's tags as the reason.
# Ends with status 1 if the packages behave in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install mtdata==0.5.1 tmxutil==1.3

cd "$directory"
cat > memory.tmx << 'END'
<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4">
<header creationtool="a" creationtoolversion="1" segtype="sentence" o-tmf="a" adminlang="en" srclang="en"
  datatype="html"/>
<body>
<tu tuid="1">
<tuv xml:lang="en"><seg>Press <ph>{0}</ph> to start the engine.</seg></tuv>
<tuv xml:lang="de"><seg>Taste <ph>{0}</ph> startet den Motor.</seg></tuv>
</tu>
<tu tuid="2">
<tuv xml:lang="en"><seg>The engine <hi>must not</hi> run.</seg></tuv>
<tuv xml:lang="de"><seg>Der Motor darf <hi>nicht</hi> laufen.</seg></tuv>
</tu>
<tu tuid="3">
<tuv xml:lang="en"><seg><hi>Warning:</hi> the engine is hot.</seg></tuv>
<tuv xml:lang="de"><seg><hi>Achtung:</hi> Der Motor ist heiß.</seg></tuv>
</tu>
</body>
</tmx>
END
HOME=$directory venv/bin/python -m mtdata.tmx -i memory.tmx -l en-de > mtdata.tsv 2> mtdata.log ||
    { cat mtdata.log >&2; exit 1; }
for language in en de; do
    venv/bin/tmxutil -i tmx -o txt --output-languages "$language" -- memory.tmx > "tmxutil.$language" 2> tmxutil.log ||
        { cat tmxutil.log >&2; exit 1; }
done
paste tmxutil.en tmxutil.de > tmxutil.tsv

venv/bin/python - << 'END'
import importlib.metadata
import sys

cut = [["Press", "Taste"], ["The engine", "Der Motor darf"]]
as_expected = True
for name, expected in (("mtdata", cut), ("tmxutil", cut + [["", ""]])):
    lines = open(f"{name}.tsv", encoding="utf-8").read().splitlines()
    pairs = [line.split("\t") for line in lines]
    print(name, importlib.metadata.version(name), pairs)
    as_expected = as_expected and [[side.strip() for side in pair] for pair in pairs] == expected
if not as_expected:
    sys.exit("the packages behave in another way")
END
