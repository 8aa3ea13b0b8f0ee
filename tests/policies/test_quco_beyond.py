"""QuCo-RAG past its paper, driven by hand: relations, coverage and queries."""

from __future__ import annotations

import pytest

from averment.policies.ledger import Ledger
from averment.policies.loop import Inspection, Progress
from averment.policies.quco import LOW_COVERAGE, QuCo, QueryForm
from averment.steps import LocatePairs
from averment.types import (
    Check,
    RelationCheck,
    RelationOutcome,
    Sentence,
    Support,
    Triplet,
    Verdict,
)
from doubles import Exchange, exact, follow, hits, passage, text_of, together
from policies.quco_by_hand import (
    OSLO_NORWAY,
    OSLO_SWEDEN,
    QUESTION,
    TEXT,
    WRONG,
    answer,
    before,
    claims,
    counted,
    held,
    inspect,
    names,
)

READS = QuCo(3, check_relations=True)
RIO = passage("Rio is a 1990 film directed by Ann Lee and starring Bo Chan.", title="Rio")
SAID = "Rio was directed by Bo Chan."
CLAIM = Triplet("Rio", "was directed by", "Bo Chan")


def read(triplet: Triplet, *windows: object) -> Exchange:
    """The windows of a head and of its pair."""
    head, tail = (triplet.head,), (triplet.tail,)
    return LocatePairs(((head, head), (head, tail)), 200, 120, 5), [(), windows]


def sentence(outcome: RelationOutcome, text: str = SAID) -> Sentence:
    """A sentence whose pair is present, with what was found of its relation."""
    relation = RelationCheck(outcome, "by hand")
    check = Check(CLAIM, Support.PRESENT, exact(9), exact(9), together(1), 1000, relation)
    return Sentence(text, Support.PRESENT, checks=(check,))


def test_a_contradicted_relation_searches_with_head_and_relation() -> None:
    found = inspect(
        SAID, claims(SAID, CLAIM), *held((CLAIM, together(2))), read(CLAIM, RIO), trigger=READS
    )

    assert found.support is Support.PRESENT
    assert [(query.text, query.trigger) for query in found.queries] == [
        ("Rio was directed by", "contradicted_pair")
    ]


def test_a_known_relation_that_no_window_states_fails() -> None:
    window = passage("Bo Chan saw Rio.")

    found = inspect(
        SAID, claims(SAID, CLAIM), *held((CLAIM, together(2))), read(CLAIM, window), trigger=READS
    )

    assert [query.trigger for query in found.queries] == ["not_found_pair"]


def test_a_relation_that_is_not_in_the_table_does_not_fail_when_it_is_not_found() -> None:
    odd = Triplet("Rio", "was shot near", "Bo Chan")
    window = passage("Bo Chan saw Rio.")

    found = inspect(
        SAID, claims(SAID, odd), *held((odd, together(2))), read(odd, window), trigger=READS
    )

    assert found.queries == ()


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (RelationOutcome.CONTRADICTED, (Verdict.WARNED, "contradicted_claim")),
        (RelationOutcome.NOT_FOUND, (Verdict.ANSWERED, None)),
        (RelationOutcome.SUPPORTED, (Verdict.ANSWERED, None)),
    ],
)
def test_a_claim_that_stays_contradicted_is_a_warning(
    outcome: RelationOutcome, verdict: tuple[Verdict, str | None]
) -> None:
    final = Sentence("So the answer is Rio.", Support.PRESENT)

    assert READS.conclude((sentence(outcome), final)) == verdict


@pytest.mark.parametrize(
    ("form", "query"),
    [
        (QueryForm.HEAD_RELATION, "Oslo is the capital of"),
        (QueryForm.TRIPLET, "Oslo is the capital of Sweden"),
        (QueryForm.SENTENCE, WRONG),
        (QueryForm.QUESTION_HEAD, f"{TEXT} Oslo"),
    ],
)
def test_a_failed_claim_is_searched_for_as_the_form_of_the_query_says(
    form: QueryForm, query: str
) -> None:
    found = inspect(
        WRONG,
        claims(WRONG, OSLO_SWEDEN),
        *held((OSLO_SWEDEN, together(0))),
        trigger=QuCo(3, query_form=form),
    )

    assert [asked.text for asked in found.queries] == [query]


def test_without_a_question_the_query_is_head_and_relation() -> None:
    found: Inspection = follow(
        QuCo(3, query_form=QueryForm.QUESTION_HEAD).inspect_claims(WRONG),
        [claims(WRONG, OSLO_SWEDEN), *held((OSLO_SWEDEN, together(0)))],
    )

    assert [asked.text for asked in found.queries] == ["Oslo is the capital of"]


@pytest.mark.parametrize(
    ("threshold", "trigger"),
    [(0.0, "rare_entity"), (0.5, "rare_entity"), (0.6, LOW_COVERAGE), (1.0, LOW_COVERAGE)],
)
def test_a_question_of_whose_names_the_corpus_knows_few_is_searched_for(
    threshold: float, trigger: str
) -> None:
    found = before(
        QuCo(3, coverage_threshold=threshold),
        names("Oslo", "Skien"),
        counted(Oslo=exact(9), Skien=exact(0)),
    )

    assert [query.trigger for query in found] == [trigger]


def test_an_answer_to_a_question_that_is_not_covered_is_a_warning() -> None:
    ledger = Ledger(1000)
    ledger.add(hits(TEXT, passage("Oslo is in Norway.")), trigger=LOW_COVERAGE, detail="Skien")
    trigger = QuCo(3, coverage_threshold=1.0)
    final = "So the answer is Norway."
    link = answer("Oslo")

    found = follow(
        trigger.inspect(Progress(QUESTION, (), ledger), final, text_of(final)),
        [names("Oslo"), *held((link, together(1)))],
    )

    told = Sentence(final, found.support, found.reason)
    assert trigger.conclude((told,)) == (Verdict.WARNED, LOW_COVERAGE)


def test_a_claim_that_is_stated_needs_no_search() -> None:
    said = "Oslo is the capital of Norway."
    window = passage("Oslo is the capital of Norway and its largest city.")

    found = inspect(
        said,
        claims(said, OSLO_NORWAY),
        *held((OSLO_NORWAY, together(1))),
        read(OSLO_NORWAY, window),
        trigger=READS,
    )

    assert found.queries == ()
    assert found.checks[0].relation is not None
    assert found.checks[0].relation.outcome is RelationOutcome.SUPPORTED
