"""Uses the Python package with a model file in every way that it has: translate_in_python.py MODEL TEXT EXPECTED, where
EXPECTED has the translation of each line of TEXT. Writes nothing if all is right."""
import asyncio
import concurrent.futures
import multiprocessing
import os
import sys

from transformer_mt import Model, Score, TransformerError, Translation, library_version


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


def main():
    path, text_file, expected_file = sys.argv[1:]
    texts, expected = read_lines(text_file), read_lines(expected_file)
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
        check_error(lambda: model.score(["ba"], []), "1 sources and 0 targets")

        check_error(lambda: model.translate("ba", beam_sise=4), "unknown option 'beam_sise'", "'beam_size'")
        check_error(lambda: model.translate("ba\nbe"), "text 1: has a line break")
        check_error(lambda: model.translate([1]), "expected a str, got int")
        check("forked" in use_after_fork(model), "fork")
    check_error(lambda: model.translate("ba"), "the model is closed")
    check_error(lambda: Model("missing.pt"), "missing.pt")
    check_error(lambda: Model(path, precision="int7"), "'precision'", "int7")

    for method in ("spawn", "fork"):  # after the model was used here, too
        with multiprocessing.get_context(method).Pool(2) as pool:
            for translated in pool.map(translate_in_process, [(path, texts)] * 2):
                check(translated == expected, method)


if __name__ == "__main__":
    main()
