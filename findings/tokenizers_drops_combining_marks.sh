#!/usr/bin/env bash
# Hugging Face tokenizers, given a SentencePiece model with the rule nmt_nfkc, drops a combining mark behind a character
# that the rule replaces: the mean "µ̂", written with MICRO SIGN (U+00B5) and a circumflex (U+0302), becomes "μ".
# SentencePiece keeps the mark. So one .model file gives other pieces, and another text, in the two libraries, without a
# message. The reason: tokenizers looks up a whole grapheme of fewer than 6 bytes and, where only its beginning is in
# the table, takes the replacement of this beginning for all of it.
# Ends with status 1 if the packages behave in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install sentencepiece==0.2.3 tokenizers==0.23.1 protobuf==7.36.2

cd "$directory"
venv/bin/python - <<'END'
import io
import sys

import sentencepiece
import sentencepiece.sentencepiece_model_pb2
import tokenizers

sys.modules["sentencepiece_model_pb2"] = sentencepiece.sentencepiece_model_pb2  # where tokenizers looks for it
from tokenizers.implementations import SentencePieceUnigramTokenizer

model = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["\u03bc\u0302 is the mean", "x\u0302 = 2\u0302", "fi and \u03bc"] * 5),
    model_writer=model, vocab_size=40, hard_vocab_limit=False, num_threads=1, minloglevel=2)
with open("unigram.model", "wb") as file:
    file.write(model.getvalue())
original = sentencepiece.SentencePieceProcessor(model_file="unigram.model")
converted = SentencePieceUnigramTokenizer.from_spm("unigram.model")

print(f"sentencepiece {sentencepiece.__version__}, tokenizers {tokenizers.__version__}")
expected = {
    "\u00b5\u0302": ("\u03bc\u0302", "\u03bc"),  # MICRO SIGN
    "\u00b2\u0302": ("2\u0302", "2"),  # SUPERSCRIPT TWO
    "\u03bc\u0302": ("\u03bc\u0302", "\u03bc\u0302"),  # GREEK SMALL LETTER MU, which no rule replaces
    "x\u0302": ("x\u0302", "x\u0302"),
}
failed = False
for text, outputs in expected.items():
    seen = (original.decode(original.encode(text)), converted.decode(converted.encode(text).ids))
    print(f"{ascii(text)}: sentencepiece writes {ascii(seen[0])}, tokenizers {ascii(seen[1])}")
    failed = failed or seen != outputs
if failed:
    sys.exit(f"other outputs than when this was written: {expected}")
END
