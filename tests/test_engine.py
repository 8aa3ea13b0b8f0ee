"""The engine: four drivers, one answer; errors end a question, never the batch."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from averment import steps
from averment.dating import Dates
from averment.engine import (
    MAX_QUESTION_CHARACTERS,
    Answered,
    Edges,
    Engine,
    Missing,
    Unanswered,
    _batch_key,
    carry_out,
    perform,
    replay,
    replay_flow,
    versions,
)
from averment.errors import (
    AvermentError,
    CapabilityError,
    ContextOverflow,
    CorpusError,
    ExtractionError,
    IndexUnavailable,
    ModelError,
    ModelUnavailable,
    TraceDiverged,
    UsageError,
)
from averment.faithfulness.lexical import LexicalAlignment
from averment.franq.evidence import CorpusSize
from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.loop import SentenceLoop
from averment.policies.quco import QuCo
from averment.readings import Sampling
from averment.scoring.flow import Scoring
from averment.steps import (
    Commit,
    Cooccur,
    CountPhrases,
    Generate,
    JudgeFaithfulness,
    MeasureSpread,
    Policy,
    ReadAttention,
    Rescore,
    Step,
)
from averment.trace import Failure, Record, Trace, records_from_json, records_to_json
from averment.types import (
    Answer,
    Capability,
    Cooccurrence,
    Cost,
    Count,
    Document,
    Entity,
    Extraction,
    Faithfulness,
    Generation,
    GenerationOptions,
    Prompt,
    Question,
    Retrieval,
    Support,
    Token,
    Verdict,
)
from doubles import (
    ListIndex,
    ListRetriever,
    LookedInto,
    NameExtractor,
    RecitingModel,
    text_of,
)

CAPITALS = {
    "Oslo": "Norway",
    "Stockholm": "Sweden",
    "Helsinki": "Finland",
    "Copenhagen": "Denmark",
    "Reykjavik": "Iceland",
    "Tallinn": "Estonia",
    "Riga": "Latvia",
    "Vilnius": "Lithuania",
    "Warsaw": "Poland",
    "Prague": "Czechia",
    "Vienna": "Austria",
    "Budapest": "Hungary",
    "Ljubljana": "Slovenia",
    "Zagreb": "Croatia",
    "Sofia": "Bulgaria",
    "Bucharest": "Romania",
    "Athens": "Greece",
    "Lisbon": "Portugal",
    "Madrid": "Spain",
    "Dublin": "Ireland",
    "Nairobi": "Kenya",
    "Accra": "Ghana",
    "Lima": "Peru",
    "Quito": "Ecuador",
}
MISTAKEN = list(CAPITALS)[::3]
"""The model gets these wrong unless it reads the passage."""
UNHEARD_OF = "Atlantis"
"""No document speaks of it, and the model does not know either."""


def asks(capital: str) -> str:
    return f"Of which country is {capital} the capital?"


def tells(capital: str, country: str) -> list[str]:
    return [f"{capital} is the capital of {country}.", f"So the answer is {country}."]


DOCUMENTS = [
    Document(city, f"{city} is the capital of {country}.", title=city)
    for city, country in CAPITALS.items()
]
QUESTIONS = [Question(city, asks(city)) for city in [*CAPITALS, UNHEARD_OF]]
INFORMED = {asks(city): tells(city, country) for city, country in CAPITALS.items()}
IGNORANT = {asks(UNHEARD_OF): ["So the answer is unknown."]}
UNAIDED = {**INFORMED, **{asks(city): tells(city, "Mongolia") for city in MISTAKEN}, **IGNORANT}
QUCO = SentenceLoop(QuCo(entity_threshold=1))
POLICIES = [
    pytest.param(SentenceLoop(NoRetrieval()), id="none"),
    pytest.param(SentenceLoop(SingleRetrieval()), id="single"),
    pytest.param(QUCO, id="quco"),
]


def edges(**changed: object) -> Edges:
    """Everything in memory, with some edges changed."""
    whole = Edges(
        index=ListIndex(DOCUMENTS),
        retriever=ListRetriever(DOCUMENTS),
        model=RecitingModel(UNAIDED, INFORMED),
        extractor=NameExtractor(),
    )
    return dataclasses.replace(whole, **changed)  # type: ignore[arg-type]


def engine(policy: Policy = QUCO, **changed: object) -> Engine:
    return Engine(policy, edges(**changed))


def settled(answer: Answer) -> Answer:
    """The answer without what differs from run to run: its name and its time."""
    cost = dataclasses.replace(answer.cost, seconds=0.0)
    return dataclasses.replace(answer, trace_id="", cost=cost)


def succeeded(results: Sequence[Answered | Unanswered]) -> list[Answered]:
    assert [r.error for r in results if isinstance(r, Unanswered)] == []
    return [r for r in results if isinstance(r, Answered)]


class FailingIndex(ListIndex):
    """Cannot count one phrase, nor any batch that asks for it."""

    def __init__(self, phrase: str) -> None:
        super().__init__(DOCUMENTS)
        self.phrase = phrase

    def count(self, phrases: Sequence[str]) -> list[Count]:
        if self.phrase in phrases:
            raise IndexUnavailable("The index is busy.", hint="Wait.")
        return super().count(phrases)


OVERLOADED = ModelUnavailable("The model is overloaded.", hint="Wait.")
TOO_LONG = ContextOverflow("The prompt is too long.", hint="Ask for fewer passages.")


class FailingModel(RecitingModel):
    """Cannot go on with prompts that name one city, nor with any batch that holds one."""

    def __init__(self, city: str, error: ModelError) -> None:
        super().__init__(UNAIDED, INFORMED)
        self.city = city
        self.error = error

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        made = super().generate(prompts, options)
        if any(asks(self.city) in prompt.text for prompt in prompts):
            raise self.error
        return made


class FailingRetriever(ListRetriever):
    """Cannot be asked what names one city."""

    def __init__(self, city: str) -> None:
        super().__init__(DOCUMENTS)
        self.city = city

    def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
        if any(self.city in query for query in queries):
            raise CorpusError("The passages are damaged.")
        return super().search(queries, k=k)


class FailingExtractor(NameExtractor):
    """Finds nothing, and says so."""

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        raise ExtractionError("Expected a list.", raw="?")

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        raise ExtractionError("Expected a list.", raw="?")


# --- the drivers agree --------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_all_drivers_give_the_same_answers(policy: Policy) -> None:
    one_by_one = [engine(policy).answer(question) for question in QUESTIONS]

    together = succeeded(engine(policy).answer_many(QUESTIONS))
    awaited = [asyncio.run(engine(policy).answer_async(question)) for question in QUESTIONS]
    replayed = [replay(Trace.loads(made.trace.dumps()), policy) for made in one_by_one]

    expected = [settled(made.answer) for made in one_by_one]
    assert len(expected) > 20
    assert [settled(made.answer) for made in together] == expected
    assert [settled(made.answer) for made in awaited] == expected
    assert [settled(answer) for answer in replayed] == expected


def test_a_replayed_answer_equals_the_recorded_one_to_the_last_field() -> None:
    made = engine().answer(QUESTIONS[0])

    assert replay(made.trace, QUCO) == made.answer


def test_a_question_may_be_asked_as_text_and_the_result_read_without_looking_inside() -> None:
    made = engine().ask(asks("Oslo"))

    answer = engine().answer(Question("any", asks("Oslo"))).answer
    assert made.trace.question.text == asks("Oslo")
    assert (made.text, made.verdict, made.reason) == (answer.text, answer.verdict, answer.reason)
    assert made.claims == answer.claims


def test_quco_repairs_what_the_model_gets_wrong_and_abstains_where_nothing_is_known() -> None:
    answers = {
        made.answer.question.question_id: made.answer
        for made in succeeded(engine().answer_many(QUESTIONS))
    }

    expected = {city: (Verdict.ANSWERED, country) for city, country in CAPITALS.items()}
    expected[UNHEARD_OF] = (Verdict.ABSTAINED, "")
    assert {city: (a.verdict, a.final_answer) for city, a in answers.items()} == expected
    assert {city for city, a in answers.items() if a.retrievals} == {*MISTAKEN, UNHEARD_OF}


def test_many_questions_take_as_many_model_calls_as_the_longest_of_them() -> None:
    alone, batched = RecitingModel(UNAIDED, INFORMED), RecitingModel(UNAIDED, INFORMED)
    for question in QUESTIONS:
        engine(model=alone).answer(question)

    engine(model=batched).answer_many(QUESTIONS)

    assert sum(batched.batch_sizes) == len(alone.batch_sizes)
    assert len(batched.batch_sizes) * 10 < len(alone.batch_sizes)


def test_steps_that_differ_in_their_options_are_not_performed_together() -> None:
    asked: list[tuple[int, int]] = []

    class Noting(ListRetriever):
        def search(self, queries: Sequence[str], *, k: int) -> list[Retrieval]:
            asked.append((len(queries), k))
            return super().search(queries, k=k)

    class Alternating:
        name = "alternating"
        needs: frozenset[Capability] = frozenset()

        def run(self, question: Question):  # type: ignore[no-untyped-def]
            k = 1 + int(question.question_id) % 2
            return SentenceLoop(SingleRetrieval(), k=k).run(question)

    questions = [Question(str(n), asks("Oslo")) for n in range(5)]

    engine(Alternating(), retriever=Noting(DOCUMENTS)).answer_many(questions)

    assert asked == [(3, 1), (2, 2)]


def test_no_question_gives_no_answer() -> None:
    assert engine().answer_many([]) == []


def test_the_same_question_may_be_asked_twice_at_once() -> None:
    first, second = succeeded(engine().answer_many([QUESTIONS[0], QUESTIONS[0]]))

    assert settled(first.answer) == settled(second.answer)
    assert first.trace.trace_id != second.trace.trace_id


# --- the log ------------------------------------------------------------------------------------


DRIVERS: dict[str, Callable[[Engine, Question, Callable[[Question, Record], None]], object]] = {
    "answer": lambda e, q, observe: e.answer(q, observe),
    "answer_async": lambda e, q, observe: asyncio.run(e.answer_async(q, observe)),
    "answer_many": lambda e, q, observe: e.answer_many([q], observe),
}


@pytest.mark.parametrize("driver", DRIVERS)
def test_an_observer_is_told_of_every_record_as_it_is_made(driver: str) -> None:
    seen: list[tuple[Question, Record]] = []
    question = QUESTIONS[0]
    expected = engine().answer(question).trace.records

    DRIVERS[driver](engine(), question, lambda q, record: seen.append((q, record)))

    assert [q for q, _ in seen] == [question] * len(expected)
    assert [record.step for _, record in seen] == [record.step for record in expected]


def test_an_observer_of_many_sees_the_records_of_each_in_order() -> None:
    seen: dict[str, list[Record]] = {question.question_id: [] for question in QUESTIONS}

    results = engine().answer_many(
        QUESTIONS, lambda question, record: seen[question.question_id].append(record)
    )

    logged = {r.trace.question.question_id: list(r.trace.records) for r in succeeded(results)}
    assert seen == logged


def test_the_trace_says_who_answered_with_what() -> None:
    trace = engine().answer(QUESTIONS[0]).trace

    assert trace.policy == repr(QUCO)
    assert (trace.model, trace.index) == ("reciting", "digest of the list")
    assert dict(trace.versions) == versions()
    assert re.fullmatch(r"[0-9a-f]{16}", trace.trace_id)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", trace.started_at)


def test_the_cost_is_that_of_all_calls() -> None:
    made = engine().answer(Question(MISTAKEN[0], asks(MISTAKEN[0])))

    written = [r.outcome for r in made.trace.records if isinstance(r.step, Generate)]
    sentences = ["Oslo is the capital of Mongolia.", *tells("Oslo", "Norway")]
    assert [generation.text.strip() for generation in written] == sentences
    assert made.answer.cost == Cost(
        prompt_tokens=sum(generation.usage.prompt_tokens for generation in written),
        generated_tokens=sum(generation.usage.generated_tokens for generation in written),
        model_calls=3,
        retrievals=1,
        seconds=sum(record.ms for record in made.trace.records) / 1000,
    )


def test_steps_of_a_batch_share_its_time_and_say_its_size() -> None:
    started = time.perf_counter()
    results = succeeded(engine().answer_many(QUESTIONS))
    passed_ms = (time.perf_counter() - started) * 1000

    records = [record for made in results for record in made.trace.records]
    assert min(min(record.started_ms, record.ms) for record in records) >= 0
    assert sum(record.ms for record in records) <= passed_ms
    assert {made.trace.records[0].batch for made in results} == {len(QUESTIONS)}


# --- what fails ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "The question is empty", id="empty"),
        pytest.param(" \n\t", "The question is empty", id="blank"),
        pytest.param("???", "it has no word", id="marks only"),
        pytest.param("\u200b", "it has no word", id="an invisible character"),
        pytest.param("word " * 10_000, "50,000 characters; at most 8,000", id="10,000 words"),
    ],
)
def test_what_is_no_question_is_refused_by_every_driver(text: str, message: str) -> None:
    question = Question("q", text)

    with pytest.raises(UsageError, match=message):
        engine().answer(question)
    with pytest.raises(UsageError, match=message):
        asyncio.run(engine().answer_async(question))
    refused, answered = engine().answer_many([question, QUESTIONS[0]])

    assert isinstance(refused, Unanswered)
    assert message in refused.error.message
    assert refused.error.hint
    assert isinstance(answered, Answered)


def test_the_longest_question_that_is_allowed_is_answered() -> None:
    text = "x" * MAX_QUESTION_CHARACTERS
    model = RecitingModel({text: ["So the answer is unknown."]})

    assert engine(model=model).answer(Question("q", text)).answer.verdict is Verdict.ABSTAINED


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        pytest.param({"model": FailingModel("Oslo", TOO_LONG)}, ContextOverflow, id="model"),
        pytest.param({"retriever": FailingRetriever("Oslo")}, CorpusError, id="retriever"),
    ],
)
def test_a_failure_in_a_batch_ends_its_question_only(
    changed: dict[str, object], error: type[AvermentError]
) -> None:
    failed, *others = engine(QUCO, **changed).answer_many(QUESTIONS)

    assert isinstance(failed, Unanswered)
    assert type(failed.error) is error
    assert failed.question == QUESTIONS[0]
    assert failed.trace.draft is None
    expected = [settled(engine().answer(question).answer) for question in QUESTIONS[1:]]
    assert [settled(made.answer) for made in succeeded(others)] == expected


def test_a_failure_ends_a_single_question_with_the_error_itself() -> None:
    with pytest.raises(ModelUnavailable, match="overloaded") as raised:
        engine(model=FailingModel("Oslo", OVERLOADED)).answer(QUESTIONS[0])

    assert raised.value.hint == "Wait."


def test_a_batch_of_which_one_step_is_at_fault_is_performed_again_one_by_one() -> None:
    model = FailingModel("Oslo", TOO_LONG)

    results = engine(model=model).answer_many(QUESTIONS[:3])

    failed = [r.trace.records[-1] for r in results if isinstance(r, Unanswered)]
    assert model.batch_sizes[:4] == [3, 1, 1, 1]
    assert [(record.failure, record.outcome) for record in failed] == [
        (Failure("ContextOverflow", "The prompt is too long.", "Ask for fewer passages."), None)
    ]


def test_a_service_that_is_down_is_not_asked_again_for_each_step_of_the_batch() -> None:
    model = FailingModel("Oslo", OVERLOADED)

    results = engine(model=model).answer_many(QUESTIONS[:3])

    assert model.batch_sizes == [3]
    assert [type(r.error) for r in results if isinstance(r, Unanswered)] == [ModelUnavailable] * 3
    assert [r.trace.records[-1].batch for r in results] == [3, 3, 3]


def test_an_index_that_cannot_count_an_entity_makes_it_search_with_the_question() -> None:
    made = engine(index=FailingIndex("Oslo")).answer(Question("q", asks("Oslo")))

    triggers = [made.trigger for made in made.answer.retrievals]
    assert triggers == ["unknown_count"]
    assert {r.failure.kind for r in made.trace.records if r.failure} == {"IndexUnavailable"}


def test_an_index_that_is_down_never_lets_an_answer_pass_as_checked() -> None:
    class Down(FailingIndex):
        def count(self, phrases: Sequence[str]) -> list[Count]:
            raise IndexUnavailable("The index cannot be reached.")

        def cooccurrence(self, pairs, *, window_words):  # type: ignore[no-untyped-def]
            raise IndexUnavailable("The index cannot be reached.")

    results = succeeded(engine(index=Down("")).answer_many(QUESTIONS))

    verdicts = Counter(made.answer.verdict for made in results)
    assert verdicts == {Verdict.WARNED: len(CAPITALS), Verdict.ABSTAINED: 1}
    supports = {claim.support for made in results for claim in made.answer.claims}
    assert supports == {Support.UNKNOWN}


def test_an_extractor_that_fails_never_lets_an_answer_pass_as_checked() -> None:
    results = succeeded(engine(extractor=FailingExtractor()).answer_many(QUESTIONS))

    verdicts = Counter((made.verdict, made.reason) for made in results)
    assert verdicts == {
        (Verdict.WARNED, "not_checked"): len(CAPITALS),
        (Verdict.ABSTAINED, "no_evidence"): 1,
    }
    assert {t.trigger for made in results for t in made.answer.retrievals} == {"extraction_failed"}


def test_a_step_that_nobody_knows_is_a_mistake_of_the_program() -> None:
    with pytest.raises(AssertionError):
        perform([object()], edges())  # type: ignore[list-item]


def test_a_policy_that_needs_what_the_model_lacks_is_refused_when_wired() -> None:
    class Demanding(NoRetrieval):
        needs = frozenset({Capability.SCORING, Capability.LOGPROBS})

    with pytest.raises(CapabilityError) as refused:
        engine(SentenceLoop(Demanding()))

    assert refused.value.message == (
        "Policy 'none' needs logprobs, scoring; model 'reciting' does not provide it."
    )


# --- replay -------------------------------------------------------------------------------------


def test_a_replay_with_another_policy_diverges_at_the_first_other_step() -> None:
    trace = engine().answer(QUESTIONS[0]).trace

    with pytest.raises(TraceDiverged, match=r"Step 1 is Generate.*ExtractEntities.*recorded") as e:
        replay(trace, SentenceLoop(NoRetrieval()))

    assert "the policy that made the trace" in e.value.hint


def test_a_replay_for_another_question_diverges_though_the_steps_are_of_the_same_kind() -> None:
    trace = engine().answer(Question("q", asks("Oslo"))).trace
    other = dataclasses.replace(trace, question=Question("q", asks("Lima")))

    with pytest.raises(TraceDiverged, match=r"Step 1 is .*Lima.*, but .*Oslo.* was recorded"):
        replay(other, QUCO)


def test_a_replay_of_a_trace_that_was_cut_diverges_after_its_last_step() -> None:
    trace = engine().answer(QUESTIONS[0]).trace
    cut = dataclasses.replace(trace, records=trace.records[:-1])

    with pytest.raises(TraceDiverged, match=r"Commit.* after the last recorded step") as diverged:
        replay(cut, QUCO)

    assert "the policy that made the trace" in diverged.value.hint


def test_a_replay_of_a_trace_with_a_step_too_many_diverges_where_the_policy_ends() -> None:
    trace = engine().answer(QUESTIONS[0]).trace
    n = len(trace.records)
    longer = dataclasses.replace(trace, records=(*trace.records, trace.records[-1]))

    with pytest.raises(TraceDiverged, match=f"ended before step {n + 1} of {n + 1} recorded"):
        replay(longer, QUCO)


def test_a_replay_of_outcomes_that_were_changed_diverges() -> None:
    trace = engine().answer(QUESTIONS[0]).trace
    records = [
        dataclasses.replace(record, outcome=text_of(" It is elsewhere."))
        if isinstance(record.step, Generate)
        else record
        for record in trace.records
    ]

    with pytest.raises(TraceDiverged, match="It is elsewhere"):
        replay(dataclasses.replace(trace, records=tuple(records)), QUCO)


def test_a_run_with_an_index_step_that_failed_replays() -> None:
    made = engine(index=FailingIndex("Oslo")).answer(QUESTIONS[0])
    failed = [r.step for r in made.trace.records if r.failure]

    assert failed[0] == CountPhrases(("Oslo",))
    assert replay(Trace.loads(made.trace.dumps()), QUCO) == made.answer


def test_a_run_that_ended_in_an_error_replays_to_that_error() -> None:
    (failed,) = engine(model=FailingModel("Oslo", OVERLOADED)).answer_many(QUESTIONS[:1])
    trace = Trace.loads(failed.trace.dumps())

    with pytest.raises(ModelUnavailable, match="overloaded"):
        replay(trace, QUCO)


def test_a_question_that_was_refused_is_refused_again_by_a_replay() -> None:
    (refused,) = engine().answer_many([Question("q", "")])

    with pytest.raises(UsageError, match="has no word"):
        replay(refused.trace, QUCO)


def test_only_checked_sentences_are_committed() -> None:
    trace = engine().answer(Question("q", asks(MISTAKEN[0]))).trace

    said = [r.step.sentence.text for r in trace.records if isinstance(r.step, Commit)]
    assert said == tells(MISTAKEN[0], CAPITALS[MISTAKEN[0]])


def kinds(steps: Sequence[Step]) -> list[str]:
    return [type(step).__name__ for step in steps]


def test_the_life_of_a_question_that_has_to_be_repaired() -> None:
    trace = engine().answer(Question("q", asks(MISTAKEN[0]))).trace

    claim = ["ExtractTriplets", "CountPhrases", "CountPhrases", "Cooccur"]
    assert kinds([record.step for record in trace.records]) == [
        "ExtractEntities",
        "CountPhrases",
        *("Generate", *claim, "Search"),
        *("Generate", *claim, "Commit"),
        *("Generate", "ExtractEntities", "Commit"),
    ]


def test_closing_an_engine_gives_back_once_what_was_opened_for_it() -> None:
    closed: list[str] = []
    edges = Edges(ListIndex([]), ListRetriever([]), RecitingModel({}), NameExtractor())

    with Engine(SentenceLoop(NoRetrieval()), edges, on_close=lambda: closed.append("x")) as engine:
        assert closed == []
    engine.close()
    Engine(SentenceLoop(NoRetrieval()), edges).close()

    assert closed == ["x"]


# --- scores -------------------------------------------------------------------------------------

SCORING = Scoring(
    "lexical-alignment",
    "reciting",
    CorpusSize(ListIndex(DOCUMENTS).info.n_documents, ListIndex(DOCUMENTS).info.n_words, 1000),
)


class WholeModel(RecitingModel):
    """Recites, and knows the log-probability of each of its words."""

    def __init__(self) -> None:
        super().__init__(UNAIDED, INFORMED)
        self._info = dataclasses.replace(
            self._info, capabilities=frozenset({Capability.LOGPROBS, Capability.SCORING})
        )


def scoring_engine(policy: Policy = QUCO, **changed: object) -> Engine:
    scored = {"model": WholeModel(), "faithfulness": LexicalAlignment(), **changed}
    return Engine(policy, edges(**scored), scoring=SCORING)


def test_all_drivers_give_the_same_scores() -> None:
    one_by_one = [scoring_engine().answer(question) for question in QUESTIONS]

    together = succeeded(scoring_engine().answer_many(QUESTIONS))
    awaited = [asyncio.run(scoring_engine().answer_async(question)) for question in QUESTIONS]
    replayed = [replay(Trace.loads(m.trace.dumps()), QUCO, SCORING) for m in one_by_one]

    expected = [settled(made.answer) for made in one_by_one]
    assert all(answer.scores for answer in expected)
    assert {claim.uf is None for answer in expected for claim in answer.claims} == {False}
    assert [settled(made.answer) for made in together] == expected
    assert [settled(made.answer) for made in awaited] == expected
    assert [settled(answer) for answer in replayed] == expected


def test_an_answer_is_scored_after_it_was_written_and_loses_nothing_by_it() -> None:
    plain = engine(model=WholeModel()).answer(QUESTIONS[0])

    scored = scoring_engine().answer(QUESTIONS[0])

    n = len(plain.trace.records)
    assert [r.step for r in scored.trace.records[:n]] == [r.step for r in plain.trace.records]
    assert kinds([r.step for r in scored.trace.records[n:]]) == ["Rescore", "JudgeFaithfulness"]
    assert scored.answer.text == plain.answer.text
    assert scored.answer.cost.model_calls == plain.answer.cost.model_calls


def test_a_claim_that_was_repaired_is_faithful_to_the_passage_that_repaired_it() -> None:
    made = scoring_engine().answer(Question("q", asks(MISTAKEN[0])))

    claim = made.claims[0]
    assert claim.p_faithful == 1.0
    assert [found.text for found in claim.evidence] == [claim.text]


def test_a_replay_scores_neither_more_nor_less_than_was_scored_then() -> None:
    scored, plain = scoring_engine().answer(QUESTIONS[0]), engine().answer(QUESTIONS[0])

    with pytest.raises(TraceDiverged, match=r"ended before step"):
        replay(scored.trace, QUCO)
    with pytest.raises(TraceDiverged, match=r"JudgeFaithfulness|Rescore"):
        replay(plain.trace, QUCO, SCORING)


def test_an_answer_is_given_without_scores_where_nobody_judges_and_says_so() -> None:
    made = scoring_engine(faithfulness=None).answer(QUESTIONS[0])

    assert made.answer.scores is not None
    assert made.answer.scores.notes == (
        "lexical-alignment: Nobody was given who judges faithfulness.",
    )
    assert {claim.score for claim in made.claims} == {None}


def test_a_model_that_cannot_rescore_is_named_in_the_refusal() -> None:
    class Writing:
        info = RecitingModel({}).info

    with pytest.raises(CapabilityError, match="'reciting' cannot give the log-probabilities") as e:
        perform([Rescore(Prompt("Q"), " A")], edges(model=Writing()))

    assert "prompt log-probabilities" in e.value.hint


def test_a_model_that_cannot_be_looked_into_is_named_in_the_refusal() -> None:
    with pytest.raises(
        CapabilityError, match="'reciting' does not let itself be looked"
    ) as refused:
        perform([ReadAttention("", "Oslo", 0)], edges())

    assert "--runtime transformers" in refused.value.hint


class AskedIndex(ListIndex):
    """Remembers which phrases and pairs it was asked for."""

    def __init__(self) -> None:
        super().__init__(DOCUMENTS)
        self.asked: list[Sequence[object]] = []

    def count(self, phrases: Sequence[str]) -> list[Count]:
        self.asked.append(phrases)
        return super().count(phrases)

    def cooccurrence(
        self, pairs: Sequence[tuple[str, str]], *, window_words: int
    ) -> list[Cooccurrence]:
        self.asked.append(pairs)
        return super().cooccurrence(pairs, window_words=window_words)


def test_what_a_batch_asks_several_times_is_counted_once_and_answered_each_time() -> None:
    index = AskedIndex()
    pair, other = ("Oslo", "Norway"), ("Oslo", "Capital")

    counted = perform(
        [CountPhrases(("Oslo", "Capital", "Oslo")), CountPhrases(()), CountPhrases(("Capital",))],
        edges(index=index),
    )
    together = perform([Cooccur((pair, other), 50), Cooccur((pair,), 50)], edges(index=index))

    oslo, capital = ListIndex(DOCUMENTS).count(["Oslo", "Capital"])
    assert oslo != capital
    assert counted == [[oslo, capital, oslo], [], [capital]]
    assert together == [
        ListIndex(DOCUMENTS).cooccurrence(pairs, window_words=50)
        for pairs in ([pair, other], [pair])
    ]
    assert index.asked == [["Oslo", "Capital"], [pair, other]]


def test_readings_inside_the_model_are_performed_together() -> None:
    model = LookedInto({})
    few, many = (Sampling(n, 5, (), 1.0, 0, 1.0, 0) for n in (2, 3))

    attended = perform([ReadAttention("", text, 0) for text in ("a", "a b")], edges(model=model))
    spread = perform([MeasureSpread(Prompt("Q"), few)] * 2, edges(model=model))

    assert [len(reading.rows) for reading in attended] == [1, 2]
    assert [each.n_used for each in spread] == [2, 2]
    assert _batch_key(MeasureSpread(Prompt("Q"), few)) != _batch_key(
        MeasureSpread(Prompt("Q"), many)
    )


def test_steps_of_scoring_are_performed_together_and_told_apart() -> None:
    asked = [
        JudgeFaithfulness(("Oslo is in Norway.", "Oslo."), ("Oslo is in Norway.",)),
        JudgeFaithfulness((), ()),
        JudgeFaithfulness(("Oslo is in Norway.",), ()),
    ]

    (two, none, one) = perform(asked, edges(faithfulness=LexicalAlignment()))

    assert [found.score for found in two] == [1.0, 1.0]
    assert none == []
    assert one == [Faithfulness(0.0, reason="no_evidence")]


def test_texts_are_rescored_together() -> None:
    asked = [Rescore(Prompt("Q"), " A b"), Rescore(Prompt("R"), " C")]

    first, second = perform(asked, edges(model=WholeModel()))

    assert first == [Token(" A", -0.5), Token(" b", -0.5)]
    assert second == [Token(" C", -0.5)]


# --- flows that answer no question --------------------------------------------------------------


def test_a_flow_is_carried_out_step_by_step() -> None:
    def flow():  # type: ignore[no-untyped-def]
        counts = yield from steps.count(["Oslo"])
        found = yield from steps.search("Oslo", 1, trigger="t", detail="d")
        return counts[0].value, [hit.passage.document_id for hit in found.hits]

    assert carry_out(flow(), edges()) == (1, ["Oslo"])


def test_a_flow_that_asks_for_nothing_is_its_value() -> None:
    def flow():  # type: ignore[no-untyped-def]
        return 7
        yield

    assert carry_out(flow(), edges()) == 7


def test_a_step_that_fails_is_raised_inside_the_flow() -> None:
    def flow():  # type: ignore[no-untyped-def]
        (count,) = yield from steps.count(["Oslo"])
        return count

    assert carry_out(flow(), edges(index=FailingIndex("Oslo"))) == Count.unavailable()


def test_what_a_flow_does_not_let_pass_ends_it() -> None:
    flow = steps.search("Oslo", 1, trigger="t", detail="d")

    with pytest.raises(CorpusError, match="damaged"):
        carry_out(flow, edges(retriever=FailingRetriever("Oslo")))


def test_whoever_wants_to_know_is_told_of_each_step_of_a_flow() -> None:
    def flow():  # type: ignore[no-untyped-def]
        yield from steps.count(["Oslo"])
        yield from steps.search("Oslo", 1, trigger="t", detail="d")

    records: list[Record] = []
    with pytest.raises(CorpusError, match="damaged"):
        carry_out(flow(), edges(retriever=FailingRetriever("Oslo")), records.append)

    counted, failed = records
    assert (counted.step, counted.outcome[0].value, counted.failure) == (
        CountPhrases(("Oslo",)),
        1,
        None,
    )
    assert (failed.outcome, failed.failure and failed.failure.kind) == (None, "CorpusError")
    assert counted.started_ms + counted.ms <= failed.started_ms


def test_whoever_wants_to_know_is_told_of_each_result() -> None:
    results: list[Answered | Unanswered] = []
    told = Engine(QUCO, edges(), on_result=results.append)
    question, other = QUESTIONS[:2]

    one = told.answer(question)
    same = asyncio.run(told.answer_async(question))
    many = told.answer_many([question, other])

    assert results == [one, same, *many]


def test_a_question_that_ends_in_an_error_is_told_of_too() -> None:
    results: list[Answered | Unanswered] = []
    failing = edges(model=FailingModel("Oslo", TOO_LONG))
    told = Engine(SentenceLoop(NoRetrieval()), failing, on_result=results.append)

    with pytest.raises(ContextOverflow) as raised:
        told.answer(QUESTIONS[0])

    (result,) = results
    assert isinstance(result, Unanswered)
    assert result.error is raised.value


@pytest.mark.parametrize(
    ("edge", "step"),
    [
        ("index", CountPhrases(("Oslo",))),
        ("retriever", steps.Search("Oslo", 1, "t", "d")),
        ("model", Generate(Prompt("Q"), GenerationOptions())),
        ("model", Rescore(Prompt("Q"), " A")),
    ],
    ids=["index", "retriever", "model", "a model that scores"],
)
def test_whatever_is_asked_of_an_edge_that_is_missing_is_refused_by_name(
    edge: str, step: Step
) -> None:
    missing = Missing("this edge", hint="Give one.")

    with pytest.raises(CapabilityError, match="needs this edge, and none was given") as refused:
        perform([step], edges(**{edge: missing}))

    assert refused.value.hint == "Give one."


# --- who is told what became of a question --------------------------------------------------------


def told_engine(told: Callable[[Answered | Unanswered], None], **changed: object) -> Engine:
    return Engine(QUCO, edges(**changed), on_result=told)


def test_every_driver_tells_of_the_result_before_it_is_handed_out() -> None:
    told: list[Answered | Unanswered] = []
    telling = told_engine(told.append)

    results = [
        telling.answer(QUESTIONS[0]),
        asyncio.run(telling.answer_async(QUESTIONS[0])),
        *telling.answer_many(QUESTIONS[1:3]),
    ]

    assert told == results


def test_a_question_that_ended_in_an_error_is_told_of_with_its_trace() -> None:
    told: list[Answered | Unanswered] = []
    telling = told_engine(told.append)

    with pytest.raises(UsageError, match="empty"):
        telling.ask("")

    (result,) = told
    assert isinstance(result, Unanswered)
    assert result.trace.draft is None


def test_a_result_that_cannot_be_told_of_is_not_handed_out() -> None:
    def refuse(result: object) -> None:
        raise ModelError("It cannot be written down.")

    telling = told_engine(refuse)

    for ask in (
        lambda: telling.answer(QUESTIONS[0]),
        lambda: asyncio.run(telling.answer_async(QUESTIONS[0])),
        lambda: telling.answer_many([QUESTIONS[0]]),
    ):
        with pytest.raises(ModelError, match="written down"):
            ask()


def test_the_steps_of_a_flow_are_told_of_with_outcomes_and_failures_and_replay_it() -> None:
    def flow():  # type: ignore[no-untyped-def]
        (count,) = yield from steps.count(["Oslo"])
        found = yield from steps.search("Oslo", 1, trigger="t", detail="d")
        return count, len(found.hits)

    told: list[Record] = []
    value = carry_out(flow(), edges(index=FailingIndex("Oslo")), told.append)

    counted, searched = told
    assert (counted.outcome, searched.failure) == (None, None)
    assert counted.failure is not None
    assert searched.started_ms >= counted.started_ms >= 0
    assert replay_flow(flow(), told) == value
    assert records_from_json(records_to_json(told)) == tuple(told)


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(steps.CountPhrases(("Oslo",), Dates(until="2020")), id="phrases"),
        pytest.param(steps.Cooccur((("Oslo", "Norway"),), 9, Dates(until="2020")), id="pairs"),
    ],
)
def test_a_corpus_without_dates_refuses_to_be_asked_about_some(step: steps.Step) -> None:
    edges = Edges(ListIndex([]), ListRetriever([]), RecitingModel({}), NameExtractor())

    with pytest.raises(CapabilityError, match="does not know when its documents are from"):
        perform([step], edges)
