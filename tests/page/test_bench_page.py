"""The page of a run: our numbers, the paper's apart, nothing unescaped, charts in their frame."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from averment.evaluation.bench_file import PaperRow, Variant
from averment.evaluation.comparing import differences, read_grades
from averment.evaluation.curves import read_curves
from averment.evaluation.rows import Row
from averment.evaluation.run_record import RunRecord, SetRecord
from averment.evaluation.tables import open_tables, read_table, warnings_of
from averment.page.bench import BenchReport, render_bench
from averment.page.charts import Axis, Point, Series, line_chart
from evaluation.rows_by_hand import failed, graded, run_of

PAPER = PaperRow("s", "quco", "OLMo-2-7B", "arXiv 2512.19134v2", exact_match=0.327)


def page_of(folder: Path, rows: list[Row], **variants: Variant) -> str:
    opened = open_tables([run_of(folder, rows)])
    record = RunRecord(
        bench="<b>ench",
        model="tiny",
        model_identity="tiny & small",
        index="0123",
        sets=(SetRecord("s", "2wiki", "file.jsonl", "4567", 3),),
        paper=(PAPER,),
        variants=variants,
    )
    table = read_table(opened)
    return render_bench(
        BenchReport(
            record, table, differences(read_grades(opened)), read_curves(opened), warnings_of(table)
        )
    )


def rows(policy: str, f1: float) -> list[Row]:
    return [
        graded(policy, n, f1 if n % 2 else 1.0, confidences={"token_probability": n / 10})
        for n in range(10)
    ]


def test_a_page_shows_means_with_intervals_and_differences(tmp_path: Path) -> None:
    page = page_of(tmp_path, [*rows("single", 0.0), *rows("quco", 1.0)])

    assert re.search(r"0\.500<small>0\.\d{3} to 0\.\d{3}</small>", page)
    assert re.search(r'class="good">\+0\.500</span>', page)


def test_numbers_of_a_paper_stand_in_a_table_of_their_own(tmp_path: Path) -> None:
    page = page_of(tmp_path, rows("quco", 0.0))

    ours, _, papers = page.partition("What the paper reports")
    assert "0.327" not in ours
    assert "0.327" in papers
    assert "OLMo-2-7B" in papers


def test_failures_and_warnings_come_first(tmp_path: Path) -> None:
    page = page_of(tmp_path, [graded("quco", 1, 1.0), failed("quco", 2)])

    assert page.index("1 of 2 questions failed") < page.index("<h2>s</h2>")
    assert "+1 failed" in page


def test_whatever_a_file_wrote_is_escaped(tmp_path: Path) -> None:
    page = page_of(tmp_path, [graded("<script>x</script>", n, 1.0) for n in range(2)])

    assert "<script>" not in page
    assert "<b>ench" not in page
    assert "tiny &amp; small" in page


def test_each_measure_of_confidence_has_its_two_curves(tmp_path: Path) -> None:
    page = page_of(tmp_path, rows("quco", 0.0))

    assert page.count("<svg") == 3
    assert "Risk by coverage: raw token probability" in page
    assert "AURC" in page
    assert "ECE" in page


def test_answers_without_confidence_have_no_such_curves(tmp_path: Path) -> None:
    page = page_of(tmp_path, [graded("quco", n, 1.0) for n in range(3)])

    assert page.count("<svg") == 1


def test_what_nobody_knows_has_no_section(tmp_path: Path) -> None:
    theirs = [graded("theirs", n, 1.0, retrievals=None, triggers=None) for n in range(3)]

    page = page_of(tmp_path, theirs)

    assert "What it took" not in page
    assert "Differences" not in page
    assert "Curves" not in page


def test_an_abstention_is_the_least_sure_answer(tmp_path: Path) -> None:
    sure = {"token_probability": 0.9}
    found = [
        graded("quco", 1, 0.0, verdict="abstained", confidences=sure),
        graded("quco", 2, 1.0, confidences={"token_probability": 0.5}),
    ]

    (curves,) = read_curves(open_tables([run_of(tmp_path, found)]))

    assert curves.risk_coverage.risk.tolist() == [0.0, 0.5]


def test_values_of_one_threshold_are_a_line_in_their_order(tmp_path: Path) -> None:
    searches = {"high": (20, 3), "low": (2, 1), "middle": (5, 2)}
    found = [
        graded(name, n, 0.5, retrievals=k) for name, (_, k) in searches.items() for n in (1, 2)
    ]
    variants = {name: Variant("quco", {"floor": value}) for name, (value, _) in searches.items()}
    alone = Variant("quco", {"relations": False, "window_words": 100})

    page = page_of(tmp_path, [*found, *rows("single", 0.0), *rows("a", 1.0)], a=alone, **variants)

    figure = page[page.index("F1 by what is looked up") : page.index("</figure>")]
    (line,) = re.findall(r'<path class="line c0" d="M([^"]+)"', figure)
    along = [float(point.split()[0]) for point in line.split(" L")]
    assert len(along) == 3
    assert along == sorted(along)
    assert re.findall(r"</i>([^<]+)<", figure) == ["quco, floor", "single", "a"]
    assert re.findall(r"<title>(\w+):", figure) == ["low", "middle", "high", "single", "a"]


@pytest.mark.parametrize("high", [0.4, 1.0, 3.7, 25.0])
def test_points_and_ticks_lie_within_the_frame(high: float) -> None:
    points = (Point(0.0, 0.0), Point(high, 1.0, 0.5, 1.0))

    drawn = line_chart(
        [Series("a", points)], title="t", x=Axis("x", 0.0, high), y=Axis("y", 0.0, 1.0)
    )

    places = [float(x) for x in re.findall(r'c?x="([\d.]+)"', drawn)]
    assert all(0 <= place <= 420 for place in places)
    assert 3 <= len(re.findall('class="tick x"', drawn)) <= 9


def test_no_two_of_32_series_look_alike() -> None:
    many = [Series(str(at), (Point(0.5, 0.5),)) for at in range(32)]

    drawn = line_chart(many, title="t", x=Axis("x", 0.0, 1.0), y=Axis("y", 0.0, 1.0))

    looks = re.findall(r'<i class="([^"]+)"', drawn)
    assert len(set(looks)) == 32
    assert re.findall(r'<rect class="dot ([^"]+)"', drawn) == looks


def test_a_chart_names_its_series_and_its_axes() -> None:
    drawn = line_chart(
        [Series("a & b", (Point(0.5, 0.5),))],
        title="right & wrong",
        x=Axis("searches", 0.0, 1.0),
        y=Axis("F1", 0.0, 1.0),
        diagonal=True,
    )

    assert "a &amp; b" in drawn
    assert "right &amp; wrong" in drawn
    assert ">searches<" in drawn
    assert 'class="even"' in drawn
