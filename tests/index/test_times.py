"""When phrases and pairs are found, with answers known by hand and by a naive scan."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import averment
from averment.claims.aliases.book import AliasBook, AliasRow
from averment.claims.aliases.widened import WidenedIndex
from averment.dating import AsOf, Dates, Period, Undated, days_of
from averment.errors import CapabilityError, QueryError
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.index.times import (
    as_of,
    cooccurrence_by_period,
    counts_by_period,
    seen,
    seen_together,
)
from averment.ports import DatedIndex
from averment.types import CountKind
from averment.wiring import widened
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import EACH_ENGINE
from mayors_by_hand import DOCUMENTS, build_elmstead


def build(
    path: Path, documents: list[averment.Document], engine: str | None = None
) -> EmbeddedIndex:
    with IndexWriter(path, engine=engine, counts_only=True) as writer:
        for document in documents:
            writer.add(document, [])
        writer.publish()
    return open_embedded(path)


@pytest.fixture(params=EACH_ENGINE)
def elmstead(tmp_path: Path, request: pytest.FixtureRequest) -> EmbeddedIndex:
    return build(tmp_path / "e", DOCUMENTS, request.param)


@pytest.mark.parametrize(
    ("between", "undated", "documents"),
    [
        pytest.param(("2015-05-07", "2021-03-14"), "exclude", 3, id="both ends are included"),
        pytest.param(("2015-05-08", "2021-03-13"), "exclude", 1, id="a day less at both ends"),
        pytest.param(("2018", "2021"), "exclude", 3, id="years as a whole"),
        pytest.param(("2018-09", "2018-09"), "exclude", 1, id="one month"),
        pytest.param(("2018-09-02", "2018-09-30"), "exclude", 0, id="a month is not in part of it"),
        pytest.param(("2018-09", "2018-09"), "include", 2, id="and undated ones"),
        pytest.param(("2018-09", "2018-09"), "only", 1, id="undated ones alone"),
    ],
)
def test_between_includes_both_ends(
    elmstead: EmbeddedIndex, between: tuple[str, str], undated: str, documents: int
) -> None:
    (found,) = elmstead.where(between=between, undated=undated).count(["Elmstead"])

    assert (found.documents, found.kind) == (documents, CountKind.EXACT)


@pytest.mark.parametrize(
    ("between", "said"),
    [
        pytest.param(("2021", "2018"), "No day lies between 2021 and 2018", id="reversed"),
        pytest.param(("yesterday", "2018"), "since is 'yesterday', which is not a date", id="word"),
        pytest.param(("2018", "2018-13"), "until is '2018-13', which is not a date", id="month 13"),
    ],
)
def test_between_refuses_what_is_no_span(
    elmstead: EmbeddedIndex, between: tuple[str, str], said: str
) -> None:
    with pytest.raises(QueryError, match=said):
        elmstead.where(between=between)


def test_a_rule_for_undated_documents_that_is_none_is_refused(elmstead: EmbeddedIndex) -> None:
    with pytest.raises(QueryError, match="'perhaps', which is none of exclude, include, only"):
        elmstead.where(before="2020", undated="perhaps")


def test_the_mayors_by_year(elmstead: EmbeddedIndex) -> None:
    thorn, vale = counts_by_period(elmstead, ["Ada Thorn", "Bruno Vale"], Period.YEAR)

    assert [(p.period, p.n_documents, p.found.value, p.found.documents) for p in thorn.periods] == [
        ("2015", 1, 2, 1),
        ("2018", 1, 1, 1),
        ("2021", 2, 1, 1),
        ("2024", 1, 0, 0),
    ]
    assert (thorn.undated.documents, thorn.vague_documents) == (1, 0)
    assert [p.found.documents for p in vale.periods] == [0, 0, 2, 1]
    assert (vale.undated.documents, vale.undated.kind) == (0, CountKind.EXACT)


def test_by_month_a_year_has_no_place(elmstead: EmbeddedIndex) -> None:
    (vale,) = counts_by_period(elmstead, ["Bruno Vale"], Period.MONTH)

    assert [(p.period, p.found.documents) for p in vale.periods] == [
        ("2015-05", 0),
        ("2018-09", 0),
        ("2021-03", 1),
        ("2024-11", 1),
    ]
    assert vale.vague_documents == 1  # the yearbook of 2021


def test_pairs_by_year(elmstead: EmbeddedIndex) -> None:
    (found,) = cooccurrence_by_period(
        elmstead, [("mayor", "Bruno Vale")], Period.YEAR, window_words=20
    )

    assert [(p.period, p.found.exists, p.found.nearest_words) for p in found.periods] == [
        ("2015", False, None),
        ("2018", False, None),
        ("2021", True, 3),
        ("2024", True, 3),
    ]


@pytest.mark.parametrize(
    ("phrase", "first", "last", "dated", "undated"),
    [
        pytest.param("Ada Thorn", "2015-05-07", "2021-03-14", 3, 1, id="the first mayor"),
        pytest.param("Willow Bridge", "2018-09", "2018-09", 1, 0, id="of a month"),
        pytest.param("Carla Finch", "2024-11-02", "2024-11-02", 1, 0, id="the last mayor"),
    ],
)
def test_first_and_last_seen(
    elmstead: EmbeddedIndex, phrase: str, first: str, last: str, dated: int, undated: int
) -> None:
    (found,) = seen(elmstead, [phrase])

    assert (found.first, found.last, found.reason) == (first, last, None)
    assert (found.dated_documents, found.undated_documents) == (dated, undated)
    assert (found.vague_before, found.vague_after) == (0, 0)


def test_a_vague_date_may_be_earlier(elmstead: EmbeddedIndex) -> None:
    (found,) = seen(elmstead, ["Bruno Vale"])

    # 14 March 2021 is sure; the yearbook of 2021 may be of January.
    assert (found.first, found.first_document_id) == ("2021-03-14", "gazette-2021")
    assert (found.last, found.last_document_id) == ("2024-11-02", "gazette-2024")
    assert (found.vague_before, found.vague_after) == (1, 0)


def test_only_a_vague_date_is_told_as_it_stands(elmstead: EmbeddedIndex) -> None:
    (found,) = seen(elmstead, ["budget"])

    assert (found.first, found.last, found.first_document_id) == ("2021", "2021", "yearbook-2021")


def test_what_only_undated_documents_hold_has_an_unknown_date(elmstead: EmbeddedIndex) -> None:
    undated, never = seen(elmstead, ["Old Quay", "Dora Quill"])

    assert (undated.first, undated.last, undated.reason) == (None, None, "only_undated")
    assert (undated.dated_documents, undated.undated_documents) == (0, 1)
    assert (never.first, never.reason, never.undated_documents) == (None, "not_found", 0)


def test_pairs_first_seen(elmstead: EmbeddedIndex) -> None:
    thorn, never = seen_together(
        elmstead, [("Ada Thorn", "Bruno Vale"), ("Ada Thorn", "Carla Finch")], window_words=50
    )

    assert (thorn.first, thorn.last, thorn.first_document_id) == (
        "2021-03-14",
        "2021-03-14",
        "gazette-2021",
    )
    assert (never.first, never.reason) == (None, "not_found")


def test_a_window_decides_when_a_pair_is_first_seen(elmstead: EmbeddedIndex) -> None:
    near, wide = (
        seen_together(elmstead, [("Elmstead", "Bruno Vale")], window_words=words)[0]
        for words in (2, 20)
    )

    assert (near.first, wide.first) == ("2024-11-02", "2021-03-14")


def test_names_are_seen_in_all_their_forms(tmp_path: Path) -> None:
    index = build_elmstead(tmp_path / "e")
    book = AliasBook([AliasRow("Bruno Vale", "Ada Thorn", "user")], form=index.form)
    wide = widened(index, book)
    assert isinstance(wide, DatedIndex)

    (found,) = seen(wide, ["Bruno Vale"])
    (by_year,) = counts_by_period(wide, ["Bruno Vale"], Period.YEAR)

    assert found.first == "2015-05-07"
    assert [p.found.documents for p in by_year.periods] == [1, 1, 2, 1]


def test_an_index_that_knows_no_dates_is_refused() -> None:
    wide = WidenedIndex(Named(), AliasBook([]))  # type: ignore[arg-type]

    with pytest.raises(CapabilityError, match="'elsewhere' does not know dates"):
        wide.dates()


class Named:
    """An index that has a name, and no dates."""

    class info:  # noqa: N801
        name = "elsewhere"


@pytest.mark.parametrize(
    ("day", "undated", "told"),
    [
        pytest.param("2021-05-01", Undated.EXCLUDE, (3, 1, 1, 1), id="a day"),
        pytest.param("2021", Undated.EXCLUDE, (4, 1, 1, 0), id="a year"),
        pytest.param("2021", Undated.INCLUDE, (5, 1, 1, 0), id="with undated ones"),
        pytest.param("2000", Undated.EXCLUDE, (0, 1, 5, 0), id="before all"),
    ],
)
def test_as_of_tells_every_document(
    elmstead: EmbeddedIndex, day: str, undated: Undated, told: tuple[int, int, int, int]
) -> None:
    found = as_of(elmstead, day, undated)

    assert found == AsOf(day, undated, *told)
    left = elmstead.dated(Dates(until=day, undated=undated))
    assert left.info.n_documents == found.n_documents


def test_as_of_refuses_what_is_no_date(elmstead: EmbeddedIndex) -> None:
    with pytest.raises(QueryError, match="as_of is 'May', which is not a date"):
        as_of(elmstead, "May")


@pytest.mark.parametrize(
    ("dates", "words"),
    [
        (Dates(after="2020", until="2024-05"), "dated after 2020, until 2024-05"),
        (Dates(since="2020", undated=Undated.INCLUDE), "dated since 2020 or not at all"),
        (Dates(undated=Undated.ONLY), "without a date"),
    ],
)
def test_dates_in_words(dates: Dates, words: str) -> None:
    assert dates.in_words == words


# --- against a naive scan -------------------------------------------------------------------------

_DATES = st.sampled_from(
    [None, "2020", "2020-02", "2020-02-01", "2020-02-28", "2020-12-31", "2021", "2021-01-01"]
)
_TEXTS = st.sampled_from(["x", "x y", "y x x", "y", "z"])


@settings(max_examples=40, deadline=None)
@given(corpus=st.lists(st.tuples(_TEXTS, _DATES), min_size=1, max_size=8))
def test_seen_and_by_year_equal_a_naive_scan(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[tuple[str, str | None]]
) -> None:
    documents = [
        averment.Document(str(number), text, date=date)
        for number, (text, date) in enumerate(corpus)
    ]
    index = build(tmp_path_factory.mktemp("naive") / "i", documents)
    days = [(days_of(date), "x" in text.split()) for text, date in corpus if date is not None]
    holding = [each for each, is_in in days if is_in and each is not None]

    (found,) = seen(index, ["x"])
    (by_year,) = counts_by_period(index, ["x"], Period.YEAR)

    dated = {None} if not holding else {found.first, found.last}
    assert found.dated_documents == len(holding)
    assert (None in dated) == (not holding)
    if holding:
        first, last = days_of(found.first or ""), days_of(found.last or "")
        assert first == min(holding, key=lambda each: (each.last, -each.first))
        assert last == max(holding, key=lambda each: (each.first, -each.last))
        assert found.vague_before == sum(each.first < first.first for each in holding)
        assert found.vague_after == sum(each.last > last.last for each in holding)
    years = {date[:4] for _, date in corpus if date is not None}
    assert {p.period: p.found.documents for p in by_year.periods} == {
        year: sum("x" in text.split() for text, date in corpus if (date or "")[:4] == year)
        for year in years
    }
