#!/usr/bin/env python3
"""Predicts the time of a training step on 1 to 512 GPUs (docs/scaling.md).

    python3 scripts/scaling.py strong --model base --interconnect infiniband

Units are seconds, bytes and FLOPs. "Tokens" are target tokens; a step has as many source tokens.

The model:
- Step = fixed time + forward pass + max(backward pass, communication) + two sums of a few numbers + optimizer.
- The fixed time, 38 us for each of 1,200 kernels, and the rate of 176 TFLOP/s are fitted to published throughputs of
  NVIDIA's program for the same big model (f). The number of kernels is a guess that matters only through the product.
- The backward pass takes 2/3 of the FLOPs' time. LibTorch's reducer cuts the gradients into buckets (1 MiB, then
  25 MiB, each closed by the parameter that fills it) in the order of the backward pass; a bucket is sent when it is
  complete and the previous one has arrived.
- An all-reduce over N GPUs is a ring: 2 (N - 1) / N * bytes / bandwidth + 2 (N - 1) * latency. Over several nodes:
  reduce-scatter inside a node, all-reduce of an eighth by each GPU between nodes (ring or tree, whichever is faster),
  all-gather inside a node.
- 80 % of a link's published bandwidth is reached: stated for NVLink (b, d), a guess for the others.
- Left out: ranks that wait for the slowest one (NVIDIA's lost 11 to 17 % on 8 GPUs), several micro-batches, the low
  utilization of a GPU that has few tokens, padding, input, validation and checkpoints.

Sources:
(a) A100: peak, memory, NVLink and PCIe. https://www.nvidia.com/en-us/data-center/a100/
(b) NCCL's own model: latencies, start of an all-reduce, NVLink.
    https://github.com/NVIDIA/nccl/blob/v2.28.7-1/src/graph/tuning.cc and topo.h
(c) DGX A100: network. https://developer.nvidia.com/blog/defining-ai-innovation-with-dgx-a100
(d) Measured bandwidth. https://github.com/NVIDIA/nccl/issues/1054, /issues/412; nccl-tests/issues/149
(e) P100. https://www.microway.com/hpc-tech-tips/nvidia-tesla-p100-pci-e-16gb-gpu-accelerator-pascal-gp100-close/
(f) NVIDIA's Transformer for PyTorch, big, WMT14 English-German. README.md of PyTorch/Translation/Transformer in
    https://github.com/NVIDIA/DeepLearningExamples: release 22.06 at d666f145, 20.06 at 2860d6fe, 2019 at 0053b4b8
(g) V100. https://www.nvidia.com/en-us/data-center/v100/
H100: https://www.nvidia.com/en-us/data-center/h100/
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

BATCH_TOKENS = 25_000  # of a step, over all GPUs (section 5.1)
VOCABULARY = 37_000
TYPICAL_TOKENS = 29  # on either side of a pair: kTypicalTokens of lib/model/model_cost.h
FIRST_BUCKET_BYTES, BUCKET_BYTES = 1 * 2**20, 25 * 2**20  # c10d::kDefaultFirstBucketBytes, kDefaultBucketBytesCap
GPUS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
GPUS_PER_NODE = 8
FP32, BF16, FP16 = 4, 2, 2  # bytes in which a gradient is sent

# Assumptions
KERNELS_PER_SUBLAYER = 40  # forward and backward together
BUS_EFFICIENCY = 0.8  # of a link's published bandwidth
START_OF_ALL_REDUCE = 8.4e-6  # a constant of NCCL's own model, as are the latencies below except Ethernet's
OPTIMIZER_BYTES = 9 * 4  # fp32 numbers a parameter: zero_grad writes 1, the norm reads 1, Adam reads 4 and writes 3


@dataclass(frozen=True)
class Model:
    N: int
    d_model: int
    d_ff: int
    train_steps: int
    paper_seconds: float  # of a step on 8 P100 (section 5.2)
    vocabulary: int = VOCABULARY


@dataclass(frozen=True)
class Link:
    published: float  # bytes a second for each GPU, in each direction
    latency: float

    @property
    def bandwidth(self) -> float:
        return BUS_EFFICIENCY * self.published


@dataclass(frozen=True)
class Machine:
    name: str
    inside: Link  # a node
    between: Link  # nodes
    memory_bandwidth: float
    gpus_per_node: int = GPUS_PER_NODE


@dataclass(frozen=True)
class Speed:
    """How fast one GPU computes."""
    flops: float  # sustained, a second
    kernel: float  # seconds that each kernel takes besides, however few tokens there are


@dataclass(frozen=True)
class Measured:
    """A throughput that NVIDIA published for its own program with big (f)."""
    release: str
    machine: Machine
    precision: str
    peak_tflops: float
    gradient_bytes: int
    tokens: int  # on each GPU, at most
    tokens_per_second: dict[int, int]  # of so many GPUs

    def seconds(self, gpus: int) -> float:
        """Seconds of one step."""
        return gpus * self.tokens / self.tokens_per_second[gpus]


@dataclass(frozen=True)
class Part:
    """A matrix product, the scores of an attention, or a vector of parameters."""
    flops: float  # of the forward pass over one typical pair
    parameters: int


@dataclass(frozen=True)
class Bucket:
    parameters: int
    ready: float  # the part of the backward pass after which all its gradients are complete


@dataclass(frozen=True)
class Step:
    seconds: float
    exposed: float  # seconds in which the GPU only waits for gradients
    queue: float  # seconds from the completion of the last bucket to the start of its transfer
    tokens_per_second: float


MODELS = {
    "base": Model(N=6, d_model=512, d_ff=2048, train_steps=100_000, paper_seconds=0.4),
    "big": Model(N=6, d_model=1024, d_ff=4096, train_steps=300_000, paper_seconds=1.0),
}
NVIDIAS_BIG = replace(MODELS["big"], vocabulary=33_708)
NVLINK_2 = Link(published=150e9, latency=3.4e-6)
NVLINK_3 = Link(published=300e9, latency=3.4e-6)
NVLINK_4 = Link(published=450e9, latency=3.4e-6)
PCIE_3 = Link(published=16e9, latency=5.7e-6)
PCIE_4 = Link(published=32e9, latency=5.7e-6)
PCIE_5 = Link(published=64e9, latency=5.7e-6)
HDR_INFINIBAND = Link(published=25e9, latency=14e-6)
NDR_INFINIBAND = Link(published=50e9, latency=14e-6)
SHARED_ETHERNET = Link(published=12.5e9 / GPUS_PER_NODE, latency=30e-6)
MACHINES = {
    "a100": {
        "infiniband": Machine("NVLink, InfiniBand", NVLINK_3, HDR_INFINIBAND, memory_bandwidth=1.555e12),
        "ethernet": Machine("NVLink, Ethernet", NVLINK_3, SHARED_ETHERNET, memory_bandwidth=1.555e12),
        "pcie": Machine("PCIe 4, Ethernet", PCIE_4, SHARED_ETHERNET, memory_bandwidth=1.555e12),
    },
    "h100": {
        "infiniband": Machine("NVLink, InfiniBand", NVLINK_4, NDR_INFINIBAND, memory_bandwidth=3.35e12),
        "ethernet": Machine("NVLink, Ethernet", NVLINK_4, SHARED_ETHERNET, memory_bandwidth=3.35e12),
        "pcie": Machine("PCIe 5, Ethernet", PCIE_5, SHARED_ETHERNET, memory_bandwidth=3.35e12),
    },
}
INTERCONNECTS = list(MACHINES["a100"])
P100 = Machine("8 P100", PCIE_3, PCIE_3, memory_bandwidth=732e9)  # one node, as are the next three
P100_TFLOPS = 9.5  # the paper's figure (Table 2)
DGX_1 = Machine("DGX-1, V100", NVLINK_2, NVLINK_2, memory_bandwidth=900e9)
DGX_2 = Machine("DGX-2, V100", NVLINK_2, NVLINK_2, memory_bandwidth=900e9, gpus_per_node=16)
DGX_A100 = replace(MACHINES["a100"]["infiniband"], name="DGX A100")

A100_MIXED = Measured("22.06", DGX_A100, "mixed", 312, FP32, 10_240, {1: 82_059, 4: 286_081, 8: 551_599})
DGX_1_MIXED = Measured("22.06", DGX_1, "mixed", 125, FP32, 5_120, {1: 32_942, 4: 109_726, 8: 214_656})
DGX_2_MIXED = Measured("22.06", DGX_2, "mixed", 125, FP32, 10_240,
                       {1: 39_911, 4: 137_703, 8: 267_815, 16: 517_227})
SEVERAL_GPUS = [
    A100_MIXED,
    Measured("22.06", DGX_A100, "TF32", 156, FP32, 10_240, {1: 51_057, 4: 179_245, 8: 347_936}),
    Measured("20.06", DGX_A100, "mixed", 312, FP16, 10_240, {1: 82_618, 4: 298_741, 8: 582_721}),
    Measured("20.06", DGX_A100, "TF32", 156, FP32, 10_240, {1: 45_755, 4: 161_980, 8: 316_913}),
    DGX_1_MIXED,
    Measured("22.06", DGX_1, "fp32", 15.7, FP32, 2_560, {1: 8_742, 4: 30_204, 8: 59_316}),
    DGX_2_MIXED,
    Measured("22.06", DGX_2, "fp32", 15.7, FP32, 5_120, {1: 9_827, 4: 35_216, 8: 68_929, 16: 136_253}),
]
ONE_V100 = [
    Measured("2019", DGX_1, "mixed", 125, FP16, 2_560, {1: 23_821}),
    Measured("2019", DGX_1, "mixed", 125, FP16, 5_120, {1: 32_153}),
    Measured("20.06", DGX_1, "mixed", 125, FP16, 5_120, {1: 33_468}),
    DGX_1_MIXED,
    Measured("20.06", DGX_2, "mixed", 125, FP16, 10_240, {1: 40_163}),
    DGX_2_MIXED,
]


# Computation


def parts(model: Model) -> list[Part]:
    """In the order of the forward pass. Their FLOPs add up to forward_flops of lib/model/model_cost.cpp, since in both
    models h d_k = h d_v = d_model."""
    d, tokens = model.d_model, TYPICAL_TOKENS

    def product(rows: int, columns: int) -> Part:
        return Part(2 * tokens * rows * columns, rows * columns)

    norm = [Part(0, d), Part(0, d)]
    scores = Part(2 * 2 * tokens * tokens * d, 0)  # QK' and its product with V
    attention = [product(d, d), product(d, d), product(d, d), scores, product(d, d)] + norm  # w_k w_v w_q, w_o
    feed_forward = [product(d, model.d_ff), Part(0, model.d_ff), product(model.d_ff, d), Part(0, d)] + norm
    embedding = Part(0, model.vocabulary * d)
    logits = Part(2 * tokens * d * model.vocabulary, 0)  # the embedding's matrix: complete only after the embedding
    return ([embedding] + model.N * (attention + feed_forward) + model.N * (attention + attention + feed_forward)
            + [logits])


def num_parameters(model: Model) -> int:
    return sum(part.parameters for part in parts(model))


def flops_per_token(model: Model) -> float:
    """training_flops_per_token of lib/model/model_cost.cpp: the forward pass, and the backward pass twice as many."""
    return 3 * sum(part.flops for part in parts(model)) / TYPICAL_TOKENS


def num_kernels(model: Model) -> int:
    """Of 2 N sub-layers of the encoder and 3 N of the decoder."""
    return 5 * model.N * KERNELS_PER_SUBLAYER


def fixed_time(model: Model, kernel: float) -> float:
    """kernels x time of each: what a step takes however few tokens there are, but for the optimizer."""
    return num_kernels(model) * kernel


def flops_time(model: Model, speed: Speed, tokens: float) -> float:
    """FLOPs / sustained FLOP/s, for the tokens of one GPU."""
    return flops_per_token(model) * tokens / speed.flops


def optimizer_time(model: Model, machine: Machine) -> float:
    """parameters x bytes moved for each / memory bandwidth."""
    return num_parameters(model) * OPTIMIZER_BYTES / machine.memory_bandwidth


# Communication


def buckets(model: Model) -> list[Bucket]:
    """As c10d's compute_bucket_assignment_by_size cuts the gradients, in the order in which they become ready: the
    parameter that fills a bucket closes it and is not split. The size that counts is that of fp32."""
    flops = sum(part.flops for part in parts(model))
    result: list[Bucket] = []
    done, size = 0.0, 0
    for part in reversed(parts(model)):
        done += part.flops
        size += part.parameters
        if FP32 * size >= (BUCKET_BYTES if result else FIRST_BUCKET_BYTES):
            result.append(Bucket(size, done / flops))
            size = 0
    return result  # the embedding comes last and closes the last one


def ring(num_bytes: float, ranks: int, link: Link) -> float:
    """2 (n - 1) / n x bytes / bandwidth + 2 (n - 1) x latency."""
    return 2 * (ranks - 1) / ranks * num_bytes / link.bandwidth + 2 * (ranks - 1) * link.latency


def tree(num_bytes: float, ranks: int, link: Link) -> float:
    """NCCL's pair of trees: 2 x bytes / bandwidth + 2 log2(n) x latency."""
    return 2 * num_bytes / link.bandwidth + 2 * math.log2(ranks) * link.latency


