#!/usr/bin/env python3
"""Compares `transformer benchmark train` with the same model in Python PyTorch, in turn (A B A B).

    python3 scripts/benchmarks/train.py base [--precision bf16] [--rounds 3] [--device cuda --tokens 25000 --compile]

The Python side is written as well as PyTorch allows: one product for query, key and value, scaled_dot_product_attention,
fused Adam, batches sorted by length over the whole corpus, of whose positions 6 % are padding, memory in huge pages
(THP_MEM_ALLOC_ENABLE), and in bf16 on a CPU attention kept in fp32, which is faster there. `--compile` adds
torch.compile, or goes on without it where that fails; PyTorch then runs only once. On a GPU nothing waits between the
steps, whose time is that of all together, and PyTorch has seen every batch before; both sides use TF32 for fp32 matrix
products, and PyTorch may use FlashAttention or memory-efficient attention but not cuDNN's, which is slow for each new
batch shape.
Both sides train on sentence pairs of the same lengths and count target tokens without padding. Needs torch and
numpy (install them with pip, but not in .venv, whose torch serves C++ only).
"""
import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time

# The same as configs/benchmark/NAME.yaml, which transformer reads.
MODELS = {
    "tiny": {"N": 4, "d_model": 128, "d_ff": 256, "h": 4, "P_drop": 0.3, "vocabulary": 10000},
    "small": {"N": 3, "d_model": 256, "d_ff": 1024, "h": 4, "P_drop": 0.1, "vocabulary": 10000},
    "base": {"N": 6, "d_model": 512, "d_ff": 2048, "h": 8, "P_drop": 0.1, "vocabulary": 37000},
    "big": {"N": 6, "d_model": 1024, "d_ff": 4096, "h": 16, "P_drop": 0.3, "vocabulary": 37000},
}

