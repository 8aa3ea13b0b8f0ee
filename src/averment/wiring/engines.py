"""`averment.open_engine`: index, model, policy and scoring put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from averment.engine import Edges, Engine
from averment.index.embedded import EmbeddedIndex
from averment.policies.loop import SentenceLoop
from averment.ports import CorpusIndex, FaithfulnessScorer, LanguageModel, Retriever
from averment.settings import Settings, resolve_settings
from averment.wiring.aliases import open_aliases, widened
from averment.wiring.corpus import open_index
from averment.wiring.models import open_extractor, open_model
from averment.wiring.observing import open_spans
from averment.wiring.policies import counts_by_aliases, make_policy
from averment.wiring.retrievers import open_retriever
from averment.wiring.scores import make_scoring, open_faithfulness


def open_engine(
    index: CorpusIndex | str | Path | None = None,
    model: LanguageModel | str | None = None,
    policy: str | None = None,
    policy_parameters: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Engine:
    """An engine that answers questions. Close it, or use it in a ``with`` block.

    Args:
        index: An open index or its directory; None: as the settings say.
        model: An open model, a registry name, a .gguf path, or a server's model name.
        policy: A preset: see `policy_names`.
        policy_parameters: Parameters of the preset, by name, that are to be otherwise.
        **settings: Any field of `Settings`.

    Raises:
        NotAnIndexError, IndexFormatError: No usable index there.
        MissingExtraError, ModelFileError: No usable local model.
        UnknownNameError: No such policy, or no such parameter of it.
        UsageError: The index has not what the retriever needs.
    """
    named: dict[str, Any] = dict(settings)
    if isinstance(index, (str, Path)):
        named["index"] = Path(index)
    if isinstance(model, str):
        named["model"] = model
    resolved = resolve_settings(policy=policy, **named)
    opened = (
        index
        if isinstance(index, EmbeddedIndex)
        else open_index(resolved.index, damaged_segments=resolved.damaged_segments)
    )
    parameters = policy_parameters or {}
    rule = make_policy(resolved.policy, opened.info, parameters)
    by_aliases = resolved.aliases and counts_by_aliases(resolved.policy, parameters)
    retriever = open_retriever(opened, resolved)
    if model is not None and not isinstance(model, str):
        return engine_of(rule, opened, retriever, model, resolved, by_aliases=by_aliases)
    own = open_model(resolved)
    try:
        return engine_of(
            rule, opened, retriever, own, resolved, by_aliases=by_aliases, on_close=own.close
        )
    except BaseException:
        own.close()
        raise


def engine_of(
    rule: SentenceLoop,
    index: EmbeddedIndex,
    retriever: Retriever,
    model: LanguageModel,
    settings: Settings,
    *,
    by_aliases: bool,
    scorer: FaithfulnessScorer | None = None,
    on_close: Callable[[], None] | None = None,
) -> Engine:
    """An engine made of what is open.

    Args:
        rule: The policy that `settings.policy` names.
        index: An open index.
        retriever: Over the passages of that index.
        model: An open model.
        settings: How claims are found, counted and scored.
        by_aliases: Names are counted by all their forms.
        scorer: A judge of faithfulness that is open; None: the one that the settings name.
        on_close: Gives back what was opened for this engine.
    """
    extractor = open_extractor(settings, model)
    spans = open_spans(settings)
    told = None if spans is None else spans.answered
    counted: CorpusIndex = index
    if by_aliases:
        counted = widened(index, open_aliases(settings, index))
    if not settings.scores:
        edges = Edges(counted, retriever, model, extractor)
        return Engine(rule, edges, on_close=on_close, on_result=told)
    scorer = scorer or open_faithfulness(settings, model)
    window_words = getattr(rule.trigger, "window_words", 0)
    scoring = make_scoring(
        settings, scorer, index=index, model=model, writes=True, window_words=window_words
    )
    edges = Edges(counted, retriever, model, extractor, scorer)
    return Engine(rule, edges, scoring=scoring, on_close=on_close, on_result=told)
