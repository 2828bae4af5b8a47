#!/usr/bin/env bash
# CTranslate2 (4.8.5) returns the attention of another sentence for the first token of a translation, if it searches a
# batch with a beam: with a beam of k, sentence i of the batch gets the first row of sentence i // k. All other rows,
# the translations and their scores are right, and so is everything with beam_size=1 or one sentence at a time.
# Whatever is made of the attention follows: the alignment of the first word, the source word by which
# `replace_unknowns` replaces a first <unk>, and the score with `coverage_penalty`, which may even choose another
# translation. So an alignment, or a text with replaced words, depends on which sentences are translated together, and
# on their order.
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
numbers = numpy.random.RandomState(1)


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
# The last word of each sentence is its own name, which the vocabulary lacks.
sentences = [[f"w{k}" for k in order.randint(0, WORDS - 3, 5)] + [f"NAME{i}"] for i in range(9)]


def translate(texts, **options):
    return translator.translate_batch(texts, max_decoding_length=6, **options)


failed = False
for beam in (1, 3, 4):
    options = {"beam_size": beam, "return_attention": True, "return_scores": True}
    alone = [translate([sentence], **options)[0] for sentence in sentences]
    batch = translate(sentences, **options)
    near = 1e-4
    same = sum(a.hypotheses == b.hypotheses and abs(a.scores[0] - b.scores[0]) < near for a, b in zip(alone, batch))
    rows = sum(numpy.allclose(a.attention[0][1:], b.attention[0][1:], atol=near) for a, b in zip(alone, batch))
    whose = [[j for j, a in enumerate(alone) if numpy.allclose(a.attention[0][0], b.attention[0][0], atol=near)]
             for b in batch]
    first = [sentence[0] if len(sentence) == 1 else sentence for sentence in whose]
    print(f"beam {beam}, 9 sentences in a batch: {same} translations and scores, and {rows} attentions but for the "
          f"first token, are those of the sentences alone;\n  the attentions of the first token are those of {first}")
    failed = failed or (same, rows, first) != (9, 9, [i // beam for i in range(9)])

for beam in (1, 4):
    options = {"beam_size": beam, "replace_unknowns": True}
    alone = [translate([sentence], **options)[0].hypotheses[0] for sentence in sentences]
    batch = [result.hypotheses[0] for result in translate(sentences, **options)]
    differing = [i for i in range(9) if alone[i] != batch[i]]
    print(f"replace_unknowns with beam {beam}: {len(differing)} of 9 translations depend on the batch")
    for i in differing[:1]:
        print(f"  source {' '.join(sentences[i])}\n  alone  {' '.join(alone[i])}\n  batch  {' '.join(batch[i])}")
    failed = failed or bool(differing) != (beam > 1)
if failed:
    sys.exit("other attentions than when this was written")
END