def python_side(a):
    import numpy
    import torch
    import torch.nn.functional as F
    from torch import nn

    torch.set_num_threads(a["threads"])
    torch.manual_seed(1)
    bf16, device, on_gpu = a["precision"] == "bf16", a["device"], a["device"] != "cpu"
    if on_gpu:
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cuda.enable_cudnn_sdp(False)
    d, h, p = a["d_model"], a["h"], a["P_drop"]
    pad, begin, end = 0, 2, 3

    def attention(query, key, value, allowed, causal):
        if on_gpu:
            return F.scaled_dot_product_attention(query, key, value, attn_mask=allowed,
                                                  is_causal=causal).transpose(1, 2).flatten(2)
        with torch.autocast("cpu", enabled=False):
            heads = F.scaled_dot_product_attention(query.float(), key.float(), value.float(), attn_mask=allowed,
                                                   is_causal=causal)
        return heads.transpose(1, 2).flatten(2)

    def split(x, parts):  # [B, T, parts * d_model] -> parts tensors [B, h, T, d_k]
        return x.unflatten(2, (parts, h, d // h)).permute(2, 0, 3, 1, 4).unbind(0)

    class Attention(nn.Module):
        def __init__(self, to_memory):
            super().__init__()
            self.to_memory = to_memory
            self.query = nn.Linear(d, d if to_memory else 3 * d, bias=False)
            self.memory = nn.Linear(d, 2 * d, bias=False) if to_memory else None
            self.output = nn.Linear(d, d, bias=False)

        def forward(self, x, memory, allowed, causal):
            if self.to_memory:
                (query,), (key, value) = split(self.query(x), 1), split(self.memory(memory), 2)
            else:
                query, key, value = split(self.query(x), 3)
            return self.output(attention(query, key, value, allowed, causal))

    class Layer(nn.Module):
        def __init__(self, is_decoder):
            super().__init__()
            self.is_decoder = is_decoder
            self.attention = Attention(False)
            self.to_memory = Attention(True) if is_decoder else None
            self.w_1, self.w_2 = nn.Linear(d, a["d_ff"]), nn.Linear(a["d_ff"], d)
            self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3 if is_decoder else 2))

        def forward(self, x, memory, allowed):
            def add(x, output, norm):
                return norm(x + F.dropout(output, p))
            x = add(x, self.attention(x, None, None if self.is_decoder else allowed, self.is_decoder), self.norms[0])
            if self.is_decoder:
                x = add(x, self.to_memory(x, memory, allowed, False), self.norms[1])
            return add(x, self.w_2(F.relu(self.w_1(x))), self.norms[-1])

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Parameter(torch.randn(a["vocabulary"], d) * d ** -0.5)
            self.encoder = nn.ModuleList(Layer(False) for _ in range(a["N"]))
            self.decoder = nn.ModuleList(Layer(True) for _ in range(a["N"]))
            angles = torch.arange(256)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
            self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], 2).flatten(1))

        def embed(self, ids):
            return F.dropout(F.embedding(ids, self.embedding) * math.sqrt(d) + self.positions[:ids.shape[1]], p)

        def forward(self, source, target_in, allowed):
            memory, y = self.embed(source), self.embed(target_in)
            for layer in self.encoder:
                memory = layer(memory, None, allowed)
            for layer in self.decoder:
                y = layer(y, memory, allowed)
            return F.linear(y, self.embedding)

    def batches():
        random = numpy.random.default_rng(1)
        count = max(20000, 8 * a["tokens"])  # so many that a batch has sentences of nearly one length
        lengths = numpy.clip(numpy.rint(random.gamma(2.4, 27 / 2.4, count)), 1, 98).astype(int)
        targets = numpy.clip(numpy.rint(lengths * random.normal(1, 0.2, count)), 1, 98).astype(int)
        pairs = sorted(zip(targets, lengths), key=lambda pair: (max(pair), pair))
        groups, group, longest = [], [], 0
        for target, source in pairs:
            longest = max(longest, target + 1, source + 1)
            if group and longest * (len(group) + 1) > a["tokens"]:
                groups.append(group)
                group, longest = [], max(target, source) + 1
            group.append((source, target))
        random.shuffle(groups)
        words = a["vocabulary"] - 4

        def rows(counts, first, last):  # symbols before and after, then padding
            width = max(counts) + len(first) + len(last)
            ranks = 2.7 * (numpy.exp(random.uniform(0, math.log((words + 2.7) / 2.7), (len(counts), width))) - 1)
            ids = 4 + numpy.minimum(ranks, words - 1).astype(numpy.int64)
            ids[:, :len(first)] = first
            for row, count in zip(ids, counts):
                row[len(first) + count:] = pad
                row[len(first) + count:len(first) + count + len(last)] = last
            return torch.from_numpy(ids)

        for group in groups:
            sources, counts = [s for s, _ in group], [t for _, t in group]
            source, target_in = rows(sources, [], [end]), rows(counts, [begin], [])
            target_out = torch.cat([target_in[:, 1:], torch.full((len(group), 1), pad)], 1)
            for row, count in zip(target_out, counts):
                row[count] = end
            real = source != pad
            allowed = None if real.all() else real[:, None, None, :].to(device)
            yield source.to(device), target_in.to(device), target_out.to(device), allowed, sum(counts) + len(counts)

    model = Transformer().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def loss_of(source, target_in, target_out, allowed, tokens):
        with torch.autocast("cuda" if on_gpu else "cpu", dtype=torch.bfloat16, enabled=bf16):
            logits = model(source, target_in, allowed)
            return F.cross_entropy(logits.flatten(0, 1), target_out.flatten(), ignore_index=pad, label_smoothing=0.1,
                                   reduction="sum") / tokens

    run = torch.compile(loss_of, dynamic=True) if a["compile"] else loss_of
    def step(batch):
        loss = run(*batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    step_batches = [batch for _, batch in zip(range(a["steps"] + 2), batches())]
    for batch in step_batches if on_gpu else step_batches[:2]:
        step(batch)
    if on_gpu:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for batch in step_batches[2:]:
            step(batch)
        torch.cuda.synchronize()
        speed = sum(batch[4] for batch in step_batches[2:]) / (time.perf_counter() - start)
        memory = torch.cuda.max_memory_reserved()
    else:
        speeds = []
        for batch in step_batches[2:]:
            start = time.perf_counter()
            step(batch)
            speeds.append(batch[4] / (time.perf_counter() - start))
        speed = statistics.median(speeds)
        memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"target_tokens_per_second": speed, "peak_memory_bytes": memory, "compiled": a["compile"],
                      "target_tokens_per_step": sum(batch[4] for batch in step_batches[2:]) / a["steps"]}))


