"""The Python side of train.py, a process of its own: python3 pytorch_training.py SETTINGS, a JSON object, takes the steps
and prints one JSON object. SETTINGS has the model (N, d_model, d_ff, h, P_drop, vocabulary) and tokens, device, precision,
threads, steps and compile, as the options of train.py with these names.

The model is written as well as PyTorch allows: one product for query, key and value, scaled_dot_product_attention, and in
bf16 on a CPU attention kept in fp32, which is faster there. Sentences are padded to the longest of their batch.
"""
import json
import math
import resource
import statistics
import sys
import time

import numpy
import torch
import torch.nn.functional as F
from torch import nn

PAD, BEGIN, END, FIRST_WORD = 0, 2, 3, 4
LONGEST = 98  # words; with BEGIN and END 100


def attention(query, key, value, allowed, causal):
    """Heads [B, h, T, d_k] -> [B, T, h * d_k]; `allowed` is the mask of the real keys, or None without padding."""
    if query.is_cuda:
        heads = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed, is_causal=causal)
    else:
        with torch.autocast("cpu", enabled=False):
            heads = F.scaled_dot_product_attention(query.float(), key.float(), value.float(), attn_mask=allowed,
                                                   is_causal=causal)
    return heads.transpose(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    """Self-attention, or attention to a memory with keys and values of its own."""

    def __init__(self, d_model, h, to_memory):
        super().__init__()
        self.h, self.to_memory = h, to_memory
        self.query = nn.Linear(d_model, d_model if to_memory else 3 * d_model, bias=False)
        self.memory = nn.Linear(d_model, 2 * d_model, bias=False) if to_memory else None
        self.output = nn.Linear(d_model, d_model, bias=False)

    def split(self, x, parts):
        """[B, T, parts * d_model] -> `parts` tensors [B, h, T, d_k]."""
        return x.unflatten(2, (parts, self.h, -1)).permute(2, 0, 3, 1, 4).unbind(0)

    def forward(self, x, memory, allowed, causal):
        if self.to_memory:
            (query,), (key, value) = self.split(self.query(x), 1), self.split(self.memory(memory), 2)
        else:
            query, key, value = self.split(self.query(x), 3)
        return self.output(attention(query, key, value, allowed, causal))


class Layer(nn.Module):
    """An encoder or decoder layer, with LayerNorm after the residual connections."""

    def __init__(self, s, is_decoder):
        super().__init__()
        self.P_drop, self.is_decoder = s["P_drop"], is_decoder
        self.attention = MultiHeadAttention(s["d_model"], s["h"], to_memory=False)
        self.to_memory = MultiHeadAttention(s["d_model"], s["h"], to_memory=True) if is_decoder else None
        self.w_1, self.w_2 = nn.Linear(s["d_model"], s["d_ff"]), nn.Linear(s["d_ff"], s["d_model"])
        self.norms = nn.ModuleList(nn.LayerNorm(s["d_model"]) for _ in range(3 if is_decoder else 2))

    def add(self, x, output, norm):
        return norm(x + F.dropout(output, self.P_drop))

    def forward(self, x, memory, allowed):
        own_allowed = None if self.is_decoder else allowed  # the decoder's padding is at the end, behind the causal mask
        x = self.add(x, self.attention(x, None, own_allowed, self.is_decoder), self.norms[0])
        if self.is_decoder:
            x = self.add(x, self.to_memory(x, memory, allowed, False), self.norms[1])
        return self.add(x, self.w_2(F.relu(self.w_1(x))), self.norms[-1])


class Transformer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.P_drop, self.scale = s["P_drop"], math.sqrt(s["d_model"])
        self.embedding = nn.Parameter(torch.randn(s["vocabulary"], s["d_model"]) / self.scale)
        self.encoder = nn.ModuleList(Layer(s, is_decoder=False) for _ in range(s["N"]))
        self.decoder = nn.ModuleList(Layer(s, is_decoder=True) for _ in range(s["N"]))
        angles = torch.arange(256)[:, None] / 10000 ** (torch.arange(0, s["d_model"], 2) / s["d_model"])
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], 2).flatten(1))

    def embed(self, ids):
        return F.dropout(F.embedding(ids, self.embedding) * self.scale + self.positions[:ids.shape[1]], self.P_drop)

    def forward(self, source, target_in, allowed):
        """-> logits [B, T, vocabulary]"""
        memory, y = self.embed(source), self.embed(target_in)
        for layer in self.encoder:
            memory = layer(memory, None, allowed)
        for layer in self.decoder:
            y = layer(y, memory, allowed)
        return F.linear(y, self.embedding)


