"""What the tools for agents do: the checks and counts of the command line, told briefly.

Each checks or counts as `averment check`, `averment index …` and the HTTP routes do, by the same
code. What was checked is remembered for a while, so that an agent may ask why. Asked the same
twice, a tool says the same twice: ids are digests of what was asked.

What this module does not do: MCP (`averment.serve.mcp`), limits (`averment.serve.tool_requests`).
It imports what opens indexes and judges, so whoever wants to start fast imports it late.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

from averment.dating import AsOf
from averment.errors import UsageError
from averment.serve import corpus
from averment.serve.details import decision_on, worst_first
from averment.serve.explanation import explanation_of, looked_at, quoted, unclaimed
from averment.serve.requests import (
    CooccurRequest,
    CountRequest,
    GivenDocument,
    SearchRequest,
    VerifyRequest,
)
from averment.serve.tool_requests import (
    CheckAnswer,
    CorpusCooccur,
    CorpusCount,
    ExplainVerdict,
    SearchCorpus,
    VerifyClaims,
)
from averment.serve.tool_results import (
    DATA_NOTICE,
    CheckedAnswer,
    Explanation,
    FoundPassage,
    FoundPassages,
    JudgedClaim,
    PairCounts,
    PhraseCounts,
    PlacedClaim,
    VerifiedClaims,
)
from averment.serve.verify import checked, verified_object
from averment.shapes import report_object
from averment.text import shortened
from averment.trace import from_plain
from averment.types import Claim, Report
from averment.wiring.open_corpus import OpenCorpus

T = TypeVar("T")
Perform: TypeAlias = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Performs a call that blocks somewhere else, and gives back its outcome."""
Progress: TypeAlias = Callable[[int, int], Awaitable[None]]
"""Told how much of how much is done."""

_MOST_SHOWN = 8
"""Claims of an answer that are told without detail."""
_SHOWN = 3
"""Occurrences of a phrase or pair, with detail."""
_REMEMBERED = 30  # each with the documents that it was given
_ID_CHARACTERS = 12
_CLAIM_CHARACTERS = 120
_PASSAGE_CHARACTERS = 200
_DIGITS = 4


class _Judged(NamedTuple):
    """A claim of a check, or what stands for a text that claims nothing."""

    report: Report
    claim: Claim | None
    reason: str

    @classmethod
    def worst_of(cls, report: Report) -> _Judged:
        """The claim that decides on a text: the worst one."""
        if report.claims:
            worst = worst_first(report.claims)[0]
            return cls(report, worst, worst.reasons["verdict"])
        reason = report.skipped[0][2] if report.skipped else "no_words"
        return cls(report, None, reason)


