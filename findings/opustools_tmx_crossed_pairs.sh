#!/usr/bin/env bash
# opustools 1.9.0 (opus_read -wm tmx) pairs the wrong sentences where a link joins two sentences with two: it begins a
# second <tu> within the first one, so that the file, which is well-formed, has the pairs (first, second) and (second,
# first), and a reader of TMX notices nothing. A link of two sentences and one gives a file that is not XML any more.
# From the same links, -wm moses writes each link as one right pair. Whoever prefers TMX, because it keeps pairs
# together, gets a file that is refused, or training pairs that do not mean the same.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install opustools==1.9.0

cd "$directory"
# A corpus of two sentences in OPUS's format.
mkdir -p X/raw/en X/raw/de
cat > X/raw/en/f.xml << 'END'
<?xml version="1.0" encoding="utf-8"?>
<document><s id="1">It rains.</s>
<s id="2">We stay here.</s></document>
END
cat > X/raw/de/f.xml << 'END'
<?xml version="1.0" encoding="utf-8"?>
<document><s id="1">Es regnet.</s>
<s id="2">Wir bleiben hier.</s></document>
END
for language in en de; do venv/bin/python -m zipfile -c "$language.zip" X; done

# read_link IDS FORMAT: what opus_read writes for a link of these sentences, to IDS.FORMAT.
read_link() {
    cat > links.xml << END
<?xml version="1.0" encoding="utf-8"?>
<cesAlign version="1.0">
<linkGrp targType="s" fromDoc="en/f.xml.gz" toDoc="de/f.xml.gz">
<link xtargets="$1" id="SL1"/>
</linkGrp>
</cesAlign>
END
    gzip -f links.xml
    venv/bin/opus_read -d X -s en -t de -p raw -af links.xml.gz -sz en.zip -tz de.zip -wm "$2" -w "$1.$2" -q 2> log ||
        { cat log >&2; exit 1; }
}
for ids in "1 2;1 2" "1 2;1"; do
    for format in tmx moses; do read_link "$ids" "$format"; done
done

venv/bin/python - << 'END'
import importlib.metadata
import sys
import xml.etree.ElementTree as ET

print("opustools", importlib.metadata.version("opustools"))


def pairs(file):
    try:
        units = ET.parse(file).iter("tu")
        return [[tuv.findtext("seg") for tuv in unit.findall("tuv")] for unit in units]
    except ET.ParseError as error:
        return f"not XML: {error}"


found = {}
for ids in ("1 2;1 2", "1 2;1"):
    moses = open(f"{ids}.moses", encoding="utf-8").read().rstrip("\n").split("\t")
    found[ids] = (moses, pairs(f"{ids}.tmx"))
    print(f"link {ids}\n    moses: {moses}\n    tmx:   {found[ids][1]}")
both = ["It rains. We stay here.", "Es regnet. Wir bleiben hier."]
crossed = [["It rains.", "Wir bleiben hier."], ["We stay here.", "Es regnet."]]
if found["1 2;1 2"] != (both, crossed):
    sys.exit("the package behaves in another way")
if found["1 2;1"][0] != [both[0], "Es regnet."] or not isinstance(found["1 2;1"][1], str):
    sys.exit("the package behaves in another way")
END