def groups_of_lengths(random, tokens):
    """Lists of (source length, target length), each a batch of at most `tokens` tokens with padding, in random order."""
    count = max(20000, 8 * tokens)  # so many that a batch has sentences of nearly one length
    lengths = numpy.clip(numpy.rint(random.gamma(2.4, 27 / 2.4, count)), 1, LONGEST).astype(int)
    targets = numpy.clip(numpy.rint(lengths * random.normal(1, 0.2, count)), 1, LONGEST).astype(int)
    groups, group, longest = [], [], 0
    for source, target in sorted(zip(lengths, targets), key=lambda pair: (max(pair), pair[1], pair[0])):
        longest = max(longest, target + 1, source + 1)
        if group and longest * (len(group) + 1) > tokens:
            groups.append(group)
            group, longest = [], max(target, source) + 1
        group.append((source, target))
    random.shuffle(groups)
    return groups


def rows(random, vocabulary, counts, first, last):
    """Rows of random words, as many as `counts` says, with the symbols `first` before and `last` after them, padded."""
    words = vocabulary - FIRST_WORD
    width = max(counts) + len(first) + len(last)
    ranks = 2.7 * (numpy.exp(random.uniform(0, math.log((words + 2.7) / 2.7), (len(counts), width))) - 1)
    ids = FIRST_WORD + numpy.minimum(ranks, words - 1).astype(numpy.int64)
    ids[:, :len(first)] = first
    for row, count in zip(ids, counts):
        row[len(first) + count:] = PAD
        row[len(first) + count:len(first) + count + len(last)] = last
    return torch.from_numpy(ids)


def batches(s):
    """Yields (source, target_in, target_out, allowed, number of target tokens)."""
    random = numpy.random.default_rng(1)
    for group in groups_of_lengths(random, s["tokens"]):
        sources, counts = zip(*group)
        source = rows(random, s["vocabulary"], sources, [], [END])
        target_in = rows(random, s["vocabulary"], counts, [BEGIN], [])
        target_out = torch.cat([target_in[:, 1:], torch.full((len(group), 1), PAD)], 1)
        for row, count in zip(target_out, counts):
            row[count] = END
        real = source != PAD
        allowed = None if real.all() else real[:, None, None, :].to(s["device"])
        yield (source.to(s["device"]), target_in.to(s["device"]), target_out.to(s["device"]), allowed,
               int(sum(counts)) + len(counts))


def measure(s):
    torch.set_num_threads(s["threads"])
    torch.manual_seed(1)
    on_gpu = s["device"] != "cpu"
    if on_gpu:
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cuda.enable_cudnn_sdp(False)
    model = Transformer(s).to(s["device"])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def loss_of(source, target_in, target_out, allowed, tokens):
        with torch.autocast("cuda" if on_gpu else "cpu", dtype=torch.bfloat16, enabled=s["precision"] == "bf16"):
            logits = model(source, target_in, allowed)
            return F.cross_entropy(logits.flatten(0, 1), target_out.flatten(), ignore_index=PAD, label_smoothing=0.1,
                                   reduction="sum") / tokens

    run = torch.compile(loss_of, dynamic=True) if s["compile"] else loss_of

    def step(batch):
        loss = run(*batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    all_batches = [batch for _, batch in zip(range(s["steps"] + 2), batches(s))]
    timed = all_batches[2:]
    tokens = [batch[4] for batch in timed]
    for batch in all_batches if on_gpu else all_batches[:2]:
        step(batch)
    if on_gpu:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for batch in timed:
            step(batch)
        torch.cuda.synchronize()
        speed = sum(tokens) / (time.perf_counter() - start)
        memory = torch.cuda.max_memory_reserved()
    else:
        speeds = []
        for batch in timed:
            start = time.perf_counter()
            step(batch)
            speeds.append(batch[4] / (time.perf_counter() - start))
        speed = statistics.median(speeds)
        memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"target_tokens_per_second": speed, "peak_memory_bytes": memory, "compiled": s["compile"],
            "target_tokens_per_step": sum(tokens) / len(tokens)}


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