class Tools:
    """The tools over one corpus; asked from one event loop, they block in other threads.

    Args:
        opened: Index, retriever and judge; opened when a tool first needs them.
        perform: Where what blocks is done.
    """

    def __init__(self, opened: OpenCorpus, perform: Perform) -> None:
        self._opened = opened
        self._perform = perform
        self._remembered: OrderedDict[str, list[_Judged]] = OrderedDict()

    async def verify_claims(self, asked: VerifyClaims, progress: Progress) -> VerifiedClaims:
        """Check claims, each on its own; one of several statements has its worst verdict."""
        trace_id = _digest("verify_claims", asked)
        judged = []
        for number, claim in enumerate(asked.claims, start=1):
            report = await self._check(f"{trace_id}.{number}", claim, asked)
            judged.append(_Judged.worst_of(report))
            await progress(number, len(asked.claims))
        self._remember(trace_id, judged)
        made = VerifiedClaims(
            claims=[
                JudgedClaim(**_held(f"{trace_id}.{number}", each, claim))
                for number, (claim, each) in enumerate(
                    zip(asked.claims, judged, strict=True), start=1
                )
            ],
            calibrated=all(each.report.calibrated for each in judged),
            trace_id=trace_id,
            notice=DATA_NOTICE,
            **looked_at(judged[0].report.as_of),
        )
        if asked.detail:
            made.reports = [report_object(each.report) for each in judged]
        return made

    async def check_answer(self, asked: CheckAnswer, _: Progress) -> CheckedAnswer:
        """Check a text claim by claim; the worst come first."""
        trace_id = _digest("check_answer", asked)
        report = await self._check(trace_id, asked.answer, asked, asked.question)
        judged = [_Judged(report, each, each.reasons["verdict"]) for each in report.claims]
        self._remember(trace_id, judged or [_Judged.worst_of(report)])
        places = {id(claim): number for number, claim in enumerate(report.claims, start=1)}
        shown = worst_first(report.claims)[:_MOST_SHOWN]
        verdict, reason = decision_on(report)
        made = CheckedAnswer(
            verdict=verdict.value,
            reason=reason,
            claims=[
                PlacedClaim(
                    **_held(
                        f"{trace_id}.{places[id(claim)]}",
                        _Judged(report, claim, claim.reasons["verdict"]),
                        claim.text,
                    ),
                    start=claim.start,
                    end=claim.end,
                )
                for claim in shown
            ],
            n_claims=len(report.claims),
            n_omitted=len(report.claims) - len(shown),
            calibrated=report.calibrated,
            trace_id=trace_id,
            notice=DATA_NOTICE,
            **looked_at(report.as_of),
        )
        if asked.detail:
            given = bool(asked.documents)
            made.report = verified_object(report, given_documents=given, trace_id=trace_id)
        return made

    async def corpus_count(self, asked: CorpusCount, _: Progress) -> PhraseCounts:
        """Count phrases."""
        show = _SHOWN if asked.detail else 0
        request = CountRequest(phrases=asked.phrases, aliases=asked.aliases, show=show)
        made = await self._perform(partial(corpus.count, self._opened, request))
        dropped = () if asked.detail else ("forms",)
        told = PhraseCounts(**{**made, "counts": _without(made["counts"], dropped)})
        if asked.detail:
            told.notice = DATA_NOTICE
        return told

    async def corpus_cooccur(self, asked: CorpusCooccur, _: Progress) -> PairCounts:
        """Count pairs of phrases near each other."""
        request = CooccurRequest(
            pairs=[(a, b) for a, b in asked.pairs],
            window_words=asked.window_words,
            aliases=asked.aliases,
            show=_SHOWN if asked.detail else 0,
        )
        made = await self._perform(partial(corpus.cooccur, self._opened, request))
        dropped = () if asked.detail else ("a_forms", "b_forms", "occurrences")
        told = PairCounts(**{**made, "results": _without(made["results"], dropped)})
        if asked.detail:
            told.notice = DATA_NOTICE
        return told

    async def search_corpus(self, asked: SearchCorpus, _: Progress) -> FoundPassages:
        """Find passages."""
        request = SearchRequest(
            queries=[asked.query], k=asked.limit, as_of=asked.as_of, undated=asked.undated
        )
        made = await self._perform(partial(corpus.search, self._opened, request))
        passages = [FoundPassage(**row) for row in made["results"][0]["passages"]]
        for passage in passages if not asked.detail else ():
            passage.text = shortened(passage.text, _PASSAGE_CHARACTERS)
            passage.score = round(passage.score, _DIGITS)
        seen = looked_at(from_plain(AsOf | None, made["as_of"]))
        return FoundPassages(passages=passages, index=made["index"], notice=DATA_NOTICE, **seen)

    async def explain_verdict(self, asked: ExplainVerdict, _: Progress) -> Explanation:
        """Say why a claim has its verdict: one that was checked, or one that is checked now.

        Raises:
            UsageError: Not exactly one of both is named, or nobody remembers the id.
        """
        if (asked.id is None) == (asked.claim is None):
            raise UsageError(
                "explain_verdict takes either an id or a claim.",
                hint="Send the id that a tool gave, or the claim in words with its documents.",
            )
        if asked.claim is not None:
            claim_id = f"{_digest('explain_verdict', asked)}.1"
            report = await self._check(claim_id, asked.claim, asked)
            judged = _Judged.worst_of(report)
            self._remember(claim_id.partition(".")[0], [judged])
        else:
            claim_id, judged = self._recalled(asked.id or "")
        if judged.claim is None:
            return unclaimed(claim_id, judged.report, reason=judged.reason)
        return explanation_of(claim_id, judged.claim, judged.report, detail=asked.detail)

    async def _check(
        self,
        trace_id: str,
        text: str,
        asked: VerifyClaims | CheckAnswer | ExplainVerdict,
        question: str | None = None,
    ) -> Report:
        given = [
            GivenDocument(id=each.id, title=each.title, text=each.text) for each in asked.documents
        ]
        request = VerifyRequest(
            answer=text,
            question=question,
            documents=given,
            as_of=asked.as_of,
            undated=asked.undated,
        )
        report: Report = await self._perform(
            partial(checked, self._opened, request, trace_id=trace_id)
        )
        return report

    def _remember(self, trace_id: str, judged: list[_Judged]) -> None:
        self._remembered[trace_id] = judged
        self._remembered.move_to_end(trace_id)
        while len(self._remembered) > _REMEMBERED:
            self._remembered.popitem(last=False)

    def _recalled(self, asked_id: str) -> tuple[str, _Judged]:
        """The claim of an id; of a trace, the worst one."""
        trace_id, _, number = asked_id.partition(".")
        judged = self._remembered.get(trace_id, [])
        numbers = {str(at): each for at, each in enumerate(judged, start=1)}
        if not number and judged:
            number = _number_of_worst(judged)
        if number not in numbers:
            raise UsageError(
                f"There is no claim with the id {asked_id!r}: the last {_REMEMBERED} checks since "
                "the server started are remembered.",
                hint="Send the claim in words: claim, and the documents if there were any.",
            )
        return f"{trace_id}.{number}", numbers[number]


def _digest(tool: str, asked: Any) -> str:
    """An id that says what was asked, so that the same question has the same id."""
    told = json.dumps([tool, asked.model_dump(exclude={"detail"})], sort_keys=True)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARACTERS]


def _held(claim_id: str, judged: _Judged, text: str) -> dict[str, Any]:
    """What is held of a claim, as fields of `JudgedClaim`."""
    claim = judged.claim
    told = {
        "id": claim_id,
        "text": shortened(text, _CLAIM_CHARACTERS),
        "verdict": "unverified" if claim is None else claim.verdict.value,
        "reason": judged.reason,
        "evidence": quoted(claim.evidence[0]) if claim is not None and claim.evidence else None,
    }
    return told | ({"p_true": claim.p_true} if claim is not None and claim.calibrated else {})


def _number_of_worst(judged: Sequence[_Judged]) -> str:
    claims = [each.claim for each in judged if each.claim is not None]
    worst = worst_first(claims)[0] if claims else None
    return str(next(at for at, each in enumerate(judged, start=1) if each.claim is worst))


def _without(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key not in names} for row in rows]
