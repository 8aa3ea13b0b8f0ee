"""Tables of runs on the screen: means, paired differences, expectations, warnings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.cli.console import err, out

if TYPE_CHECKING:
    from averment.evaluation.bench_file import PaperRow
    from averment.evaluation.comparing import Difference, HeldExpectation
    from averment.evaluation.tables import Line, Mean


def print_table(table: Sequence[Line]) -> None:
    """A table for each question set, a line a policy."""
    from averment.evaluation.tables import shown_metrics

    width = max(len(name) for name in ("policy", *(line.contestant for line in table)))
    for name in dict.fromkeys(line.set for line in table):
        lines = [line for line in table if line.set == name]
        graded = [(metric, _TITLES[metric]) for metric in shown_metrics(lines)]
        head = "".join(f"{title:^22}" for _, title in graded)
        out().print(f"\n{name}", style="bold")
        out().print(
            f"{'policy':<{width}} {'n':>4} {head} {'answered/warned/abst.':>21} {'searches':>8} "
            f"{'tokens':>6} {'seconds':>7}",
            style="bright_black",
        )
        for line in lines:
            grades = "".join(f"{_mean(line.grades[metric]):^22}" for metric, _ in graded)
            counts = f"{line.answered}/{line.warned}/{line.abstained}"
            out().print(
                f"{line.contestant:<{width}} {line.n - line.failed:>4} {grades} {counts:>21} "
                f"{_number(line.retrievals.value, 2):>8} {_number(line.tokens, 0):>6} "
                f"{_number(line.seconds, 1):>7}",
                markup=False,
            )


_TITLES = {
    "exact_match": "exact match",
    "f1": "F1",
    "draft_f1": "F1 of drafts",
    "accuracy": "accuracy",
    "rouge_l": "ROUGE-L",
}


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _mean(mean: Mean) -> str:
    if mean.value is None:
        return "-"
    if mean.low is None or mean.high is None:
        return f"{mean.value:.3f}"
    return f"{mean.value:.3f} [{mean.low:.2f}, {mean.high:.2f}]"


def print_paper(rows: Sequence[PaperRow]) -> None:
    """What papers report, marked as theirs."""
    if not rows:
        return
    out().print("\nIn the paper, with its own model and corpus:", style="bright_black")
    for row in rows:
        grades = ", ".join(
            f"{title} {value:.3f}"
            for metric, title in _TITLES.items()
            if (value := getattr(row, metric, None)) is not None
        )
        out().print(f"{row.set} {row.policy}: {grades} ({row.model}, {row.source})", markup=False)


def print_differences(found: Sequence[Difference]) -> None:
    """Each pair of policies with its interval and p-value."""
    if not found:
        return
    out().print("\nDifferences on the same questions, with 95 % intervals", style="bold")
    for each in found:
        interval = "no interval" if each.low is None else f"[{each.low:+.3f}, {each.high:+.3f}]"
        value = "-" if each.value is None else f"{each.value:+.3f}"
        p_value = "-" if each.p_value is None else f"{each.p_value:.3f}"
        out().print(
            f"{each.set}  {_TITLES[each.metric]:<12}  {each.contestant} − {each.baseline}: "
            f"{value} {interval}  p = {p_value}  n = {each.n}",
            markup=False,
        )


def print_expectations(held: Sequence[HeldExpectation]) -> None:
    """Which expectations are met."""
    for each in held:
        met = "met" if each.met else "not met"
        on = "" if each.expectation.set else f" on {each.difference.set}"
        out().print(f"{met}: {each.expectation}{on}", style="green" if each.met else "red")


def print_warnings(warnings: Sequence[str]) -> None:
    """What a reader of the table has to know, on stderr."""
    for warning in warnings:
        err().print(f"warning: {warning}", style="yellow", markup=False)