def all_reduce(num_bytes: float, gpus: int, machine: Machine) -> float:
    """Reduce-scatter inside each node, all-reduce of each GPU's part between the nodes, all-gather inside. Those inside
    take the time of a ring together; between the nodes NCCL takes ring or tree, whichever is faster."""
    if gpus == 1:
        return 0.0
    local = min(gpus, machine.gpus_per_node)
    nodes, part = gpus // local, num_bytes / local
    between = min(ring(part, nodes, machine.between), tree(part, nodes, machine.between)) if nodes > 1 else 0.0
    return START_OF_ALL_REDUCE + ring(num_bytes, local, machine.inside) + between


# A step


def step(model: Model, machine: Machine, speed: Speed, gpus: int, tokens: float, gradient_bytes: int) -> Step:
    """fixed time + forward + max(backward, arrival of the last bucket) + two small sums + optimizer, with `tokens` on
    each GPU. A bucket is sent when it is complete and the one before it has arrived."""
    compute = flops_time(model, speed, tokens)
    backward = 2 / 3 * compute
    start = arrival = 0.0  # from the beginning of the backward pass
    for bucket in buckets(model):
        start = max(arrival, bucket.ready * backward)
        arrival = start + all_reduce(bucket.parameters * gradient_bytes, gpus, machine)
    small_sums = 2 * all_reduce(16, gpus, machine)  # the loss, and whether to stop
    exposed = max(0.0, arrival - backward) + small_sums
    seconds = fixed_time(model, speed.kernel) + compute + exposed + optimizer_time(model, machine)
    return Step(seconds, exposed, start - backward, gpus * tokens / seconds)


