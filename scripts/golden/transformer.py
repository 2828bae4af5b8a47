#!/usr/bin/env python3
"""Writes tests/golden/model/*.safetensors: what an independent implementation of the network computes.

    python3 -m venv /tmp/golden && /tmp/golden/bin/pip install "torch==$(cat cmake/torch_version.txt)" numpy safetensors
    /tmp/golden/bin/python scripts/golden/transformer.py

The network is written here from the paper ("Attention Is All You Need", sections 3.1 to 3.5 and 5.3 to 5.4), in
plain PyTorch and fp64, and shares no code with the C++ sources; only the parameters' names are theirs. Its gradients
are autograd's, its optimizer is torch.optim.Adam, its smoothed loss is torch.nn.functional.cross_entropy's. Initial
parameters come from a formula. Each file holds one case: the config as metadata, and as tensors

    source, target_in, target_out    token ids, padded with 0 (target_in may begin with it, too)
    encoder_output, logits, loss     of the first batch, the loss a mean over its target tokens
    weights/NAME                     of the first batch, each attention's weights [sentences, h, queries, keys]
    parameter/NAME, gradient/NAME    the initial parameters (exact in fp32), and the loss's gradients
    losses, updated/NAME             of ten updates with Adam and Equation 3, on two batches in turn
"""
import math
import platform
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

PAD, BEGIN, END = 0, 2, 3
VOCABULARY = 13
# Ragged on purpose: some pairs have a longer source, some a longer target, one has a single word.
PAIRS = [
    ([4, 5, 6, 7, 8, 9, 10, 11], [12, 4, 6]),
    ([7], [9, 8, 7, 6, 5, 4, 12, 11]),
    ([12, 12, 5], [10]),
    ([8, 6, 4, 10, 12], [5, 7, 9, 11, 4]),
    ([11, 9, 4, 4], [6, 6, 10, 12]),
    ([5, 10], [8, 4, 11, 7, 5, 9, 6]),
]
BATCHES = [[0, 1, 2, 3], [2, 3, 4, 5]]
UPDATES = 10

BASE = dict(N=2, d_model=8, d_ff=16, h=2, d_k=None, d_v=None, P_drop=0.0, position="sinusoidal", max_positions=None,
            r=None, layer_norm="post", source_vocabulary=None, eps_ls=0.1, warmup_steps=4, learning_rate_scale=0.02)
# Keys that only models of other programs have; each file names those that differ.
FAMILY = dict(decoder_layers=None, activation="relu", attention_bias=False, output_bias=False, sinusoids="interleaved",
              first_position=0, scale_embedding=True, embedding_layer_norm=False, layer_norm_epsilon=1e-6,
              final_layer_norm=None, tied_embeddings=None, decoder_start="begin")
# What differs from base, one kind of row of Table 3 after the other; r is Table 1's restricted self-attention; pre-norm and a source
# vocabulary of its own are not in the paper.
CASES = {
    "base": {},
    "a_h1": dict(h=1),
    "a_h4": dict(h=4),
    "b_d_k_d_v": dict(d_k=3, d_v=5),
    "c_N1": dict(N=1),
    "c_N3": dict(N=3),
    "c_d_model12": dict(d_model=12),
    "c_d_ff24": dict(d_ff=24),
    "d_eps_ls0.0": dict(eps_ls=0.0),
    "d_eps_ls0.2": dict(eps_ls=0.2),
    "e_learned_positions": dict(position="learned", max_positions=9),
    "restricted_r3": dict(r=3),
    "pre_norm": dict(layer_norm="pre"),
    "separate_vocabularies": dict(source_vocabulary=17),
    "family_marian": dict(N=2, decoder_layers=1, activation="gelu_sigmoid", attention_bias=True, output_bias=True,
                          sinusoids="tensor2tensor", decoder_start="zeros"),
    "family_marianmt": dict(N=1, activation="swish", attention_bias=True, output_bias=True, sinusoids="halves",
                            layer_norm_epsilon=1e-5, tied_embeddings="target_and_output", decoder_start="pad"),
    "family_fairseq": dict(N=1, activation="gelu", attention_bias=True, sinusoids="tensor2tensor", first_position=2,
                           scale_embedding=False, embedding_layer_norm=True, layer_norm_epsilon=1e-5,
                           source_vocabulary=17, tied_embeddings="none", decoder_start="end"),
    "family_pre_norm": dict(N=1, decoder_layers=2, layer_norm="pre", final_layer_norm=False, d_k=3, d_v=5,
                            attention_bias=True, output_bias=True, tied_embeddings="source_and_target"),
    "family_final_norm": dict(N=1, final_layer_norm=True, position="learned", max_positions=9,
                              embedding_layer_norm=True, decoder_start="zeros"),
}


