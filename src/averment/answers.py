"""From a finished trace to the answer that is shown, and from scores to the claims of a text.

Pure, so that a replay gives the same. Does not judge: support was found by the policy, scores by
`averment.scoring`; what they mean for a claim is in `averment.scoring.verdicts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from averment.claims.split import PartKind, split_text
from averment.findings import is_denied
from averment.places import headed
from averment.promises import Remedy
from averment.scoring.claims import (
    ScorableClaim,
    answer_text,
    claims_of,
    retrieved_passages,
)
from averment.scoring.post_editing import post_edited
from averment.scoring.verdicts import verdict_of
from averment.scoring.withholding import decision, is_withheld, remedy_of, with_withheld
from averment.text import Span, TextForm, contains_words
from averment.trace import Trace
from averment.types import (
    Answer,
    Claim,
    ClaimScores,
    ClaimVerdict,
    Draft,
    Faithfulness,
    Passage,
    Question,
    Report,
    Sentence,
    Support,
    Verdict,
)

ABSTENTION = "I do not know."
_SCORES = (
    *("p_faithful", "p_true_if_faithful", "p_true_if_unfaithful", "p_true"),
    *("score", "uf", "uu"),
)


def answer_of(trace: Trace) -> Answer:
    """The answer that a finished trace holds."""
    draft = trace.draft
    assert draft is not None
    text = answer_text(draft)
    claims = claims_of_draft(trace.question, draft)
    if draft.ages:
        pairs = zip(claims, draft.ages, strict=True)
        claims = tuple(replace(claim, age=age) for claim, age in pairs)
    if (scores := draft.scores) is not None:
        claims = with_withheld(claims, scores.promise, scores.costs, answers=True)
    verdict, reason = decision(draft.verdict, draft.reason, claims)
    abstained = verdict is Verdict.ABSTAINED
    places = [Span(claim.start, claim.end) for claim in claims]
    given = post_edited(text, claims, sentences=places)
    return Answer(
        question=trace.question,
        text=ABSTENTION if abstained else given,
        draft=text,
        final_answer="" if abstained else draft.final_answer,
        verdict=verdict,
        reason=reason,
        claims=claims,
        retrievals=draft.retrievals,
        cost=trace.cost,
        policy=trace.policy,
        model=trace.model,
        trace_id=trace.trace_id,
        scores=draft.scores,
        as_of=trace.as_of,
    )


def report_edited(report: Report) -> str:
    """The text of a report without what is withheld of it: whole where nothing is."""
    withheld = [claim for claim in report.claims if is_withheld(claim)]
    if any(remedy_of(claim) is Remedy.ABSTAIN for claim in withheld):
        return ABSTENTION
    parts = [part for part in split_text(report.text) if part.kind is PartKind.CLAIM]
    places = [Span(part.start, part.end) for part in parts]
    return post_edited(report.text, report.claims, sentences=places)


def claims_of_draft(question: Question, draft: Draft) -> tuple[Claim, ...]:
    """One claim a sentence, with its scores where it was scored, and without its age."""
    passages = retrieved_passages(draft)
    scores = draft.scores.claims if draft.scores else (None,) * len(draft.sentences)
    places = claims_of(question, draft)
    claims = []
    for number, (sentence, place, scored) in enumerate(
        zip(draft.sentences, places, scores, strict=True)
    ):
        claim = unscored_claim(
            number, sentence.text, place, support=sentence.support, reason=sentence.reason
        )
        claim = replace(claim, weighed=sentence.weighed)
        if scored is None:
            named = _named_in(sentence, draft.final_answer, passages)
            claim = replace(claim, evidence=named)
        claims.append(scored_claim(claim, scored, passages, from_corpus=True))
    return tuple(claims)


def unscored_claim(
    number: int, text: str, place: ScorableClaim, *, support: Support, reason: str | None
) -> Claim:
    """A claim with what the corpus says of it, before anybody scored it.

    Args:
        number: Of its sentence.
        text: The claim as it stands in the answer.
        place: Where it stands, and its counts.
        support: What the corpus says.
        reason: Why support is what it is, where the checks do not show it.
    """
    return Claim(
        text=text,
        start=place.start,
        end=place.end,
        sentence=number,
        triplets=place.triplets,
        support=support,
        verdict=ClaimVerdict.UNVERIFIED,
        checks=place.checks,
        evidence=(),
        reasons={} if reason is None else {"support": reason},
    )


def scored_claim(
    claim: Claim, scored: ClaimScores | None, passages: Sequence[Passage], *, from_corpus: bool
) -> Claim:
    """The claim with its scores, the best span as evidence, and what is held of it.

    Args:
        claim: Without scores.
        scored: Its scores; None: nobody scored it, and its reasons say so.
        passages: What it was held against.
        from_corpus: They are of the corpus that was counted.
    """
    judge = partial(
        verdict_of,
        support=claim.support,
        unknown=claim.reasons.get("support", "not_checked"),
        from_corpus=from_corpus,
        is_denied=any(map(is_denied, claim.checks)),
    )
    if scored is None:
        verdict, why = judge(None)
        reasons = {**dict.fromkeys(_SCORES, "no_estimator"), "verdict": why, **claim.reasons}
        return replace(claim, verdict=verdict, reasons=reasons)
    found = scored.faithfulness
    verdict, why = judge(found)
    return replace(
        claim,
        verdict=verdict,
        reasons={**scored.reasons, "verdict": why, **claim.reasons},
        evidence=claim.evidence or _best_span(found, passages),
        p_faithful=None if found is None else found.score,
        p_true_if_faithful=scored.p_true_if_faithful,
        p_true_if_unfaithful=scored.p_true_if_unfaithful,
        p_true=scored.p_true,
        calibrated=scored.calibrated,
        score=scored.score,
        uf=scored.uf,
        uu=scored.uu,
        features=scored.features,
    )


def _best_span(found: Faithfulness | None, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The best evidence, cut out of its passage; offsets stay those of the document."""
    if found is None or found.passage is None or found.start is None or found.end is None:
        return ()
    passage = passages[found.passage]
    start = passage.start + found.start
    text = passage.text[found.start : found.end]
    end = passage.start + found.end
    place = passage.place and passage.place.within(start, end)
    return (replace(passage, text=text, start=start, end=end, place=place),)


def _named_in(sentence: Sentence, answer: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages that hold both ends of a pair, or the answer found there."""
    form = TextForm()
    words_of = [
        (p, form.words(f"{headed(p.title, p.place)} {p.text}")) for p in dict.fromkeys(passages)
    ]
    needed = [
        (form.words(check.triplet.head), form.words(check.triplet.tail))
        for check in sentence.checks
    ]
    if sentence.reason == "in_passage":
        needed.append((form.words(answer), form.words(answer)))
    return tuple(
        passage
        for passage, words in words_of
        if any(contains_words(words, a) and contains_words(words, b) for a, b in needed)
    )
