"""Judges of text pairs in ONNX files: what a premise does to a hypothesis, on the CPU.

A model is a directory of three files: ``model.onnx`` (inputs ``input_ids``, ``attention_mask`` and,
if it has it, ``token_type_ids``; output one row of logits a pair), ``tokenizer.json``, and
``card.json``, which says what the other two are::

    {"name": "some-nli", "classes": ["entailment", "neutral", "contradiction"],
     "max_tokens": 384, "window_words": 160, "sha256": {"model.onnx": "…", "tokenizer.json": "…"}}

`classes` name the logits in their order; see `LabelOrder` for models of two classes or of one.
`window_words`, which may be missing, is the length of the premises that it was trained on; `joint`,
which may be missing too, holds the weights by which `averment.faithfulness.joint` puts its
judgement and the words of both texts together.

Each pair is computed by itself unless a batch is asked for. A model of dynamically quantised
weights scales its numbers by the largest of a batch, so that in company a pair would get another
judgement; and on one thread, batches are no faster.

What this module does not do: cut long texts into chunks (`averment.faithfulness`; a premise that
does not fit is truncated here), remember judgements, fetch files, use a GPU.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from averment.errors import ContextOverflow, ModelError, ModelFileError
from averment.models.onnx_texts import (
    MODEL,
    TOKENIZER,
    OnnxTexts,
    file_digest,
    open_onnx_texts,
)
from averment.uq.records import Nli

_CARD = "card.json"
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """Which logit is which class; -1 where the model has no such class.

    `negative` is the logit of "anything but entailment" of a model of two classes. A model of one
    class has one logit, whose sigmoid is the entailment.
    """

    entailment: int
    neutral: int = -1
    contradiction: int = -1
    negative: int = -1

    @property
    def n_logits(self) -> int:
        """How many logits a pair has."""
        places = (self.entailment, self.neutral, self.contradiction, self.negative)
        return sum(place >= 0 for place in places)

    def judgements(self, logits: npt.NDArray[np.float64]) -> list[Nli]:
        """What the logits of some pairs say.

        Args:
            logits: Shape (n_pairs, n_logits).

        Raises:
            ModelError: A logit is not a number.
        """
        if not np.isfinite(logits).all():
            raise ModelError("The model gave a logit that is no number; its file may be damaged.")
        if self.n_logits == 1:
            logits = np.hstack((logits, np.zeros_like(logits)))
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
        if self.contradiction < 0:
            return [Nli(p, 1.0 - p, 0.0) for p in shares[:, self.entailment].tolist()]
        order = [self.entailment, self.neutral, self.contradiction]
        return [Nli(*row) for row in shares[:, order].tolist()]


def label_order(labels: Sequence[str]) -> LabelOrder | None:
    """The order that label names tell; None if they cannot be told apart.

    Known are the names of three classes (entailment, neutral, contradiction), of two (entailment
    or supported, and their negation) and of one; case and endings do not matter.
    """
    kinds = [_kind_of(label) for label in labels]
    places = {kind: at for at, kind in enumerate(kinds)}
    if len(places) != len(kinds) or "" in places:
        return None
    if set(places) not in (
        {"entailment", "neutral", "contradiction"},
        {"entailment", "negative"},
        {"entailment"},
    ):
        return None
    return LabelOrder(**places)


def _kind_of(label: str) -> str:
    name = label.lower()
    if "neutral" in name or "not enough" in name:
        return "neutral"
    if any(part in name for part in ("not", "non", "un", "hallucinat", "inconsistent")):
        return "negative"
    if any(part in name for part in ("entail", "support", "align", "consistent", "faithful")):
        return "entailment"
    return "contradiction" if "contradict" in name or "refut" in name else ""


# --- opening ------------------------------------------------------------------------------------


def open_shipped_nli(*, n_threads: int = 1) -> OnnxNli:
    """The faithfulness model that comes with averment.

    Args:
        n_threads: Threads that compute.

    Raises:
        MissingExtraError: The runtime is not installed.
        ModelFileError: This installation has no model, or a damaged one.
    """
    directory = resources.files("averment") / "faithfulness" / "model"
    with resources.as_file(directory) as path:
        return open_nli(path, n_threads=n_threads)


def open_nli(directory: Path, *, n_threads: int = 1, batch_tokens: int = 1) -> OnnxNli:
    """Open the model of a directory; its files are hashed once.

    Args:
        directory: Holds the three files of the module's description.
        n_threads: Threads that compute.
        batch_tokens: How many tokens, padding included, are computed at once. One pair alone may
            have more; 1 means each pair alone.

    Raises:
        MissingExtraError: The runtime is not installed.
        ModelFileError: A file is missing, is not what the card says, or cannot be loaded.
    """
    card = _read_card(directory)
    texts = open_onnx_texts(directory, n_threads=n_threads, purpose="Faithfulness models")
    texts.tokenizer.enable_truncation(card.max_tokens, strategy="only_first")
    return OnnxNli(texts, card=card, batch_tokens=batch_tokens)


@dataclass(frozen=True, slots=True)
class Card:
    """What ``card.json`` says; `digest` is the SHA-256 of ``model.onnx``."""

    name: str
    labels: LabelOrder
    max_tokens: int
    window_words: int | None
    joint: Mapping[str, float] | None
    digest: str


def _read_card(directory: Path) -> Card:
    path = directory / _CARD
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelFileError(
            f"{path} cannot be read: {error}.", hint=f"A model is {MODEL}, {TOKENIZER}, {_CARD}."
        ) from error
    try:
        name, max_tokens = str(made["name"]), int(made["max_tokens"])
        digests: Mapping[str, str] = made["sha256"]
        window_words = int(made["window_words"]) if "window_words" in made else None
        joint = {str(k): float(v) for k, v in made["joint"].items()} if "joint" in made else None
        order = label_order([str(label) for label in made["classes"]])
        expected = {file: digests[file] for file in (MODEL, TOKENIZER)}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            f"{path} is no card of a model ({error!r}); expected name, classes, max_tokens and "
            "sha256 of both files."
        ) from error
    if order is None:
        raise ModelFileError(f"{path} has the classes {made['classes']}; {EXPECTED_LABELS}")
    for file, digest in expected.items():
        _verify(directory / file, digest)
    return Card(name, order, max_tokens, window_words, joint, expected[MODEL])


EXPECTED_LABELS = (
    "expected the names of entailment, neutral and contradiction in the order of the logits, or of "
    "entailment and not_entailment, or of entailment alone."
)


def _verify(path: Path, expected: str) -> None:
    found = file_digest(path)
    if found != expected:
        raise ModelFileError(
            f"{path} has the SHA-256 {found}; its card says {expected}.",
            hint="Install averment anew, or fetch the model again.",
        )


# --- judging ------------------------------------------------------------------------------------


class OnnxNli:
    """A loaded model; a `PairJudge`. Made by `open_nli`. Safe to call from threads."""

    def __init__(self, texts: OnnxTexts, *, card: Card, batch_tokens: int) -> None:
        self._texts = texts
        self._card = card
        self._batch_tokens = batch_tokens

    @property
    def name(self) -> str:
        """The name on its card."""
        return self._card.name

    @property
    def identity(self) -> str:
        """Name and digest: what judgements depend on besides the texts."""
        return f"{self._card.name} {self._card.digest}"

    @property
    def window_tokens(self) -> int:
        """Tokens of premise, hypothesis and marks together; what does not fit is not read."""
        return self._card.max_tokens

    @property
    def window_words(self) -> int | None:
        """How long the premises were that it was trained on; None if its card does not say."""
        return self._card.window_words

    @property
    def joint(self) -> Mapping[str, float] | None:
        """Weights for its judgement beside lexical alignment; None if its card has none."""
        return self._card.joint

    def n_tokens(self, text: str) -> int:
        """The tokens of a text, without marks; as many as the window of one that is longer."""
        return len(self._texts.tokenizer.encode(text, add_special_tokens=False).ids)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        """The judgement of each (premise, hypothesis); of a premise too long the end is not read.

        Raises:
            ContextOverflow: A hypothesis leaves no room for its premise.
        """
        encodings = self._encode(pairs)
        judgements: dict[int, Nli] = {}
        for batch in length_batches([len(each.ids) for each in encodings], self._batch_tokens):
            logits = self._logits([encodings[at] for at in batch])
            judgements.update(zip(batch, self._card.labels.judgements(logits), strict=True))
        return [judgements[at] for at in range(len(pairs))]

    def _encode(self, pairs: Sequence[tuple[str, str]]) -> list[Any]:
        try:
            encodings: list[Any] = self._texts.tokenizer.encode_batch(list(pairs))
        except Exception as error:  # the library raises bare ones
            longest = max((hypothesis for _, hypothesis in pairs), key=len)
            raise ContextOverflow(
                f"A hypothesis does not fit into the {self.window_tokens} tokens of {self.name!r}: "
                f"{longest[:_SHOWN_CHARACTERS]!r}…",
                hint="Judge it in pieces, as averment.faithfulness does.",
            ) from error
        return encodings

    def _logits(self, encodings: Sequence[Any]) -> npt.NDArray[np.float64]:
        logits = self._texts.first_output(encodings).astype(np.float64)
        expected = (len(encodings), self._card.labels.n_logits)
        if logits.shape != expected:
            raise ModelFileError(
                f"The model {self.name!r} gave logits of shape {logits.shape}, but its card has "
                f"classes for {expected}."
            )
        return logits


def length_batches(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """Rows of like length together, padding included in the tokens; the shortest first."""
    batch: list[int] = []
    for at in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if batch and (len(batch) + 1) * lengths[at] > most_tokens:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch
