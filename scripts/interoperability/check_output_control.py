"""Compares what options of `translate` that control outputs do with what those of transformers and CTranslate2 do.

    /tmp/peers/bin/pip install transformers==5.24.0 ctranslate2==4.8.5 torch==2.11.0 sentencepiece sacremoses
    /tmp/peers/bin/python scripts/interoperability/make_huggingface.py OUT SOURCE TARGET trained
    build/release/transformer import OUT/trained -o OUT/trained.safetensors
    build/release/transformer export --model OUT/trained.safetensors --format ctranslate2 -o OUT/ctranslate2
    /tmp/peers/bin/python scripts/interoperability/check_output_control.py OUT/trained OUT/trained.safetensors SOURCE \
        --ctranslate2 OUT/ctranslate2

Prints one JSON object for each option and program: the options of both, and for how many of the lines of the text the
translations agree; with `different`, the first line for which they do not.
"""

import argparse
import json
import pathlib
import subprocess

import ctranslate2
import sentencepiece
import torch
from transformers import MarianMTModel, MarianTokenizer

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Options of `translate`, of transformers' `generate` and of CTranslate2's `translate_batch`; None: there is none.
CASES = [
    ([], {}, {}),
    (["--no-repeat-ngram", "1"], {"no_repeat_ngram_size": 1}, {"no_repeat_ngram_size": 1}),
    (["--no-repeat-ngram", "2"], {"no_repeat_ngram_size": 2}, {"no_repeat_ngram_size": 2}),
    (["--repetition-penalty", "1.5"], {"repetition_penalty": 1.5}, {"repetition_penalty": 1.5}),
    (["--min-length", "21"], {"min_new_tokens": 20}, {"min_decoding_length": 20}),
    (["--max-length", "6"], {"max_new_tokens": 6}, {"max_decoding_length": 6}),
    (["--coverage-penalty", "0.4"], None, {"coverage_penalty": 0.4}),
    (["--alternatives", "3"], None, {"return_alternatives": True, "num_hypotheses": 3}),
]


def by_translate(arguments, options, text):
    command = [arguments.transformer, "translate", "--model", arguments.model, "--beam-size", arguments.beam_size,
               "--max-extra-tokens", 50, "--format", "jsonl", "--device", "cpu", "--quiet", *options]
    result = subprocess.run(list(map(str, command)), check=True, input=text, stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in result.stdout.split("\n")[:-1]]
    return ["\n".join(one["text"] for one in line["translations"]) for line in lines]


def by_transformers(model, tokenizer, options, lines, beam_size):
    texts = []
    for line in lines:  # one by one, since padding is another question
        tokens = tokenizer([line], return_tensors="pt")
        limit = {"max_new_tokens": tokens["input_ids"].shape[1] + 49} | options
        with torch.no_grad():
            output = model.generate(**tokens, num_beams=beam_size, length_penalty=1.0, **limit)
        texts.append(tokenizer.decode(output[0], skip_special_tokens=True))
    return texts


def by_ctranslate2(translator, tokenizers, options, lines, beam_size):
    source, target = tokenizers
    texts = []
    for pieces in source.encode(lines, out_type=str):
        limit = {"max_decoding_length": len(pieces) + 50} | options
        [result] = translator.translate_batch([pieces], beam_size=beam_size, length_penalty=1, **limit)
        texts.append("\n".join(target.decode(hypothesis) for hypothesis in result.hypotheses))
    return texts


def compare(program, options, theirs_options, ours, theirs, lines):
    differ = [i for i in range(len(lines)) if ours[i] != theirs[i]]
    report = {"translate": " ".join(options), program: theirs_options, "same": len(lines) - len(differ),
              "lines": len(lines)}
    if differ:
        report["different"] = [lines[differ[0]], ours[differ[0]], theirs[differ[0]]]
    print(json.dumps(report, ensure_ascii=False), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="a MarianMT model, as save_pretrained writes it")
    parser.add_argument("model", help="what `import` has made of it")
    parser.add_argument("text", help="lines to translate")
    parser.add_argument("--ctranslate2", type=pathlib.Path, help="the model's export for CTranslate2")
    parser.add_argument("--transformer", default=ROOT / "build/release/transformer")
    parser.add_argument("--lines", type=int, default=200, help="number of lines, from the first one")
    parser.add_argument("--beam-size", type=int, default=4)
    arguments = parser.parse_args()

    with open(arguments.text, encoding="utf-8", newline="\n") as file:
        lines = [line for line in file.read().split("\n") if line.strip()][:arguments.lines]
    text = "".join(line + "\n" for line in lines)
    tokenizer = MarianTokenizer.from_pretrained(arguments.directory)
    model = MarianMTModel.from_pretrained(arguments.directory).eval()
    model.generation_config.max_length = None  # it would be a limit besides max_new_tokens
    model.generation_config.forced_eos_token_id = None  # it would end an output of the maximal length
    if arguments.ctranslate2:
        translator = ctranslate2.Translator(str(arguments.ctranslate2), device="cpu")
        pieces = [sentencepiece.SentencePieceProcessor(model_file=str(arguments.ctranslate2 / name))
                  for name in ("source_vocabulary.model", "vocabulary.model")]
    for options, for_transformers, for_ctranslate2 in CASES:
        if "--coverage-penalty" in options and arguments.beam_size == 1:
            continue  # it chooses among hypotheses
        ours = by_translate(arguments, options, text)
        if for_transformers is not None:
            theirs = by_transformers(model, tokenizer, for_transformers, lines, arguments.beam_size)
            compare("transformers", options, for_transformers, ours, theirs, lines)
        if arguments.ctranslate2:
            theirs = by_ctranslate2(translator, pieces, for_ctranslate2, lines, arguments.beam_size)
            compare("ctranslate2", options, for_ctranslate2, ours, theirs, lines)


if __name__ == "__main__":
    main()
