"""Judges of text pairs from transformers checkpoints: NLI, AlignScore- or MiniCheck-like models.

Any sequence-classification checkpoint by path or hub id, in PyTorch. Which logit means what is
read from ``id2label`` of its configuration; a checkpoint that does not name its labels (MiniCheck
has LABEL_0 and LABEL_1) needs them said. Code that comes with a checkpoint is not run.

What this module does not do: checkpoints of other shapes (AlignScore's own ``.ckpt`` pickles,
HHEM's custom code, generative checkers), GPU settings, remembering judgements.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from averment.errors import ContextOverflow, MissingExtraError, ModelFileError, UsageError
from averment.models.nli import EXPECTED_LABELS, LabelOrder, label_order, length_batches
from averment.uq.records import Nli

_MOST_TOKENS = 512
"""Where neither tokenizer nor configuration says how long a pair may be."""


def open_transformers_nli(
    checkpoint: str | Path,
    *,
    labels: Sequence[str] | None = None,
    local_files_only: bool = False,
    max_tokens: int | None = None,
    batch_tokens: int = 4096,
) -> TransformersNli:
    """Load a checkpoint.

    Args:
        checkpoint: A directory, or ``owner/name`` on the hub.
        labels: What the logits mean, in order, where the checkpoint does not say so itself:
            ``("not_entailment", "entailment")``.
        local_files_only: Never connect; what is not on this machine is an error.
        max_tokens: Of premise, hypothesis and marks together; what the checkpoint says if None.
        batch_tokens: How many tokens, padding included, are computed at once.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        ModelFileError: There is no such checkpoint, or it cannot be loaded.
        UsageError: Its labels do not tell which logit is entailment.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtraError("Checkpoints of transformers", "transformers") from error
    source = str(checkpoint)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            source, local_files_only=local_files_only
        )
        model = transformers.AutoModelForSequenceClassification.from_pretrained(
            source, local_files_only=local_files_only
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        offline = " on this machine (nothing may be fetched)" if local_files_only else ""
        raise ModelFileError(
            f"The checkpoint {source!r} cannot be loaded{offline}: {error}"
        ) from error
    model.eval()
    return TransformersNli(
        model,
        tokenizer,
        torch=torch,
        name=source,
        labels=_labels_of(model.config, labels, source),
        max_tokens=max_tokens or _window_of(model.config, tokenizer),
        batch_tokens=batch_tokens,
    )


def _labels_of(config: Any, said: Sequence[str] | None, source: str) -> LabelOrder:
    named = [str(config.id2label[at]) for at in range(config.num_labels)]
    order = label_order(named if said is None else said)
    if order is None or order.n_logits != config.num_labels:
        raise UsageError(
            f"The checkpoint {source!r} has the labels {named}"
            f"{'' if said is None else f', and {list(said)} was said of them'}; {EXPECTED_LABELS}",
            hint='Say what they mean: labels=("not_entailment", "entailment").',
        )
    return order


def _window_of(config: Any, tokenizer: Any) -> int:
    # A tokenizer without a limit says 10**30; positions may begin behind the padding's own.
    positions = getattr(config, "max_position_embeddings", None) or _MOST_TOKENS
    offset = 2 if getattr(config, "model_type", "") in ("roberta", "xlm-roberta") else 0
    return min(int(tokenizer.model_max_length), int(positions) - offset)


class TransformersNli:
    """A loaded checkpoint; a `PairJudge`. Made by `open_transformers_nli`."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        torch: Any,
        name: str,
        labels: LabelOrder,
        max_tokens: int,
        batch_tokens: int,
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._torch = torch
        self._name = name
        self._labels = labels
        self._max_tokens = max_tokens
        self._batch_tokens = batch_tokens

    @property
    def name(self) -> str:
        """The path or the hub id."""
        return self._name

    @property
    def window_tokens(self) -> int:
        """Tokens of premise, hypothesis and marks together; what does not fit is not read."""
        return self._max_tokens

    def n_tokens(self, text: str) -> int:
        """The tokens of a text, without marks."""
        return len(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Nli]:
        """The judgement of each (premise, hypothesis); of a premise too long the end is not read.

        Raises:
            ContextOverflow: A hypothesis leaves no room for its premise.
        """
        if not pairs:
            return []
        lengths = [self.n_tokens(premise) + self.n_tokens(claim) for premise, claim in pairs]
        judgements: dict[int, Nli] = {}
        for batch in length_batches(lengths, self._batch_tokens):
            logits = self._logits([pairs[at] for at in batch])
            judgements.update(zip(batch, self._labels.judgements(logits), strict=True))
        return [judgements[at] for at in range(len(pairs))]

    def _logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
        room = self._max_tokens - self._tokenizer.num_special_tokens_to_add(pair=True)
        longest = max(self.n_tokens(claim) for _, claim in pairs)
        if longest >= room:
            raise ContextOverflow(
                f"A hypothesis of {longest} tokens does not fit into the {self._max_tokens} of "
                f"{self._name!r}.",
                hint="Judge it in pieces, as averment.faithfulness does.",
            )
        encoded = self._tokenizer(
            [premise for premise, _ in pairs],
            [claim for _, claim in pairs],
            truncation="only_first",
            max_length=self._max_tokens,
            padding=True,
            return_tensors="pt",
        )
        with self._torch.inference_mode():
            logits = self._model(**encoded).logits
        return logits.float().numpy().astype(np.float64)
