"""Drafts weighed by hand: what is searched, drafted again, kept, and what the answer then is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from quco_by_hand import (
    OSLO_NORWAY,
    OSLO_SWEDEN,
    QUESTION,
    RIGHT,
    TEXT,
    WRONG,
    answer,
    claims,
    counted,
    held,
    names,
)
from test_loop import draft as greedy

from averment.costs import Action, Costs, Weighed
from averment.errors import CapabilityError
from averment.policies.expected_cost import ExpectedCost
from averment.policies.ledger import Ledger
from averment.policies.loop import Inspection, Progress, Query, SentenceLoop
from averment.policies.quco import QuCo, QueryForm
from averment.steps import Commit, Flow, Generate, Policy, ScoredPolicy, Search
from averment.types import (
    Check,
    ClaimScores,
    Draft,
    Faithfulness,
    Passage,
    Question,
    RelationCheck,
    RelationOutcome,
    Scores,
    Sentence,
    Support,
    Verdict,
)
from doubles import Exchange, exact, follow, hits, next_step, passage, text_of, together

COSTS = Costs(search_mends=0.5, draft_mends=0.3)
FINAL = "So the answer is Norway."
ABOUT = f"{TEXT} Oslo"
OSLO = passage("Oslo is the capital of Norway.", title="Oslo")


@dataclass(frozen=True)
class Believing:
    """Scores that are known in advance: P(true) of each text, None where nothing is claimed."""

    p_true: Mapping[str, float | None]
    costs: Costs | None = COSTS
    faithfulness: Faithfulness | None = None
    withholds: bool = True
    seen: list[Draft] = field(default_factory=list)

    def of_last(self, question: Question, draft: Draft) -> Flow[ClaimScores]:
        yield from ()
        self.seen.append(draft)
        return self._scores(draft.sentences[-1].text)

    def of_draft(self, question: Question, draft: Draft) -> Flow[Scores]:
        yield from ()
        told = tuple(self._scores(sentence.text) for sentence in draft.sentences)
        return Scores(told, "by hand", "constant", "constant", "", costs=self.costs)

    def _scores(self, text: str) -> ClaimScores:
        p = self.p_true.get(text)
        reasons = {} if text in self.p_true else {"p_faithful": "empty_claim"}
        return ClaimScores(self.faithfulness, p_true=p, reasons=reasons)


def trigger(scoring: Believing) -> ExpectedCost:
    rule = ExpectedCost(entity_threshold=3, query_form=QueryForm.QUESTION_HEAD)
    return rule.scored_by(scoring)


def weigh(
    sentence: str,
    scoring: Believing,
    *exchanges: Exchange,
    passages: tuple[Passage, ...] = (OSLO,),
    asked: str = TEXT,
    repairs_left: int = 2,
) -> Inspection:
    ledger = Ledger(1000)
    ledger.add(hits(asked, *passages), trigger="always", detail="d")
    progress = Progress(QUESTION, (), ledger, repairs_left=repairs_left)
    return follow(trigger(scoring).inspect(progress, sentence, text_of(sentence)), exchanges)


def claimed(sentence: str, *, n_together: int) -> list[Exchange]:
    triplet = OSLO_NORWAY if sentence == RIGHT else OSLO_SWEDEN
    return [claims(sentence, triplet), *held((triplet, together(n_together)))]


# --- one draft ----------------------------------------------------------------------------------


def test_a_probable_claim_is_given_although_its_pair_never_occurs() -> None:
    found = weigh(RIGHT, Believing({RIGHT: 0.95}), *claimed(RIGHT, n_together=0))

    assert (found.support, found.queries) == (Support.ABSENT, ())
    assert found.redraft_temperature is None
    assert found.weighed == Weighed(RIGHT, 0.95, Action.GIVE, pytest.approx(0.05))


def test_an_improbable_claim_is_searched_for_although_its_pair_occurs() -> None:
    found = weigh(WRONG, Believing({WRONG: 0.1}), *claimed(WRONG, n_together=2))

    assert found.weighed == Weighed(WRONG, 0.1, Action.SEARCH, 0.35, pytest.approx(0.125))
    assert found.queries == (Query(ABOUT, "improbable_claim", found.weighed.in_words),)
    assert found.redraft_temperature == 0.7  # should the search find nothing new


def test_what_was_asked_before_is_not_asked_again_but_drafted_again() -> None:
    scoring = Believing({WRONG: 0.1})

    found = weigh(WRONG, scoring, *claimed(WRONG, n_together=2), asked=ABOUT)
    other = found.queries[0].text
    assert other == f"{TEXT} {WRONG}"  # the sentence itself is left

    progress = Progress(QUESTION, (), Ledger(1000), repairs_left=1)
    for query in (ABOUT, other):
        progress.ledger.add(hits(query, OSLO), trigger="t", detail="d")
    again = follow(
        trigger(scoring).inspect(progress, WRONG, text_of(WRONG)), claimed(WRONG, n_together=2)
    )
    assert again.weighed == Weighed(WRONG, 0.1, Action.DRAFT, 0.35, pytest.approx(0.075))
    assert (again.queries, again.redraft_temperature) == ((), 0.7)


def test_without_passages_there_is_nothing_to_misread() -> None:
    scoring = Believing({WRONG: 0.1})

    found = weigh(WRONG, scoring, *claimed(WRONG, n_together=2), passages=())

    assert found.queries
    assert found.redraft_temperature is None


def test_where_no_repair_is_left_what_there_is_is_judged() -> None:
    scoring = Believing({WRONG: 0.1})

    found = weigh(WRONG, scoring, *claimed(WRONG, n_together=2), repairs_left=0)

    assert found.weighed == Weighed(WRONG, 0.1, Action.DROP, 0.35)
    assert (found.queries, found.redraft_temperature) == ((), None)


def test_a_repair_that_costs_more_than_it_saves_is_not_made() -> None:
    scoring = Believing({WRONG: 0.1}, replace(COSTS, search=1.0, draft=1.0))

    found = weigh(WRONG, scoring, *claimed(WRONG, n_together=2))

    assert (found.queries, found.redraft_temperature) == ((), None)
    assert found.weighed is not None
    assert found.weighed.action is Action.DROP


def test_a_probability_that_nobody_knows_is_weighed_as_false() -> None:
    found = weigh(RIGHT, Believing({RIGHT: None}), *claimed(RIGHT, n_together=2))

    assert found.queries
    assert found.weighed == Weighed(RIGHT, None, Action.SEARCH, 0.35, pytest.approx(0.125))


def test_what_claims_nothing_costs_nothing() -> None:
    greeting = "Let us see."

    found = weigh(greeting, Believing({}), claims(greeting))

    assert found.weighed == Weighed(greeting, None, Action.GIVE, 0.0)


def test_a_claim_is_scored_behind_those_before_it_with_all_that_was_found() -> None:
    scoring = Believing({RIGHT: 0.9, WRONG: 0.9})
    ledger = Ledger(1000)
    ledger.add(hits(TEXT, OSLO), trigger="always", detail="d")
    before = Sentence(RIGHT, Support.PRESENT)
    progress = Progress(QUESTION, (before,), ledger, repairs=1)

    follow(trigger(scoring).inspect(progress, WRONG, text_of(WRONG)), claimed(WRONG, n_together=2))

    (draft,) = scoring.seen
    assert [sentence.text for sentence in draft.sentences] == [RIGHT, WRONG]
    assert draft.sentences[1].repairs == 1
    assert draft.retrievals == tuple(ledger.retrievals)


def test_where_a_passage_says_it_and_the_corpus_denies_it_a_second_source_is_sought() -> None:
    says_so = Faithfulness(0.9, passage=0, start=0, end=4)
    rule = ExpectedCost(entity_threshold=3).scored_by(Believing({WRONG: 0.2}, faithfulness=says_so))
    denied = Inspection(Support.PRESENT)
    denied = replace(
        denied,
        checks=tuple(
            replace(
                check,
                relation=RelationCheck(RelationOutcome.CONTRADICTED, "states_another"),
            )
            for check in weigh(WRONG, Believing({WRONG: 0.9}), *claimed(WRONG, n_together=2)).checks
        ),
    )
    progress = Progress(QUESTION, (), Ledger(1000))
    claim = ClaimScores(says_so, p_true=0.2)

    assert rule._query(progress, WRONG, denied, claim) == WRONG


# --- the answer ---------------------------------------------------------------------------------


def final(n_together: int = 2) -> list[Exchange]:
    return [names("Oslo"), *held((answer("Oslo"), together(n_together)))]


def test_an_answer_that_is_not_given_costs_what_abstaining_costs() -> None:
    costs = replace(COSTS, abstained=0.2, dropped=9.0)
    scoring = Believing({FINAL: 0.1}, costs)

    found = weigh(FINAL, scoring, *final(), repairs_left=0)

    assert found.weighed == Weighed(FINAL, 0.1, Action.ABSTAIN, 0.2)


@pytest.mark.parametrize("said", ["unknown", "Oslo"])
def test_an_answer_that_is_none_is_searched_for(said: str) -> None:
    text = f"So the answer is {said}."  # Oslo is what the question asks about

    found = weigh(text, Believing({text: 0.99}), *([names("Oslo")] if said == "Oslo" else []))

    assert found.weighed is not None
    assert (found.weighed.action, found.weighed.expected_cost) == (Action.SEARCH, COSTS.abstained)


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ((), (Verdict.ABSTAINED, "empty_answer")),
        ((Sentence(RIGHT, Support.PRESENT),), (Verdict.WARNED, "no_final_answer")),
        (
            (Sentence("So the answer is unknown.", Support.UNKNOWN),),
            (Verdict.ABSTAINED, "no_evidence"),
        ),
        (
            (Sentence("So the answer is Oslo.", Support.ABSENT, "echoed_question"),),
            (Verdict.ABSTAINED, "no_evidence"),
        ),
        ((Sentence(FINAL, Support.ABSENT),), (Verdict.ANSWERED, None)),
    ],
)
def test_whether_an_answer_stays_is_for_its_probability_to_say(
    sentences: tuple[Sentence, ...], expected: tuple[Verdict, str | None]
) -> None:
    assert trigger(Believing({})).conclude(sentences) == expected


# --- in the loop --------------------------------------------------------------------------------


def draft(*said: str, context: str, temperature: float = 0.0, seed: int = 0) -> Generate:
    step = greedy(*said, context=context, question=TEXT)
    assert isinstance(step, Generate)
    return replace(step, options=replace(step.options, temperature=temperature, seed=seed))


def run(scoring: Believing, *exchanges: Exchange, max_repairs: int = 2) -> Draft:
    rule = ExpectedCost(entity_threshold=3, query_form=QueryForm.QUESTION_HEAD)
    loop = SentenceLoop(rule, max_repairs=max_repairs).scored_by(scoring)
    return follow(loop.run(QUESTION), exchanges)


FOUND = "Context:\n[1] Oslo: Oslo is the capital of Norway.\n\n"
START: list[Exchange] = [
    names("Oslo"),
    counted(Oslo=exact(1)),
    (
        Search(TEXT, 3, "rare_entity", "min of documents (Oslo 1) is below the threshold 3"),
        hits(TEXT, OSLO),
    ),
]


def search(weighed: Weighed, *found: Passage) -> Exchange:
    return Search(ABOUT, 3, "improbable_claim", weighed.in_words), hits(ABOUT, *found)


def check_of(sentence: str, n_together: int) -> tuple[Check, ...]:
    """What the counts of a claim come to."""
    return weigh(
        sentence, Believing({sentence: 1.0}), *claimed(sentence, n_together=n_together)
    ).checks


def test_a_search_that_finds_nothing_new_is_followed_by_another_draft_and_the_best_stays() -> None:
    other = "Oslo lies in Sweden."
    scoring = Believing({WRONG: 0.3, other: 0.1, FINAL: 0.9})
    searched = Weighed(WRONG, 0.3, Action.SEARCH, 0.35, 0.5 * 0.35 - 0.05)
    worse = Weighed(other, 0.1, Action.DROP, 0.35)
    checks = check_of(WRONG, 0)
    first = Sentence(WRONG, Support.ABSENT, checks=checks, weighed=(searched, worse))
    last = Sentence(
        FINAL,
        Support.PRESENT,
        checks=weigh(FINAL, scoring, *final()).checks,
        weighed=(Weighed(FINAL, 0.9, Action.GIVE, 1 - 0.9),),
    )

    made = run(
        scoring,
        *START,
        (draft(context=FOUND), text_of(f" {WRONG}")),
        *claimed(WRONG, n_together=0),
        search(searched, OSLO),
        (draft(context=FOUND, temperature=0.7, seed=1), text_of(f" {other}")),
        claims(other),
        (Commit(first), None),
        (draft(WRONG, context=FOUND), text_of(f" {FINAL}")),
        *final(),
        (Commit(last), None),
        max_repairs=1,
    )

    assert made.sentences == (first, last)
    assert (made.final_answer, made.verdict) == ("Norway", Verdict.ANSWERED)


def test_what_a_search_finds_is_read_greedily_and_the_better_draft_stays() -> None:
    scoring = Believing({WRONG: 0.3, RIGHT: 0.95})
    searched = Weighed(WRONG, 0.3, Action.SEARCH, 0.35, 0.5 * 0.35 - 0.05)
    given = Weighed(RIGHT, 0.95, Action.GIVE, 1 - 0.95)
    more = passage("Norway has a king.", title="Norway")
    both = f"{FOUND.rstrip()}\n[2] Norway: Norway has a king.\n\n"
    repaired = Sentence(
        RIGHT, Support.PRESENT, checks=check_of(RIGHT, 2), repairs=1, weighed=(searched, given)
    )

    made = next_step(
        SentenceLoop(ExpectedCost(3, query_form=QueryForm.QUESTION_HEAD))
        .scored_by(scoring)
        .run(QUESTION),
        [
            *START,
            (draft(context=FOUND), text_of(f" {WRONG}")),
            *claimed(WRONG, n_together=0),
            search(searched, more),
            (draft(context=both), text_of(f" {RIGHT}")),
            *claimed(RIGHT, n_together=2),
        ],
    )

    assert made == Commit(repaired)


def test_a_model_that_repeats_itself_leaves_the_best_draft_there_was() -> None:
    scoring = Believing({WRONG: 0.3})
    searched = Weighed(WRONG, 0.3, Action.SEARCH, 0.35, 0.5 * 0.35 - 0.05)
    kept = Sentence(WRONG, Support.ABSENT, checks=check_of(WRONG, 0), weighed=(searched,))

    made = next_step(
        SentenceLoop(ExpectedCost(3, query_form=QueryForm.QUESTION_HEAD))
        .scored_by(scoring)
        .run(QUESTION),
        [
            *START,
            (draft(context=FOUND), text_of(f" {WRONG}")),
            *claimed(WRONG, n_together=0),
            search(searched, OSLO),
            (draft(context=FOUND, temperature=0.7, seed=1), text_of("")),
        ],
    )

    assert made == Commit(kept)


def test_a_policy_that_weighs_needs_calibrated_scores() -> None:
    loop = SentenceLoop(ExpectedCost(entity_threshold=3))

    for scoring in (None, Believing({}, costs=None)):
        with pytest.raises(CapabilityError, match="weighs the probability of claims") as refused:
            loop.scored_by(scoring)
        assert "--calibrator" in refused.value.hint
    assert isinstance(loop, ScoredPolicy)


def test_other_policies_take_no_scores() -> None:
    loop: Policy = SentenceLoop(QuCo(entity_threshold=3))

    assert isinstance(loop, ScoredPolicy)
    assert loop.scored_by(None) is loop


def test_who_scores_is_no_parameter_of_the_policy() -> None:
    loop = SentenceLoop(ExpectedCost(entity_threshold=3))

    assert repr(loop.scored_by(Believing({}))) == repr(loop)
    assert "scoring" not in repr(loop)
