"""The engine performs the steps of a policy, in one of four ways, and logs them.

- `Engine.answer`: one question, one step after the other.
- `Engine.answer_async`: the same without blocking an event loop.
- `Engine.answer_many`: many questions; the pending steps of all are performed by kind, in batches.
- `replay`: a recorded trace instead of model and corpus; raises where the policy asks otherwise.

Every driver runs the same policy body, and with a deterministic model gives the same answer. A
step that fails is raised inside the flow, so that the policy decides; what it lets pass ends
the question, not the batch.
"""

from __future__ import annotations

import asyncio
import dataclasses
import platform
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from itertools import islice
from typing import Any, Self, TypeAlias, TypeVar, assert_never

from averment import steps
from averment.answers import answer_of, claims_of_draft
from averment.claims.in_context import extractions
from averment.dating import AsOf, Dates
from averment.errors import AvermentError, CapabilityError, TraceDiverged, UsageError
from averment.ports import (
    ClaimExtractor,
    CorpusIndex,
    DatedIndex,
    FaithfulnessScorer,
    IntrospectiveModel,
    LanguageModel,
    Retriever,
    ScoringModel,
)
from averment.scoring.ages import counted_ages
from averment.steps import ClaimScoring, Flow, Policy, ScoredPolicy, Step
from averment.text import TextForm
from averment.trace import Failure, Record, Trace
from averment.types import Answer, Capability, Claim, Draft, Question, Verdict

T = TypeVar("T")
Observer: TypeAlias = Callable[[Question, Record], None]
"""Told of each step as it is done: progress, streaming, a time line."""

MAX_QUESTION_CHARACTERS = 8000
_WHITE_BOX = frozenset({Capability.ENTROPIES, Capability.ATTENTION, Capability.HIDDEN_STATES})
_SAME_VERSION = "Replay with the averment version and the policy that made the trace."


@dataclass(frozen=True, slots=True)
class Edges:
    """What the steps are performed with; `faithfulness` may be missing where nothing is scored.

    `as_of` says up to when index and retriever look back; None: at all that there is.
    """

    index: CorpusIndex
    retriever: Retriever
    model: LanguageModel
    extractor: ClaimExtractor
    faithfulness: FaithfulnessScorer | None = None
    as_of: AsOf | None = None


