"""Pairs held against the corpus, driven by hand: what each signal asks for and what it finds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from averment.errors import CapabilityError, IndexUnavailable
from averment.policies.pairs import PairCheck
from averment.steps import Cooccur, CountPhrases, JudgeFaithfulness, LocatePairs
from averment.types import (
    Check,
    Faithfulness,
    Passage,
    RelationCheck,
    RelationOutcome,
    Rival,
    Support,
    SurfaceForm,
    Triplet,
)
from doubles import Exchange, exact, follow, passage, together

RIO = passage("Rio is a 1990 film directed by Ann Lee and starring Bo Chan.", title="Rio")
ELSEWHERE = passage("Among the many films that pleased critics in that year were Rio and others.")
MENTION = passage("Ann Lee saw Rio in Oslo.")
DIRECTED = Triplet("Rio", "was directed by", "Ann Lee")
CAST_AS_DIRECTOR = Triplet("Rio", "was directed by", "Bo Chan")
SAID = "Rio was directed by Bo Chan."
READS = PairCheck(1000, check_relations=True)


def counted(triplet: Triplet, pairs: int, *, head: int = 9, tail: int = 9) -> list[Exchange]:
    """The counts of one triplet."""
    return [
        (CountPhrases((triplet.head,)), [exact(head)]),
        (CountPhrases((triplet.tail,)), [exact(tail)]),
        (Cooccur(((triplet.head, triplet.tail),), 1000), [together(pairs)]),
    ]


def shown(
    triplet: Triplet, of_head: Sequence[Passage], of_pair: Sequence[Passage] | None = None
) -> Exchange:
    """The windows of a head, and of its pair unless that is absent."""
    head, tail = (triplet.head,), (triplet.tail,)
    pairs = ((head, head),) if of_pair is None else ((head, head), (head, tail))
    outcome = [tuple(of_head)] if of_pair is None else [tuple(of_head), tuple(of_pair)]
    return LocatePairs(pairs, 200, 120, 5), outcome


def checked(check: PairCheck, triplet: Triplet, *exchanges: Exchange, said: str = "") -> Check:
    """The one check that a triplet leads to."""
    (found,) = follow(check.run([triplet], said), exchanges)
    return found


def outcome(check: PairCheck, triplet: Triplet, *exchanges: Exchange) -> tuple[str, str]:
    """What is said of the relation, and how that is known."""
    relation = checked(check, triplet, *exchanges).relation
    assert relation is not None
    return relation.outcome.value, relation.reason


def test_without_further_signals_pairs_are_only_counted() -> None:
    found = checked(PairCheck(1000), DIRECTED, *counted(DIRECTED, 1))

    assert (found.support, found.relation) == (Support.PRESENT, None)


def test_a_window_that_states_the_relation_supports_it_and_is_kept() -> None:
    found = checked(
        READS, DIRECTED, *counted(DIRECTED, 1), shown(DIRECTED, [ELSEWHERE], [MENTION, RIO])
    )

    assert found.relation == RelationCheck(RelationOutcome.SUPPORTED, "states_relation", RIO)


def test_standing_near_each_other_is_never_support() -> None:
    found = outcome(READS, DIRECTED, *counted(DIRECTED, 5), shown(DIRECTED, [], [MENTION] * 5))

    assert found == ("not_found", "not_stated")


def test_a_window_that_says_it_of_another_contradicts() -> None:
    found = checked(
        READS, CAST_AS_DIRECTOR, *counted(CAST_AS_DIRECTOR, 1), shown(CAST_AS_DIRECTOR, [], [RIO])
    )

    assert found.support is Support.PRESENT
    assert found.relation == RelationCheck(RelationOutcome.CONTRADICTED, "states_another", RIO)


def test_windows_of_the_head_alone_may_contradict_an_absent_pair() -> None:
    stranger = Triplet("Rio", "was directed by", "Cy Dee")

    found = checked(READS, stranger, *counted(stranger, 0), shown(stranger, [RIO]))

    assert found.support is Support.ABSENT
    assert found.relation is not None
    assert found.relation.reason == "states_another"


def test_a_tail_of_another_kind_than_the_label_wants_contradicts() -> None:
    wrong = Triplet("Ann Lee", "date of death", "Oslo")

    assert outcome(READS, wrong, *counted(wrong, 1), shown(wrong, [], [MENTION])) == (
        "contradicted",
        "other_kind",
    )


def test_a_pair_without_a_relation_is_counted_and_not_read() -> None:
    link = Triplet("Rio", "", "Ann Lee")

    found = checked(READS, link, *counted(link, 1), shown(link, [RIO], [RIO]))

    assert found.relation is None


def test_what_nobody_could_count_is_not_read() -> None:
    down = IndexUnavailable("down")
    exchanges = [
        (CountPhrases((DIRECTED.head,)), down),
        (CountPhrases((DIRECTED.tail,)), down),
        (Cooccur(((DIRECTED.head, DIRECTED.tail),), 1000), down),
    ]

    found = checked(READS, DIRECTED, *exchanges)

    assert (found.support, found.relation) == (Support.UNKNOWN, None)


@pytest.mark.parametrize(
    "error", [CapabilityError("no text"), IndexUnavailable("down")], ids=lambda e: type(e).__name__
)
def test_a_corpus_that_shows_nothing_leaves_the_relation_unknown(error: Exception) -> None:
    step, _ = shown(DIRECTED, [], [])

    assert outcome(READS, DIRECTED, *counted(DIRECTED, 1), (step, error)) == ("unknown", "no_text")


def test_forms_of_names_are_looked_for_in_windows() -> None:
    written = passage("Rio was directed by A. Lee.", title="Rio")
    lee = (SurfaceForm("Ann Lee", "name"), SurfaceForm("A. Lee", "rule:initials"))
    tail = exact(9)
    forms = type(tail)(tail.value, tail.documents, tail.kind, lee)
    exchanges = [
        (CountPhrases(("Rio",)), [exact(9)]),
        (CountPhrases(("Ann Lee",)), [forms]),
        (Cooccur((("Rio", "Ann Lee"),), 1000), [together(1)]),
        (
            LocatePairs(((("Rio",), ("Rio",)), (("Rio",), ("Ann Lee", "A. Lee"))), 200, 120, 5),
            [(), (written,)],
        ),
    ]

    assert outcome(READS, DIRECTED, *exchanges) == ("supported", "states_relation")


# --- values and coverage ------------------------------------------------------------------------


def test_a_value_that_is_written_otherwise_is_present() -> None:
    length = Triplet("Long Bridge", "is long", "5000 m")
    window = passage("Long Bridge is 5 km long.", title="Long Bridge")
    exchanges = (*counted(length, 0, tail=0), shown(length, [window]))

    by_string = checked(PairCheck(1000, require_article=True), length, *exchanges)
    by_value = checked(PairCheck(1000, compare_values=True), length, *exchanges)

    assert (by_string.support, by_value.support) == (Support.ABSENT, Support.PRESENT)


@pytest.mark.parametrize(
    ("window", "support"),
    [
        pytest.param(RIO, Support.ABSENT, id="article"),
        pytest.param(ELSEWHERE, Support.NOT_COVERED, id="mention"),
    ],
)
def test_a_head_without_an_article_is_not_covered(window: Passage, support: Support) -> None:
    stranger = Triplet("Rio", "was directed by", "Cy Dee")
    check = PairCheck(1000, require_article=True)

    found = checked(check, stranger, *counted(stranger, 0), shown(stranger, [window]))

    assert found.support is support


def test_a_relation_that_is_not_found_of_a_head_without_an_article_is_unknown() -> None:
    check = PairCheck(1000, check_relations=True, require_article=True)
    born = Triplet("Ann Lee", "was born in", "Oslo")
    met = passage("It was in Oslo, in the spring of that year, that he met Ann Lee.")

    found = outcome(check, born, *counted(born, 1), shown(born, [met], [met]))

    assert found == ("unknown", "head_not_covered")


# --- the judge ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        pytest.param(
            Faithfulness(0.9, passage=0, start=0, end=9),
            ("supported", "judged_faithful"),
            id="entails",
        ),
        pytest.param(
            Faithfulness(0.1, 0.8, 0, 0, 9), ("contradicted", "judged_contradicted"), id="denies"
        ),
        pytest.param(
            Faithfulness(0.6, None, 0, 0, 9, "date_differs"),
            ("contradicted", "judged_contradicted"),
            id="rule that opposes",
        ),
        pytest.param(
            Faithfulness(0.9, None, 0, 0, 9, "relation_missing"),
            ("not_found", "not_stated"),
            id="rule that misses something",
        ),
        pytest.param(Faithfulness(0.3, 0.1, 0, 0, 9), ("not_found", "not_stated"), id="neither"),
        pytest.param(
            Faithfulness(0.0, reason="no_evidence"), ("not_found", "not_stated"), id="nothing read"
        ),
        pytest.param(
            CapabilityError("Nobody was given."), ("not_found", "not_stated"), id="no judge"
        ),
    ],
)
def test_where_patterns_find_nothing_the_judge_has_the_last_word(
    judged: Faithfulness | Exception, expected: tuple[str, str]
) -> None:
    check = PairCheck(1000, check_relations=True, judge_relations=True)
    asked = JudgeFaithfulness((SAID,), (MENTION.text,))
    answer = judged if isinstance(judged, Exception) else [judged]

    found = checked(
        check,
        DIRECTED,
        *counted(DIRECTED, 1),
        shown(DIRECTED, [], [MENTION]),
        (asked, answer),
        said=SAID,
    )

    assert found.relation is not None
    assert (found.relation.outcome.value, found.relation.reason) == expected


def test_the_judge_is_not_asked_where_patterns_have_found_something() -> None:
    check = PairCheck(1000, check_relations=True, judge_relations=True)

    found = outcome(check, DIRECTED, *counted(DIRECTED, 1), shown(DIRECTED, [], [RIO]))

    assert found == ("supported", "states_relation")


# --- contrast -----------------------------------------------------------------------------------


def test_rivals_are_counted_with_the_head() -> None:
    check = PairCheck(1000, check_relations=True, contrast=True)

    found = checked(
        check,
        CAST_AS_DIRECTOR,
        *counted(CAST_AS_DIRECTOR, 1),
        shown(CAST_AS_DIRECTOR, [], [RIO]),
        (Cooccur((("Rio", "Ann Lee"),), 1000), [together(4)]),
    )

    assert found.relation is not None
    assert found.relation.rivals == (Rival("Ann Lee", together(4)),)


def test_a_rival_in_twice_as_many_windows_outweighs_a_stated_tail() -> None:
    windows = [
        passage("Rio was directed by Bo Chan."),
        passage("Rio, directed by Ann Lee, was long."),
        passage("Rio, a film directed by Ann Lee."),
    ]
    exchanges = (*counted(CAST_AS_DIRECTOR, 3), shown(CAST_AS_DIRECTOR, [], windows))
    rival = (Cooccur((("Rio", "Ann Lee"),), 1000), [together(2)])

    without = outcome(READS, CAST_AS_DIRECTOR, *exchanges)
    with_contrast = outcome(
        PairCheck(1000, check_relations=True, contrast=True), CAST_AS_DIRECTOR, *exchanges, rival
    )

    assert without == ("supported", "states_relation")
    assert with_contrast == ("contradicted", "rival_stronger")


def test_an_article_about_the_head_outweighs_what_others_say_in_passing() -> None:
    windows = [
        passage("Rio was directed by Ann Lee.", title="Rio"),
        passage("Bo Chan, who also directed by night, met the cast of Rio, directed by Bo Chan."),
    ]

    found = outcome(
        PairCheck(1000, check_relations=True, contrast=True),
        CAST_AS_DIRECTOR,
        *counted(CAST_AS_DIRECTOR, 1),
        shown(CAST_AS_DIRECTOR, [], windows),
        (Cooccur((("Rio", "Ann Lee"),), 1000), [together(1)]),
    )

    assert found == ("contradicted", "rival_stronger")


def test_several_triplets_are_read_in_one_step() -> None:
    both = [DIRECTED, CAST_AS_DIRECTOR]
    rio, ann, bo = ("Rio",), ("Ann Lee",), ("Bo Chan",)
    exchanges: list[Exchange] = [
        (CountPhrases(("Rio", "Rio")), [exact(9)] * 2),
        (CountPhrases(("Ann Lee", "Bo Chan")), [exact(9)] * 2),
        (Cooccur((("Rio", "Ann Lee"), ("Rio", "Bo Chan")), 1000), [together(1)] * 2),
        (
            LocatePairs(((rio, rio), (rio, ann), (rio, rio), (rio, bo)), 200, 120, 5),
            [(RIO,)] * 4,
        ),
    ]

    found = follow(READS.run(both), exchanges)

    reasons = [check.relation.reason for check in found if check.relation]
    assert reasons == ["states_relation", "states_another"]


def test_only_an_article_about_the_head_contradicts_where_articles_are_required() -> None:
    elsewhere = passage("Of all the films of that spring the best was Rio, directed by Ann Lee.")
    exchanges = (*counted(CAST_AS_DIRECTOR, 1), shown(CAST_AS_DIRECTOR, [], [elsewhere]))
    strict = PairCheck(1000, check_relations=True, require_article=True)

    assert outcome(READS, CAST_AS_DIRECTOR, *exchanges) == ("contradicted", "states_another")
    assert outcome(strict, CAST_AS_DIRECTOR, *exchanges) == ("unknown", "head_not_covered")


def test_without_a_sentence_the_judge_reads_the_triplet() -> None:
    check = PairCheck(1000, check_relations=True, judge_relations=True)
    asked = JudgeFaithfulness(("Rio was directed by Ann Lee.",), (MENTION.text,))
    exchanges = [
        *counted(DIRECTED, 1),
        shown(DIRECTED, [], [MENTION]),
        (asked, [Faithfulness(0.0)]),
    ]

    found = checked(check, DIRECTED, *exchanges)

    assert found.relation is not None
    assert found.relation.outcome is RelationOutcome.NOT_FOUND
