"""Numbers for every token of a text, by an encoder in an ONNX file, on the CPU.

A model is a directory with ``model.onnx`` (inputs ``input_ids`` and ``attention_mask``, first
output one row of numbers a token) and ``card.json``, which says what the numbers mean to whoever
reads them, and what the files are::

    {"name": "some-extractor", "max_tokens": 256, "layout": {…},
     "sha256": {"model.onnx": "…", "tokenizer.json": "…"}}

The tokenizer may lie elsewhere, since several models share one vocabulary. Each text is computed by
itself: dynamically quantised weights scale their numbers by the largest of a batch, so that in
company a text would be read otherwise.

What this module does not do: know what the numbers mean (`averment.claims.distilled` does), split
texts, fetch files, use a GPU.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from averment.errors import ModelError, ModelFileError
from averment.models.onnx_texts import MODEL, TOKENIZER, OnnxTexts, file_digest, open_onnx_texts

_CARD = "card.json"


class TokenWord(NamedTuple):
    """A word as the tokenizer cuts it: code points of the text, and its first and last token."""

    start: int
    end: int
    first: int
    last: int


def words_of(encoding: Any) -> list[TokenWord]:
    """The words of an encoded text; marks such as ``[CLS]`` belong to none."""
    words: dict[int, TokenWord] = {}
    for at, (word, (start, end)) in enumerate(
        zip(encoding.word_ids, encoding.offsets, strict=True)
    ):
        if word is not None:
            known = words.get(word)
            words[word] = TokenWord(
                *((known.start, end, known.first, at) if known else (start, end, at, at))
            )
    return list(words.values())


def open_token_numbers(
    directory: Path, *, tokenizer: Path | None = None, n_threads: int = 1, purpose: str
) -> TokenNumbers:
    """Open the model of a directory; its files are hashed once.

    Args:
        directory: Holds the files of the module's description.
        tokenizer: The ``tokenizer.json``, if it is not in the directory.
        n_threads: Threads that compute.
        purpose: What the runtime is for, where it is missing.

    Raises:
        UsageError: The directory lacks a file.
        MissingExtraError: The runtime is not installed.
        ModelFileError: A file is not what the card says, or cannot be loaded.
    """
    vocabulary = tokenizer or directory / TOKENIZER
    card = _read_card(directory / _CARD)
    texts = open_onnx_texts(directory, n_threads=n_threads, purpose=purpose, tokenizer=vocabulary)
    for path in (directory / MODEL, vocabulary):
        if (found := file_digest(path)) != (expected := card["sha256"][path.name]):
            raise ModelFileError(
                f"{path} has the SHA-256 {found}; the card of the model says {expected}.",
                hint="Install averment anew.",
            )
    texts.tokenizer.enable_truncation(card["max_tokens"])
    return TokenNumbers(texts, card)


def _read_card(path: Path) -> Mapping[str, Any]:
    try:
        card: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        digests = card["sha256"]
        is_whole = isinstance(card["name"], str) and isinstance(card["max_tokens"], int)
        is_whole = is_whole and {MODEL, TOKENIZER} <= set(digests) and "layout" in card
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelFileError(
            f"{path} is no card of a model ({error!r}); expected name, max_tokens, layout and "
            "sha256 of both files.",
            hint="Install averment anew.",
        ) from error
    if not is_whole:
        raise ModelFileError(
            f"{path} is no whole card of a model; expected name, max_tokens, layout and sha256 of "
            "both files.",
            hint="Install averment anew.",
        )
    return card


class TokenNumbers:
    """A loaded model. Made by `open_token_numbers`. Safe to call from threads."""

    def __init__(self, texts: OnnxTexts, card: Mapping[str, Any]) -> None:
        self._texts = texts
        self._card = card

    @property
    def name(self) -> str:
        """The name on its card."""
        return str(self._card["name"])

    @property
    def layout(self) -> Mapping[str, Any]:
        """What the numbers mean, as the card says it."""
        layout: Mapping[str, Any] = self._card["layout"]
        return layout

    def read(self, text: str) -> tuple[list[TokenWord], npt.NDArray[np.float32]]:
        """The words of a text and the numbers of its tokens, shape (n_tokens, n_numbers).

        What stands behind the first ``max_tokens`` tokens is not read and has no words.

        Raises:
            ModelError: A number is none.
        """
        encoding = self._texts.tokenizer.encode(text)
        numbers = self._texts.first_output([encoding])[0]
        if not np.isfinite(numbers).all():
            raise ModelError("The model gave a number that is none; its file may be damaged.")
        return words_of(encoding), numbers
