"""The answer page shows what the trace holds, escapes all of it, and needs nothing but itself."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import averment
from averment.engine import Answered, Edges, Engine
from averment.models.scripted import ScriptedModel
from averment.page.render import Entry, rejected_drafts, render_page
from averment.policies.dragin import Dragin
from averment.policies.fixed_length import FixedLength
from averment.policies.loop import SentenceLoop
from averment.policies.seakr import Seakr
from averment.steps import Generate
from averment.types import Answer, Cooccurrence, CountKind
from doubles import ListIndex, ListRetriever, LookedInto, NameExtractor, in_order

ARTICLES = {
    "bonn": ("Bonn", "Beethoven was born in Bonn. Bonn lies on the Rhine."),
    "vienna": ("Vienna", "Beethoven died in Vienna."),
    "berlin": ("Berlin", "Berlin is the capital of Germany."),
}


def ask(tmp_path: Path, question: str, said: list[str]) -> Answered:
    documents = [averment.Document(key, text, title) for key, (title, text) in ARTICLES.items()]
    averment.build_index(documents, tmp_path / "idx")
    return averment.open_engine(index=tmp_path / "idx", model=ScriptedModel(in_order(said))).ask(
        question
    )


def page_of(result: Answered, **more: str) -> str:
    return render_page([Entry(result.answer, result.trace, **more)], title="t", subtitle="s")


@pytest.fixture
def repaired(tmp_path: Path) -> Answered:
    """An answer whose first draft was rejected."""
    return ask(
        tmp_path,
        "In which city was Beethoven born?",
        [
            " Beethoven was born in Berlin.",
            " Beethoven was born in Bonn.",
            " So the answer is Bonn.",
        ],
    )


def test_a_rejected_draft_is_struck_through(repaired: Answered) -> None:
    page = page_of(repaired)

    assert "<s>wrote “Beethoven was born in Berlin.”</s> rejected" in page
    assert "<s>wrote “Beethoven was born in Bonn.”</s>" not in page


def test_drafts_that_were_let_out_are_not_rejected(repaired: Answered) -> None:
    rejected = rejected_drafts(repaired.trace.records)

    texts = [repaired.trace.records[number].outcome.text.strip() for number in rejected]
    assert texts == ["Beethoven was born in Berlin."]


def looked_into(policy: SentenceLoop, said: str) -> Answered:
    edges = Edges(ListIndex([]), ListRetriever([]), LookedInto({"born?": said}), NameExtractor())
    return Engine(policy, edges).ask("Where was Beethoven born?")


def test_a_draft_that_the_next_goes_on_from_is_not_rejected() -> None:
    policy = SentenceLoop(FixedLength(stride_tokens=3))

    made = looked_into(policy, " Beethoven was born in Bonn. So the answer is Bonn.")

    n_drafts = sum(isinstance(record.step, Generate) for record in made.trace.records)
    assert n_drafts > len(made.claims)
    assert rejected_drafts(made.trace.records) == set()


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        (SentenceLoop(Dragin()), "read the attention of 5 tokens of “So the answer is Bonn.”"),
        (SentenceLoop(Seakr()), "measured the spread of 20 continuations: -9.00"),
    ],
    ids=["attention", "spread"],
)
def test_what_was_read_inside_the_model_is_a_step_of_the_page(
    policy: SentenceLoop, told: str
) -> None:
    assert told in page_of(looked_into(policy, " So the answer is Bonn."))


def test_claims_show_their_counts_and_passages_their_titles(repaired: Answered) -> None:
    page = page_of(repaired)

    assert "documents with both" in page
    assert "<blockquote><b>Bonn</b>" in page
    assert "absent pair" in page


def test_an_abstention_shows_what_was_not_given(tmp_path: Path) -> None:
    silent = ask(
        tmp_path,
        "Who taught Beethoven?",
        [" Beethoven was taught by Berlin."] * 3 + [" So the answer is Berlin."] * 3,
    )

    page = page_of(silent)

    assert "I do not know." in page
    assert "Draft, not given" in page
    assert ">never<" in page


def test_what_may_be_in_a_missing_part_is_not_called_never(repaired: Answered) -> None:
    shown = page_of(replace(repaired, answer=_with_lower_bounds(repaired.answer)))

    assert ">never<" not in shown
    assert '<td class="n">≥ 0</td><td class="n">?</td>' in shown


def _with_lower_bounds(answer: Answer) -> Answer:
    """The answer as it would be if a segment of the index were damaged and nothing found."""
    nothing = Cooccurrence(None, 0, 0, None, CountKind.LOWER_BOUND)
    claims = tuple(
        replace(claim, checks=tuple(replace(check, cooccurrence=nothing) for check in claim.checks))
        for claim in answer.claims
    )
    return replace(answer, claims=claims)


def test_everything_from_outside_is_escaped(tmp_path: Path) -> None:
    nasty = ask(
        tmp_path,
        "Where was <script>alert(1)</script> Beethoven born?",
        [" So the answer is <b>Bonn</b> & more."] * 5,
    )

    page = page_of(nasty, role="<i>role</i>")

    assert "<script>" not in page
    assert "&lt;b&gt;Bonn&lt;/b&gt; &amp; more" in page
    assert "is <b>Bonn" not in page
    assert "&lt;i&gt;role&lt;/i&gt;" in page


def test_the_page_refers_to_nothing_outside(repaired: Answered) -> None:
    class References(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.found += [name for name, _ in attrs if name in ("src", "href")]
            self.found += [tag] if tag in ("script", "link", "iframe", "img") else []

    parser = References()
    parser.feed(page_of(repaired))

    assert parser.found == []


def test_a_claim_shows_what_is_held_of_it_and_that_its_score_is_no_probability(
    repaired: Answered,
) -> None:
    page = page_of(repaired)

    assert "<b>supported</b>: passage entails; not calibrated" in page
    assert "<blockquote><b>Bonn</b>Beethoven was born in Bonn.</blockquote>" in page


def test_where_no_passage_was_retrieved_no_faithfulness_is_shown(tmp_path: Path) -> None:
    said = [" Beethoven died in Vienna.", " So the answer is Vienna."]

    page = page_of(ask(tmp_path, "In which city did Beethoven die?", said))

    assert "Nothing was retrieved." in page
    assert "faithful to the passages" not in page


def test_a_claim_tells_what_windows_say_of_its_relation_and_how_names_were_counted(
    repaired: Answered,
) -> None:
    page = page_of(repaired)

    assert '<td class="present">“Bonn” says so</td>' in page
