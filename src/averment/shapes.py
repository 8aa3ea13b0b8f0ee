"""The JSON objects that outsiders rely on, made from our values.

Fields are added, never renamed. A score that is missing is ``null`` and its name is a key of
``reasons``; NaN and infinity never leave. Offsets are code points of ``draft``, which is
``answer`` unless the verdict is ``abstained`` or claims are withheld.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.dating import Period
from averment.errors import AvermentError
from averment.outcomes import best_evidence, outcome_reason
from averment.places import Placed, cited
from averment.promises import ASSUMPTIONS
from averment.scoring.withholding import is_withheld
from averment.trace import to_plain
from averment.types import (
    Answer,
    Check,
    Claim,
    Cooccurrence,
    CorpusInfo,
    Count,
    Occurrence,
    Passage,
    RelationCheck,
    Report,
    Scores,
    SurfaceForm,
    TriggeredRetrieval,
)

if TYPE_CHECKING:  # so that an answer is shown without numpy
    from averment.index.times import ByPeriod, Seen


def answer_object(answer: Answer) -> dict[str, Any]:
    """What ``ask --json`` prints."""
    kind, best = outcome_reason(answer), best_evidence(answer)
    return {
        "question": answer.question.text,
        "answer": answer.text,
        "draft": answer.draft,
        "final_answer": answer.final_answer,
        "verdict": answer.verdict.value,
        "reason": answer.reason,
        "outcome_reason": None if kind is None else kind.value,
        "best_evidence": None if best is None else _evidence_object(best),
        "claims": [claim_object(claim) for claim in answer.claims],
        "retrievals": [_retrieval_object(made) for made in answer.retrievals],
        "usage": to_plain(answer.cost),
        "policy": answer.policy,
        "model": answer.model,
        "estimators_used": estimators_used(answer.scores),
        "made_with": _made_with(answer.scores) if answer.scores else None,
        "notes": list(answer.scores.notes) if answer.scores else [],
        "promise": promise_object(answer.scores),
        "costs": costs_object(answer.scores),
        "as_of": to_plain(answer.as_of),
        "trace_id": answer.trace_id,
    }


def report_object(report: Report) -> dict[str, Any]:
    """What ``check --json`` prints."""
    return {
        "question": None if report.question is None else report.question.text,
        "answer": report.text,
        "claims": [claim_object(claim) for claim in report.claims],
        "passages": [_passage_object(passage) for passage in report.passages],
        "skipped": [
            {"text": report.text[start:end], "start": start, "end": end, "reason": reason}
            for start, end, reason in report.skipped
        ],
        "estimators_used": estimators_used(report.scores),
        "made_with": _made_with(report.scores),
        "calibrated": report.calibrated,
        "notes": list(report.scores.notes),
        "promise": promise_object(report.scores),
        "costs": costs_object(report.scores),
        "as_of": to_plain(report.as_of),
    }


def promise_object(scores: Scores | None) -> dict[str, Any] | None:
    """What is promised of the error of what is given, and on which assumptions; null: nothing."""
    if scores is None or scores.promise is None:
        return None
    return {**to_plain(scores.promise), "assumptions": ASSUMPTIONS}


def costs_object(scores: Scores | None) -> dict[str, Any] | None:
    """What was weighed; null: nothing."""
    return None if scores is None else to_plain(scores.costs)


def estimators_used(scores: Scores | None) -> list[str]:
    """The names of everything that the scores came from."""
    return list(scores.estimators_used) if scores else []


def _made_with(scores: Scores) -> dict[str, str]:
    """What a calibrator for these scores has to be fitted on."""
    return {
        "uf": scores.uf_estimator,
        "uu": scores.uu_estimator,
        "faithfulness": scores.faithfulness_scorer,
        "model": scores.model,
    }


def claim_object(claim: Claim) -> dict[str, Any]:
    """A claim with its support, its counts, and every score it has or lacks."""
    return {
        "text": claim.text,
        "start": claim.start,
        "end": claim.end,
        "sentence": claim.sentence,
        "triplets": [to_plain(triplet) for triplet in claim.triplets],
        "support": claim.support.value,
        "p_faithful": claim.p_faithful,
        "p_true_if_faithful": claim.p_true_if_faithful,
        "p_true_if_unfaithful": claim.p_true_if_unfaithful,
        "p_true": claim.p_true,
        "calibrated": claim.calibrated,
        "score": claim.score,
        "uf": claim.uf,
        "uu": claim.uu,
        "features": dict(claim.features),
        "verdict": claim.verdict.value,
        "withheld": is_withheld(claim),
        "reasons": dict(claim.reasons),
        "weighed": [to_plain(one) for one in claim.weighed],
        "evidence": [_evidence_object(passage) for passage in claim.evidence],
        "age": to_plain(claim.age),
        "counts": {"pairs": [_check_object(check) for check in claim.checks]},
    }


def counts_object(
    phrases: Sequence[str], counts: Sequence[Count], info: CorpusInfo
) -> dict[str, Any]:
    """What ``index count --json`` prints."""
    rows = [count_object(phrase, c) for phrase, c in zip(phrases, counts, strict=True)]
    return {"counts": rows, "normalization": info.text_form, "index": info.name}


def count_object(phrase: str, count: Count) -> dict[str, Any]:
    """A count; with the forms that were counted together, where there were several."""
    made: dict[str, Any] = {
        "phrase": phrase,
        "count": count.value,
        "documents": count.documents,
        "kind": count.kind.value,
    }
    if count.reason is not None:
        made["reason"] = count.reason
    return made | {"forms": forms_list(count.forms)} if count.forms else made


def counts_by_period_object(
    phrases: Sequence[str], found: Sequence[ByPeriod[Count]], by: Period, info: CorpusInfo
) -> dict[str, Any]:
    """What ``index count --by --json`` prints: counts of each period, and what has no place."""
    rows = [
        {
            "phrase": phrase,
            "periods": [
                {"period": each.period, "of_documents": each.n_documents}
                | _without_phrase(count_object(phrase, each.found))
                for each in one.periods
            ],
            "undated": _without_phrase(count_object(phrase, one.undated)),
            "vague_documents": one.vague_documents,
        }
        for phrase, one in zip(phrases, found, strict=True)
    ]
    named = {"normalization": info.text_form, "index": info.name}
    return {"by": by.value, "counts": rows, **named}


def _without_phrase(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("phrase", "forms")}


def cooccurrence_by_period_object(
    a: str, b: str, found: ByPeriod[Cooccurrence], by: Period, *, window_words: int
) -> dict[str, Any]:
    """What ``index cooccur --by --json`` prints."""
    return {
        "a": a,
        "b": b,
        "window_words": window_words,
        "by": by.value,
        "periods": [
            {"period": each.period, "of_documents": each.n_documents, **_pair_counts(each.found)}
            for each in found.periods
        ],
        "undated": _pair_counts(found.undated),
        "vague_documents": found.vague_documents,
    }


def seen_object(
    phrase: str, other: str | None, found: Seen, *, window_words: int | None
) -> dict[str, Any]:
    """What ``index first-seen --json`` prints; a phrase alone has no other."""
    return {"phrase": phrase, "other": other, "window_words": window_words, **to_plain(found)}


def forms_list(forms: Sequence[SurfaceForm]) -> list[dict[str, str]]:
    """The forms of a name, each with who says so."""
    return [{"form": form.text, "source": form.source} for form in forms]


def cooccurrence_object(
    a: str,
    b: str,
    found: Cooccurrence,
    *,
    window_words: int,
    occurrences: Sequence[Occurrence],
) -> dict[str, Any]:
    """What ``index cooccur --json`` prints."""
    return {
        "a": a,
        "b": b,
        "window_words": window_words,
        **_pair_counts(found),
        **_pair_forms(found, "a", "b"),
        "occurrences": [occurrence_object(occurrence) for occurrence in occurrences],
    }


def occurrence_object(occurrence: Occurrence) -> dict[str, Any]:
    """Where something occurs; a snippet that is missing says why."""
    made: dict[str, Any] = {
        "document_id": occurrence.document_id,
        "start": occurrence.start,
        "end": occurrence.end,
        "snippet": occurrence.snippet,
        **place_object(occurrence),
    }
    if occurrence.snippet is None:
        made["reasons"] = dict.fromkeys(("start", "end", "snippet"), "no_document_text")
    return made


def error_object(error: AvermentError) -> dict[str, Any]:
    """What a failure prints on stderr with ``--json``."""
    return {
        "error": {
            "kind": type(error).__name__,
            "message": error.message,
            "hint": error.hint,
        }
    }


def _pair_counts(found: Cooccurrence) -> dict[str, Any]:
    made = {
        "exists": found.exists,
        "documents": found.documents,
        "pairs": found.pairs,
        "nearest_words": found.nearest_words,
        "kind": found.kind.value,
    }
    return made if found.reason is None else made | {"reason": found.reason}


def _pair_forms(found: Cooccurrence, a: str, b: str) -> dict[str, Any]:
    """The forms of both ends, where there were several."""
    if not (found.a_forms or found.b_forms):  # most pairs, of which there are many
        return {}
    named = {f"{a}_forms": found.a_forms, f"{b}_forms": found.b_forms}
    return {name: forms_list(forms) for name, forms in named.items() if forms}


def _check_object(check: Check) -> dict[str, Any]:
    return {
        "head": check.triplet.head,
        "tail": check.triplet.tail,
        "support": check.support.value,
        "head_documents": check.head_count.documents,
        "tail_documents": check.tail_count.documents,
        "window_words": check.window_words,
        **_pair_counts(check.cooccurrence),
        **_pair_forms(check.cooccurrence, "head", "tail"),
        "relation": None if check.relation is None else _relation_object(check.relation),
    }


def _relation_object(found: RelationCheck) -> dict[str, Any]:
    """What windows say of a relation; rivals are null where nobody counted them."""
    rivals = None
    if found.rivals is not None:
        rivals = [
            {"tail": rival.text, "documents": rival.cooccurrence.documents}
            for rival in found.rivals
        ]
    return {
        "outcome": found.outcome.value,
        "reason": found.reason,
        "window": None if found.window is None else _evidence_object(found.window),
        "rivals": rivals,
    }


def _retrieval_object(made: TriggeredRetrieval) -> dict[str, Any]:
    return {
        "query": made.retrieval.query,
        "retriever": made.retrieval.retriever,
        "trigger": made.trigger,
        "detail": made.detail,
        "passages": [
            {**_passage_object(hit.passage), "score": hit.score} for hit in made.retrieval.hits
        ],
    }


def place_object(passage: Placed) -> dict[str, Any]:
    """Page (or slide), section and citation of what stands in a document that has them.

    ``page`` is that of its beginning, ``section`` the path of headings; each null where the
    document has only the other.
    """
    place = passage.place
    if place is None:
        return {}
    section = list(place.section) or None
    return {"page": place.page, "section": section, "citation": cited(passage)}


def _passage_object(passage: Passage) -> dict[str, Any]:
    return {
        "document_id": passage.document_id,
        "title": passage.title,
        "text": passage.text,
        "date": passage.date,
        **place_object(passage),
    }


def _evidence_object(passage: Passage) -> dict[str, Any]:
    return {
        "document_id": passage.document_id,
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "date": passage.date,
        **place_object(passage),
    }