class Missing:
    """An edge that was not given: whatever a step asks of it is refused by name.

    Args:
        what: What is missing.
        hint: How to give one.
    """

    def __init__(self, what: str, *, hint: str) -> None:
        self._refusal = CapabilityError(f"This needs {what}, and none was given.", hint=hint)

    def __getattr__(self, name: str) -> Any:
        raise self._refusal


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer and the trace of how it came about."""

    answer: Answer
    trace: Trace

    @property
    def text(self) -> str:
        """What to show."""
        return self.answer.text

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims with their support."""
        return self.answer.claims

    @property
    def verdict(self) -> Verdict:
        """Answered, warned or abstained."""
        return self.answer.verdict

    @property
    def reason(self) -> str | None:
        """Why it warned or abstained: a code."""
        return self.answer.reason


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question that ended in an error, and the trace up to it."""

    question: Question
    error: AvermentError
    trace: Trace


class Engine:
    """Answers questions with one policy over one set of edges; a context manager.

    Args:
        policy: When to retrieve and when to stop.
        edges: What the steps are performed with.
        scoring: How the claims of an answer are scored; None: they are not.
        on_result: Told of what became of each question before its caller is; what it raises, the
            caller gets instead.
        on_close: Gives back what was opened for this engine.

    Raises:
        CapabilityError: The policy needs what the model lacks, or weighs scores that nobody makes.
    """

    def __init__(
        self,
        policy: Policy,
        edges: Edges,
        *,
        scoring: ClaimScoring | None = None,
        on_result: Callable[[Answered | Unanswered], None] = lambda result: None,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        missing = policy.needs - edges.model.info.capabilities
        if missing:
            raise CapabilityError(
                f"Policy {policy.name!r} needs {', '.join(sorted(missing))}; "
                f"model {edges.model.info.name!r} does not provide it.",
                hint=_remedy(missing),
            )
        _bound(policy, scoring)
        self.policy = policy
        self.edges = edges
        self.scoring = scoring
        self._on_result = on_result
        self._on_close = on_close

    def close(self) -> None:
        """Give back what was opened for this engine, a local model above all; may be repeated."""
        if self._on_close is not None:
            self._on_close()
            self._on_close = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def ask(self, text: str) -> Answered:
        """Answer a question given as text; see `answer`."""
        return self.answer(Question("question", text))

    def answer(self, question: Question, observe: Observer | None = None) -> Answered:
        """Answer one question.

        Raises:
            UsageError: The question is empty or far too long.
            AvermentError: What ended it: model down, context overflow …
        """
        run = self._start(question)
        while run.pending is not None:
            (outcome,) = self._perform([run.pending])
            _done(run, outcome, observe)
        return _answered(self._told(run))

    async def answer_async(self, question: Question, observe: Observer | None = None) -> Answered:
        """As `answer`; steps run in a thread, so the event loop stays free."""
        run = self._start(question)
        while run.pending is not None:
            (outcome,) = await asyncio.to_thread(self._perform, [run.pending])
            _done(run, outcome, observe)
        return _answered(await asyncio.to_thread(self._told, run))

    def answer_many(
        self, questions: Iterable[Question], observe: Observer | None = None
    ) -> list[Answered | Unanswered]:
        """Answer many questions, each kind of step in batches over all that wait for one.

        Returns:
            One result a question, in order. An error ends its question only; an outage of what
            is asked for a batch ends all questions of the batch.
        """
        runs = [self._start(question) for question in questions]
        while waiting := [(run, run.pending) for run in runs if run.pending is not None]:
            for batch in _batches(waiting):
                outcomes = self._perform([pending for _, pending in batch])
                for (run, _), outcome in zip(batch, outcomes, strict=True):
                    _done(run, outcome, observe)
        return [self._told(run) for run in runs]

    def _told(self, run: _Run) -> Answered | Unanswered:
        """What became of a question, once whoever is to know of it does."""
        result = run.result()
        self._on_result(result)
        return result

    def _start(self, question: Question) -> _Run:
        return _Run(question, self.policy, self.edges, self.scoring)

    def _perform(self, batch: Sequence[Step]) -> list[_Outcome]:
        """Perform steps of one kind together; if one of them is at fault, each alone."""
        started = time.perf_counter()
        try:
            values: list[Any] = perform(batch, self.edges)
        except AvermentError as error:
            if len(batch) > 1 and not error.transient:
                return [outcome for step in batch for outcome in self._perform([step])]
            share = _ms_since(started) / len(batch)
            return [_Outcome(None, error, started, share, len(batch)) for _ in batch]
        share = _ms_since(started) / len(batch)
        return [_Outcome(value, None, started, share, len(batch)) for value in values]


def check_question(text: str) -> None:
    """Refuse what is no question.

    Raises:
        UsageError: Empty, or longer than `MAX_QUESTION_CHARACTERS`.
    """
    if not TextForm().words(text):
        raise UsageError(
            "The question is empty: it has no word.", hint='Type: averment ask "Who …?"'
        )
    if len(text) > MAX_QUESTION_CHARACTERS:
        raise UsageError(
            f"The question has {len(text):,} characters; at most {MAX_QUESTION_CHARACTERS:,} are "
            "taken.",
            hint="Ask one question, and put documents into the index: averment index build PATHS",
        )


def perform(batch: Sequence[Step], edges: Edges) -> list[Any]:
    """Perform steps that `_batch_key` put together; outcomes in order."""
    first = batch[0]
    match first:
        case steps.ExtractEntities():
            texts = [step.text for step in batch if isinstance(step, steps.ExtractEntities)]
            return list(edges.extractor.entities(texts))
        case steps.ExtractTriplets():
            extracts = [step for step in batch if isinstance(step, steps.ExtractTriplets)]
            return extractions(extracts, edges.extractor)
        case steps.CountPhrases(dates=dates):
            asked = [step.phrases for step in batch if isinstance(step, steps.CountPhrases)]
            return _each_once(_index(edges, dates).count, asked)
        case steps.Cooccur(window_words=window_words, dates=dates):
            pairs = [step.pairs for step in batch if isinstance(step, steps.Cooccur)]
            index = _index(edges, dates)
            return _each_once(partial(index.cooccurrence, window_words=window_words), pairs)
        case steps.LocatePairs():
            located = [step.pairs for step in batch if isinstance(step, steps.LocatePairs)]
            return _each_once(
                lambda pairs: edges.index.nearest_windows(
                    [(frozenset(a), frozenset(b)) for a, b in pairs],
                    window_words=first.window_words,
                    context_words=first.context_words,
                    limit=first.limit,
                ),
                located,
            )
        case steps.Search(k=k):
            queries = [step.query for step in batch if isinstance(step, steps.Search)]
            return list(edges.retriever.search(queries, k=k))
        case steps.Generate(options=options):
            prompts = [step.prompt for step in batch if isinstance(step, steps.Generate)]
            return list(edges.model.generate(prompts, options))
        case steps.Commit():
            return [None] * len(batch)
        case steps.JudgeFaithfulness():
            judged = [step for step in batch if isinstance(step, steps.JudgeFaithfulness)]
            asked_of = [(claim, step.passages) for step in judged for claim in step.claims]
            scores = _faithfulness_scorer(edges).score(asked_of)
            return _split(scores, [step.claims for step in judged])
        case steps.Rescore():
            texts_after = [
                (step.prompt, step.text) for step in batch if isinstance(step, steps.Rescore)
            ]
            return list(_scoring_model(edges).score(texts_after))
        case steps.ReadAttention():
            read = [
                (step.before, step.text, step.rows_from)
                for step in batch
                if isinstance(step, steps.ReadAttention)
            ]
            return list(_introspective_model(edges).attention(read))
        case steps.MeasureSpread(sampling=sampling):
            begun = [step.prompt for step in batch if isinstance(step, steps.MeasureSpread)]
            return list(_introspective_model(edges).spread(begun, sampling))
        case _:
            assert_never(first)


def _index(edges: Edges, dates: Dates | None) -> CorpusIndex:
    """The corpus, or what of it is of some dates."""
    if dates is None:
        return edges.index
    if not isinstance(edges.index, DatedIndex):
        raise CapabilityError(
            "This corpus does not know when its documents are from.",
            hint="Use an index of averment, built of documents with a date.",
        )
    return edges.index.dated(dates)


def _faithfulness_scorer(edges: Edges) -> FaithfulnessScorer:
    if edges.faithfulness is None:
        raise CapabilityError("Nobody was given who judges faithfulness.")
    return edges.faithfulness


def _scoring_model(edges: Edges) -> ScoringModel:
    if not isinstance(edges.model, ScoringModel):
        raise CapabilityError(
            f"The model {edges.model.info.name!r} cannot give the log-probabilities of a text.",
            hint="Use a local model, or a server with prompt log-probabilities.",
        )
    return edges.model


def _introspective_model(edges: Edges) -> IntrospectiveModel:
    if not isinstance(edges.model, IntrospectiveModel):
        raise CapabilityError(
            f"The model {edges.model.info.name!r} does not let itself be looked into.",
            hint=_remedy(_WHITE_BOX),
        )
    return edges.model


def _remedy(missing: frozenset[Capability]) -> str:
    if missing & _WHITE_BOX:
        return "Run a local model in transformers: --runtime transformers"
    return "Choose another policy or another model."


def _batch_key(step: Step) -> tuple[object, ...]:
    match step:
        case steps.CountPhrases(dates=dates):
            return (steps.CountPhrases, dates)
        case steps.Cooccur(window_words=window_words, dates=dates):
            return (steps.Cooccur, window_words, dates)
        case steps.LocatePairs(window_words=words, context_words=context, limit=limit):
            return (steps.LocatePairs, words, context, limit)
        case steps.Search(k=k):
            return (steps.Search, k)
        case steps.Generate(options=options):
            return (steps.Generate, options)
        case steps.MeasureSpread(sampling=sampling):
            return (steps.MeasureSpread, sampling)
        case _:
            return (type(step),)


def _batches(waiting: Sequence[tuple[_Run, Step]]) -> list[list[tuple[_Run, Step]]]:
    groups: dict[tuple[object, ...], list[tuple[_Run, Step]]] = {}
    for run, pending in waiting:
        groups.setdefault(_batch_key(pending), []).append((run, pending))
    return list(groups.values())


def _each_once(
    ask: Callable[[list[Any]], Sequence[Any]], groups: Sequence[Sequence[Any]]
) -> list[list[Any]]:
    """The answers to groups of questions; a question of several is asked once."""
    each = list(dict.fromkeys(question for group in groups for question in group))
    answers = dict(zip(each, ask(each), strict=True))
    return [[answers[question] for question in group] for group in groups]


def _split(flat: Sequence[Any], groups: Sequence[Sequence[object]]) -> list[list[Any]]:
    left = iter(flat)
    return [list(islice(left, len(group))) for group in groups]


# --- one question on its way --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Outcome:
    value: Any
    error: AvermentError | None
    started: float
    ms: float
    batch: int


class _Run:
    """A flow, the step it waits for, and the log so far."""

    def __init__(
        self, question: Question, policy: Policy, edges: Edges, scoring: ClaimScoring | None
    ) -> None:
        self.question = question
        self._draft: Draft | None = None
        self._error: AvermentError | None = None
        self.pending: Step | None = None
        self._policy = policy
        self._edges = edges
        self._flow = _whole(question, policy, scoring)
        self._records: list[Record] = []
        self._started = time.perf_counter()
        self._started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._advance(lambda: next(self._flow))

    def proceed(self, outcome: _Outcome) -> Record:
        """Log an outcome and hand it to the flow."""
        assert self.pending is not None
        failure = Failure.of(outcome.error) if outcome.error else None
        started_ms = (outcome.started - self._started) * 1000.0
        record = Record(self.pending, outcome.value, failure, started_ms, outcome.ms, outcome.batch)
        self._records.append(record)
        error = outcome.error
        if error is not None:
            self._advance(lambda: self._flow.throw(error))
        else:
            self._advance(lambda: self._flow.send(outcome.value))
        return record

    def _advance(self, move: Callable[[], Step]) -> None:
        self.pending = None
        try:
            self.pending = move()
        except StopIteration as stop:
            self._draft = stop.value
        except AvermentError as error:
            self._error = error

    def result(self) -> Answered | Unanswered:
        """What became of the question."""
        trace = Trace(
            trace_id=secrets.token_hex(8),
            question=self.question,
            policy=repr(self._policy),
            model=self._edges.model.info.name,
            index=self._edges.index.info.digest,
            started_at=self._started_at,
            versions=versions(),
            records=tuple(self._records),
            draft=self._draft,
            as_of=self._edges.as_of,
        )
        if self._error is not None:
            return Unanswered(self.question, self._error, trace)
        return Answered(answer_of(trace), trace)


def _whole(question: Question, policy: Policy, scoring: ClaimScoring | None) -> Flow[Draft]:
    check_question(question.text)
    draft = yield from _bound(policy, scoring).run(question)
    if scoring is not None:
        scores = yield from scoring.of_draft(question, draft)
        draft = dataclasses.replace(draft, scores=scores)
    ages = yield from counted_ages(claims_of_draft(question, draft))
    return dataclasses.replace(draft, ages=ages)


def _bound(policy: Policy, scoring: ClaimScoring | None) -> Policy:
    return policy.scored_by(scoring) if isinstance(policy, ScoredPolicy) else policy


def _done(run: _Run, outcome: _Outcome, observe: Observer | None) -> None:
    record = run.proceed(outcome)
    if observe is not None:
        observe(run.question, record)


def _answered(result: Answered | Unanswered) -> Answered:
    if isinstance(result, Unanswered):
        raise result.error
    return result


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000.0


def versions() -> dict[str, str]:
    """What an answer was made with, as far as a replay may want to know."""
    return {"averment": metadata.version("averment"), "python": platform.python_version()}


def carry_out(
    flow: Flow[T], edges: Edges, observe: Callable[[Record], None] = lambda record: None
) -> T:
    """Perform a flow that answers no question, one step after the other.

    Args:
        flow: The flow.
        edges: What its steps are performed with.
        observe: Told of each step as it is done.

    Raises:
        AvermentError: What a step failed with, unless the flow lets it pass.
    """
    begun = time.perf_counter()
    move: Callable[[], Step] = lambda: next(flow)  # noqa: E731
    while True:
        try:
            step = move()
        except StopIteration as stop:
            value: T = stop.value
            return value
        started = time.perf_counter()
        outcome: Any = None
        failure: Failure | None = None
        try:
            (outcome,) = perform([step], edges)
        except AvermentError as error:
            failure = Failure.of(error)
            move = partial(flow.throw, error)
        else:
            move = partial(flow.send, outcome)
        started_ms = (started - begun) * 1000.0
        observe(Record(step, outcome, failure, started_ms, _ms_since(started)))


# --- replay -------------------------------------------------------------------------------------


def replay(trace: Trace, policy: Policy, scoring: ClaimScoring | None = None) -> Answer:
    """Run a policy against the recorded outcomes; no model and no corpus are touched.

    Args:
        trace: What was recorded.
        policy: The policy of then.
        scoring: How claims were scored then, if they were.

    Returns:
        The answer as it was then, to the last field.

    Raises:
        TraceDiverged: The policy asks for another step than the one recorded, or for another
            number of them.
        AvermentError: The error that ended the recorded run.
    """
    draft = replay_flow(_whole(trace.question, policy, scoring), trace.records)
    return answer_of(dataclasses.replace(trace, draft=draft))


def replay_flow(flow: Flow[T], records: Sequence[Record]) -> T:
    """What a flow returns when its steps come out as they are recorded; nothing is performed.

    Raises:
        TraceDiverged: It asks for another step, or for another number of them.
        AvermentError: The error that ended the recorded run.
    """
    move: Callable[[], Step] = lambda: next(flow)  # noqa: E731
    for number, record in enumerate(records, start=1):
        try:
            step = move()
        except StopIteration:
            raise TraceDiverged(
                f"The policy ended before step {number} of {len(records)} recorded ones.",
                hint=_SAME_VERSION,
            ) from None
        if step != record.step:
            raise TraceDiverged(
                f"Step {number} is {step!r}, but {record.step!r} was recorded.",
                hint=_SAME_VERSION,
            )
        move = _resume(flow, record)
    try:
        step = move()
    except StopIteration as stop:
        value: T = stop.value
        return value
    raise TraceDiverged(
        f"The policy asks for {step!r} after the last recorded step.", hint=_SAME_VERSION
    )


def _resume(flow: Flow[T], record: Record) -> Callable[[], Step]:
    if record.failure is not None:
        error = record.failure.restore()
        return lambda: flow.throw(error)
    return lambda: flow.send(record.outcome)
