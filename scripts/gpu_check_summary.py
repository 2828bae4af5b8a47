#!/usr/bin/env python3
"""Writes results.json and performance.md from the logs of the parts of gpu_check.sh."""
import argparse
import json
import pathlib

from benchmarks.runs import median


def json_of(log):
    """All JSON objects among the lines of a log in one; of a key that several have, the last value."""
    merged = {}
    for line in log.read_text().splitlines():
        if not line.startswith("{"):
            continue
        try:
            merged.update(json.loads(line))
        except ValueError:
            continue
    return merged


def read_results(logs):
    """Each part's newest run by its name: status, seconds, machine, and as `result` what it printed as JSON."""
    parts = [json.loads(line) for line in open(logs / "parts.jsonl")]
    return {part["part"]: {**part, "result": json_of(logs / f"{part['part']}.log")} for part in parts}


def benchmarks_of(results):
    """The parts that measure training and have a result."""
    return [part for part in results.values() if "ours" in part["result"]]


def pytorch_cells(result):
    """Speed, our speed relative to it, and memory."""
    runs = result["pytorch"]
    if not runs:
        return ["–", "–", "–"]
    compiled = " (compiled)" if runs[0]["compiled"] else ""
    return [
        f"{median(runs, 'target_tokens_per_second'):,.0f}{compiled}",
        f"{result['ratio']:.2f}",
        f"{median(runs, 'peak_memory_bytes') / 1e9:.2f}",
    ]


def speed_table(benchmarks):
    rows = [
        "| Device | Model | Precision | transformer, tokens/s | TFLOP/s | Memory, GB "
        "| PyTorch, tokens/s | Ratio | PyTorch's memory, GB | Part |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for part in benchmarks:
        machine, result = part["machine"], part["result"]
        ours = result["ours"]
        cells = [
            machine.get("cuda:0", machine["cpu"]).split(",")[0],
            result["model"],
            result["precision"],
            f"{median(ours, 'target_tokens_per_second'):,.0f}",
            f"{median(ours, 'model_flops_per_second') / 1e12:.3g}",
            f"{median(ours, 'peak_memory_bytes') / 1e9:.2f}",
            *pytorch_cells(result),
            "passed" if part["status"] == 0 else "failed, see the log",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def work_table(benchmarks):
    rows = ["| Model | Precision | Where a step's time goes |", "| --- | --- | --- |"]
    for part in benchmarks:
        result = part["result"]
        work = sorted(result["ours"][-1]["work"].items(), key=lambda item: -item[1])
        shares = ", ".join(f"{kind} {100 * share:.0f} %" for kind, share in work if share >= 0.005)
        rows.append(f"| {result['model']} | {result['precision']} | {shares} |")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", type=pathlib.Path, help="folder with parts.jsonl and PART.log")
    parser.add_argument("output", type=pathlib.Path, help="folder for results.json and performance.md")
    args = parser.parse_args()
    results = read_results(args.logs)
    (args.output / "results.json").write_text(json.dumps(results, indent=1))
    benchmarks = benchmarks_of(results)
    lines = [*speed_table(benchmarks), "", *work_table(benchmarks)]
    (args.output / "performance.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
