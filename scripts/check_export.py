#!/usr/bin/env python3
"""Scores one sentence pair with an exported model, using NumPy only.

    transformer export --model runs/sample/averaged.safetensors -o runs/sample/export
    .venv/bin/python scripts/check_export.py runs/sample/export "the third of May" "der dritte Mai"

Prints log P(target | source), which equals the output of `transformer score` for the pair. The network is written out as
in sections 3.1 to 3.5 of the paper, so that every number can be followed.
"""
import argparse
import json
import math
import re

import numpy as np
from exported_vocabulary import BEGIN, END, PAD, read_vocabularies
from safetensors import safe_open


def load(directory):
    with safe_open(f"{directory}/model.safetensors", framework="numpy") as file:
        weights = {name: file.get_tensor(name).astype(np.float64) for name in file.keys()}
        config = file.metadata()["config"]
    return weights, config


def setting(config, key, default=None):
    """A value of the config's model section, the default for null or nothing; enough YAML for what `export` writes."""
    found = re.search(rf"^  {key}: (.*)$", config, re.MULTILINE)
    return default if found is None or found.group(1) in ("null", "~") else found.group(1)


def erf(x):
    return np.vectorize(math.erf)(x)


ACTIVATIONS = {"relu": lambda x: np.maximum(0, x), "swish": lambda x: x / (1 + np.exp(-x)),
               "gelu": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
               "gelu_sigmoid": lambda x: x / (1 + np.exp(-1.702 * x))}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Network:
    """x and y [..., length, d_model]: a sequence, or a batch of equally long ones."""

    def __init__(self, directory):
        self.w, config = load(directory)
        self.h, self.N = int(setting(config, "h")), int(setting(config, "N"))
        self.decoder_layers = int(setting(config, "decoder_layers", self.N))
        self.d_model = self.w["embedding.weight"].shape[1]
        self.pre_norm = setting(config, "layer_norm") == "pre"
        self.epsilon = float(setting(config, "layer_norm_epsilon", 1e-6))
        self.activation = ACTIVATIONS[setting(config, "activation", "relu")]
        self.scale = math.sqrt(self.d_model) if setting(config, "scale_embedding", "true") == "true" else 1
        self.sinusoids = setting(config, "sinusoids", "interleaved")
        self.first_position = int(setting(config, "first_position", 0))
        self.decoder_start = setting(config, "decoder_start", "begin")
        self.max_positions = float(setting(config, "max_positions", math.inf))
        self.reach = float(setting(config, "r", math.inf)) / 2

    def linear(self, name, x):
        return x @ self.w[name + ".weight"].T + self.w.get(name + ".bias", 0)

    def start(self):
        """What the decoder's input begins with."""
        return {"begin": BEGIN, "end": END, "pad": PAD, "zeros": END}[self.decoder_start]

    def attention(self, name, x, y, allowed):
        def heads(weight, of):  # [..., h, length, d_k]
            product = self.linear(f"{name}.{weight}", of)
            return product.reshape(*of.shape[:-1], self.h, -1).swapaxes(-2, -3)

        q, k, v = heads("w_q", x), heads("w_k", y), heads("w_v", y)
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        mixed = softmax(np.where(allowed, scores, -np.inf)) @ v
        return self.linear(f"{name}.w_o", mixed.swapaxes(-2, -3).reshape(*x.shape[:-1], -1))

    def feed_forward(self, name, x):
        return self.linear(f"{name}.w_2", self.activation(self.linear(f"{name}.w_1", x)))

    def norm(self, name, x):
        """Where the model has no LayerNorm of this name, nothing is normalized."""
        if f"{name}.weight" not in self.w:
            return x
        centered = x - x.mean(-1, keepdims=True)
        scaled = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + self.epsilon)
        return scaled * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    def sublayer(self, name, x, function):
        if self.pre_norm:
            return x + function(self.norm(f"{name}_sublayer.norm", x))
        return self.norm(f"{name}_sublayer.norm", x + function(x))

    def positions(self, side, length):
        if f"{side}_positions.weight" in self.w:
            return self.w[f"{side}_positions.weight"][:length]
        channel, position = np.arange(self.d_model), self.first_position + np.arange(length)[:, None]
        if self.sinusoids == "interleaved":
            angles = position / 10000 ** (2 * (channel // 2) / self.d_model)
            return np.where(channel % 2 == 0, np.sin(angles), np.cos(angles))
        half = self.d_model // 2
        angles = position / 10000 ** ((channel % half) / (half if self.sinusoids == "halves" else half - 1))
        return np.where(channel < half, np.sin(angles), np.cos(angles))

    def embed(self, side, tokens):
        own = "source_embedding.weight"
        words = self.w[own if side == "source" and own in self.w else "embedding.weight"][tokens] * self.scale
        if side == "target" and self.decoder_start == "zeros":
            words[..., 0, :] = 0
        return self.norm(f"{side}_embedding_norm", words + self.positions(side, np.shape(tokens)[-1]))

    def stack(self, name, x, memory=None):
        """The encoder, or with its output as `memory` the decoder."""
        position = np.arange(x.shape[-2])
        back = position[:, None] - position
        allowed = abs(back) <= self.reach
        if memory is not None:
            allowed &= back >= 0
        for n in range(self.N if memory is None else self.decoder_layers):
            layer = f"{name}.layers.{n}"
            x = self.sublayer(f"{layer}.self_attention", x,
                              lambda z: self.attention(f"{layer}.self_attention", z, z, allowed))
            if memory is not None:
                x = self.sublayer(f"{layer}.memory_attention", x,
                                  lambda z: self.attention(f"{layer}.memory_attention", z, memory, True))
            x = self.sublayer(f"{layer}.feed_forward", x, lambda z: self.feed_forward(f"{layer}.feed_forward", z))
        return self.norm(f"{name}.norm", x)

    def encode(self, source):
        return self.stack("encoder", self.embed("source", source))

    def decode(self, memory, target_in):
        return self.stack("decoder", self.embed("target", target_in), memory)

    def log_probs(self, decoded):
        """[..., vocabulary]"""
        own = "output_projection"
        return np.log(softmax(self.linear(own if f"{own}.weight" in self.w else "embedding", decoded)))


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
    log_probs = network.log_probs(network.decode(network.encode(source), [network.start()] + target[:-1]))
    print(json.dumps({"log_prob": sum(log_probs[t, piece] for t, piece in enumerate(target)), "tokens": len(target)}))


if __name__ == "__main__":
    main()
