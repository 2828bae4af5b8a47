#!/usr/bin/env bash
# opustools writes TMX files whose version is "1.4." with a full stop, where the DTD of TMX 1.4b fixes "1.4", and whose
# header lacks creationtool, creationtoolversion and o-tmf, which it requires. So a program that validates the file, or
# compares the version, refuses it, although nothing is wrong with its text.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install opustools==1.9.0 lxml==6.1.3

cd "$directory"
# A corpus of one pair in OPUS's format.
mkdir -p X/raw/en X/raw/de
echo '<?xml version="1.0" encoding="utf-8"?><document><s id="1">The house.</s></document>' > X/raw/en/f.xml
echo '<?xml version="1.0" encoding="utf-8"?><document><s id="1">Das Haus.</s></document>' > X/raw/de/f.xml
cat > links.xml << 'END'
<?xml version="1.0" encoding="utf-8"?>
<cesAlign version="1.0">
<linkGrp targType="s" fromDoc="en/f.xml.gz" toDoc="de/f.xml.gz">
<link xtargets="1;1" id="SL1"/>
</linkGrp>
</cesAlign>
END
gzip links.xml
for language in en de; do python3 -m zipfile -c "$language.zip" X; done
venv/bin/opus_read -d X -s en -t de -p raw -af links.xml.gz -sz en.zip -tz de.zip -wm tmx -w corpus.tmx -q

venv/bin/python - << 'END'
import importlib.metadata
import io
import sys

from lxml import etree

# The declarations of the DTD of TMX 1.4b for these elements.
dtd = etree.DTD(io.StringIO("""
<!ELEMENT tmx (header, body)>
<!ATTLIST tmx version CDATA #FIXED "1.4">
<!ELEMENT header EMPTY>
<!ATTLIST header creationtool CDATA #REQUIRED creationtoolversion CDATA #REQUIRED segtype CDATA #REQUIRED
  o-tmf CDATA #REQUIRED adminlang CDATA #REQUIRED srclang CDATA #REQUIRED datatype CDATA #REQUIRED>
<!ELEMENT body (tu*)>
<!ELEMENT tu (tuv+)>
<!ELEMENT tuv (seg)>
<!ATTLIST tuv xml:lang CDATA #REQUIRED>
<!ELEMENT seg (#PCDATA)>
"""))
memory = etree.parse("corpus.tmx")
valid = dtd.validate(memory)
version = memory.getroot().get("version")
missing = sorted({"creationtool", "creationtoolversion", "o-tmf"} - set(memory.find("header").attrib))
print(f"opustools {importlib.metadata.version('opustools')}: version=\"{version}\", header without {', '.join(missing)}")
for error in dtd.error_log.filter_from_errors():
    print(f"  line {error.line}: {error.message}")
if valid or version != "1.4." or missing != ["creationtool", "creationtoolversion", "o-tmf"]:
    sys.exit("another file than when this was written")
END
