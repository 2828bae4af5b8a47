"""Writes a model as older versions of CTranslate2 wrote it, by their own code, and what CTranslate2 4 says about a text.

    transformer export --model RUN --format ctranslate2 -o MODEL
    PYTHON scripts/interoperability/make_ctranslate2_revisions.py write MODEL OUT [TYPE...]
    /tmp/peers/bin/python scripts/interoperability/make_ctranslate2_revisions.py results OUT SOURCE TARGET

The model of RUN needs `h: 8`, `layer_norm: pre`, `attention_bias: true`, `output_bias: true`, as many encoder as decoder
layers, and, since its table of positions is left out, `sinusoids: tensor2tensor` and `first_position: 1`. PYTHON is the
interpreter of the version that writes, which the revision of the specification follows from:

    revision 1   0.1 to 0.9    python3.8 with numpy and six; PYTHONPATH is `python/ctranslate2` in a checkout of v0.9.0
    revision 2   0.10 to 1.1   likewise; PYTHONPATH is `python` in a checkout of v1.1.0
    revision 3   1.2 to 2.11   python3.8 with ctranslate2==1.20.1
    revision 4   2.12 to 2.24  python3.8 with ctranslate2==2.24.0
    revision 5   3.0 to 3.2    python3.8 with ctranslate2==3.2.0
    revision 6   3.3 to 3.4    python3.8 with ctranslate2==3.4.0
    revision 7   3.5 and newer

OUT/REVISION-TYPE gets the model. `results` gives each of them the texts, one pair a line, and writes `scores.txt` and
`greedy.txt` beside it as make_ctranslate2.py does. Sources end with the end symbol where the model can say so, which is
from version 1.17 on.
"""

import importlib.util
import json
import pathlib
import shutil
import struct
import sys
import types

import numpy

TYPES = [numpy.float32, numpy.int8, numpy.int16, numpy.int32, numpy.float16]


def read_model(path):
    """The arrays of a `model.bin` of version 6, its aliases included."""
    data, position = path.read_bytes(), 0

    def number(code):
        nonlocal position
        position += struct.calcsize(code)
        return struct.unpack_from(code, data, position - struct.calcsize(code))[0]

    def name():
        nonlocal position
        size = number("<H")
        position += size
        return data[position - size : position - 1].decode()

    arrays = {}
    number("<I"), name(), number("<I")
    for _ in range(number("<I")):
        key = name()
        shape = [number("<I") for _ in range(number("B"))]
        kind, size = TYPES[number("B")], number("<I")
        arrays[key] = numpy.frombuffer(data[position : position + size], kind).reshape(shape)
        position += size
    for _ in range(number("<I")):
        alias = name()
        arrays[alias] = arrays[name()]
    return arrays


def fill(spec, arrays):
    """Sets the weights of a specification of any revision, whose constructor has set everything else."""
    for name, array in arrays.items():
        *scope, attribute = name.split("/")
        if attribute not in ("weight", "bias", "gamma", "beta"):
            continue
        layer = spec
        for part in scope:
            stem, _, index = part.rpartition("_")
            owner = getattr(layer, stem, None) if index.isdigit() else None
            layer = owner[int(index)] if isinstance(owner, list) else owner or getattr(layer, part)
        setattr(layer, attribute, array.copy())
    for stack in (spec.encoder, spec.decoder):
        if hasattr(stack.embeddings, "multiply_by_sqrt_depth") and not hasattr(stack, "scale_embeddings"):
            stack.embeddings.multiply_by_sqrt_depth = True  # as converters did when there was no other setting


def name_of_opennmt_tf(name):
    """The name of a variable in OpenNMT-tf 1, which the first revision keeps."""
    is_decoder = name.startswith("decoder")
    for theirs, old in [
        ("attention/linear_0/weight", "attention/conv1d/kernel"),
        ("embeddings_0/weight", "w_embs"),
        ("embeddings/weight", "w_embs"),
        ("self_attention", "masked_multi_head" if is_decoder else "multi_head"),
        ("/attention", "/multi_head"),
        ("linear_0", "conv1d"),
        ("linear_", "conv1d_"),
        ("layer_norm", "LayerNorm"),
        ("projection", "dense"),
        ("weight", "kernel"),
    ]:
        name = name.replace(theirs, old)
    return "transformer/" + name + ":0"