def efficiency(a_step: Step, model: Model, machine: Machine, speed: Speed, gpus: int) -> float:
    """Its tokens a second, over those of as many single GPUs that each take the paper's whole step."""
    return a_step.tokens_per_second / (gpus * step(model, machine, speed, 1, BATCH_TOKENS, FP32).tokens_per_second)


def smallest(holds: Callable[[int], bool]) -> int:
    """The smallest positive number for which it holds; it then holds for all larger ones."""
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2  # 0, or one for which it does not hold
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def sustained_on_p100(model: Model) -> Speed:
    """The FLOP/s at which the modeled step takes the time that the paper reports, without a fixed time."""
    def speed(gflops: int) -> Speed:
        return Speed(1e9 * gflops, 0)

    return speed(smallest(
        lambda gflops: step(model, P100, speed(gflops), 8, BATCH_TOKENS / 8, FP32).seconds <= model.paper_seconds))


# The speed of a GPU, from what was measured


def without_optimizer(measured: Measured) -> float:
    """Seconds of a step of one GPU without the optimizer."""
    return measured.seconds(1) - optimizer_time(NVIDIAS_BIG, measured.machine)


def line_through(few: Measured, many: Measured) -> Speed:
    """time of a step = fixed + FLOPs / rate, through steps of fewer and of more tokens."""
    seconds_per_token = (without_optimizer(many) - without_optimizer(few)) / (many.tokens - few.tokens)
    fixed = without_optimizer(few) - few.tokens * seconds_per_token
    return Speed(flops_per_token(NVIDIAS_BIG) / seconds_per_token, fixed / num_kernels(NVIDIAS_BIG))


