"""Uses the Python package with a model file in every way that it has: translate_in_python.py MODEL TEXT EXPECTED
PARAGRAPHS JOINED, where EXPECTED has the translation of each line of TEXT, and JOINED that of each line of PARAGRAPHS,
sentence by sentence. Writes nothing if all is right."""
import asyncio
import concurrent.futures
import copy
import math
import multiprocessing
import os
import re
import subprocess
import sys
from typing import Literal, get_args, get_origin, get_type_hints

from transformer_mt import BusyError, Model, Options, Score, TransformerError, Translation, library_version

# Every option with a value, and what it needs.
OPTIONS = {"alignment": True, "alpha": 0.5, "alternatives": 2, "beam_size": 5, "coverage_penalty": 0.2,
           "diversity": 0.5, "first_text": 3, "forbid": ["zz"], "length_penalty": "average", "max_extra_tokens": 5,
           "max_length": 9, "mbr": 4, "mbr_metric": "bleu", "min_length": 2, "nbest": 2, "no_repeat_ngram": 2,
           "prefix": "ba", "protect": True, "protect_regex": ["[0-9]+"], "repetition_penalty": 1.5,
           "replace_unknowns": True, "sample": True, "seed": 2**64 - 1, "split": "sentences", "split_language": "de",
           "tag": "ba", "temperature": 2, "terminology": {"ba": "ba"}, "top_k": 3, "top_p": 0.5, "trees": False,
           "word_alignment": True, "word_probabilities": True, "word_scores": True}
NEEDS = {"mbr_metric": {"mbr": 4}, "split_language": {"split": "sentences"},
         **dict.fromkeys(["seed", "temperature", "top_k", "top_p"], {"sample": True})}
LONG = {"beam_size": 16, "alpha": 100, "max_extra_tokens": 200}  # with this penalty the longest translations are best

# Ends while two streams are unfinished, one of them in a thread that nobody waits for.
UNFINISHED = """
import sys, threading
from transformer_mt import Model
model = Model(sys.argv[1], device="cpu", threads=2)
begun = threading.Event()
def read():
    for _ in model.stream(["ba be bi bo bu"] * 1000, beam_size=16, alpha=100, max_extra_tokens=200):
        begun.set()
threading.excepthook = lambda _: None
threading.Thread(target=read, daemon=True).start()
stream = model.stream(["ba be"] * 1000)
next(stream)
begun.wait()
"""


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def check(condition, what):
    if not condition:
        raise SystemExit(f"wrong: {what}")


def check_error(work, *parts):
    try:
        work()
    except (TransformerError, TypeError, ValueError) as error:
        for part in parts:
            check(part in str(error), f"'{error}' has no '{part}'")
    else:
        check(False, f"no error with {parts}")


def translate_in_process(arguments):
    path, texts = arguments
    with Model(path, device="cpu", threads=1) as model:
        return [translation.text for translation in model.translate(texts)]


def use_after_fork(model):
    """What a child gets that uses the parent's model."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            model.translate("ba")
            message = "no error"
        except TransformerError as error:
            message = str(error)
        os.write(writer, message.encode())
        del model
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        message = file.read()
    os.waitpid(child, 0)
    return message


async def check_asyncio(model, texts, expected):
    halves = await asyncio.gather(model.translate_async(texts[::2]), model.translate_async(texts[1::2]))
    check([one.text for one in halves[0]] == expected[::2], "translate_async")
    check([one.text for one in halves[1]] == expected[1::2], "translate_async")
    streamed = {index: one.text async for index, one in model.stream_async(texts)}
    check([streamed[i] for i in range(len(texts))] == expected, "stream_async")

    async def read_stream():
        async for _ in model.stream_async(texts * 100, **LONG):
            pass
    for work in (read_stream(), model.translate_async(texts * 100, **LONG)):
        try:
            await asyncio.wait_for(work, 0.1)
            check(False, "no timeout")
        except asyncio.TimeoutError:
            pass


def accepted_by(hint):
    """How the library's messages call what an option of this type accepts."""
    if get_origin(hint) is Literal:
        *names, last = get_args(hint)
        return f"{', '.join(names)} or {last}, got"
    return {bool: "true or false", int: "a whole number from", float: "a number from", str: "a string",
            list[str] | tuple[str, ...]: "a list of strings", dict[str, str]: "an object whose values are strings"}[hint]


def check_types(model, text):
    """The types of the options are those of the library."""
    types = get_type_hints(Options)
    check(types.keys() == OPTIONS.keys(), f"types of options: {types.keys() ^ OPTIONS.keys()}")
    for name, hint in types.items():
        if name != "prefix":  # for which None is allowed
            check_error(lambda: model.translate(text, **{name: None}), f"'{name}': must be {accepted_by(hint)}")


