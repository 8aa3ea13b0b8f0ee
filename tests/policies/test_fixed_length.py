"""FL-RAG: a search every n tokens, also in the middle of a sentence, which then goes on."""

from __future__ import annotations

import pytest
from baselines_by_hand import QUESTION, committed, draft, inspect, progress, written

from averment.policies.fixed_length import FixedLength
from averment.policies.loop import Inspection, Query, SentenceLoop
from averment.steps import Search
from averment.types import FinishReason, Generation, Usage
from doubles import follow, hits, passage

CUT = FinishReason.LENGTH
OPENS = Search(QUESTION.text, 3, "always", "the question opens the search")


def words(text: str, finish: FinishReason = FinishReason.SENTENCE) -> Generation:
    """A token a word, each as sure as the other."""
    return written(*((f" {word}", 0.5) for word in text.split()), finish=finish)


def test_fewer_tokens_than_the_stride_ask_for_nothing() -> None:
    found = inspect(FixedLength(4), words("Oslo is big."))

    assert found == Inspection(reason="not_checked")


def test_a_sentence_that_is_interrupted_goes_on_with_a_search_for_the_last_tokens() -> None:
    found = inspect(FixedLength(4), words("Oslo is the capital", CUT))

    query = Query("Oslo is the capital", "every_n_tokens", "the last 4 tokens")
    assert found == Inspection(reason="not_checked", queries=(query,), unfinished=True)


def test_tokens_are_counted_over_sentences() -> None:
    at = progress("Oslo is big.", pieces=[words("Oslo is big.")])

    found = inspect(FixedLength(4), words("So", CUT), at)

    assert [query.text for query in found.queries] == ["Oslo is big. So"]


def test_a_stride_that_is_full_at_the_end_of_a_sentence_searches_for_the_next() -> None:
    found = inspect(FixedLength(4), words("Oslo is very big."))

    assert not found.unfinished
    assert [query.text for query in found.next_queries] == ["Oslo is very big."]


@pytest.mark.parametrize(
    ("written_before", "room"),
    [([], 4), (["a b c"], 1), (["a b c", "d"], 4), (["a b c", "d", "e"], 3)],
    ids=["nothing", "some", "a full stride", "one more"],
)
def test_no_call_writes_past_the_next_search(written_before: list[str], room: int) -> None:
    at = progress(pieces=[words(text) for text in written_before])

    assert FixedLength(4).room_tokens(at) == room


def test_a_model_that_lists_no_tokens_is_taken_at_its_number() -> None:
    told = Generation(" Oslo is the capital", (), CUT, Usage(10, 4))

    found = inspect(FixedLength(4), told)

    assert [query.text for query in found.queries] == ["Oslo is the capital"]


def test_the_whole_answer_is_searched_for_in_strides_of_four_tokens() -> None:
    found = [passage(f"Passage {n}.") for n in range(3)]
    contexts = [
        "Context:\n" + "".join(f"[{n + 1}] Passage {n}.\n" for n in range(upto)) + "\n"
        for upto in (1, 2, 3)
    ]
    begun, rest = words("Oslo is the capital", CUT), words("of Norway.")
    final, end = words("So the", CUT), words("answer is Norway.")
    said = "Oslo is the capital of Norway."

    made = follow(
        SentenceLoop(FixedLength(4)).run(QUESTION),
        [
            (OPENS, hits(QUESTION.text, found[0])),
            (draft(context=contexts[0], max_tokens=4), begun),
            (
                Search("Oslo is the capital", 3, "every_n_tokens", "the last 4 tokens"),
                hits("Oslo is the capital", found[1]),
            ),
            (draft(begun.text, context=contexts[1], max_tokens=4), rest),
            committed(said, begun, rest),
            (draft(said, context=contexts[1], max_tokens=2), final),
            (
                Search("of Norway. So the", 3, "every_n_tokens", "the last 4 tokens"),
                hits("of Norway. So the", found[2]),
            ),
            (draft(said, final.text, context=contexts[2], max_tokens=4), end),
            committed("So the answer is Norway.", final, end),
        ],
    )

    assert made.final_answer == "Norway"


def test_a_sentence_at_its_limit_is_let_out_and_searched_for_behind() -> None:
    loop = SentenceLoop(FixedLength(2), max_sentence_tokens=2)
    begun = words("Oslo is", CUT)

    made = follow(
        loop.run(QUESTION),
        [
            (OPENS, hits(QUESTION.text)),
            (draft(max_tokens=2), begun),
            committed("Oslo is", begun),
            (Search("Oslo is", 3, "every_n_tokens", "the last 2 tokens"), hits("Oslo is")),
            (draft("Oslo is", max_tokens=2), words("")),
            (draft("Oslo is", "So the answer is", max_tokens=2), words("Norway.")),
            committed("So the answer is Norway.", words("Norway.")),
        ],
    )

    assert made.final_answer == "Norway"
