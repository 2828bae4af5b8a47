#!/usr/bin/env python3
"""Scores one sentence pair with an exported model, using NumPy only.

    transformer export --model runs/sample/averaged.pt -o runs/sample/export
    .venv/bin/python scripts/check_export.py runs/sample/export "the third of May" "der dritte Mai"

Prints log P(target | source), which equals the output of `transformer score` for the pair. The network is written out as
in sections 3.1 to 3.5 of the paper, so that every number can be followed.
"""
import json
import math
import re
import sys

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
    def __init__(self, weights, config):
        self.w = weights
        self.h = int(setting(config, "h"))
        self.N = int(setting(config, "N"))
        self.d_model = weights["embedding.weight"].shape[1]
        r = setting(config, "r")
        self.pre_norm = "encoder.norm.weight" in weights
        self.reach = math.inf if r is None else r // 2

    def attention(self, name, x, y, allowed):
        def heads(weight, of):
            return (of @ self.w[f"{name}.{weight}.weight"].T).reshape(len(of), self.h, -1).transpose(1, 0, 2)

        q, k, v = heads("w_q", x), heads("w_k", y), heads("w_v", y)
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        mixed = softmax(np.where(allowed, scores, -np.inf)) @ v
        return mixed.transpose(1, 0, 2).reshape(len(x), -1) @ self.w[f"{name}.w_o.weight"].T

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

    def self_attention_layer(self, name, x, allowed):
        return self.sublayer(name, x, lambda z: self.attention(name, z, z, allowed))

    def feed_forward_layer(self, name, x):
        return self.sublayer(name, x, lambda z: self.feed_forward(name, z))

    def embed(self, side, tokens):
        own = "source_embedding.weight"
        words = self.w[own if side == "source" and own in self.w else "embedding.weight"][tokens] * math.sqrt(self.d_model)
        if f"{side}_positions.weight" in self.w:
            return words + self.w[f"{side}_positions.weight"][: len(tokens)]
        channel = np.arange(self.d_model)
        angles = np.arange(len(tokens))[:, None] / 10000 ** (2 * (channel // 2) / self.d_model)
        return words + np.where(channel % 2 == 0, np.sin(angles), np.cos(angles))

    def log_probs(self, source, target_in):
        """[len(target_in), vocabulary]"""
        def distance(n):
            return np.arange(n)[None, :] - np.arange(n)[:, None]

        x = self.embed("source", source)
        near = abs(distance(len(source))) <= self.reach
        for n in range(self.N):
            layer = f"encoder.layers.{n}"
            x = self.self_attention_layer(f"{layer}.self_attention", x, near)
            x = self.feed_forward_layer(f"{layer}.feed_forward", x)
        if self.pre_norm:
            x = self.norm("encoder", x)
        y = self.embed("target", target_in)
        before = (distance(len(target_in)) <= 0) & (distance(len(target_in)) >= -self.reach)
        for n in range(self.N):
            layer = f"decoder.layers.{n}"
            y = self.self_attention_layer(f"{layer}.self_attention", y, before)
            y = self.sublayer(f"{layer}.memory_attention", y,
                              lambda z: self.attention(f"{layer}.memory_attention", z, x, True))
            y = self.feed_forward_layer(f"{layer}.feed_forward", y)
        if self.pre_norm:
            y = self.norm("decoder", y)
        return np.log(softmax(y @ self.w["embedding.weight"].T))


def main():
    directory, source_text, target_text = sys.argv[1:]
    vocabularies = read_vocabularies(directory)
    source = vocabularies.source.encode(source_text) + [END]
    target = vocabularies.target.encode(target_text) + [END]
    log_probs = Network(*load(directory)).log_probs(source, [BEGIN] + target[:-1])
    print(json.dumps({"log_prob": sum(log_probs[t, piece] for t, piece in enumerate(target)), "tokens": len(target)}))


if __name__ == "__main__":
    main()
