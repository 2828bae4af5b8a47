#!/usr/bin/env python3
"""Scores one sentence pair with an exported model, using NumPy only.

    transformer export --model runs/sample/averaged.pt -o runs/sample/export
    .venv/bin/python scripts/check_export.py runs/sample/export "the third of May" "der dritte Mai"

Prints log P(target | source), which equals the output of `transformer score` for the pair. The network is written out as
in sections 3.1 to 3.5 of the paper, so that every number can be followed.
"""
import argparse
import json
import math
import re

import numpy as np
from exported_vocabulary import BEGIN, END, read_vocabularies
from safetensors import safe_open


def load(directory):
    with safe_open(f"{directory}/model.safetensors", framework="numpy") as file:
        weights = {name: file.get_tensor(name).astype(np.float64) for name in file.keys()}
        config = file.metadata()["config"]
    return weights, config


def setting(config, key):
    """A number of the config's model section, None for null or nothing; enough YAML for what `export` writes."""
    found = re.search(rf"^  {key}: (.*)$", config, re.MULTILINE)
    return None if found is None or found.group(1) in ("null", "~") else float(found.group(1))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Network:
    """x and y [..., length, d_model]: a sequence, or a batch of equally long ones."""

    def __init__(self, directory):
        self.w, config = load(directory)

        def limit(key):
            value = setting(config, key)
            return math.inf if value is None else value

        self.h, self.N = int(setting(config, "h")), int(setting(config, "N"))
        self.d_model = self.w["embedding.weight"].shape[1]
        self.pre_norm = "encoder.norm.weight" in self.w
        self.max_positions, self.reach = limit("max_positions"), limit("r") / 2

    def attention(self, name, x, y, allowed):
        def heads(weight, of):  # [..., h, length, d_k]
            product = of @ self.w[f"{name}.{weight}.weight"].T
            return product.reshape(*of.shape[:-1], self.h, -1).swapaxes(-2, -3)

        q, k, v = heads("w_q", x), heads("w_k", y), heads("w_v", y)
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        mixed = softmax(np.where(allowed, scores, -np.inf)) @ v
        return mixed.swapaxes(-2, -3).reshape(*x.shape[:-1], -1) @ self.w[f"{name}.w_o.weight"].T

    def feed_forward(self, name, x):
        inner = np.maximum(0, x @ self.w[f"{name}.w_1.weight"].T + self.w[f"{name}.w_1.bias"])
        return inner @ self.w[f"{name}.w_2.weight"].T + self.w[f"{name}.w_2.bias"]

    def norm(self, name, x):
        centered = x - x.mean(-1, keepdims=True)
        scaled = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-6)
        return scaled * self.w[f"{name}.norm.weight"] + self.w[f"{name}.norm.bias"]

    def sublayer(self, name, x, function):
        if self.pre_norm:
            return x + function(self.norm(f"{name}_sublayer", x))
        return self.norm(f"{name}_sublayer", x + function(x))

    def embed(self, side, tokens):
        own, length = "source_embedding.weight", np.shape(tokens)[-1]
        words = self.w[own if side == "source" and own in self.w else "embedding.weight"][tokens] * math.sqrt(self.d_model)
        if f"{side}_positions.weight" in self.w:
            return words + self.w[f"{side}_positions.weight"][:length]
        channel = np.arange(self.d_model)
        angles = np.arange(length)[:, None] / 10000 ** (2 * (channel // 2) / self.d_model)
        return words + np.where(channel % 2 == 0, np.sin(angles), np.cos(angles))

    def stack(self, name, x, memory=None):
        """The encoder, or with its output as `memory` the decoder."""
        position = np.arange(x.shape[-2])
        back = position[:, None] - position
        allowed = abs(back) <= self.reach
        if memory is not None:
            allowed &= back >= 0
        for n in range(self.N):
            layer = f"{name}.layers.{n}"
            x = self.sublayer(f"{layer}.self_attention", x,
                              lambda z: self.attention(f"{layer}.self_attention", z, z, allowed))
            if memory is not None:
                x = self.sublayer(f"{layer}.memory_attention", x,
                                  lambda z: self.attention(f"{layer}.memory_attention", z, memory, True))
            x = self.sublayer(f"{layer}.feed_forward", x, lambda z: self.feed_forward(f"{layer}.feed_forward", z))
        return self.norm(name, x) if self.pre_norm else x

    def encode(self, source):
        return self.stack("encoder", self.embed("source", source))

    def decode(self, memory, target_in):
        return self.stack("decoder", self.embed("target", target_in), memory)

    def log_probs(self, decoded):
        """[..., vocabulary]"""
        return np.log(softmax(decoded @ self.w["embedding.weight"].T))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="what `transformer export` wrote")
    parser.add_argument("source", help="source sentence")
    parser.add_argument("target", help="its translation")
    arguments = parser.parse_args()
    vocabularies = read_vocabularies(arguments.directory)
    source = vocabularies.source.encode(arguments.source) + [END]
    target = vocabularies.target.encode(arguments.target) + [END]
    network = Network(arguments.directory)
    log_probs = network.log_probs(network.decode(network.encode(source), [BEGIN] + target[:-1]))
    print(json.dumps({"log_prob": sum(log_probs[t, piece] for t, piece in enumerate(target)), "tokens": len(target)}))


if __name__ == "__main__":
    main()
