"""The reliability diagram: what can be written, and that equal tables give equal files."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from averment.errors import MissingExtraError, UsageError
from averment.metrics.calibration_error import ReliabilityBin, reliability_table
from averment.page.reliability import check_target, write_reliability

pytest.importorskip("matplotlib", reason="diagrams need the extra [plot]")


def table(seed: int) -> tuple[ReliabilityBin, ...]:
    random = np.random.default_rng(seed)
    p_true = random.random(50)
    return reliability_table(p_true, random.random(50) < p_true)


SERIES = [("before", table(1)), ("after", table(2))]


@pytest.mark.parametrize("name", ["plot.svg", "plot.png", "PLOT.SVG"])
def test_diagrams_are_written_as_svg_or_png(name: str) -> None:
    check_target(Path(name))


@pytest.mark.parametrize("name", ["plot.pdf", "plot", "plot.svg.gz", ".svg"])
def test_another_format_is_refused_with_what_to_type(name: str) -> None:
    with pytest.raises(UsageError, match=name) as refused:
        check_target(Path(name))

    assert refused.value.hint.startswith("Type: --plot ")


def test_without_the_extra_the_line_to_type_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(MissingExtraError) as refused:
        check_target(Path("plot.svg"))

    assert "averment[plot]" in refused.value.hint


def test_a_diagram_names_its_series_its_axes_and_what_it_is_of(tmp_path: Path) -> None:
    write_reliability(tmp_path / "plot.svg", SERIES, title="50 claims, cross-fitted")

    shown = "".join(ElementTree.parse(tmp_path / "plot.svg").getroot().itertext())
    for words in ("before", "after", "perfect", "50 claims, cross-fitted", "share of true claims"):
        assert words in shown


def test_the_same_tables_give_the_same_svg_and_others_another(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.svg", "b.svg", "c.svg")]

    for path, series in zip(paths, (SERIES, SERIES, SERIES[::-1]), strict=True):
        write_reliability(path, series, title="t")

    first, second, other = (path.read_bytes() for path in paths)
    assert first == second != other


def test_a_png_is_one(tmp_path: Path) -> None:
    write_reliability(tmp_path / "plot.png", SERIES, title="t")

    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_a_table_without_a_claim_is_drawn_all_the_same(tmp_path: Path) -> None:
    empty = reliability_table(np.array([]), np.array([], dtype=bool))

    write_reliability(tmp_path / "plot.svg", [("none", empty)], title="no claims")

    assert (tmp_path / "plot.svg").stat().st_size > 0


def test_a_diagram_leaves_no_figure_open(tmp_path: Path) -> None:
    from matplotlib import pyplot

    write_reliability(tmp_path / "plot.svg", SERIES, title="t")

    assert pyplot.get_fignums() == []