def output_name(c):
    """The module of the output projection."""
    return "embedding" if c["output_is_target"] else "output_projection"


def parameter_shapes(c):
    keys, values = c["h"] * c["d_k"], c["h"] * c["d_v"]
    shapes = {"embedding.weight": (VOCABULARY, c["d_model"])}
    if not c["source_is_target"]:
        shapes["source_embedding.weight"] = (c["source_vocabulary"] or VOCABULARY, c["d_model"])
    output = output_name(c)
    shapes[output + ".weight"] = (VOCABULARY, c["d_model"])
    if c["output_bias"]:
        shapes[output + ".bias"] = (VOCABULARY,)
    if c["position"] == "learned":
        for side in ("source", "target"):
            shapes[f"{side}_positions.weight"] = (c["max_positions"], c["d_model"])

    def attention(name):
        if c["attention_bias"]:
            shapes[name + ".w_q.bias"] = shapes[name + ".w_k.bias"] = (keys,)
            shapes[name + ".w_v.bias"], shapes[name + ".w_o.bias"] = (values,), (c["d_model"],)
        shapes[name + ".w_q.weight"] = shapes[name + ".w_k.weight"] = (keys, c["d_model"])
        shapes[name + ".w_v.weight"] = (values, c["d_model"])
        shapes[name + ".w_o.weight"] = (c["d_model"], values)

    def norm(name):
        shapes[name + ".weight"] = shapes[name + ".bias"] = (c["d_model"],)

    if c["embedding_layer_norm"]:
        norm("source_embedding_norm")
        norm("target_embedding_norm")
    for stack, attentions in (("encoder", ["self_attention"]), ("decoder", ["self_attention", "memory_attention"])):
        for n in range(c["N"] if stack == "encoder" else c["decoder_layers"]):
            layer = f"{stack}.layers.{n}."
            for name in attentions:
                attention(layer + name)
                norm(layer + name + "_sublayer.norm")
            shapes[layer + "feed_forward.w_1.weight"] = (c["d_ff"], c["d_model"])
            shapes[layer + "feed_forward.w_1.bias"] = (c["d_ff"],)
            shapes[layer + "feed_forward.w_2.weight"] = (c["d_model"], c["d_ff"])
            shapes[layer + "feed_forward.w_2.bias"] = (c["d_model"],)
            norm(layer + "feed_forward_sublayer.norm")
        if c["final_layer_norm"]:
            norm(stack + ".norm")
    return shapes


def initial_parameters(c):
    """Waves of a length that no shape divides; rounded to fp32, so that both precisions begin alike."""
    parameters = {}
    for index, (name, shape) in enumerate(sorted(parameter_shapes(c).items())):
        wave = torch.sin(torch.arange(math.prod(shape), dtype=torch.float64) * 2.39 + 0.7 * index).reshape(shape)
        if name.endswith("norm.weight"):
            values = 1 + 0.2 * wave
        elif name.endswith(".bias"):
            values = 0.2 * wave
        elif name.endswith("embedding.weight"):
            values = 0.5 * wave
        else:
            values = wave / math.sqrt(sum(shape) / 4)
        parameters[name] = values.float().double().requires_grad_()
    return parameters


def positional_encoding(length, c):
    def channels(pos):
        if c["sinusoids"] == "interleaved":
            return [f(pos / 10000 ** (i / c["d_model"])) for i in range(0, c["d_model"], 2) for f in (math.sin, math.cos)]
        half = c["d_model"] // 2
        divisor = half if c["sinusoids"] == "halves" else half - 1
        return [f(pos / 10000 ** (i / divisor)) for f in (math.sin, math.cos) for i in range(half)]

    return torch.tensor([channels(c["first_position"] + pos) for pos in range(length)], dtype=torch.float64)