def with_fixed_time(measured: Measured, kernel: float) -> Speed:
    """FLOPs / (time of one GPU's step - fixed - optimizer)."""
    seconds = without_optimizer(measured) - fixed_time(NVIDIAS_BIG, kernel)
    if seconds <= 0:
        raise ValueError("the measured step takes less than its kernels")
    return Speed(flops_per_token(NVIDIAS_BIG) * measured.tokens / seconds, kernel)


V100 = line_through(DGX_1_MIXED, DGX_2_MIXED)


# Tables


def print_table(head: list[str], rows: list[list[str]]) -> None:
    for row in [head, ["---:"] * len(head)] + rows:
        print("| " + " | ".join(row) + " |")


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def rounded_up(tokens: int) -> str:
    """To three digits."""
    unit = 10 ** max(0, len(str(tokens)) - 3)
    return f"{math.ceil(tokens / unit) * unit:,}"


def print_fit() -> None:
    rows = []
    for measured in ONE_V100:
        parts_of_step = [optimizer_time(NVIDIAS_BIG, measured.machine), fixed_time(NVIDIAS_BIG, V100.kernel),
                         flops_time(NVIDIAS_BIG, V100, measured.tokens)]
        rows.append([measured.machine.name, measured.release, f"{measured.tokens:,}",
                     f"{measured.tokens_per_second[1]:,}", milliseconds(measured.seconds(1)),
                     milliseconds(sum(parts_of_step))] + [milliseconds(part) for part in parts_of_step])
    print_table(["GPU", "release", "tokens", "published tokens/s", "step, ms", "modeled, ms", "of it optimizer",
                 "fixed", f"FLOPs at {1e-12 * V100.flops:.1f} TFLOP/s"], rows)


