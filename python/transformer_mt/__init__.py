"""Translates with models of the program `transformer`, through its C library.

    from transformer_mt import Model

    with Model("averaged.safetensors") as model:
        for translation in model.translate(["the third of May", "a table"], beam_size=4, nbest=2):
            print(translation.score, translation.text)

Threads may share a model, and their texts are searched together; while it translates, other Python threads run. A model
belongs to the process that loaded it: with multiprocessing, load it in each process.
"""
from __future__ import annotations

import asyncio
import collections
import contextlib
import ctypes
import dataclasses
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import sysconfig
import threading
import weakref
from typing import TYPE_CHECKING, Any, AsyncIterator, Iterable, Iterator, Mapping, Sequence, overload

from transformer_mt.options import Options

if TYPE_CHECKING:  # type checkers know it everywhere, Python's own typing from 3.11 on
    from typing_extensions import Unpack

__all__ = ["BusyError", "Model", "Options", "Score", "Translation", "TransformerError", "Word", "library_version", "train"]

_FAILED, _END, _TEXT, _WAITING = -1, 0, 1, 2
_WAIT_MILLISECONDS = 100  # after which Python sees signals, such as Ctrl-C
_BLOCK = 256  # texts of an iterator that are translated at once


class TransformerError(Exception):
    """A model cannot be loaded, or a text or an option cannot be used."""


class BusyError(TransformerError):
    """Translations with too many other combinations of options are running; the same call may succeed later."""


@dataclasses.dataclass(frozen=True)
class Word:
    """A word of a translation, and its probability."""

    text: str
    probability: float


@dataclasses.dataclass(frozen=True)
class Translation:
    """A translation of a text, with what its options asked for."""

    text: str
    score: float | None = None  # the log-probability divided by the length penalty; None with split or protect
    finish_reason: str = "stop"  # or "length", where it ends at the limit
    utility: float | None = None  # with mbr: the expected one, by which the translation was chosen
    log_prob: float | None = None  # in nats; this, and the next two: with word_scores
    pieces: list[str] | None = None
    piece_log_probs: list[float] | None = None
    alignment: list[list[int]] | None = None  # with alignment: pairs of a source piece and an output piece
    source_pieces: list[str] | None = None
    words: list[Word] | None = None  # with word_probabilities
    word_alignment: list[list[int]] | None = None  # with word_alignment: pairs of a source word and an output word
    unmet_terms: list[dict[str, str]] | None = None  # with terminology: "source" and "target" of those that it lacks
    alternatives: list[Translation] = dataclasses.field(default_factory=list)  # with nbest or alternatives: the others
    warnings: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Score:
    """log P(target | source) in nats, and over how many tokens, end symbol included, it is summed."""

    log_prob: float
    num_tokens: int


def _library_path() -> str:
    """The library that TRANSFORMER_LIBRARY names, that of the wheel, that of a build in this repository, or the one that
    the system finds."""
    named = os.environ.get("TRANSFORMER_LIBRARY")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in ("lib", os.path.join("..", "..", "build", "release")):
        library = os.path.join(here, folder, "libtransformer.so")
        if os.path.exists(library):
            return library
    return "libtransformer.so.1"


def _open_library() -> ctypes.CDLL:
    path = _library_path()
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        torch = importlib.util.find_spec("torch")
        if "libtorch" not in str(error) or torch is None or torch.origin is None:
            raise
        # It looks in the directory of this package only, and an environment made with --system-site-packages has two.
        ctypes.CDLL(os.path.join(os.path.dirname(torch.origin), "lib", "libtorch_cpu.so"))
        return ctypes.CDLL(path)


