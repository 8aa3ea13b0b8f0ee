"""`averment.open_engine`: index, model, policy and scoring put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.dating import AsOf
from averment.engine import Answered, Edges, Engine, Unanswered
from averment.index.embedded import EmbeddedIndex
from averment.index.infinigram.index import InfiniGramIndex
from averment.policies.loop import SentenceLoop, Weighing
from averment.ports import CorpusIndex, FaithfulnessScorer, LanguageModel, Retriever
from averment.settings import Settings, resolve_settings
from averment.wiring.aliases import open_aliases, widened
from averment.wiring.auditing import Auditor, open_auditor
from averment.wiring.corpus import open_index
from averment.wiring.foreign import AnyIndex
from averment.wiring.looking_back import looked_back
from averment.wiring.models import open_extractor, open_model
from averment.wiring.observing import open_spans
from averment.wiring.policies import counts_by_aliases, make_policy, with_cutoff
from averment.wiring.retrievers import open_retriever
from averment.wiring.scores import make_scoring, open_faithfulness

if TYPE_CHECKING:
    from averment.scoring.flow import Scoring


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
        if isinstance(index, EmbeddedIndex | InfiniGramIndex)
        else open_index(
            resolved.index, damaged_segments=resolved.damaged_segments, settings=resolved
        )
    )
    opened, as_of = looked_back(opened, resolved)
    parameters = with_cutoff(resolved.policy, resolved, policy_parameters or {})
    rule = make_policy(resolved.policy, opened.info, parameters)
    by_aliases = resolved.aliases and counts_by_aliases(resolved.policy, parameters)
    retriever = open_retriever(opened, resolved)
    held = ExitStack()
    with ExitStack() as stack:
        if (auditor := open_auditor(resolved)) is not None:
            stack.enter_context(auditor)
        if isinstance(model, str | None):
            own_model = open_model(resolved)
            stack.enter_context(own_model)
            model = own_model
        engine = engine_of(
            rule,
            opened,
            retriever,
            model,
            resolved,
            by_aliases=by_aliases,
            auditor=auditor,
            as_of=as_of,
            on_close=held.close,
        )
        held.push(stack.pop_all())
    return engine


def engine_of(
    rule: SentenceLoop,
    index: AnyIndex,
    retriever: Retriever,
    model: LanguageModel,
    settings: Settings,
    *,
    by_aliases: bool,
    scorer: FaithfulnessScorer | None = None,
    auditor: Auditor | None = None,
    as_of: AsOf | None = None,
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
        auditor: Records what is answered; None: nobody does.
        as_of: Up to when the index looks back; None: it has all documents.
        on_close: Gives back what was opened for this engine.
    """
    extractor = open_extractor(settings, model, index_language=index.language)
    spans = open_spans(settings)
    counted: CorpusIndex = index
    if by_aliases:
        counted = widened(index, open_aliases(settings, index))
    scoring: Scoring | None = None
    if settings.scores:
        scorer = scorer or open_faithfulness(settings, model)
        window_words = getattr(rule.trigger, "window_words", 0)
        scoring = make_scoring(
            settings,
            scorer,
            index=index,
            model=model,
            writes=True,
            window_words=window_words,
            weighs=isinstance(rule.trigger, Weighing),
        )
    judge = scorer if settings.scores else None
    edges = Edges(counted, retriever, model, extractor, judge, as_of)
    told: list[Callable[[Answered | Unanswered], None]] = []
    if auditor is not None:
        from averment.wiring.audited import AnswerRecorder

        told.append(
            AnswerRecorder(
                auditor, policy=rule, scoring=scoring, index=counted.info, model=model.info
            )
        )
    if spans is not None:
        told.append(spans.answered)

    def on_result(result: Answered | Unanswered) -> None:
        for tell in told:
            tell(result)

    return Engine(rule, edges, scoring=scoring, on_result=on_result, on_close=on_close)
