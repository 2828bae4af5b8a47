"""The options of translations, for editors and type checkers; docs/serving.md describes each."""
from __future__ import annotations

from typing import Literal, TypedDict

__all__ = ["Options"]


class Options(TypedDict, total=False):
    """The options of a call that translates, each with the default of `transformer translate`. To keep some in a
    variable: options: Options = {"beam_size": 4}, and translate(texts, **options)."""

    # The search.
    beam_size: int
    alpha: float
    length_penalty: Literal["gnmt", "average", "none"]
    max_extra_tokens: int
    trees: bool
    # The text.
    prefix: str | list[str] | list[str | None] | tuple[str | None, ...] | None  # of the only text, or of each
    tag: str  # such as "<2de>", put before each text that begins with none
    first_text: int
    split: Literal["lines", "sentences"]
    split_language: str
    protect: bool
    protect_regex: list[str] | tuple[str, ...]
    # Which translations, and what is told of them.
    nbest: int
    alternatives: int
    mbr: int
    mbr_metric: Literal["chrf", "bleu"]
    word_scores: bool
    alignment: bool
    word_probabilities: bool
    word_alignment: bool
    # What is demanded of them.
    replace_unknowns: bool
    no_repeat_ngram: int
    repetition_penalty: float
    min_length: int
    max_length: int
    coverage_penalty: float
    diversity: float
    forbid: list[str] | tuple[str, ...]
    terminology: dict[str, str]
    # Samples.
    sample: bool
    temperature: float
    top_k: int
    top_p: float
    seed: int
