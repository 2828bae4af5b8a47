#!/usr/bin/env bash
# pretranslate of translate-toolkit 3.20.4 fills a German catalog with French, if the translation memory has French
# before German: of a TMX with several languages it takes the second text of each unit, whatever the catalog's header
# says (Language: de). An exact match is not marked as fuzzy, so nothing shows that the language is wrong. With German
# before French, the same memory gives German. Only memories of two languages, one of them the source, can be used
# safely.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install translate-toolkit==3.20.4

cd "$directory"
cat > new.po << 'END'
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Language: de\n"

msgid "The house is red."
msgstr ""
END
cp new.po old.po  # the earlier translation, which pretranslate wants to have; it is empty here

# memory LANGUAGE TEXT LANGUAGE TEXT: a TMX of one unit, with these translations in this order
memory() {
    cat << END
<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4">
<header creationtool="a" creationtoolversion="1" segtype="sentence" o-tmf="a" adminlang="en" srclang="en"
  datatype="plaintext"/>
<body>
<tu>
<tuv xml:lang="en"><seg>The house is red.</seg></tuv>
<tuv xml:lang="$1"><seg>$2</seg></tuv>
<tuv xml:lang="$3"><seg>$4</seg></tuv>
</tu>
</body>
</tmx>
END
}
memory fr "La maison est rouge." de "Das Haus ist rot." > fr_de.tmx
memory de "Das Haus ist rot." fr "La maison est rouge." > de_fr.tmx

venv/bin/python -c 'from importlib.metadata import version; print("translate-toolkit", version("translate-toolkit"))'
for order in fr_de de_fr; do
    venv/bin/pretranslate --progress=none --tm "$order.tmx" -t old.po new.po "$order.po"
    echo "memory with en, ${order/_/, }:"
    sed -n '/^"Language/p; /^#, /p; $p' "$order.po" | tee "$order.txt"
done
german=$'"Language: de\\n"\nmsgstr "Das Haus ist rot."'
if [[ $(cat fr_de.txt) != "${german/Das Haus ist rot/La maison est rouge}" || $(cat de_fr.txt) != "$german" ]]; then
    echo "the package behaves in another way" >&2
    exit 1
fi
