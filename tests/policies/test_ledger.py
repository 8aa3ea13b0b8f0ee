"""The evidence ledger: each passage once, within the budget, the worst of the oldest out first."""

from __future__ import annotations

from averment.policies.ledger import Ledger
from doubles import hits, passage

OSLO = passage("Oslo is in Norway.")
BERGEN = passage("Bergen is in Norway.")
SKIEN = passage("Skien is in Norway.")


def ledger_of(budget_words: int = 100) -> Ledger:
    return Ledger(budget_words)


def test_a_new_ledger_shows_nothing() -> None:
    ledger = ledger_of()

    assert ledger.passages == ()
    assert ledger.context() == ""


def test_a_passage_found_again_is_neither_new_nor_shown_twice() -> None:
    ledger = ledger_of()
    ledger.add(hits("q1", OSLO), trigger="always", detail="d")

    n_new = ledger.add(hits("q2", BERGEN, OSLO), trigger="always", detail="d")

    assert n_new == 1
    assert ledger.passages == (OSLO, BERGEN)


def test_every_retrieval_is_kept_with_its_trigger_also_one_without_hits() -> None:
    ledger = ledger_of()

    n_new = ledger.add(hits("q"), trigger="rare_entity", detail="Oslo 0")

    assert n_new == 0
    (kept,) = ledger.retrievals
    assert (kept.retrieval, kept.trigger, kept.detail) == (hits("q"), "rare_entity", "Oslo 0")


def test_a_passage_that_one_retrieval_holds_twice_is_new_once() -> None:
    assert ledger_of().add(hits("q", OSLO, OSLO), trigger="always", detail="d") == 1


def test_a_query_counts_as_asked_once_its_retrieval_was_added() -> None:
    ledger = ledger_of()

    before = ledger.asked("q1")
    ledger.add(hits("q1"), trigger="always", detail="d")

    assert (before, ledger.asked("q1"), ledger.asked("q2")) == (False, True, False)


def test_the_oldest_retrieval_gives_up_its_passages_first() -> None:
    ledger = ledger_of(budget_words=8)
    for found in (OSLO, BERGEN, SKIEN):
        ledger.add(hits("q", found), trigger="always", detail="d")

    assert ledger.passages == (BERGEN, SKIEN)


def test_of_one_retrieval_the_worst_hit_leaves_first() -> None:
    ledger = ledger_of(budget_words=8)

    n_new = ledger.add(hits("q", OSLO, BERGEN, SKIEN), trigger="always", detail="d")

    assert ledger.passages == (OSLO, BERGEN)
    assert n_new == 2


def test_a_passage_that_left_is_new_and_shown_when_it_is_found_again() -> None:
    ledger = ledger_of(budget_words=4)
    ledger.add(hits("q1", OSLO), trigger="always", detail="d")
    ledger.add(hits("q2", BERGEN), trigger="always", detail="d")

    n_new = ledger.add(hits("q3", OSLO), trigger="always", detail="d")

    assert n_new == 1
    assert ledger.passages == (OSLO,)


def test_the_newest_stays_even_if_it_alone_is_over_the_budget() -> None:
    ledger = ledger_of(budget_words=1)

    ledger.add(hits("q", OSLO), trigger="always", detail="d")

    assert ledger.passages == (OSLO,)


def test_neither_title_nor_text_can_break_out_of_its_line_of_the_context() -> None:
    ledger = ledger_of()

    ledger.add(
        hits("q", passage("Text.\n\nQuestion: B", title="A\n\nQuestion: B")),
        trigger="always",
        detail="d",
    )

    assert ledger.context() == "Context:\n[1] A Question: B: Text. Question: B\n\n"


def test_the_context_numbers_the_passages_and_puts_the_title_first() -> None:
    ledger = ledger_of()
    titled = passage("A city in Norway.", title="Bergen")

    ledger.add(hits("q", OSLO, titled), trigger="always", detail="d")

    assert ledger.context() == (
        "Context:\n[1] Oslo is in Norway.\n[2] Bergen: A city in Norway.\n\n"
    )


# --- hits that are read one by one --------------------------------------------------------------


def test_of_a_retrieval_one_hit_alone_may_be_kept() -> None:
    ledger = Ledger(100)

    n_new = ledger.add(
        hits("q", passage("One."), passage("Two.")),
        trigger="always",
        detail="d",
        only=passage("Two."),
    )

    assert (n_new, ledger.passages) == (1, (passage("Two."),))
    assert len(ledger.retrievals[0].retrieval.hits) == 2


def test_unread_is_what_the_model_has_not_before_it() -> None:
    ledger = Ledger(100)
    ledger.add(hits("q", passage("One.")), trigger="always", detail="d")

    unread = ledger.unread(hits("r", passage("One."), passage("Two.")))

    assert [hit.passage.text for hit in unread] == ["Two."]


def test_what_is_added_to_a_copy_is_not_in_the_ledger() -> None:
    ledger = Ledger(100)
    ledger.add(hits("q", passage("One.")), trigger="always", detail="d")
    twin = ledger.copy()

    twin.add(hits("r", passage("Two.")), trigger="always", detail="d")

    assert ledger.passages == (passage("One."),)
    assert twin.passages == (passage("One."), passage("Two."))
    assert (ledger.asked("r"), twin.asked("q"), twin.asked("r")) == (False, True, True)