def _load_library() -> ctypes.CDLL:
    try:
        library = _open_library()
    except OSError as error:
        hint = ""
        if "torch" in sys.modules:
            hint = ("; torch was imported before, and must be of the version that the library was built with (see "
                    "cmake/torch_version.txt)")
        raise ImportError(f"libtransformer.so cannot be loaded: {error}; build the target transformer_library, or let "
                          f"TRANSFORMER_LIBRARY name it{hint}") from None
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    texts = ctypes.POINTER(ctypes.c_char_p)
    for name, result, arguments in [
        ("version", text, []),
        ("last_error", text, []),
        ("last_error_is_busy", ctypes.c_int, []),
        ("load", pointer, [text, text]),
        ("free_model", None, [pointer]),
        ("begin", pointer, [pointer, texts, size, text]),
        ("next", ctypes.c_int, [pointer, ctypes.c_int64, ctypes.POINTER(size)]),
        ("json", text, [pointer, size]),
        ("free_translation", None, [pointer]),
        ("score_pairs_with_options", ctypes.c_int, [pointer, texts, texts, size, text, ctypes.POINTER(ctypes.c_double),
                                                    ctypes.POINTER(ctypes.c_int64)]),
    ]:
        function = getattr(library, "transformer_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load_library()


def library_version() -> str:
    """The version of the C library."""
    return _library.transformer_version().decode()


__version__ = library_version()


def _error() -> TransformerError:
    message = _library.transformer_last_error().decode()
    return BusyError(message) if _library.transformer_last_error_is_busy() else TransformerError(message)


def _check_is_list(texts: Any) -> None:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"expected a list of texts, got a {type(texts).__name__}")


def _as_array(texts: Sequence[str]) -> ctypes.Array:
    """The texts without the line end that each may have, as lines of a file do."""
    encoded = []
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"expected a str, got {type(text).__name__}")
        if text.endswith("\n"):
            text = text[:-1].removesuffix("\r")
        # A lone surrogate cannot be encoded, and a NUL would end the text.
        encoded.append(text.encode("utf-8", "replace").replace(b"\0", b" "))
    return (ctypes.c_char_p * len(encoded))(*encoded)


def _as_json(options: Mapping[str, Any]) -> bytes:
    for name, value in options.items():
        try:
            json.dumps(value, allow_nan=False)
        except TypeError as error:
            raise TypeError(f"'{name}': {error}") from None
        except ValueError:
            raise ValueError(f"'{name}': must be finite, got {value}") from None
    return json.dumps(options).encode()


def _known(kind: type, answer: dict[str, Any]) -> dict[str, Any]:
    """The members of an answer that the dataclass has; a newer library may give others, too."""
    return {field.name: answer[field.name] for field in dataclasses.fields(kind) if field.name in answer}


def _as_translation(answer: dict[str, Any]) -> Translation:
    if "alternatives" in answer:
        answer["alternatives"] = [_as_translation(one) for one in answer["alternatives"]]
    if "words" in answer:
        answer["words"] = [Word(**_known(Word, word)) for word in answer["words"]]
    return Translation(**_known(Translation, answer))


class _Request:
    """The texts of a call while they are translated. Any thread may end it."""

    def __init__(self, model: int, texts: Sequence[str], options: Mapping[str, Any]):
        self._process = os.getpid()
        self._lock = threading.Lock()  # of the thread that waits for a text
        self._is_ended = False
        self._pointer: int | None = None
        pointer = _library.transformer_begin(model, _as_array(texts), len(texts), _as_json(options))
        if not pointer:
            raise _error()
        self._pointer = pointer

    def next(self) -> tuple[int, Translation] | None:
        """The next text that is done, with its number; None after the last one."""
        try:
            with self._lock:
                return self._next()
        finally:
            if self._is_ended:
                self.end()

    def _next(self) -> tuple[int, Translation] | None:
        index = ctypes.c_size_t()
        state = _WAITING
        while state == _WAITING:
            if self._is_ended:
                raise ValueError("the translation has ended, or its model is closed")
            state = _library.transformer_next(self._pointer, _WAIT_MILLISECONDS, ctypes.byref(index))
        if state == _FAILED:
            raise _error()
        if state == _END:
            return None
        return index.value, _as_translation(json.loads(_library.transformer_json(self._pointer, index)))

    def end(self, wait: bool = False) -> None:
        """Cancels what is not done. A thread that waits for a text gets an error soon, and frees the translation if
        this call does not wait for it."""
        if self._process != os.getpid():  # a lock of another thread would never be released here
            return
        self._is_ended = True
        if not self._lock.acquire(blocking=wait):
            return
        try:
            pointer, self._pointer = self._pointer, None
            if pointer:
                _library.transformer_free_translation(pointer)
        finally:
            self._lock.release()

    __del__ = end


def _in_order(done: Iterable[tuple[int, Translation]]) -> Iterator[Translation]:
    waiting: dict[int, Translation] = {}
    number = 0
    for index, translation in done:
        waiting[index] = translation
        while number in waiting:
            yield waiting.pop(number)
            number += 1