def write_first_revision(arrays, directory, quantization):
    """By `_serialize_variables` of tf2ctranslate.py, which needs TensorFlow for nothing else than the names' bytes."""
    tensorflow = types.SimpleNamespace(compat=types.SimpleNamespace(as_bytes=str.encode))
    sys.modules["tensorflow"] = tensorflow
    import tf2ctranslate

    kept = {name: array for name, array in arrays.items() if name.split("/")[-1] in ("weight", "bias", "gamma", "beta")}
    variables = {name_of_opennmt_tf(name): array.copy() for name, array in kept.items()}
    for name, array in variables.items():
        if "kernel" in name:  # [inputs, outputs], in convolutions of width 1 with a dimension of 1 before them
            variables[name] = array.T.copy() if "dense" in name else array.T[numpy.newaxis].copy()
    directory.mkdir(parents=True)
    tf2ctranslate._serialize_variables(str(directory), variables.keys(), variables.values(), quantization)


def write_by_converter(arrays, pieces, num_layers, directory, quantization):
    import ctranslate2

    def make_spec():
        specs = ctranslate2.specs
        if hasattr(specs.TransformerSpec, "from_config"):
            return specs.TransformerSpec.from_config(num_layers, 8)
        if not hasattr(specs, "common_spec"):  # revision 2, in which 8 heads follow from the name
            spec = object.__new__(specs.catalog.TransformerBase)
            specs.TransformerSpec.__init__(spec, num_layers)
            return spec
        return specs.TransformerSpec(num_layers, 8)

    class Converter(ctranslate2.converters.Converter):
        def _load(self, spec=None):
            is_given = spec is not None
            spec = spec or make_spec()
            fill(spec, arrays)
            if hasattr(spec, "config"):
                spec.config.add_source_eos = True
            elif hasattr(spec, "with_source_eos"):
                spec.with_source_eos = True
            if hasattr(spec, "register_source_vocabulary"):
                spec.register_source_vocabulary(pieces)
                spec.register_target_vocabulary(pieces)
            elif hasattr(spec, "register_vocabulary"):
                spec.register_vocabulary("source", pieces)
                spec.register_vocabulary("target", pieces)
            return (pieces, pieces) if is_given else spec

        def _save_vocabulary(self, vocabulary, path):
            pathlib.Path(path).write_text("".join(piece + "\n" for piece in vocabulary), encoding="utf-8")

    directory.parent.mkdir(parents=True, exist_ok=True)
    converter, options = Converter(), {"quantization": quantization, "force": True}
    spec = make_spec()
    is_old = not hasattr(spec, "register_source_vocabulary")
    converter.convert(str(directory), *([spec] if is_old else []), **options)


def write(model, out, kinds):
    model, out = pathlib.Path(model), pathlib.Path(out)
    arrays = read_model(model / "model.bin")
    pieces = json.loads((model / "shared_vocabulary.json").read_text(encoding="utf-8"))
    num_layers = len(
        [name for name in arrays if name.startswith("encoder/layer_") and name.endswith("ffn/layer_norm/beta")]
    )
    for kind in kinds or ["float32"]:
        written = out / "new"
        shutil.rmtree(written, ignore_errors=True)
        quantization = None if kind == "float32" else kind
        if importlib.util.find_spec("ctranslate2") is None:
            write_first_revision(arrays, written, quantization)
            revision = 1
            text = "".join(piece + "\n" for piece in pieces)
            for side in ("source", "target"):
                (written / f"{side}_vocabulary.txt").write_text(text, encoding="utf-8")
        else:
            write_by_converter(arrays, pieces, num_layers, written, quantization)
            data = (written / "model.bin").read_bytes()
            revision = struct.unpack_from("<I", data, 6 + struct.unpack_from("<H", data, 4)[0])[0]
        shutil.copy(model / "vocabulary.model", written / "sentencepiece.model")
        directory = out / f"{revision}-{kind}"
        shutil.rmtree(directory, ignore_errors=True)
        written.rename(directory)
        print(directory, sorted(path.name for path in directory.iterdir()))


def write_results(out, source, target):
    import ctranslate2
    import sentencepiece

    lines = [pathlib.Path(path).read_text(encoding="utf-8").splitlines() for path in (source, target)]
    for directory in sorted(path.parent for path in pathlib.Path(out).glob("*/model.bin")):
        processor = sentencepiece.SentencePieceProcessor(model_file=str(directory / "sentencepiece.model"))
        translator = ctranslate2.Translator(str(directory), compute_type="float32", inter_threads=1, intra_threads=1)
        sources, targets = (processor.encode(side, out_type=str) for side in lines)
        scores = translator.score_batch(sources, targets, max_batch_size=1)
        greedy = translator.translate_batch(sources, beam_size=1, max_decoding_length=40, max_batch_size=1)
        texts = {
            "scores": [f"{sum(score.log_probs):.6f}" for score in scores],
            "greedy": [processor.decode(result.hypotheses[0]) for result in greedy],
        }
        for name, found in texts.items():
            (directory / f"{name}.txt").write_text("".join(text + "\n" for text in found), encoding="utf-8")


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "write":
        write(arguments[0], arguments[1], arguments[2:])
    else:
        write_results(*arguments)
