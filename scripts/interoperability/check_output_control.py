"""Compares what `translate` makes of options that control outputs with what transformers makes of its own.

    /tmp/peers/bin/pip install transformers==5.24.0 torch==2.11.0 sentencepiece sacremoses
    /tmp/peers/bin/python scripts/interoperability/make_huggingface.py OUT SOURCE TARGET trained
    build/release/transformer import OUT/trained -o OUT/trained.safetensors
    /tmp/peers/bin/python scripts/interoperability/check_output_control.py OUT/trained OUT/trained.safetensors SOURCE

Prints one JSON object for each option: the options of both, and for how many of the lines of the text the translations
agree; with `different`, the first line for which they do not.
"""

import argparse
import json
import pathlib
import subprocess

import torch
from transformers import MarianMTModel, MarianTokenizer

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEAM_SIZE = 4

# The options of `translate`, and those of transformers' `generate`.
CASES = [
    ([], {}),
    (["--no-repeat-ngram", "1"], {"no_repeat_ngram_size": 1}),
    (["--no-repeat-ngram", "2"], {"no_repeat_ngram_size": 2}),
    (["--repetition-penalty", "1.5"], {"repetition_penalty": 1.5}),
    (["--min-length", "21"], {"min_new_tokens": 20}),
    (["--max-length", "6"], {"max_new_tokens": 6}),
]


def by_translate(arguments, options, text):
    command = [arguments.transformer, "translate", "--model", arguments.model, "--beam-size", BEAM_SIZE, "--quiet",
               "--format", "jsonl", "--device", "cpu", *options]
    result = subprocess.run(list(map(str, command)), check=True, input=text, stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in result.stdout.split("\n")[:-1]]
    return [line["translations"][0]["text"] for line in lines]


def by_transformers(model, tokenizer, options, lines):
    texts = []
    for line in lines:  # one by one, since padding is another question
        tokens = tokenizer([line], return_tensors="pt")
        limit = {"max_new_tokens": tokens["input_ids"].shape[1] + 49} | options
        with torch.no_grad():
            output = model.generate(**tokens, num_beams=BEAM_SIZE, length_penalty=1.0, **limit)
        texts.append(tokenizer.decode(output[0], skip_special_tokens=True))
    return texts


def compare(options, theirs_options, ours, theirs, lines):
    differ = [i for i in range(len(lines)) if ours[i] != theirs[i]]
    report = {"translate": " ".join(options), "generate": theirs_options, "same": len(lines) - len(differ),
              "lines": len(lines)}
    if differ:
        report["different"] = [lines[differ[0]], ours[differ[0]], theirs[differ[0]]]
    print(json.dumps(report, ensure_ascii=False), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="a MarianMT model, as save_pretrained writes it")
    parser.add_argument("model", help="what `import` has made of it")
    parser.add_argument("text", help="lines to translate")
    parser.add_argument("--transformer", default=ROOT / "build/release/transformer")
    parser.add_argument("--lines", type=int, default=200, help="number of lines, from the first one")
    arguments = parser.parse_args()

    with open(arguments.text, encoding="utf-8", newline="\n") as file:
        lines = [line for line in file.read().split("\n") if line.strip()][:arguments.lines]
    text = "".join(line + "\n" for line in lines)
    tokenizer = MarianTokenizer.from_pretrained(arguments.directory)
    model = MarianMTModel.from_pretrained(arguments.directory).eval()
    model.generation_config.max_length = None  # it would be a limit besides max_new_tokens
    model.generation_config.forced_eos_token_id = None  # it would end an output of the maximal length
    for options, theirs_options in CASES:
        theirs = by_transformers(model, tokenizer, theirs_options, lines)
        compare(options, theirs_options, by_translate(arguments, options, text), theirs, lines)


if __name__ == "__main__":
    main()
