"""The page of a filter's run: what was rejected and why, nothing unescaped, estimates as such."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from averment.filtering.examples import RejectedRow
from averment.filtering.fields import FieldChoice
from averment.filtering.findings import Findings, PairFound
from averment.filtering.report import FilterReport
from averment.filtering.sampling import Estimate
from averment.filtering.tally import Tally
from averment.page.filtering import FilterPage, render_filter
from averment.types import Support

HOSTILE = '<script>alert("x")</script>&'
SETTINGS = {"input": "data.jsonl", "keep": None, "full": False, "index": "0123", "aliases": True}
ABSENT = {"head": "Oslo", "relation": "lies in", "tail": "Denmark"}


def column(*spans: tuple[int, int], **found: Any) -> dict[str, Any]:
    claims = [{"start": start, "end": end, "support": "absent"} for start, end in spans]
    return {"claims": claims, "absent_pairs": [ABSENT], **found}


def page(tally: Tally, *rows: RejectedRow, reason: str = "absent_pair", **more: Any) -> FilterPage:
    settings = {**SETTINGS, **more}
    report = FilterReport(settings, FieldChoice("answer"), tally, rare_below=2)
    return FilterPage(report, {reason: list(rows)} if rows else {}, "rejected.jsonl", None)


def tally_of(n_kept: int, n_absent: int, **found: Any) -> Tally:
    tally = Tally()
    pair = PairFound("Oslo", "lies in", "Denmark", Support.ABSENT, 0)
    for _ in range(n_kept):
        tally.add(Findings(**found), None, ["rare_name"], rare_below=2)
    for _ in range(n_absent):
        tally.add(Findings(pairs=(pair,)), "absent_pair")
    return tally


def words_of(made: str) -> str:
    """What a reader sees, in one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", made.partition("</style>")[2]).split())


def test_a_page_says_what_was_kept_and_why_the_rest_was_not() -> None:
    made = words_of(render_filter(page(tally_of(6, 2))))

    assert "rows read 8 0 claims kept 6 75.0% rejected 2 25.0%" in made
    assert "absent_pair both ends are in the corpus, never near each other 2" in made
    assert "rare_name a name that few documents have 6" in made
    assert "estimate" not in made
    assert "Some of the rejected rows" not in made


def test_bars_are_as_long_as_their_numbers_say() -> None:
    made = render_filter(page(tally_of(6, 2)))

    assert '<rect class="good" x="0.0" width="750.0" height="10"></rect>' in made
    assert '<rect class="bad" x="750.0" width="250.0" height="10"></rect>' in made


def test_histograms_are_of_numbers_of_which_something_is_known() -> None:
    made = words_of(render_filter(page(tally_of(6, 2))))

    assert "n_absent_pairs pairs whose ends both occur in the corpus, and never near each" in made
    assert "0 6 1 2 2 to 3 0 4 or more 0" in made
    assert "lowest_p_true" not in made


def test_names_to_add_are_told_with_rows_and_documents() -> None:
    tally = tally_of(3, 0, names=(("Zanzibar", 0), ("Oslo", 5)))
    tally.lacking.add((f"name {at}", 1) for at in range(20))
    tally.lacking.missed_at_most = 7

    made = words_of(render_filter(page(tally)))

    assert "in fewer than 2 documents" in made
    assert "up to 7 too low" in made
    assert "Zanzibar 0 documents 3 name 0 1 document 1" in made
    assert "6 names more" in made
    assert "Oslo" not in made


def test_a_rejected_row_shows_its_claim_its_pair_and_where_it_stands() -> None:
    row = RejectedRow(7, "Hello. Oslo lies in Denmark.", "Where?", column((7, 28)))

    made = render_filter(page(tally_of(0, 1), row))

    assert "Hello. <mark>Oslo lies in Denmark.</mark>" in made
    assert "Where? Hello. Oslo lies in Denmark. Oslo lies in Denmark line 7" in words_of(made)
    assert "line 7 of rejected.jsonl" in made


def test_of_a_long_text_the_part_about_the_mark_is_shown() -> None:
    text = f"{'a' * 2000} Oslo lies in Denmark. {'b' * 2000}"
    row = RejectedRow(1, text, None, column((2001, 2022), (3000, 4000)))

    made = render_filter(page(tally_of(0, 1), row))

    assert re.search(r"<blockquote>…a{199} <mark>Oslo lies in Denmark.</mark> b+…<", made)
    assert len(re.findall("[ab]{100,}", made)) == 2
    assert made.count("<mark>") == 1


def test_many_pairs_are_counted() -> None:
    row = RejectedRow(1, "x", None, column(absent_pairs=[ABSENT] * 9))

    assert "3 pairs more" in render_filter(page(tally_of(0, 1), row))


@pytest.mark.parametrize(
    ("reason", "keep", "said"),
    [
        ("keep_expression", "n_claims < 1 and p_true > 0.5", "n_claims = 2 · lowest_p_true = 0.25"),
        ("unknown_least_documents", "least_documents > 1", "least_documents = unknown"),
        ("unknown_counts", None, "n_unknown_counts = 4"),
        ("malformed", None, "not JSON"),
    ],
)
def test_a_rejected_row_shows_the_numbers_that_decided(
    reason: str, keep: str | None, said: str
) -> None:
    found = {"n_claims": 2, "lowest_p_true": 0.25, "least_documents": None, "n_unknown_counts": 4}
    if reason == "malformed":
        found = {"detail": "not JSON"}
    tally = Tally()
    tally.add(None, reason)

    made = render_filter(page(tally, RejectedRow(3, "x", None, found), reason=reason, keep=keep))

    assert f"line 3 of rejected.jsonl · {said}<" in made


def test_whatever_the_data_say_is_escaped() -> None:
    tally = tally_of(1, 1, names=((HOSTILE, 0),))
    absent = {"head": HOSTILE, "relation": HOSTILE, "tail": HOSTILE}
    row = RejectedRow(1, HOSTILE, HOSTILE, column((0, 8), absent_pairs=[absent], detail=HOSTILE))
    shown = page(tally, row, input=HOSTILE, keep=HOSTILE)

    made = render_filter(replace(shown, rejected_in=HOSTILE))

    assert "<script" not in made
    assert made.count("&lt;script&gt;") == 12  # title, head, input, keep, a name, all of the row


def test_the_page_is_one_file_without_scripts_or_styles_in_elements() -> None:
    made = render_filter(page(tally_of(1, 1), RejectedRow(1, "x", None, column())))

    assert "default-src 'none'" in made
    assert not re.search(r"<(script|link|img|iframe)|\s(style|on\w+|src|href)=", made)


def test_an_estimate_says_that_it_is_one() -> None:
    shown = page(tally_of(6, 2))
    made = Estimate(shown.report.tally, 1200, 75.0, 0.4, 0.9, ())

    told = words_of(render_filter(replace(shown, estimate=made)))

    assert "What would come of it An estimate. 8 rows of 1,200, drawn at random" in told
    assert "40% to 90% are likely kept" in told
    assert "about 75 s" in told


def test_precision_and_recall_are_told_with_intervals_or_as_undefined() -> None:
    tally = Tally()
    tally.add(Findings(), None, label=True)

    told = words_of(render_filter(page(tally)))

    assert "Of 1 row with a label 0 are wrong and 0 are rejected" in told
    assert "precision of the rejected rows, how many are wrong undefined" in told


def test_a_run_of_no_rows_has_a_page() -> None:
    told = words_of(render_filter(page(Tally())))

    assert "rows read 0" in told
    assert "None was." in told
