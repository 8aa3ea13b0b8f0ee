"""Alias tables: what a line says, and why one is skipped."""

from __future__ import annotations

import pytest

from averment.claims.aliases.book import AliasRow
from averment.claims.aliases.tables import read_own, read_table, written


def rows(text: str) -> list[tuple[str, str, str]]:
    return [(row.canonical, row.form, row.source) for row in read_table(text, name="t.tsv").rows]


def test_a_row_has_a_name_a_form_and_a_source() -> None:
    text = "canonical\tform\tsource\nAspirin\tASA drug\tUMLS\nAspirin\tacetylsalicylic acid\n"

    assert rows(text) == [
        ("Aspirin", "ASA drug", "table:UMLS"),
        ("Aspirin", "acetylsalicylic acid", "table:t.tsv"),
    ]


def test_a_row_may_say_in_which_language_its_form_is() -> None:
    text = "canonical\tform\tsource\tlanguage\nCologne\tKöln\tw\tde\nCologne\tKöln\tw\tsv\n"

    table = read_table(text + "Cologne\t科隆\tw\tzh-Hans\nCologne\tColonia\n", name="t.tsv")

    told = [(row.form, row.language) for row in table.rows]
    assert told == [("Köln", "de"), ("Köln", "sv"), ("科隆", "zh"), ("Colonia", None)]
    assert read_own(written(table.rows), name="own.tsv").rows == table.rows


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Oslo", "1 column instead of canonical, form, source and language"),
        ("Oslo\tOslú\tx\tga\ty", "5 columns instead of canonical, form, source and language"),
        ("Oslo\tOslú\tx\tIrish", "the language 'Irish' is no code such as de or zh"),
        ("\tKristiania\tx", "the column canonical is empty"),
        ("Oslo\t \tx", "the column form is empty"),
        ("Oslo\tOSLO\tx", "the form is the canonical name"),
        ("Oslo\t...\tx", "the form has no word"),
        ("?\tKristiania\tx", "the canonical name has no word"),
        ("Oslo\tKri\x00stiania\tx", "the column form has broken characters: is it UTF-8?"),
        ("Oslo\tKri\ufffdstiania\tx", "the column form has broken characters: is it UTF-8?"),
        ("Bergen\tBjørgvin\tagain", "the same pair stands above"),
        ("Bjørgvin\tBergen\tx", "it closes a cycle: the form leads to the canonical name"),
    ],
)
def test_a_line_that_cannot_be_used_is_skipped_with_its_reason(line: str, reason: str) -> None:
    table = read_table(f"Bergen\tBjørgvin\tx\n{line}\nTurku\tÅbo\tx\n", name="t.tsv")

    assert [row.canonical for row in table.rows] == ["Bergen", "Turku"]
    assert table.skipped == (f"t.tsv:2: {reason}",)


def test_a_longer_cycle_is_found_whatever_the_order_of_its_lines() -> None:
    lines = ["Alpha\tBeta", "Beta\tGamma", "Gamma\tDelta", "Delta\tAlpha"]

    for start in range(len(lines)):
        table = read_table("\n".join(lines[start:] + lines[:start]), name="t.tsv")

        assert len(table.rows) == 3
        assert table.skipped[0].startswith("t.tsv:4: it closes a cycle")


def test_a_table_cannot_speak_for_the_user() -> None:
    assert rows("Oslo\tKristiania\tuser\n") == [("Oslo", "Kristiania", "table:user")]


def test_empty_lines_and_blanks_around_cells_mean_nothing() -> None:
    assert rows("\n  Oslo \t Kristiania \n\n") == [("Oslo", "Kristiania", "table:t.tsv")]


@pytest.mark.parametrize("source", ["user", "table:UMLS", "document:d\u20117"])
def test_what_is_written_is_read_back(source: str) -> None:
    row = AliasRow("Oslo", "Kristiania", source)

    table = read_own(written([row]), name="own.tsv")

    assert table.rows == (row,)
    assert table.skipped == ()


def test_tabs_and_line_ends_inside_a_name_stay_in_its_cell() -> None:
    table = read_own(written([AliasRow("Oslo\tcity", "Kristi\nania", "user")]), name="own.tsv")

    assert table.rows == (AliasRow("Oslo city", "Kristi ania", "user"),)
