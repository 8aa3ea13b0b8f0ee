"""From the record of each question set to an example: which field says what.

Every function reads the original format, that of the hub, and those of collections that pass the
sets on (``golden_answers`` with ``metadata``; ``Question`` with a list under ``answer``). What this
module does not do: open files, or look anything up that a record does not say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from averment.corpus.records import Unusable
from averment.evaluation.dataset_fields import (
    checked_text,
    decoded,
    named_passages,
    passages,
    present,
    question_text,
    record_id,
    texts,
)
from averment.evaluation.dataset_files import Fields
from averment.evaluation.examples import AnswerKind, Example, GoldPassage

_YES_NO = frozenset({"yes", "no"})
_TRUTH = {"true": "yes", "yes": "yes", "false": "no", "no": "no"}


def multi_hop(record: Fields, name: str) -> Example:
    """HotpotQA and 2WikiMultihopQA, which share their format."""
    context = passages(record.get("context"))
    titles = _supporting_titles(record.get("supporting_facts"))
    return _example(
        record, name, _answers(record), context=context, gold=named_passages(context, titles)
    )


def musique(record: Fields, name: str) -> Example:
    """MuSiQue; of the full version, what cannot be answered from its paragraphs has no answer."""
    paragraphs = decoded(record.get("paragraphs"))
    answers = _answers(record) + texts(record.get("answer_aliases") or [], "answer_aliases")
    return _example(
        record,
        name,
        () if record.get("answerable") is False else answers,
        context=passages(paragraphs),
        gold=_supporting(paragraphs),
        has_unanswerable=True,
    )


def question_and_answer(record: Fields, name: str) -> Example:
    """Bamboogle and SimpleQA: a question and its answer, or a list of them."""
    return _example(record, name, _answers(record))


def strategyqa(record: Fields, name: str) -> Example:
    """StrategyQA; the passages are titles only, of all who sought evidence."""
    answer = present(record, "answer", "golden_answers")
    stated = texts(answer, "answer") if isinstance(answer, str | list) else (str(answer),)
    if len(stated) != 1 or stated[0].lower() not in _TRUTH:
        raise Unusable(f"'answer' is neither true nor false but {answer!r}")
    ids = _strings_in(record.get("evidence"))
    titles = (passage_id.rpartition("-")[0] for passage_id in ids)
    return _example(
        record,
        name,
        (_TRUTH[stated[0].lower()],),
        gold=named_passages((), (title for title in titles if title)),
    )


def pubmedqa(record: Fields, name: str) -> Example:
    """PubMedQA: the decision is the answer; the sections of the abstract are the passages."""
    inner = record.get("context")
    sections = inner.get("contexts") if isinstance(inner, Mapping) else record.get("CONTEXTS")
    decision = texts(present(record, "final_decision"), "final_decision")
    if len(decision) != 1 or decision[0] not in ("yes", "no", "maybe"):
        raise Unusable(f"'final_decision' is neither yes, no nor maybe but {decision}")
    context = tuple(GoldPassage("", text) for text in texts(sections or [], "CONTEXTS"))
    return _example(
        record, name, decision, context=context, gold=context, kind=AnswerKind.YES_NO_MAYBE
    )


def popqa(record: Fields, name: str) -> Example:
    """PopQA; passages where somebody added some, as paragraphs or as what a retriever returned."""
    paragraphs = decoded(record.get("paragraphs"))
    answers = decoded(present(record, "possible_answers", "golden_answers"))
    return _example(
        record,
        name,
        texts(answers, "possible_answers"),
        context=passages(paragraphs) + passages(record.get("retrieved")),
        gold=_supporting(paragraphs),
    )


def triviaqa(record: Fields, name: str) -> Example:
    """TriviaQA: the value of the answer, then its aliases."""
    answer = present(record, "Answer", "answer", "golden_answers")
    if isinstance(answer, Mapping):
        value = present(answer, "Value", "value")
        aliases = [
            *texts(answer.get("Aliases") or answer.get("aliases") or [], "Aliases"),
            *texts(answer.get("HumanAnswers") or [], "HumanAnswers"),
        ]
        answer = [value, *aliases]
    return _example(record, name, texts(answer, "Answer"))


def natural_questions(record: Fields, name: str) -> Example:
    """NQ-open, alone or with passages (``ctxs``, those with ``isgold`` being gold)."""
    contexts = decoded(record.get("ctxs"))
    listed = contexts if isinstance(contexts, list) else []
    gold = [each for each in listed if isinstance(each, Mapping) and each.get("isgold")]
    return _example(record, name, _answers(record), context=passages(contexts), gold=passages(gold))


def clapnq(record: Fields, name: str) -> Example:
    """CLAP NQ: long answers; empty ones where the passage does not answer."""
    outputs = record.get("output")
    if isinstance(outputs, list):
        found = [each.get("answer") if isinstance(each, Mapping) else each for each in outputs]
    else:
        found = decoded(present(record, "answers"))  # type: ignore[assignment]
    answers = texts(found, "answer")
    context = passages(record.get("passages"))
    return _example(
        record,
        name,
        answers,
        context=context,
        gold=context if answers else (),
        kind=AnswerKind.LONG,
        has_unanswerable=True,
    )


def timeqa(record: Fields, name: str) -> Example:
    """TimeQA; an empty target says that the page does not answer."""
    parts = passages(record.get("paragraphs"))
    page = record.get("page")
    title = unquote(checked_text(page, "page").removeprefix("/wiki/")) if page else ""
    gold = passages(record.get("gold_paragraphs")) or (
        (GoldPassage(title.replace("_", " ")),) if title else ()
    )
    answers = texts(present(record, "targets", "golden_answers"), "targets")
    return _example(
        record, name, answers, context=parts, gold=gold if answers else (), has_unanswerable=True
    )


def timeqa_questions(record: Fields) -> Iterator[Fields]:
    """The questions of an annotated page as records of their own; any other record as it is."""
    questions, paragraphs = record.get("questions"), record.get("paras")
    if not isinstance(questions, list) or not isinstance(paragraphs, list):
        yield record
        return
    page = str(record.get("link", ""))
    title = page.removeprefix("/wiki/").replace("_", " ")
    for number, asked in enumerate(questions):
        question, spans = asked if isinstance(asked, list) and len(asked) == 2 else (None, [])
        marks = [span for span in spans if isinstance(span, Mapping)]
        places = [mark["para"] for mark in marks if isinstance(mark.get("para"), int)]
        yield {
            "idx": f"{record.get('index', page)}#{number}",
            "question": question,
            "targets": [mark.get("answer") for mark in marks],
            "page": page,
            "paragraphs": [[title, text] for text in paragraphs],
            "gold_paragraphs": [
                [title, paragraphs[at]] for at in places if 0 <= at < len(paragraphs)
            ],
        }


# --- parts --------------------------------------------------------------------------------------


def _example(
    record: Fields,
    name: str,
    answers: tuple[str, ...],
    *,
    context: tuple[GoldPassage, ...] = (),
    gold: tuple[GoldPassage, ...] = (),
    kind: AnswerKind | None = None,
    has_unanswerable: bool = False,
) -> Example:
    if not answers and not has_unanswerable:
        raise Unusable("the answer is empty")
    is_yes_no = bool(answers) and {answer.lower() for answer in answers} <= _YES_NO
    return Example(
        id=record_id(record, name),
        question=question_text(record),
        answers=tuple(dict.fromkeys(answers)),
        kind=kind or (AnswerKind.YES_NO if is_yes_no else AnswerKind.SPAN),
        gold_passages=gold,
        context=context,
    )


def _answers(record: Fields) -> tuple[str, ...]:
    value = present(record, "golden_answers", "answers", "answer", "Answer")
    return texts(value, "answer")


def _supporting_titles(facts: object) -> Sequence[str]:
    facts = decoded(facts)
    if isinstance(facts, Mapping):
        return texts(facts.get("title") or [], "supporting_facts")
    if not isinstance(facts, list | None):
        raise Unusable(f"'supporting_facts' is no list but {type(facts).__name__}")
    if not all(isinstance(fact, list) and fact for fact in facts or ()):
        raise Unusable("'supporting_facts' holds something else than [title, sentence]")
    return texts([fact[0] for fact in facts or ()], "supporting_facts")


def _supporting(paragraphs: object) -> tuple[GoldPassage, ...]:
    listed = paragraphs if isinstance(paragraphs, list) else []
    marked = [each for each in listed if isinstance(each, Mapping) and each.get("is_supporting")]
    return passages(marked)


def _strings_in(value: object) -> Iterator[str]:
    """The texts in lists of lists, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _strings_in(inner)
