#!/usr/bin/env bash
# argostranslate 1.11.0 has code that translates a sentence with inline tags as a whole and puts the tags back where
# their translation stands, but it never runs: depth(), by which it is chosen, returns 0 for every tree, where its own
# description says 1 and 2. So translate_tags, and with it translatehtml, translates what is between the tags piece by
# piece: the model never sees the sentence, and the pieces keep the source's order.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install ctranslate2==4.8.5 packaging==26.4 \
  sacremoses==0.1.1 sentencepiece==0.2.3
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install --no-deps argostranslate==1.11.0
HOME=$directory XDG_DATA_HOME=$directory/data XDG_CONFIG_HOME=$directory/config XDG_CACHE_HOME=$directory/cache \
  "$directory/venv/bin/python" - <<'END'
import importlib.metadata
import sys
from unittest import mock

# These split text into sentences, which is not needed here, and the first one needs torch.
sys.modules["stanza"] = mock.MagicMock()
sys.modules["minisbd"] = mock.MagicMock()
from argostranslate.tags import Tag, depth, translate_tags
from argostranslate.translate import ITranslation

GERMAN = {
    "I went to Paris last summer.": "Letzten Sommer war ich in Paris.",
    "I went to ": "Ich ging zu ",
    "Paris": "Paris",
    " last summer.": " letzter Sommer.",
}


class Translation(ITranslation):
    def __init__(self):
        self.requests = []

    def translate(self, text):
        self.requests.append(text)
        return GERMAN[text]


sentence = Tag(["I went to ", Tag(["Paris"]), " last summer."])
depths = (depth(Tag(["Paris"])), depth(sentence))
translation = Translation()
german = translate_tags(translation, sentence).text()
print("argostranslate", importlib.metadata.version("argostranslate"))
print(f"depths:   {depths}, by the description of depth() (1, 2)")
print(f"the model is asked for {translation.requests}")
print(f"as a whole:     {GERMAN['I went to Paris last summer.']}")
print(f"translate_tags: {german}")
if depths != (0, 0) or translation.requests != ["I went to ", "Paris", " last summer."]:
    sys.exit("the package behaves in another way")
END