def check_options(model, text):
    try:
        model.translate(text, unknown=1)
    except TransformerError as error:
        names = set(re.findall("[a-z_]+", str(error).split("there are")[1])) - {"and"}
    check(names == OPTIONS.keys(), f"options: {names ^ OPTIONS.keys()}")
    for name, value in OPTIONS.items():
        check(isinstance(model.translate(text, **NEEDS.get(name, {}), **{name: value}), Translation), name)
    best = model.translate(text, mbr=4, nbest=2)
    check(best.utility >= best.alternatives[0].utility, "utility")
    check(model.translate(text, prefix=None) == model.translate(text), "no prefix")
    check(model.translate("be bi", tag="ba") == model.translate("ba be bi"), "tag")
    check_error(lambda: model.translate(text, tag="<2de>"), "'tag' <2de>: the model has no tags")
    check_error(lambda: model.translate(text, prefix=1), "'prefix': expected a string or a list")
    check_error(lambda: model.translate(text, prefix="ba\nba"), "prefix 1: has a line break")
    check_error(lambda: model.translate(text, alpha=math.nan), "'alpha': must be finite, got nan")
    check_error(lambda: model.translate(text, beam_size=object()), "'beam_size': ")
    check_error(lambda: model.translate(text, sample=True, seed=2**64), "'seed': must be", "to 18446744073709551615")


def check_sentences(model, paragraphs, joined):
    translations = model.translate(paragraphs, split="sentences")
    check([one.text for one in translations] == joined, "sentences")
    check([one.text for one in model.translate_all(paragraphs, split="sentences")] == joined, "sentences of blocks")
    check(all(one.score is None for one in translations), "scores of joined sentences")
    check(dict(model.stream(paragraphs, split="sentences")) == dict(enumerate(translations)), "stream of sentences")
    check("{name}" in model.translate("ba be {name} du do", protect=True).text, "protect")
    check_error(lambda: model.translate(paragraphs, split="sentences", nbest=2), "leave out 'nbest'")
    check_error(lambda: model.translate(paragraphs, split_language="de"), "'split_language': needs 'split' sentences")


def check_blocks(model, texts):
    """translate_all gives what one request gives, in however many it asks."""
    many = (texts * 600)[:600]
    sampled = model.translate(many, sample=True, seed=3)
    check(list(model.translate_all(many, sample=True, seed=3)) == sampled, "samples of blocks")
    check(model.translate(many[300:], sample=True, seed=3, first_text=300) == sampled[300:], "first_text")
    prefixes = [None] * 300 + ["ba"] * 300
    check(list(model.translate_all(many, prefix=prefixes)) == model.translate(many, prefix=prefixes), "prefixes")
    check_error(lambda: list(model.translate_all(many, prefix=prefixes + [None])), "'prefix': has ")

    def failing():
        yield from many[:300]
        raise ValueError("no more")
    translated = []
    check_error(lambda: translated.extend(model.translate_all(failing())), "no more")
    check(translated == model.translate(many[:300]), "texts before an exception")
    check([one.text for one in model.translate_all([texts[0] + "\n", texts[0] + "\r\n"])] ==
          [model.translate(texts[0]).text] * 2, "line ends")


def check_busy(model, texts):
    # Neither the seed nor the greatest length is a combination.
    streams = [model.stream(texts * 10, sample=True, seed=seed, max_length=20 + seed) for seed in range(12)]
    streams += [model.stream(texts * 10, alternatives=2, max_extra_tokens=20 + i) for i in range(7)]
    for stream in streams:
        next(stream)
    try:
        model.translate(texts[0], max_extra_tokens=9)
        check(False, "not busy")
    except BusyError as error:
        check("8 other combinations" in str(error), "busy")
    for stream in streams:
        stream.close()


def check_close(path, texts):
    with Model(path, device="cpu", threads=1) as model:
        stream, all_texts = model.stream(texts * 100), model.translate_all(texts * 100)
        for _ in zip(range(3), stream, all_texts):
            pass
    check_error(lambda: next(stream), "the model is closed")
    check_error(lambda: list(all_texts), "the model is closed")


def check_end(path):
    ended = subprocess.run([sys.executable, "-c", UNFINISHED, path], stderr=subprocess.PIPE, timeout=60)
    check(ended.returncode == 0 and not ended.stderr, f"unfinished: {ended}")


