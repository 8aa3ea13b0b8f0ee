"""`averment.check`: a text that is already there, held against what is given."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.claims.aliases.book import AliasBook
from averment.corpus.passages import whole_sections
from averment.dating import AsOf
from averment.engine import Edges, Missing, carry_out
from averment.errors import AvermentError, UsageError
from averment.languages import ENGLISH
from averment.policies.quco import QuCo
from averment.ports import CorpusIndex, FaithfulnessScorer, LanguageModel, Retriever
from averment.settings import Settings, resolve_settings
from averment.trace import Record
from averment.types import Document, Passage, Question, Report
from averment.wiring.aliases import explained, open_aliases, widened
from averment.wiring.auditing import open_auditor
from averment.wiring.corpus import open_index
from averment.wiring.foreign import AnyIndex
from averment.wiring.looking_back import looked_back
from averment.wiring.models import open_extractor, open_model
from averment.wiring.observing import open_spans
from averment.wiring.policies import make_policy
from averment.wiring.retrievers import has_passages, open_retriever
from averment.wiring.scores import make_scoring, open_faithfulness

if TYPE_CHECKING:
    from averment.checking import TextCheck
    from averment.wiring.audited import Checked

_PASSAGES_A_CLAIM = 3


def check(
    text: str,
    question: str | None = None,
    contexts: Sequence[str | Document] = (),
    index: AnyIndex | str | Path | None = None,
    model: LanguageModel | str | None = None,
    *,
    atomic: bool = False,
    **settings: Any,
) -> Report:
    """Check a text claim by claim, against passages, the corpus, or both.

    Args:
        text: Any text.
        question: What it answers, if that is known.
        contexts: What its claims are held against. Without any, and with an index of documents,
            passages are retrieved for each claim.
        index: An open index or its directory; None: there is no corpus.
        model: Re-scores the words of the text; an open model or its name; None: nobody does.
        atomic: A claim is one fact of a sentence, and not the sentence.
        **settings: Any field of `Settings`, `faithfulness` and `calibrator` above all.

    Raises:
        UsageError: A setting, path or name that cannot be used.
        CalibrationError: The calibrator is of other scores.
    """
    named = {**settings, "model": model if isinstance(model, str) else None}
    resolved = resolve_settings(**named)
    opened = (
        open_index(index, damaged_segments=resolved.damaged_segments, settings=resolved)
        if isinstance(index, (str, Path))
        else index
    )
    as_of: AsOf | None = None
    if opened is not None:
        opened, as_of = looked_back(opened, resolved)
    elif settings.get("as_of") is not None:
        raise UsageError(
            "--as-of looks back at the documents of an index, and there is none here.",
            hint="Name one: --index DIR",
        )
    with ExitStack() as stack:
        if (auditor := open_auditor(resolved)) is not None:
            stack.enter_context(auditor)
        if isinstance(model, str):
            own_model = open_model(resolved)
            stack.enter_context(own_model)
            model = own_model
        scorer = open_faithfulness(resolved, model)
        rule = make_check(resolved, scorer, index=opened, model=model, atomic=atomic, as_of=as_of)
        checked = check_opened(
            text,
            question,
            contexts,
            rule=rule,
            scorer=scorer,
            index=opened,
            model=model,
            settings=resolved,
        )
        if auditor is not None:
            from averment.wiring.audited import record_check

            record_check(auditor, checked)
        return checked.report


def make_check(
    settings: Settings,
    scorer: FaithfulnessScorer,
    *,
    index: AnyIndex | None,
    model: Any = None,
    atomic: bool = False,
    as_of: AsOf | None = None,
) -> TextCheck:
    """How texts are checked with what is open; made once for any number of them.

    Args:
        settings: Name the calibrator, and what is promised.
        scorer: Who judges faithfulness.
        index: An open index, or None.
        model: An open model that re-scores, or None.
        atomic: A claim is one fact of a sentence.
        as_of: Up to when the index looks back; None: it has all documents.

    Raises:
        UsageError, CalibrationError: As `make_scoring`.
    """
    from averment.checking import TextCheck

    counting = None if index is None else _counting(index)
    window_words = counting.window_words if counting else 0
    scoring = make_scoring(
        settings, scorer, index=index, model=model, writes=False, window_words=window_words
    )
    n_passages = _PASSAGES_A_CLAIM if index is not None and has_passages(index) else 0
    return TextCheck(scoring, counting, n_passages, atomic, as_of)


def check_opened(
    text: str,
    question: str | None,
    contexts: Sequence[str | Document],
    *,
    rule: TextCheck,
    scorer: FaithfulnessScorer,
    index: AnyIndex | None,
    model: Any,
    settings: Settings,
    retriever: Retriever | None = None,
    aliases: AliasBook | None = None,
) -> Checked:
    """As `check`, with an index and a model that are open; nothing is recorded.

    Args:
        text: Any text.
        question: What it answers, if that is known.
        contexts: What its claims are held against; empty: passages of the index.
        rule: Of `make_check`, with the same judge, index and model.
        scorer: A judge that is open.
        index: An open index, or None.
        model: An open model that re-scores, or None.
        settings: How names are counted, and by whom claims are found.
        retriever: One over the index that is open; None: as the settings say.
        aliases: Those of `open_aliases`, if they have been read.
    """
    from averment.wiring.audited import Checked

    passages = [
        passage
        for number, given in enumerate(contexts, start=1)
        for passage in _whole_context(number, given)
    ]
    counted: CorpusIndex | None = index
    if index is not None and settings.aliases:
        texts = [Passage("text", "text", "", text, 0, len(text)), *passages]
        book = aliases or open_aliases(settings, index)
        counted = widened(index, explained(book, texts))
    searched = index if rule.n_passages else None
    writer = model or _missing("a language model", "Name one: --model NAME")
    edges = Edges(
        index=counted or _missing("a corpus index", "Name one: --index DIR"),
        retriever=(
            retriever or open_retriever(searched, settings)
            if searched
            else _missing("passages", "")
        ),
        model=writer,
        extractor=open_extractor(
            settings, writer, index_language=index.language if index is not None else ENGLISH
        ),
        faithfulness=scorer,
    )
    asked = None if question is None else Question("question", question)

    flow = rule.run(text, asked, passages)
    spans = open_spans(settings)
    records: list[Record] = []
    began_ns = time.time_ns()
    try:
        report = carry_out(flow, edges, records.append)
    except AvermentError as error:
        if spans is not None:
            spans.checked(text, error, records, began_ns)
        raise
    if spans is not None:
        spans.checked(text, report, records, began_ns)
    return Checked(
        report,
        rule,
        asked,
        tuple(passages),
        tuple(records),
        index=None if index is None else index.info,
        model=None if model is None else model.info,
    )


def is_index_meant(settings: Settings) -> bool:
    """Whether a text is held against an index: one that was named, or that is there."""
    return "index" in settings.model_fields_set or settings.index.exists()


def _counting(index: AnyIndex) -> QuCo:
    """Claims are held against the corpus as the policy does while it answers."""
    trigger = make_policy("quco", index.info).trigger
    assert isinstance(trigger, QuCo)
    return trigger


def _missing(what: str, hint: str) -> Any:
    return Missing(what, hint=hint)


def _whole_context(number: int, given: str | Document) -> list[Passage]:
    """All of a text; of a document that has sections, each of them, so that they can be cited."""
    document = given if isinstance(given, Document) else Document(f"context {number}", given)
    if document.layout is not None:
        return whole_sections(document)
    name = document.document_id
    text, date = document.text, document.date
    return [Passage(name, name, document.title, text, 0, len(text), date=date)]
