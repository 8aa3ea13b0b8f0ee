"""FS-RAG: the question, then every sentence, is the query for the sentence that follows."""

from __future__ import annotations

from baselines_by_hand import QUESTION, committed, draft, inspect

from averment.policies.fixed_sentence import FixedSentence
from averment.policies.loop import Inspection, Query, SentenceLoop
from averment.steps import Search
from averment.types import Retrieval
from doubles import follow, hits, passage, text_of

OSLO = "Oslo is in Norway."
FINAL = "So the answer is Norway."
OPENS = Search(QUESTION.text, 3, "always", "the question opens the search")


def behind(sentence: str, found: Retrieval) -> tuple[Search, Retrieval]:
    return Search(sentence, 3, "every_sentence", "the sentence before is the query"), found


def test_a_sentence_is_the_query_for_the_next() -> None:
    assert inspect(FixedSentence(), text_of(f" {OSLO}")) == Inspection(
        reason="not_checked",
        next_queries=(Query(OSLO, "every_sentence", "the sentence before is the query"),),
    )


def test_it_searches_behind_each_sentence_drafts_none_again_and_not_behind_the_last() -> None:
    opens, more = passage("One."), passage("Two.")

    made = follow(
        SentenceLoop(FixedSentence()).run(QUESTION),
        [
            (OPENS, hits(QUESTION.text, opens)),
            (draft(context="Context:\n[1] One.\n\n"), text_of(f" {OSLO}")),
            committed(OSLO),
            behind(OSLO, hits(OSLO, more)),
            (draft(OSLO, context="Context:\n[1] One.\n[2] Two.\n\n"), text_of(f" {FINAL}")),
            committed(FINAL),
        ],
    )

    assert made.final_answer == "Norway"
    assert [found.trigger for found in made.retrievals] == ["always", "every_sentence"]


def test_what_finds_nothing_new_does_not_end_the_answer() -> None:
    known = passage("One.")
    context = "Context:\n[1] One.\n\n"

    made = follow(
        SentenceLoop(FixedSentence()).run(QUESTION),
        [
            (OPENS, hits(QUESTION.text, known)),
            (draft(context=context), text_of(f" {OSLO}")),
            committed(OSLO),
            behind(OSLO, hits(OSLO, known)),
            (draft(OSLO, context=context), text_of(f" {FINAL}")),
            committed(FINAL),
        ],
    )

    assert len(made.sentences) == 2