def attention(p, name, x, y, allowed, c, weights):
    """x attends to y where `allowed` [sentences, 1 or len(x), len(y)] is true; head by head. Adds to `weights`."""
    heads = []
    weights["weights/" + name] = []

    def linear(z, matrix, rows=slice(None)):
        bias = p[f"{name}.{matrix}.bias"][rows] if c["attention_bias"] else None
        return F.linear(z, p[f"{name}.{matrix}.weight"][rows], bias)

    for i in range(c["h"]):
        q = linear(x, "w_q", slice(i * c["d_k"], (i + 1) * c["d_k"]))
        k = linear(y, "w_k", slice(i * c["d_k"], (i + 1) * c["d_k"]))
        v = linear(y, "w_v", slice(i * c["d_v"], (i + 1) * c["d_v"]))
        scores = (q @ k.transpose(1, 2) / math.sqrt(c["d_k"])).masked_fill(~allowed, -math.inf)
        weights["weights/" + name].append(F.softmax(scores, dim=-1))
        heads.append(weights["weights/" + name][-1] @ v)
    return linear(torch.cat(heads, dim=-1), "w_o")


ACTIVATIONS = {"relu": F.relu, "swish": lambda x: x * torch.sigmoid(x),
               "gelu": lambda x: x * (1 + torch.erf(x / math.sqrt(2))) / 2,
               "gelu_sigmoid": lambda x: x * torch.sigmoid(1.702 * x)}


def feed_forward(p, name, x, c):
    inner = ACTIVATIONS[c["activation"]](F.linear(x, p[name + ".w_1.weight"], p[name + ".w_1.bias"]))
    return F.linear(inner, p[name + ".w_2.weight"], p[name + ".w_2.bias"])


def norm(p, name, x, c):
    return F.layer_norm(x, x.shape[-1:], p[name + ".weight"], p[name + ".bias"], eps=c["layer_norm_epsilon"])


def sublayer(p, name, x, function, c):
    """The sub-layer with its residual connection and LayerNorm."""
    if c["layer_norm"] == "pre":
        return x + function(norm(p, name + "_sublayer.norm", x, c))
    return norm(p, name + "_sublayer.norm", x + function(x), c)


def self_attention_layer(p, name, x, allowed, c, weights):
    return sublayer(p, name, x, lambda z: attention(p, name, z, z, allowed, c, weights), c)


def feed_forward_layer(p, name, x, c):
    return sublayer(p, name, x, lambda z: feed_forward(p, name, z, c), c)


def embed(p, side, tokens, c):
    name = "source_embedding.weight" if side == "source" and not c["source_is_target"] else "embedding.weight"
    words = F.embedding(tokens, p[name]) * (math.sqrt(c["d_model"]) if c["scale_embedding"] else 1)
    if side == "target" and c["decoder_start"] == "zeros":
        words = torch.cat([torch.zeros_like(words[:, :1]), words[:, 1:]], dim=1)
    if c["position"] == "learned":
        sums = words + p[side + "_positions.weight"][:tokens.shape[1]]
    else:
        sums = words + positional_encoding(tokens.shape[1], c)
    return norm(p, side + "_embedding_norm", sums, c) if c["embedding_layer_norm"] else sums


