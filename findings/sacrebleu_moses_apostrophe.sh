#!/usr/bin/env bash
# sacreBLEU's default tokenizer 13a undoes some of the escapes that Moses' tokenizer writes (&quot; &amp; &lt; &gt;), but
# not &apos;, &#91;, &#93; and &#124;. So a translation that was not detokenized can have the full score as long as it has
# only quotation marks, and loses most of it with a few apostrophes.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install sacrebleu==2.6.0 sacremoses==0.2.0

cd "$directory"
venv/bin/python - <<'END'
import importlib.metadata
import sys

import sacrebleu
import sacremoses

print(f"sacrebleu {sacrebleu.__version__}, sacremoses {importlib.metadata.version('sacremoses')}")
tokenizer = sacremoses.MosesTokenizer(lang="en")
expected = {
    '"We sell a < b & c > d", he said to the two old men.': 100.0,
    "The dog's owner said that it's not the neighbour's cat.": 9.3,
    "The array a[1] holds the two names of the old bus.": 45.7,
}
failed = False
for reference, score in expected.items():
    hypothesis = tokenizer.tokenize(reference, return_str=True)
    seen = round(sacrebleu.corpus_bleu([hypothesis], [[reference]]).score, 1)
    print(f"{reference}\n  tokenized: {hypothesis}\n  BLEU of the tokenized sentence against itself: {seen}")
    failed = failed or seen != score
if failed:
    sys.exit(f"other scores than when this was written: {list(expected.values())}")
END