def print_published() -> None:
    def compared(measured: Measured, speed: Speed, gpus: int) -> list[str]:
        if gpus not in measured.tokens_per_second:
            return ["", ""]
        modeled = step(NVIDIAS_BIG, measured.machine, speed, gpus, measured.tokens, measured.gradient_bytes)
        published = measured.tokens_per_second[gpus]
        return [f"{published:,} / {modeled.tokens_per_second:,.0f} = {published / modeled.tokens_per_second:.2f}",
                f"{1000 * (measured.seconds(gpus) - modeled.seconds):.0f}"]

    rows = []
    for measured in SEVERAL_GPUS:
        speed = with_fixed_time(measured, V100.kernel)
        rows.append([measured.machine.name, measured.release, measured.precision,
                     "fp32" if measured.gradient_bytes == FP32 else "fp16", f"{measured.tokens:,}",
                     f"{measured.tokens_per_second[1]:,}", milliseconds(measured.seconds(1)),
                     f"{1e-12 * speed.flops:.1f}", percent(1e-12 * speed.flops / measured.peak_tflops)]
                    + [cell for gpus in (4, 8, 16) for cell in compared(measured, speed, gpus)])
    print_table(["machine", "release", "precision", "gradients", "tokens each", "1 GPU: tokens/s", "step, ms",
                 "TFLOP/s", "of peak"]
                + [title for gpus in (4, 8, 16)
                   for title in (f"{gpus} GPUs: published / modeled tokens/s", "longer by, ms")], rows)


