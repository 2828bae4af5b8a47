#!/usr/bin/env python3
"""Writes a large parallel text of made-up words, to measure the preparation of data.

    python3 scripts/benchmarks/make_corpus.py --pairs 5000000 --output corpus

writes corpus/train.source and corpus/train.target, 1.1 GB for 5 million pairs, corpus/valid.source and
corpus/valid.target with 1,000 pairs, and corpus/config.yaml. A sentence is 2 to 6 phrases of 2 to 8 words; the frequency
of the 200,000 words follows Zipf's law, and each word has one translation. The same arguments give the same text.
"""

import argparse
import itertools
import os
import random

NUM_WORDS, NUM_PHRASES, BLOCK = 200_000, 200_000, 10_000

CONFIG = """\
model: {N: 1, d_model: 32, d_ff: 64, h: 2}
data:
  train: {source: train.source, target: train.target}
  valid: {source: valid.source, target: valid.target}
  vocabulary_size: 16000
  prepared: prepared
training: {batch_tokens: 4096, train_steps: 1, directory: run}
"""


def made_up_words(generator, consonants, vowels):
    """NUM_WORDS different words, the frequent ones short."""
    syllables = [consonant + vowel for consonant in consonants for vowel in vowels]
    generator.shuffle(syllables)
    words = itertools.chain.from_iterable(map("".join, itertools.product(syllables, repeat=length)) for length in range(1, 5))
    return list(itertools.islice(words, NUM_WORDS))


def phrases(generator):
    """Phrases with their translations."""
    source = made_up_words(generator, "bdgklmnprstvz", "aeiou")
    target = made_up_words(generator, "bcdfghjkmnst", ["ä", "e", "ie", "o", "ü"])
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(NUM_WORDS)))
    ranks = range(NUM_WORDS)
    for _ in range(NUM_PHRASES):
        chosen = generator.choices(ranks, cum_weights=weights, k=generator.randint(2, 8))
        yield " ".join(source[rank] for rank in chosen), " ".join(target[rank] for rank in chosen)


def write_pairs(directory, name, pairs, generator, known):
    with (open(os.path.join(directory, f"{name}.source"), "w", encoding="utf-8") as source,
          open(os.path.join(directory, f"{name}.target"), "w", encoding="utf-8") as target):
        for begin in range(0, pairs, BLOCK):
            sentences = [generator.choices(known, k=generator.randint(2, 6)) for _ in range(min(BLOCK, pairs - begin))]
            source.write("".join(" ".join(phrase[0] for phrase in sentence) + "\n" for sentence in sentences))
            target.write("".join(" ".join(phrase[1] for phrase in sentence) + "\n" for sentence in sentences))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=5_000_000)
    parser.add_argument("--output", required=True, help="directory, which is created")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    generator = random.Random(1)
    known = list(phrases(generator))
    write_pairs(arguments.output, "train", arguments.pairs, generator, known)
    write_pairs(arguments.output, "valid", 1000, generator, known)
    with open(os.path.join(arguments.output, "config.yaml"), "w", encoding="utf-8") as config:
        config.write(CONFIG)


if __name__ == "__main__":
    main()