def run_json(command, environment):
    out = subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE, text=True).stdout
    result = out.strip().splitlines()[-1]
    print(result, file=sys.stderr)  # kept even if a later run fails
    return json.loads(result)


def run_python_side(settings):
    """Runs the Python side, or again without torch.compile if it fails with it; None if it fails."""
    for compiled in [True, False] if settings["compile"] else [False]:
        try:
            return run_json([sys.executable, __file__, "--python-side", json.dumps({**settings, "compile": compiled})],
                            {"THP_MEM_ALLOC_ENABLE": "1"})
        except (subprocess.CalledProcessError, IndexError) as failure:
            print(f"PyTorch failed{' with torch.compile' if compiled else ''}: {failure}", file=sys.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--rounds", type=int, default=3, help="number of runs of each side, in turn")
    parser.add_argument("--steps", type=int, default=6, help="timed steps in each run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--tokens", type=int, default=4096, help="tokens of a step")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--compile", action="store_true", help="torch.compile on the Python side")
    parser.add_argument("--transformer", default="build/release/transformer")
    a = parser.parse_args()

    config = f"configs/benchmark/{a.model}.yaml"
    python = {**MODELS[a.model], "tokens": a.tokens, "device": a.device, "precision": a.precision, "threads": a.threads,
              "steps": a.steps, "compile": a.compile}
    ours, theirs = [], []
    for turn in range(a.rounds):
        ours.append(run_json([a.transformer, "benchmark", "train", "--config", config, "--precision", a.precision,
                              "--steps", str(a.steps), "--threads", str(a.threads), "--device", a.device,
                              "--set", f"training.batch_tokens={a.tokens}",
                              "--set", f"training.device_tokens={a.tokens}", "--json"], {}))
        if turn == 0 or not a.compile:
            theirs.append(run_python_side(python))
    theirs = [run for run in theirs if run]

    def median(runs, key):
        return statistics.median(run[key] for run in runs)

    speed = "target_tokens_per_second"
    ratio = median(ours, speed) / median(theirs, speed) if theirs else None
    if a.json:
        print(json.dumps({"model": a.model, "precision": a.precision, "device": a.device, "tokens": a.tokens,
                          "ours": ours, "pytorch": theirs, "ratio": ratio}))
    if not theirs:
        sys.exit("the Python side has failed in every round")
    if a.json:
        return
    print(f"{a.model}, {a.precision}, {a.threads} threads, {a.rounds} rounds of {a.steps} steps in turn")
    print("transformer:", ", ".join(f"{run[speed]:,.0f}" for run in ours), "target tokens/s;",
          f"{100 * median(ours, 'model_flops_utilization'):.0f} % of its matrix products alone,",
          f"{median(ours, 'peak_memory_bytes') / 1e9:.2f} GB")
    print("PyTorch:    ", ", ".join(f"{run[speed]:,.0f}" for run in theirs), "target tokens/s;",
          f"{median(theirs, 'peak_memory_bytes') / 1e9:.2f} GB")
    print(f"ratio of the medians: {ratio:.2f} in speed,",
          f"{median(ours, 'peak_memory_bytes') / median(theirs, 'peak_memory_bytes'):.2f} in peak memory")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--python-side":
        python_side(json.loads(sys.argv[2]))
    else:
        main()
