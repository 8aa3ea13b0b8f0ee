"""The answer page shows what the trace holds, escapes all of it, and needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.costs import Action, Costs, Weighed
from averment.engine import Answered, Edges, Engine
from averment.models.scripted import ScriptedModel
from averment.page.render import Entry, render_page
from averment.page.snippets import Seen, snippets_of
from averment.page.timeline import rejected_drafts
from averment.policies.dragin import Dragin
from averment.policies.fixed_length import FixedLength
from averment.policies.loop import SentenceLoop
from averment.policies.seakr import Seakr
from averment.promises import Promise, Unit
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
    model = ScriptedModel(in_order(said))
    # Of so few passages a search with the question finds all, and nothing is left for a repair.
    return averment.open_engine(tmp_path / "idx", model, policy="quco-known").ask(question)


def page_of(result: Answered, **more: Any) -> str:
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

    assert '<s>wrote “Beethoven was born in Berlin.”</s> <b class="rejected">rejected' in page
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

    assert "<dt>both, within 1,000 words</dt><dd>1</dd>" in page
    assert "<b>Bonn</b> <code>bonn</code>" in page
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
    assert ">never in one document<" in page


def test_what_may_be_in_a_missing_part_is_not_called_never(repaired: Answered) -> None:
    shown = page_of(replace(repaired, answer=_with_lower_bounds(repaired.answer)))

    assert "never in one document" not in shown
    assert "<dd>≥ 0</dd>" in shown
    assert "<dd>not known</dd>" in shown


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

    assert '<b class="word supported">Supported</b>: a passage says it' in page
    assert "no calibrator was given, so that no score here is a probability" in page
    assert "<mark>Beethoven was born in Bonn.</mark> Bonn lies on the Rhine." in page


def test_faithful_and_true_are_two_marks_and_the_verdict_is_a_word_and_a_shape(
    repaired: Answered,
) -> None:
    page = page_of(repaired)

    assert '<span class="glyph" aria-hidden="true">✓</span>supported' in page
    assert re.search(r"faithful <b>\d\.\d\d</b>", page)
    assert "true uncalibrated" in page


def test_what_a_promise_withheld_is_struck_and_says_why(repaired: Answered) -> None:
    answer = repaired.answer
    assert answer.scores is not None
    promise = Promise(0.1, 0.9, Unit.CLAIM, 0.8, 100, 60, 0.05, 0.6)
    first, *others = answer.claims
    withheld = replace(first, p_true=0.3, reasons={**first.reasons, "withheld": "below_threshold"})
    shown = replace(
        answer,
        claims=(withheld, *others),
        scores=replace(answer.scores, promise=promise),
    )

    page = page_of(Answered(shown, repaired.trace))

    assert page.count(' withheld"') == 1
    assert "Not given: it is too improbable for the promised error." in page
    assert promise.in_words in page


def test_drafts_that_were_weighed_are_told_with_what_was_done(repaired: Answered) -> None:
    answer = repaired.answer
    assert answer.scores is not None
    first, *others = answer.claims
    weighed = (
        Weighed("Oslo <b> is in Sweden.", 0.2, Action.SEARCH, 0.35, 0.02),
        Weighed(first.text, 0.7, Action.HEDGE, 0.25),
    )
    reasons = {**first.reasons, "withheld": "by_expected_cost", "remedy": "hedge"}
    shown = replace(
        answer,
        claims=(replace(first, p_true=0.7, reasons=reasons, weighed=weighed), *others),
        scores=replace(answer.scores, costs=Costs()),
    )

    page = page_of(Answered(shown, repaired.trace))

    assert "Hedged: giving it is expected to cost more." in page
    assert "Oslo &lt;b&gt; is in Sweden." in page
    assert "searched again, which is expected to save 0.02" in page
    assert Costs().in_words in page
    assert "Drafts, weighed" not in page_of(repaired)


def test_a_calibrated_claim_is_coloured_by_its_probability_and_tells_its_parts(
    repaired: Answered,
) -> None:
    sure = {"p_true": 0.81, "p_true_if_faithful": 0.9, "p_true_if_unfaithful": 0.3}
    claims = tuple(
        replace(claim, **sure, p_faithful=0.85, calibrated=True) for claim in repaired.answer.claims
    )

    page = page_of(replace(repaired, answer=replace(repaired.answer, claims=claims)))

    assert 'class="claim supported p4"' in page
    assert "true <b>0.81</b>" in page
    assert "0.90 if it is faithful (weight 0.85), 0.30 if it is not (weight 0.15)" in page
    assert "uncalibrated" not in page


def test_where_no_passage_was_retrieved_no_faithfulness_is_shown(tmp_path: Path) -> None:
    said = [" Beethoven died in Vienna.", " So the answer is Vienna."]

    page = page_of(ask(tmp_path, "In which city did Beethoven die?", said))

    assert "Nothing was retrieved." in page
    assert "faithful no passages" in page


def test_a_claim_tells_what_windows_say_of_its_relation_and_how_names_were_counted(
    repaired: Answered,
) -> None:
    page = page_of(repaired)

    assert '<span class="present">“Bonn” says so</span>' in page


def test_places_in_the_corpus_are_shown_with_their_names_marked_or_say_why_not(
    repaired: Answered, tmp_path: Path
) -> None:
    found = snippets_of(repaired.answer, averment.open_index(tmp_path / "idx"))
    refused = dict.fromkeys(found, Seen(refusal="the index is damaged"))

    shown = page_of(repaired, snippets=found)

    assert "<code>bonn</code>" in shown
    assert "<mark>Beethoven</mark> was born in <mark>Bonn</mark>" in shown
    assert "Places cannot be shown: the index is damaged" in page_of(repaired, snippets=refused)


def test_the_time_line_tells_what_a_retrieval_cost(repaired: Answered) -> None:
    assert re.search(r"took \d+\.\d ms; the draft behind it read [\d,]+ tokens", page_of(repaired))


def test_an_answer_whose_claims_were_not_scored_says_so(repaired: Answered) -> None:
    claims = tuple(
        replace(claim, p_faithful=None, score=None, reasons={"verdict": "not_checked"})
        for claim in repaired.answer.claims
    )

    page = page_of(replace(repaired, answer=replace(repaired.answer, claims=claims, scores=None)))

    assert "faithful not judged" in page
    assert "none: the claims were not scored" in page


def test_the_page_forbids_itself_everything_but_its_own_style(repaired: Answered) -> None:
    page = page_of(repaired)
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    assert f"default-src &#x27;none&#x27;; style-src &#x27;sha256-{digest}&#x27;" in page.replace(
        "'", "&#x27;"
    )
    assert " style=" not in page