def main():
    path = sys.argv[1]
    texts, expected, paragraphs, joined = (read_lines(file) for file in sys.argv[2:])
    check(library_version().count(".") == 2, "version")
    with Model(path, device="cpu", threads=2) as model:
        check([one.text for one in model.translate(texts)] == expected, "translate")
        one = model.translate(texts[0])
        check(isinstance(one, Translation) and one.text == expected[0] and one.score < 0, "translate one")
        told = model.translate(texts[0], word_probabilities=True, word_alignment=True, terminology={"no such": "ba"})
        check([word.text for word in told.words] == told.text.split(" "), "words")
        check(all(0 < word.probability <= 1 for word in told.words), "probabilities of words")
        check(len(told.word_alignment) > 0 and told.unmet_terms is None, "word alignment")
        word = told.words[0].text
        check(word not in model.translate(texts[0], forbid=[word]).text.split(" "), "forbid")
        check(model.translate(texts[0], terminology={texts[0].split(" ")[0]: word}).unmet_terms == [], "terminology")
        best = model.translate(texts[0], beam_size=5, nbest=3, word_scores=True, alignment=True)
        check(len(best.alternatives) == 2 and best.alternatives[0].score <= best.score, "alternatives")
        check(len(best.pieces) == len(best.piece_log_probs), "pieces")
        check(best.alignment[0] == [0, 0] and len(best.source_pieces) > 1, "alignment")
        check([one.text for one in model.translate_all(iter(texts * 7))] == expected * 7, "translate_all")
        check({i: one.text for i, one in model.stream(texts)} == dict(enumerate(expected)), "stream")
        next(model.stream(texts * 100))  # and the others are cancelled
        check(model.translate([]) == [] and list(model.translate_all([])) == [], "no text")
        check(model.translate(["ba\0be", "\ud800"])[0].text != "", "NUL")
        asyncio.run(check_asyncio(model, texts, expected))

        with concurrent.futures.ThreadPoolExecutor(8) as executor:
            for future in [executor.submit(model.translate, texts) for _ in range(16)]:
                check([one.text for one in future.result()] == expected, "threads")

        score = model.score(texts[0], expected[0])
        check(isinstance(score, Score) and abs(score.log_prob - best.log_prob) < 1e-3, "score")
        check(score.num_tokens == len(best.pieces), "tokens")
        check(model.score(texts[:3], expected[:3])[0].num_tokens == score.num_tokens, "scores")
        tagged = model.score(["be bi", "ba be bi"], ["ba", "ba"], tag="ba")
        check(all(abs(one.log_prob - model.score("ba be bi", "ba").log_prob) < 1e-4 for one in tagged), "tag of scores")
        check(model.score("be bi", "ba", tag="ba").num_tokens == tagged[0].num_tokens, "tag of a score")
        check_error(lambda: model.score("ba", "ba", tag="<2de>"), "'tag' <2de>: the model has no tags")
        check_error(lambda: model.score("ba", "ba", tag=2), "'tag': must be a string, got 2")
        check_error(lambda: model.score(["ba"], []), "1 sources and 0 targets")
        check_error(lambda: model.score(["ba", "be"], ["ba", "ba\nbe"]), "targets:2: has a line break")
        check_error(lambda: model.score(["ba", "ba " * 3000], ["ba", "be"]), "sources:2: has more than")
        check_error(lambda: model.score(["ba", "be"], "ba"), "expected a list of texts, got a str")
        check_options(model, texts[0])
        check_types(model, texts[0])
        check_sentences(model, paragraphs, joined)
        check_blocks(model, texts)
        check_busy(model, texts)

        check_error(lambda: model.translate("ba", beam_sise=4), "unknown option 'beam_sise'", "'beam_size'")
        check_error(lambda: model.translate("ba\nbe"), "text 1: has a line break")
        check_error(lambda: model.translate([1]), "expected a str, got int")
        for method in (model.stream, model.translate_all):
            check_error(lambda: method("ba"), "expected a list of texts, got a str")
        check_error(lambda: copy.copy(model), "cannot be copied")
        check("forked" in use_after_fork(model), "fork")
    check_error(lambda: model.translate("ba"), "the model is closed")
    check_close(path, texts)
    check_end(path)
    check_error(lambda: Model("missing.pt"), "missing.pt")
    check_error(lambda: Model(path, precision="int7"), "'precision'", "int7")

    for method in ("spawn", "fork"):  # after the model was used here, too
        with multiprocessing.get_context(method).Pool(2) as pool:
            for translated in pool.map(translate_in_process, [(path, texts)] * 2):
                check(translated == expected, method)


if __name__ == "__main__":
    main()