def near(length, c):
    """True where two positions are within each other's window; everywhere without r."""
    distance = (torch.arange(length)[:, None] - torch.arange(length)[None, :]).abs()
    return distance <= (c["r"] // 2 if c["r"] else length)


def encode(p, source, c, weights):
    x = embed(p, "source", source, c)
    allowed = (source != PAD)[:, None, :] & near(source.shape[1], c)
    allowed = allowed | torch.eye(source.shape[1], dtype=torch.bool)  # padding attends to itself; nothing attends to it
    for n in range(c["N"]):
        layer = f"encoder.layers.{n}."
        x = self_attention_layer(p, layer + "self_attention", x, allowed, c, weights)
        x = feed_forward_layer(p, layer + "feed_forward", x, c)
    return norm(p, "encoder.norm", x, c) if c["final_layer_norm"] else x


def decode(p, target_in, memory, source, c, weights):
    y = embed(p, "target", target_in, c)
    length = target_in.shape[1]
    earlier = (torch.ones(length, length, dtype=torch.bool).tril() & near(length, c))[None]
    words = (source != PAD)[:, None, :]
    for n in range(c["decoder_layers"]):
        layer = f"decoder.layers.{n}."
        y = self_attention_layer(p, layer + "self_attention", y, earlier, c, weights)
        y = sublayer(p, layer + "memory_attention", y,
                     lambda z: attention(p, layer + "memory_attention", z, memory, words, c, weights), c)
        y = feed_forward_layer(p, layer + "feed_forward", y, c)
    if c["final_layer_norm"]:
        y = norm(p, "decoder.norm", y, c)
    return F.linear(y, p[output_name(c) + ".weight"], p.get(output_name(c) + ".bias"))


def padded(rows):
    return torch.tensor([row + [PAD] * (max(map(len, rows)) - len(row)) for row in rows])


def make_batch(numbers, c):
    start = {"begin": BEGIN, "end": END, "pad": PAD, "zeros": END}[c["decoder_start"]]  # with zeros, any symbol will do
    source = padded([PAIRS[i][0] + [END] for i in numbers])
    target_in = padded([[start] + PAIRS[i][1] for i in numbers])
    target_out = padded([PAIRS[i][1] + [END] for i in numbers])
    return source, target_in, target_out


def mean_loss(logits, target_out, c):
    return F.cross_entropy(logits.flatten(0, 1), target_out.flatten(), ignore_index=PAD, label_smoothing=c["eps_ls"])


def yaml(c):
    def text(value):
        return "null" if value is None else str(value).lower() if isinstance(value, bool) else value

    def lines(keys):
        return "".join(f"  {key}: {text(c[key])}\n" for key in keys)

    model = [key for key in c if key not in ("source_vocabulary", "eps_ls", "warmup_steps", "learning_rate_scale")]
    return ("model:\n" + lines(model) + "data:\n  max_length: 8\n" +
            "training:\n" + lines(["eps_ls", "warmup_steps", "learning_rate_scale"]))


def write_case(directory, name, differences):
    given = {**BASE, **differences}
    c = {**FAMILY, **given, "d_k": given["d_k"] or given["d_model"] // given["h"],
         "d_v": given["d_v"] or given["d_model"] // given["h"]}
    c["decoder_layers"] = c["decoder_layers"] or c["N"]
    if c["final_layer_norm"] is None:
        c["final_layer_norm"] = c["layer_norm"] == "pre"
    ties = c["tied_embeddings"] or ("target_and_output" if c["source_vocabulary"] else "all")
    c["source_is_target"] = ties in ("all", "source_and_target")
    c["output_is_target"] = ties in ("all", "target_and_output")
    p = initial_parameters(c)
    tensors = {"parameter/" + key: value.detach().clone() for key, value in p.items()}

    source, target_in, target_out = make_batch(BATCHES[0], c)
    weights = {}
    memory = encode(p, source, c, weights)
    logits = decode(p, target_in, memory, source, c, weights)
    loss = mean_loss(logits, target_out, c)
    loss.backward()
    tensors.update({"source": source, "target_in": target_in, "target_out": target_out,
                    "encoder_output": memory, "logits": logits, "loss": loss})
    tensors.update({name: torch.stack(heads, dim=1) for name, heads in weights.items()})
    tensors.update({"gradient/" + key: value.grad.clone() for key, value in p.items()})

    optimizer = torch.optim.Adam(p.values(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for step in range(1, UPDATES + 1):
        source, target_in, target_out = make_batch(BATCHES[(step - 1) % 2], c)
        optimizer.param_groups[0]["lr"] = c["learning_rate_scale"] * c["d_model"] ** -0.5 * min(
            step ** -0.5, step * c["warmup_steps"] ** -1.5)
        optimizer.zero_grad()
        loss = mean_loss(decode(p, target_in, encode(p, source, c, {}), source, c, {}), target_out, c)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    tensors["losses"] = torch.tensor(losses, dtype=torch.float64)
    tensors.update({"updated/" + key: value for key, value in p.items()})

    metadata = {"config": yaml(given), "written_by": "scripts/golden/transformer.py", "torch": torch.__version__,
                "python": platform.python_version()}
    save_file({key: value.detach().contiguous() for key, value in tensors.items()},
              directory / f"{name}.safetensors", metadata)
    print(f"{name}: loss {losses[0]:.6f} to {losses[-1]:.6f}")


def main():
    directory = Path(__file__).resolve().parents[2] / "tests/golden/model"
    for name, differences in CASES.items():
        write_case(directory, name, differences)


if __name__ == "__main__":
    main()