def _free_model(pointer: int, requests: weakref.WeakSet[_Request]) -> None:
    for request in list(requests):
        request.end(wait=True)
    _library.transformer_free_model(pointer)


class Model:
    """A model that translates. Any number of threads may use it."""

    def __init__(self, path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, device: str = "auto",
                 precision: str = "fp32", threads: int = 0, workers: int | None = None, batch_size: int = 64):
        """Loads a model file, checkpoint or run directory; several are an ensemble."""
        paths = [os.fspath(path)] if isinstance(path, (str, os.PathLike)) else [os.fspath(one) for one in path]
        if not paths:
            raise ValueError("no path of a model is given")
        options = {"device": device, "precision": precision, "threads": threads, "workers": workers,
                   "batch_size": batch_size, "ensemble": paths[1:]}
        self._users = threading.Condition()
        self._num_users = 0
        self._requests: weakref.WeakSet[_Request] = weakref.WeakSet()
        pointer = _library.transformer_load(os.fsencode(paths[0]), _as_json(options))
        if not pointer:
            raise _error()
        self._pointer: int | None = pointer
        # Also at the end of the program, where the threads of a translation that runs on would not survive.
        self._finalizer = weakref.finalize(self, _free_model, pointer, self._requests)

    def close(self) -> None:
        """Waits for the calls of other threads, ends streams that are not read to their end, and frees the model."""
        with self._users:
            self._pointer = None
            self._users.wait_for(lambda: self._num_users == 0)
        self._finalizer()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> str:
        raise TypeError("a model cannot be copied or pickled; load it where it is needed")

    @contextlib.contextmanager
    def _use(self) -> Iterator[int]:
        """The C library's model, which is not freed before the end of the block."""
        with self._users:
            if self._pointer is None:
                raise ValueError("the model is closed")
            self._num_users += 1
            pointer = self._pointer
        try:
            yield pointer
        finally:
            with self._users:
                self._num_users -= 1
                self._users.notify_all()

    def _begin(self, texts: Iterable[str], options: Mapping[str, Any]) -> _Request:
        _check_is_list(texts)
        with self._use() as model:
            request = _Request(model, list(texts), options)
            self._requests.add(request)
        return request

    def _next(self, request: _Request) -> tuple[int, Translation] | None:
        with self._use():
            return request.next()

    def stream(self, texts: Sequence[str], **options: Unpack[Options]) -> Iterator[tuple[int, Translation]]:
        """Yields each text's number and translation as soon as it is done, in any order."""
        return self._stream(self._begin(texts, options))

    def _stream(self, request: _Request) -> Iterator[tuple[int, Translation]]:
        try:
            while (done := self._next(request)) is not None:
                yield done
        finally:
            request.end()

    @overload
    def translate(self, texts: str, **options: Unpack[Options]) -> Translation: ...  # type: ignore[overload-overlap]
    @overload
    def translate(self, texts: Sequence[str], **options: Unpack[Options]) -> list[Translation]: ...

    def translate(self, texts, **options):
        """The translation of a text, or a list of those of several. The options are those of `transformer serve`."""
        if isinstance(texts, str):
            return self.translate([texts], **options)[0]
        with self._use():
            request = self._begin(texts, options)
            try:
                return list(_in_order(iter(request.next, None)))
            finally:
                request.end()

    def translate_all(self, texts: Iterable[str], **options: Unpack[Options]) -> Iterator[Translation]:
        """Yields the translations of any number of texts in their order, and reads a few hundred texts ahead. If an
        iterator of texts raises an exception, the texts before it are translated first."""
        _check_is_list(texts)
        return self._translate_all(iter(texts), options)

    def _translate_all(self, texts: Iterator[str], options: Mapping[str, Any]) -> Iterator[Translation]:
        requests = self._begin_blocks(texts, options)
        waiting: collections.deque[_Request] = collections.deque()
        failure: Exception | None = None
        is_at_end = False
        try:
            while waiting or not is_at_end:
                if is_at_end or len(waiting) == 2:  # the second one keeps the searches busy while the first one ends
                    yield from _in_order(self._stream(waiting[0]))
                    waiting.popleft()
                    continue
                try:
                    waiting.append(next(requests))
                except StopIteration:
                    is_at_end = True
                except Exception as error:  # raised after the translations of the texts before
                    is_at_end, failure = True, error
            if failure is not None:
                raise failure
        finally:
            for request in waiting:
                request.end()

    def _begin_blocks(self, texts: Iterator[str], options: Mapping[str, Any]) -> Iterator[_Request]:
        """Begins to translate the texts, block by block."""
        prefixes, first_text = options.get("prefix"), options.get("first_text", 0)
        num_begun = 0
        is_last = False
        failure: Exception | None = None
        while not is_last:
            block: list[str] = []
            try:
                for text in itertools.islice(texts, _BLOCK):
                    block.append(text)
            except Exception as error:
                failure = error
            is_last = len(block) < _BLOCK
            prefix = prefixes
            if isinstance(prefixes, (list, tuple)):
                prefix = prefixes[num_begun:None if is_last else num_begun + _BLOCK]
            yield self._begin(block, {**options, "prefix": prefix, "first_text": first_text + num_begun})
            num_begun += len(block)
        if failure is not None:
            raise failure

    @overload
    async def translate_async(self, texts: str, **options: Unpack[Options]) -> Translation: ...  # type: ignore[overload-overlap]
    @overload
    async def translate_async(self, texts: Sequence[str], **options: Unpack[Options]) -> list[Translation]: ...

    async def translate_async(self, texts, **options):
        """As `translate`, without blocking the event loop."""
        if isinstance(texts, str):
            return (await self.translate_async([texts], **options))[0]
        done = {index: translation async for index, translation in self.stream_async(texts, **options)}
        return [done[index] for index in range(len(done))]

    async def stream_async(self, texts: Sequence[str],
                           **options: Unpack[Options]) -> AsyncIterator[tuple[int, Translation]]:
        """As `stream`, without blocking the event loop."""
        run = asyncio.get_running_loop().run_in_executor
        request = await run(None, self._begin, texts, options)
        try:
            while (done := await run(None, self._next, request)) is not None:
                yield done
        finally:
            request.end()

    @overload
    def score(self, sources: str, targets: str, *, tag: str | None = None) -> Score: ...  # type: ignore[overload-overlap]
    @overload
    def score(self, sources: Sequence[str], targets: Sequence[str], *, tag: str | None = None) -> list[Score]: ...

    def score(self, sources, targets, *, tag=None):
        """The Score of a pair of texts, or a list of those of several pairs; a tag, such as "<2de>", is put before each
        source that begins with none. The first call loads the model again, in fp32."""
        if isinstance(sources, str) and isinstance(targets, str):
            return self.score([sources], [targets], tag=tag)[0]
        _check_is_list(sources)
        _check_is_list(targets)
        if len(sources) != len(targets):
            raise ValueError(f"{len(sources)} sources and {len(targets)} targets; give as many of both")
        log_probs = (ctypes.c_double * len(sources))()
        num_tokens = (ctypes.c_int64 * len(sources))()
        options = None if tag is None else _as_json({"tag": tag})
        with self._use() as model:
            status = _library.transformer_score_pairs_with_options(
                model, _as_array(sources), _as_array(targets), len(sources), options, log_probs, num_tokens)
            if status != 0:
                raise _error()
        return [Score(log_prob, count) for log_prob, count in zip(log_probs, num_tokens)]


def _program() -> str:
    """The program of a build in this repository, that of the environment, or the one that the shell would find."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (os.path.join(here, "..", "..", "build", "release"), sysconfig.get_path("scripts")):
        program = os.path.join(folder, "transformer")
        if os.path.exists(program):
            return program
    return "transformer"


def train(config: str | os.PathLike[str], settings: Mapping[str, Any] | None = None, *, overwrite: bool = False) -> None:
    """Trains as `transformer train` does, in a process of its own, whose messages go to sys.stderr; `settings` are those
    of --set, such as {"training.train_steps": 100}. Called again, it resumes the run. Ctrl-C stops with a checkpoint."""
    command = [_program(), "train", "--config", os.fspath(config)]
    for key, value in (settings or {}).items():
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        command += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value, default=os.fspath)}"]
    if overwrite:
        command.append("--overwrite")
    message = ""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace") as process:
        for line in process.stderr:
            sys.stderr.write(line)
            if line.startswith("error: "):
                message = line.removeprefix("error: ")
            elif message and line.startswith(" "):  # of an error that lists several
                message += line
    if process.returncode != 0:
        raise TransformerError(message.rstrip() or f"transformer train ended with status {process.returncode}")