def print_strong(model: Model, machine: Machine, speed: Speed) -> None:
    rows = []
    for gpus in GPUS:
        row = [f"{gpus}", f"{BATCH_TOKENS / gpus:,.0f}"]
        for size in (FP32, BF16):
            one = step(model, machine, speed, gpus, BATCH_TOKENS / gpus, size)
            row += [f"{one.seconds:.4f}", f"{one.tokens_per_second:,.0f}", milliseconds(one.exposed),
                    percent(efficiency(one, model, machine, speed, gpus)),
                    f"{model.train_steps * one.seconds / 3600:.2f}"]
        rows.append(row)
    figures = ["step, s", "tokens/s", "exposed, ms", "efficiency", "hours"]
    print_table(["GPUs", "tokens each"] + figures + ["bf16: " + figures[0]] + figures[1:], rows)


def print_weak(model: Model, machines: list[Machine], tokens: int, speed: Speed) -> None:
    rows = []
    for gpus in GPUS:
        row = [f"{gpus}", f"{gpus * tokens:,}"]
        for machine in machines:
            both = [step(model, machine, speed, gpus, tokens, size) for size in (FP32, BF16)]
            row.append(" / ".join(milliseconds(one.seconds) for one in both))
            row.append(" / ".join(percent(efficiency(one, model, machine, speed, gpus)) for one in both))
        rows.append(row)
    titles = [title for machine in machines for title in (f"{machine.name}: step, ms", "efficiency")]
    print_table(["GPUs", "batch"] + titles, rows)


def print_batch(model: Model, machines: list[Machine], speed: Speed) -> None:
    def hidden(machine: Machine, gpus: int, size: int) -> str:
        tokens = smallest(lambda n: step(model, machine, speed, gpus, n, size).queue <= 0)
        return "any" if tokens == 1 else rounded_up(gpus * tokens)

    def efficient(machine: Machine, gpus: int, size: int) -> str:
        return rounded_up(gpus * smallest(lambda n: efficiency(
            step(model, machine, speed, gpus, n, size), model, machine, speed, gpus) >= 0.9))

    rows = [[f"{gpus}"] + [" / ".join(figure(machine, gpus, size) for size in (FP32, BF16))
                           for machine in machines for figure in (hidden, efficient)] for gpus in GPUS[1:]]
    titles = [title for machine in machines for title in (f"{machine.name}: hidden", "90 %")]
    print_table(["GPUs"] + titles, rows)


def print_buckets(model: Model, machines: list[Machine]) -> None:
    columns = [(machine, gpus) for machine in machines for gpus in (8, 64)]
    rows = []
    for number, bucket in enumerate(buckets(model), start=1):
        size = FP32 * bucket.parameters
        rows.append([f"{number}", f"{bucket.parameters:,}", f"{1e-6 * size:.1f}", f"{100 * bucket.ready:.1f} %"]
                    + [milliseconds(all_reduce(size, gpus, machine)) for machine, gpus in columns])
    print_table(["bucket", "parameters", "fp32, MB", "ready after"]
                + [f"{machine.name}: {gpus} GPUs, ms" for machine, gpus in columns], rows)


def print_sensitivity(machine: Machine) -> None:
    columns = [(name, gpus) for name in MODELS for gpus in (1, 8, 32, 128)]
    speeds = [with_fixed_time(A100_MIXED, kernel) for kernel in (V100.kernel, 5e-6, 0)]
    speeds += [replace(speeds[0], flops=factor * speeds[0].flops) for factor in (0.5, 2)]
    rows = []
    for speed in speeds:
        row = [f"{1e6 * speed.kernel:.0f}", f"{1e-12 * speed.flops:.0f}",
               milliseconds(step(NVIDIAS_BIG, machine, speed, 1, A100_MIXED.tokens, FP32).seconds)]
        for name, gpus in columns:
            one = step(MODELS[name], machine, speed, gpus, BATCH_TOKENS / gpus, FP32)
            share = efficiency(one, MODELS[name], machine, speed, gpus)
            row.append(milliseconds(one.seconds) + (f" ({percent(share)})" if gpus > 1 else ""))
        rows.append(row)
    print_table(["µs a kernel", "TFLOP/s", f"big: {A100_MIXED.tokens:,} tokens, ms"]
                + [f"{name}: {gpus} GPU{'s' if gpus > 1 else ''}, ms" for name, gpus in columns], rows)


