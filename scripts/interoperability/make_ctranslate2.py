"""Converts models to CTranslate2 in each of its types, and writes what CTranslate2 says about a text.

    /tmp/peers/bin/pip install ctranslate2==4.8.5 transformers==5.24.0 torch==2.11.0 sentencepiece pyyaml
    /tmp/peers/bin/python scripts/interoperability/make_ctranslate2.py OUT huggingface|marian MODEL [TYPE...]

MODEL is a directory of make_huggingface.py or make_marian.py. OUT/TYPE gets the converted model with its SentencePiece
models, `source.txt`, `target.txt`, `scores.txt`, `greedy.txt` and `beam.txt` as make_huggingface.py writes them,
computed in fp32.
"""

import pathlib
import shutil
import sys

import ctranslate2
import numpy
import sentencepiece

TYPES = ["float32", "float16", "bfloat16", "int16", "int8", "int8_float32", "int8_float16", "int8_bfloat16"]


def convert(program, model, directory, quantization):
    if program == "huggingface":
        converter = ctranslate2.converters.TransformersConverter(str(model))
        names = ["source.spm", "target.spm"]
    else:
        # The converter expects one NUL behind the options in a model file, and Marian writes several.
        arrays = dict(numpy.load(model / "model.npz"))
        options = arrays["special:model.yml"]
        arrays["special:model.yml"] = numpy.append(numpy.trim_zeros(options, "b"), numpy.int8(0))
        cleaned, vocabulary = directory.parent / "model.npz", directory.parent / "vocab.yml"
        numpy.savez(cleaned, **arrays)
        processor = sentencepiece.SentencePieceProcessor(model_file=str(model / "vocab.spm"))
        pieces = [processor.id_to_piece(i) for i in range(processor.get_piece_size())]
        vocabulary.write_text("".join(f'"{quoted(piece)}": {i}\n' for i, piece in enumerate(pieces)), encoding="utf-8")
        converter = ctranslate2.converters.MarianConverter(str(cleaned), [str(vocabulary)] * 2)
        names = ["vocab.spm"]
    converter.convert(str(directory), quantization=None if quantization == "float32" else quantization, force=True)
    for name in names:
        shutil.copy(model / name, directory / name)


def quoted(piece):
    return piece.replace("\\", "\\\\").replace('"', '\\"')


def pieces_of(processor, line):
    language = []
    if line.startswith(">>") and "<<" in line:
        end = line.index("<<") + 2
        language, line = [line[:end]], line[end:]
    return language + processor.encode(line, out_type=str)


def write_results(program, model, directory):
    spm = ["source.spm", "target.spm"] if program == "huggingface" else ["vocab.spm"] * 2
    source, target = (sentencepiece.SentencePieceProcessor(model_file=str(directory / name)) for name in spm)
    lines = [(model / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("source", "target")]
    translator = ctranslate2.Translator(str(directory), compute_type="float32", inter_threads=1, intra_threads=1)
    # A model from transformers expects the end symbol from the caller.
    end = ["</s>"] if program == "huggingface" else []
    sources = [pieces_of(source, line) + end for line in lines[0]]
    targets = [target.encode(line, out_type=str) for line in lines[1]]
    scores = translator.score_batch(sources, targets, max_batch_size=1)
    greedy = translator.translate_batch(sources, beam_size=1, max_decoding_length=40, max_batch_size=1)
    beam = translator.translate_batch(sources, beam_size=4, max_decoding_length=256, max_batch_size=1)
    texts = {
        "source": lines[0],
        "target": lines[1],
        "scores": [f"{sum(score.log_probs):.6f}" for score in scores],
        "greedy": [target.decode(result.hypotheses[0]) for result in greedy],
        "beam": [target.decode(result.hypotheses[0]) for result in beam],
    }
    for name, found in texts.items():
        (directory / f"{name}.txt").write_text("".join(text + "\n" for text in found), encoding="utf-8")


if __name__ == "__main__":
    out, program, model, *types = sys.argv[1:]
    for quantization in types or TYPES:
        directory = pathlib.Path(out) / quantization
        directory.parent.mkdir(parents=True, exist_ok=True)
        convert(program, pathlib.Path(model), directory, quantization)
        write_results(program, pathlib.Path(model), directory)
