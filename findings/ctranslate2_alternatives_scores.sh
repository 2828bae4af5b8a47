#!/usr/bin/env bash
# CTranslate2 (4.8.5) does not divide the whole log-probability of an alternative (`return_alternatives`) by its
# length: the score is the log-probability of its first token as it is, plus that of the rest divided by the length of
# the rest to the power of `length_penalty`, 1 by default. So the same translation has another score as an alternative
# than from the search, the first token counts as much as all others together, and a threshold or a ranking that fits
# the scores of translations does not fit those of alternatives. With length_penalty=0 both scores are the
# log-probability.
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
# No end symbol: each translation has as many tokens as are allowed, and the sum of all log-probabilities is theirs.
spec.decoder.projection.bias[2] = -100
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
LENGTH = 10

failed = False
for penalty in (0, 0.6, 1):
    options = {"beam_size": 4, "length_penalty": penalty, "return_scores": True, "max_decoding_length": LENGTH}
    count, by_whole, by_rest, both = 0, 0, 0, []
    for sentence in sentences:
        [search] = translator.translate_batch([sentence], **options)
        [found] = translator.translate_batch([sentence], return_alternatives=True, num_hypotheses=3, **options)
        for hypothesis, score in zip(found.hypotheses, found.scores):
            [scored] = translator.score_batch([sentence], [hypothesis])
            first, *rest = scored.log_probs[:LENGTH]
            count += 1
            by_whole += abs((first + sum(rest)) / LENGTH**penalty - score) < 1e-3
            by_rest += abs(first + sum(rest) / (LENGTH - 1)**penalty - score) < 1e-3
            if hypothesis == search.hypotheses[0]:
                both.append((search.scores[0], score, hypothesis))
    print(f"length_penalty={penalty}: the score is the log-probability / {LENGTH}^{penalty} for {by_whole} of {count} "
          f"alternatives, and that of the first token + that of the rest / {LENGTH - 1}^{penalty} for {by_rest}")
    searched, alternative, hypothesis = max(both, key=lambda one: abs(one[0] - one[1]))
    print(f"  {' '.join(hypothesis)}: {searched:.4f} from the search, {alternative:.4f} as an alternative")
    failed = failed or by_rest != count or (by_whole == count) != (penalty == 0)
    failed = failed or (abs(searched - alternative) > 0.1) != (penalty > 0)
if failed:
    sys.exit("other scores than when this was written")
END