def print_paper() -> None:
    rows = []
    for name, model in MODELS.items():
        flops = flops_per_token(model) * BATCH_TOKENS
        speed = sustained_on_p100(model)
        exposed = step(model, P100, speed, 8, BATCH_TOKENS / 8, FP32).exposed
        as_base = step(model, P100, sustained_on_p100(MODELS["base"]), 8, BATCH_TOKENS / 8, FP32).seconds
        rows.append([name, f"{num_parameters(model):,}", f"{1e-12 * flops:.2f}", f"{model.paper_seconds:.1f}",
                     f"{1e-12 * flops / 8 / model.paper_seconds:.2f}", f"{1e-12 * speed.flops:.2f}",
                     percent(1e-12 * speed.flops / P100_TFLOPS), milliseconds(exposed), f"{as_base:.2f}"])
    print_table(["model", "parameters", "TFLOP a step", "published step, s", "FLOPs / time, TFLOP/s",
                 "as modeled, TFLOP/s", f"of {P100_TFLOPS}", "exposed, ms", "step at base's rate, s"], rows)


def chosen_speed(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Speed:
    kernel = 1e-6 * options.kernel_microseconds
    if options.sustained_tflops is not None:
        return Speed(1e12 * options.sustained_tflops, kernel)
    if options.gpu != "a100":
        parser.error("nothing was published for this GPU: give --sustained-tflops")
    try:
        return with_fixed_time(A100_MIXED, kernel)
    except ValueError as error:
        parser.error(str(error))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    tables = parser.add_subparsers(dest="table", required=True)
    strong = tables.add_parser("strong", help="strong scaling: the paper's step of 25,000 tokens")
    weak = tables.add_parser("weak", help="weak scaling: the same number of tokens on each GPU")
    batch = tables.add_parser("batch", help="the smallest batch that hides communication, or is 90 %% efficient")
    cut = tables.add_parser("buckets", help="the gradient buckets and the time that each takes to be summed")
    sensitivity = tables.add_parser("sensitivity", help="how the prediction depends on the assumed speed of a GPU")
    tables.add_parser("fit", help="the fixed time of a step, fitted to published steps of different sizes")
    tables.add_parser("published", help="the model compared with published throughputs of several GPUs")
    tables.add_parser("paper", help="the rate that corresponds to the paper's step times")
    for table in (strong, weak, batch, cut):
        table.add_argument("--model", choices=MODELS, default="base")
        table.add_argument("--gpu", choices=MACHINES, default="a100")
    for table in (strong, sensitivity):
        table.add_argument("--interconnect", choices=INTERCONNECTS, default="infiniband")
    for table in (strong, weak, batch):
        table.add_argument("--sustained-tflops", type=float,
                           help="sustained TFLOP/s of one GPU (default: fitted to NVIDIA's published step of an A100)")
        table.add_argument("--kernel-microseconds", type=float, default=1e6 * V100.kernel,
                           help=f"({1e6 * V100.kernel:.1f})")
    weak.add_argument("--tokens", type=int, default=BATCH_TOKENS // 8, help="on each GPU (%(default)s)")
    options = parser.parse_args()

    if options.table == "paper":
        print_paper()
    elif options.table == "fit":
        print_fit()
    elif options.table == "published":
        print_published()
    elif options.table == "sensitivity":
        print_sensitivity(MACHINES["a100"][options.interconnect])
    else:
        model, machines = MODELS[options.model], MACHINES[options.gpu]
        if options.table == "buckets":
            print_buckets(model, list(machines.values()))
        elif options.table == "strong":
            print_strong(model, machines[options.interconnect], chosen_speed(parser, options))
        elif options.table == "weak":
            print_weak(model, list(machines.values()), options.tokens, chosen_speed(parser, options))
        else:
            print_batch(model, list(machines.values()), chosen_speed(parser, options))


if __name__ == "__main__":
    main()
