#!/usr/bin/env bash
# With `return_alternatives`, CTranslate2 (4.8.5) does not keep what `no_repeat_ngram_size` and `suppress_sequences`
# demand: with no_repeat_ngram_size=1, most alternatives have a token twice, and with suppress_sequences=[["a", "b"]],
# the first alternative begins with "a b". The first token of an alternative is chosen without a look at the prefix
# before it, and the rest is searched as if neither of them were there, so that both options, and
# `repetition_penalty`, hold only for what lies wholly within the rest (single suppressed tokens are never generated).
# Without `return_alternatives`, the same call keeps them, also across a prefix. Whoever blocks repetitions or phrases
# must check alternatives once more.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install ctranslate2==4.8.5 numpy==2.4.6

cd "$directory"
OMP_NUM_THREADS=1 venv/bin/python - <<'END'
import os
import sys

import ctranslate2
import numpy
from ctranslate2.specs import common_spec, transformer_spec

print(f"ctranslate2 {ctranslate2.__version__}")
WIDTH, WORDS = 16, 30
numbers = numpy.random.RandomState(12)


def matrix(rows, columns, deviation):
    return (numbers.standard_normal((rows, columns)) * deviation).astype(numpy.float32)


def fill(layer, rows, columns):
    layer.weight, layer.bias = matrix(rows, columns, 0.4), numpy.zeros(rows, numpy.float32)


def fill_norm(layer):
    layer.gamma, layer.beta = numpy.ones(WIDTH, numpy.float32), numpy.zeros(WIDTH, numpy.float32)


# A model with one layer on each side and random numbers.
spec = transformer_spec.TransformerSpec.from_config(
    1, 2, pre_norm=False, activation=common_spec.Activation.RELU)
embeddings = matrix(WORDS, WIDTH, 1)
for side in (spec.encoder, spec.decoder):
    side.scale_embeddings = False
    (side.embeddings[0] if isinstance(side.embeddings, list) else side.embeddings).weight = embeddings
    layer = side.layer[0]
    fill(layer.self_attention.linear[0], 3 * WIDTH, WIDTH)
    fill(layer.self_attention.linear[1], WIDTH, WIDTH)
    fill_norm(layer.self_attention.layer_norm)
    if side is spec.decoder:
        for linear, rows in zip(layer.attention.linear, (WIDTH, 2 * WIDTH, WIDTH)):
            fill(linear, rows, WIDTH)
        fill_norm(layer.attention.layer_norm)
    fill(layer.ffn.linear_0, 2 * WIDTH, WIDTH)
    fill(layer.ffn.linear_1, WIDTH, 2 * WIDTH)
    fill_norm(layer.ffn.layer_norm)
spec.decoder.projection.weight, spec.decoder.projection.bias = 2 * embeddings, numpy.zeros(WORDS, numpy.float32)
vocabulary = ["<unk>", "<s>", "</s>"] + [f"w{i}" for i in range(WORDS - 3)]
spec.register_source_vocabulary(vocabulary)
spec.register_target_vocabulary(vocabulary)
spec.config.add_source_eos = True
spec.config.decoder_start_token = "<s>"
spec.validate()
spec.optimize()
os.mkdir("model")
spec.save("model")

translator = ctranslate2.Translator("model", compute_type="float32", inter_threads=1, intra_threads=1)
order = numpy.random.RandomState(0)
sentences = [[f"w{k}" for k in order.randint(0, WORDS - 3, 6)] for _ in range(20)]


def translate(sentence, alternatives, **options):
    if alternatives:
        options.update(return_alternatives=True, num_hypotheses=3)
    [result] = translator.translate_batch([sentence], beam_size=4, max_decoding_length=10, **options)
    return result.hypotheses


def repeats(tokens, n):
    ngrams = [tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1)]
    return len(set(ngrams)) < len(ngrams)


def has(tokens, banned):
    return any(tokens[i:i + len(banned)] == banned for i in range(len(tokens)))


failed = False
for n in (1, 2):
    for alternatives in (False, True):
        found = [h for s in sentences for h in translate(s, alternatives, no_repeat_ngram_size=n)]
        bad = [h for h in found if repeats(h, n)]
        print(f"no_repeat_ngram_size={n}, return_alternatives={alternatives}: {len(bad)} of {len(found)} translations "
              f"have an n-gram twice")
        if bad:
            print("  such as", *bad[0])
        failed = failed or (len(bad) > len(found) // 4) != alternatives or (bool(bad) and not alternatives)
for length in (1, 2):
    for alternatives in (False, True):
        bad = []
        for sentence in sentences:
            banned = translate(sentence, False)[0][:length]
            bad += [h for h in translate(sentence, alternatives, suppress_sequences=[banned]) if has(h, banned)]
        print(f"suppress_sequences with the first {length} of the best translation, return_alternatives="
              f"{alternatives}: generated {len(bad)} times for 20 sentences")
        failed = failed or (len(bad) > 5) != (alternatives and length == 2) or (bool(bad) and not alternatives)
bad = []
for sentence in sentences:
    best = translate(sentence, False)[0]
    options = {"suppress_sequences": [best[:2]], "target_prefix": [best[:1]]}
    failed = failed or has(translate(sentence, False, **options)[0], best[:2])
    bad += [h for h in translate(sentence, True, **options) if h[:2] == best[:2]]
print(f"the same with its first token as prefix, return_alternatives=True: generated {len(bad)} times for 20 sentences")
failed = failed or len(bad) < 5
if failed:
    sys.exit("other translations than when this was written")
END
