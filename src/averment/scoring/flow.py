"""The claims of an answer, or of any text, scored step by step: a flow, performed by an engine.

For each claim: how faithful it is to the passages, how sure the model was of its words with the
passages before its eyes (uf) and without them (uu), and what the corpus says apart from those
passages. FRANQ makes one number of them, a probability only if a calibrator is given.

What is missing is named: a claim without tokens has no confidence and its branch falls back to the
base rate, which the reasons say; a text that cannot be re-scored ends nothing.

Source: FRANQ (arXiv 2505.21072), long form: uf is the probability of the claim's tokens, uu that of
the same tokens without the passages (parametric knowledge).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from averment import steps
from averment.claims.alignment import StatedClaim, align_claims
from averment.costs import Costs
from averment.errors import AvermentError, CalibrationError, CapabilityError, ModelError
from averment.franq.calibration import fit
from averment.franq.calibrator import Calibrator, MadeWith, Mode
from averment.franq.components import CONSTANT, confidence
from averment.franq.corpus_stack import CORPUS
from averment.franq.evidence import CorpusSize
from averment.franq.rows import Row
from averment.franq.score import Score, Source, Unscored
from averment.policies.ledger import context_block
from averment.promises import Promise
from averment.prompts import load
from averment.scoring.claims import (
    ScorableClaim,
    answer_text,
    claims_of,
    retrieved_passages,
)
from averment.scoring.corpus import corpus_features
from averment.steps import Flow
from averment.text import Span, TextForm
from averment.types import (
    ClaimScores,
    Draft,
    Faithfulness,
    Passage,
    Prompt,
    Question,
    Scores,
)
from averment.uq.estimator import Absent
from averment.uq.records import ClaimSpan, Record
from averment.uq.registry import estimator

UF, UU = "max_probability", "parametric_knowledge"
_CREATED_BY = "averment, uncalibrated"
_NOT_RESCORED = "not_rescored"


@dataclass(frozen=True, slots=True)
class _Confidences:
    """One confidence a claim, better when higher, with a reason where there is none."""

    values: tuple[float | None, ...]
    reasons: tuple[str | None, ...]

    @classmethod
    def missing(cls, n_claims: int, reason: str) -> _Confidences:
        return cls((None,) * n_claims, (reason,) * n_claims)


@dataclass(frozen=True, slots=True)
class Scoring:
    """How claims are scored.

    Args:
        faithfulness_scorer: The name of who judges faithfulness.
        model: The name of the model whose log-probabilities are read; empty: there is none, and the
            branches are constant.
        rescores: The model can give the log-probabilities of a text without its passages. If it
            can only give those of what it wrote, both branches read these, and a note says so.
        corpus: What counts are from; None: there are none, and the score is plain FRANQ.
        form: The text form of that corpus.
        calibrator: Made with exactly these; None: scores are uncalibrated.
        promise: Made of that calibrator's held-out labels; None: nothing is promised.
        costs: What false and missing claims cost; None: nothing is weighed.
        prompt_id: The template of the prompt, with placeholders ``context`` and ``question``.
        notes: What was found out about these before, in words; passed on with every score.

    Raises:
        CalibrationError: The calibrator was fitted on the numbers of others, or there is none and
            costs would weigh what is no probability.
    """

    faithfulness_scorer: str
    model: str = ""
    rescores: bool = True
    corpus: CorpusSize | None = None
    form: TextForm = TextForm()  # noqa: RUF009
    calibrator: Calibrator | None = None
    promise: Promise | None = None
    costs: Costs | None = None
    prompt_id: str = "answer"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.calibrator is not None:
            self.calibrator.require(self.made_with)
        elif self.costs is not None:
            raise CalibrationError(
                "Costs weigh probabilities, and without a calibrator no score is one.",
                hint="Make one, averment calibrate LABELLED.jsonl, and name it: --calibrator FILE",
            )

    @property
    def withholds(self) -> bool:
        """Whether a promise or costs may keep back what was written."""
        return self.promise is not None or self.costs is not None

    @property
    def made_with(self) -> MadeWith:
        """Who makes the numbers, by name."""
        uf = UF if self.model else CONSTANT
        uu = UU if self.model and self.rescores else uf
        return MadeWith(uf, uu, self.faithfulness_scorer, self.model)

    def of_draft(self, question: Question, draft: Draft) -> Flow[Scores]:
        """Score the sentences of an answer that was written sentence by sentence."""
        claims = claims_of(question, draft)
        return (yield from self._of_written(question, draft, claims, answer_text(draft)))

    def of_last(self, question: Question, draft: Draft) -> Flow[ClaimScores]:
        """Score the last sentence of an answer that is being written, as `of_draft` would.

        What stands before it is read, not scored again.
        """
        *before, last = draft.sentences
        claim = replace(claims_of(question, draft)[-1], start=0, end=len(last.text))
        said = "".join(f" {sentence.text}" for sentence in before)
        found = yield from self._of_written(question, draft, [claim], last.text, said=said)
        return found.claims[0]

    def _of_written(
        self,
        question: Question,
        draft: Draft,
        claims: Sequence[ScorableClaim],
        text: str,
        *,
        said: str = "",
    ) -> Flow[Scores]:
        """Score claims of a text that was written for a draft, behind what was said before."""
        passages = retrieved_passages(draft)
        notes = list(self.notes)
        uf = _Confidences.missing(len(claims), _NOT_RESCORED)
        if self.model:
            uf = _of_own_tokens(claims)
        uu = uf
        if self.rescores:
            uu = yield from self._without_context(question, text, claims, notes, said=said)
        counted = list(dict.fromkeys(passages))
        return (yield from self._scores(claims, passages, uf, uu, notes, retrieved=counted))

    def of_text(
        self,
        question: Question | None,
        text: str,
        claims: Sequence[ScorableClaim],
        passages: Sequence[Passage],
        *,
        are_retrieved: bool,
    ) -> Flow[Scores]:
        """Score the claims of a text that somebody else wrote, with or without passages.

        Args:
            question: What the text answers, if that is known.
            text: The text.
            claims: Its claims.
            passages: What they are held against.
            are_retrieved: The passages are of the corpus, and are taken out of its counts.
        """
        notes = list(self.notes)
        uf = yield from self._with_context(question, text, claims, passages, notes)
        uu = yield from self._without_context(question, text, claims, notes)
        counted = passages if are_retrieved else ()
        return (yield from self._scores(claims, passages, uf, uu, notes, retrieved=counted))

    # --- confidences ----------------------------------------------------------------------------

    def _prompt(self, question: Question | None, context: str) -> Prompt:
        asked = question.text if question else "What is known about this?"
        return Prompt(load(self.prompt_id).fill(context=context, question=asked))

    def _with_context(
        self,
        question: Question | None,
        text: str,
        claims: Sequence[ScorableClaim],
        passages: Sequence[Passage],
        notes: list[str],
    ) -> Flow[_Confidences]:
        prompt = self._prompt(question, context_block(passages))
        return (yield from self._rescored(prompt, text, claims, UF, notes))

    def _without_context(
        self,
        question: Question | None,
        text: str,
        claims: Sequence[ScorableClaim],
        notes: list[str],
        *,
        said: str = "",
    ) -> Flow[_Confidences]:
        prompt = replace(self._prompt(question, ""), answer=said)
        return (yield from self._rescored(prompt, text, claims, UU, notes))

    def _rescored(
        self,
        prompt: Prompt,
        text: str,
        claims: Sequence[ScorableClaim],
        name: str,
        notes: list[str],
    ) -> Flow[_Confidences]:
        """The confidence of each claim from one re-scoring of the whole text."""
        if not self.model:
            return _Confidences.missing(len(claims), _NOT_RESCORED)
        if not claims:
            return _Confidences((), ())
        stated = [StatedClaim(claim.text, Span(claim.start + 1, claim.end + 1)) for claim in claims]
        try:
            tokens = yield from steps.rescore(prompt, f" {text}")
            alignments = align_claims(f" {text}", tokens, stated)
        except (ModelError, CapabilityError) as error:
            notes.append(f"{name}: {error.message}")
            return _Confidences.missing(len(claims), "rescoring_failed")
        record = Record("", text, tokens=tuple(tokens), tokens_without_context=tuple(tokens))
        return _confidences(name, [(record, a.claim) for a in alignments])

    # --- the score ------------------------------------------------------------------------------

    def _scores(
        self,
        claims: Sequence[ScorableClaim],
        passages: Sequence[Passage],
        uf: _Confidences,
        uu: _Confidences,
        notes: list[str],
        *,
        retrieved: Sequence[Passage],
    ) -> Flow[Scores]:
        found = yield from self._judged(claims, passages, notes)
        features: list[dict[str, float]] = [{} for _ in claims]
        if self.corpus is not None:
            features = [
                corpus_features(claim.checks, retrieved, corpus=self.corpus, form=self.form)
                for claim in claims
            ]
        rows = [
            Row(None if f is None else f.score, a, b, evidence=evidence)
            for f, a, b, evidence in zip(found, uf.values, uu.values, features, strict=True)
        ]
        made_with = self.made_with
        calibrator = self.calibrator or fit(
            [], mode=Mode.NONE, made_with=made_with, created_by=_CREATED_BY, features=CORPUS
        )
        scored = [
            _claim_scores(claim, f, row, score, reasons)
            for claim, f, row, score, *reasons in zip(
                claims, found, rows, calibrator.scores(rows), uf.reasons, uu.reasons, strict=True
            )
        ]
        return Scores(
            claims=tuple(scored),
            faithfulness_scorer=made_with.faithfulness,
            uf_estimator=made_with.uf,
            uu_estimator=made_with.uu,
            model=self.model,
            notes=tuple(notes),
            promise=self.promise,
            costs=self.costs,
        )

    def _judged(
        self, claims: Sequence[ScorableClaim], passages: Sequence[Passage], notes: list[str]
    ) -> Flow[list[Faithfulness | None]]:
        """How faithful each claim is; None where nothing is claimed, or nobody could judge."""
        texts = [claim.text for claim in claims]
        try:
            found = yield from steps.judge_faithfulness(texts, [each.text for each in passages])
        except AvermentError as error:
            notes.append(f"{self.faithfulness_scorer}: {error.message}")
            return [None] * len(claims)
        return [one if text else None for text, one in zip(texts, found, strict=True)]


def _of_own_tokens(claims: Sequence[ScorableClaim]) -> _Confidences:
    """From the tokens that were written for each claim, under the prompt of its own time."""
    pairs = [
        (
            Record("", claim.text, tokens=claim.tokens),
            ClaimSpan(tuple(range(len(claim.tokens))), claim.text),
        )
        for claim in claims
    ]
    return _confidences(UF, pairs)


def _confidences(name: str, pairs: Sequence[tuple[Record, ClaimSpan]]) -> _Confidences:
    found = [estimator(name).score(record, claim) for record, claim in pairs]
    return _Confidences(
        tuple(confidence(value) for value in found),
        tuple(v.reason.value if isinstance(v, Absent) else None for v in found),
    )


def _claim_scores(
    claim: ScorableClaim,
    faithfulness: Faithfulness | None,
    row: Row,
    score: Score | Unscored,
    reasons_for_none: Sequence[str | None],
) -> ClaimScores:
    names = ("uf", "uu")
    reasons = {n: why for n, why in zip(names, reasons_for_none, strict=True) if why is not None}
    features = {name: value for name, value in row.evidence.items() if value is not None}
    if faithfulness is None:
        reasons["p_faithful"] = "not_judged" if claim.text else "empty_claim"
    elif faithfulness.reason is not None:
        reasons["p_faithful"] = faithfulness.reason
    p_names = ("p_true", "p_true_if_faithful", "p_true_if_unfaithful")
    if isinstance(score, Unscored):
        reasons |= dict.fromkeys(("score", *p_names), score.reason.value)
        return ClaimScores(faithfulness, row.uf, row.uu, features, reasons=reasons)
    reasons |= _sources(score)
    if not score.calibrated:
        reasons |= dict.fromkeys(p_names, "uncalibrated")
        return ClaimScores(
            faithfulness, row.uf, row.uu, features, score=score.p_true, reasons=reasons
        )
    return ClaimScores(
        faithfulness,
        row.uf,
        row.uu,
        features,
        score=score.p_true,
        p_true_if_faithful=score.p_true_if_faithful,
        p_true_if_unfaithful=score.p_true_if_unfaithful,
        p_true=score.p_true,
        calibrated=True,
        reasons=reasons,
    )


def _sources(score: Score) -> dict[str, str]:
    """Where a branch is no fitted curve, it says what it is."""
    found = {
        "p_true_if_faithful": score.source_if_faithful,
        "p_true_if_unfaithful": score.source_if_unfaithful,
    }
    return {name: source.value for name, source in found.items() if source is not Source.CURVE}
