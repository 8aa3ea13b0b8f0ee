"""A claim in the terminal: what is held of it, its numbers in words, its best evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.cli.console import err, out
from averment.places import cited
from averment.text import n_of, shortened

if TYPE_CHECKING:
    from averment.dating import AsOf
    from averment.types import Claim, Scores

_STYLES = {
    "supported": "green",
    "contradicted": "bold red",
    "unsupported": "yellow",
    "unverified": "bright_black",
}
_INDENT = " " * 14


def print_claim(claim: Claim) -> None:
    """The verdict, the claim, its numbers, and the span that says most about it."""
    from rich.text import Text

    console = out()
    console.print(Text.assemble((f"{claim.verdict:>12}  ", _STYLES[claim.verdict]), claim.text))
    console.print(Text(_INDENT + " · ".join(told(claim)), style="bright_black"))
    for draft in claim.weighed:
        console.print(Text(f"{_INDENT}weighed: “{shortened(draft.text)}” {draft.in_words}"))
    for passage in claim.evidence:
        dated = f", {passage.date}" if passage.date else ""
        line = f"{_INDENT}“{shortened(passage.text)}” — {cited(passage)}{dated}"
        console.print(Text(line, style="bright_black"))
    if claim.age is not None and claim.age.in_words is not None:
        is_stale = bool(claim.age.newer_documents)
        style = "yellow" if is_stale else "bright_black"
        console.print(Text(f"{_INDENT}{claim.age.in_words}", style=style))


def print_as_of(as_of: AsOf | None) -> None:
    """Up to when the corpus was looked at; nothing where that was not asked for."""
    if as_of is not None:
        out().print(f"{_INDENT}{as_of.in_words}", markup=False)


def told(claim: Claim) -> list[str]:
    """The numbers of a claim in words; what is missing says why."""
    from averment.promises import Remedy
    from averment.scoring.withholding import WITHHELD, remedy_of

    words = []
    if claim.p_true is not None:
        words.append(
            f"P(true) {claim.p_true:.2f} (if faithful {claim.p_true_if_faithful:.2f}, "
            f"if not {claim.p_true_if_unfaithful:.2f})"
        )
    if claim.p_faithful is not None and claim.reasons.get("p_faithful") != "no_evidence":
        words.append(f"faithfulness {claim.p_faithful:.2f}")
    words.append(claim.reasons["verdict"].replace("_", " "))
    if claim.checks:
        words.append(f"corpus: {claim.support.replace('_', ' ')}")
    if (why := claim.reasons.get(WITHHELD)) is not None:
        done = "hedged" if remedy_of(claim) is Remedy.HEDGE else "withheld"
        words.append(f"{done}: {why.replace('_', ' ')}")
    return words


def print_made_with(scores: Scores, claims: Sequence[Claim]) -> None:
    """Who made the numbers, whether they are probabilities, and what could not be used."""
    from rich.text import Text

    from averment.scoring.withholding import is_withheld

    calibrated = bool(claims) and all(claim.calibrated for claim in claims)
    scale = "calibrated probabilities" if calibrated else "uncalibrated"
    used = ", ".join(scores.estimators_used) or "none"
    err().print(Text(f"{n_of(len(claims), 'claim')}, {scale}; estimators: {used}"))
    if scores.promise is not None or scores.costs is not None:
        n_withheld = sum(map(is_withheld, claims))
        kept = f"{n_of(n_withheld, 'claim')} withheld" if n_withheld else "nothing withheld"
        told = [scores.promise.in_words] if scores.promise else []
        told += [f"By expected cost ({scores.costs.in_words})."] if scores.costs else []
        err().print(Text(f"{' '.join(told)} {kept.capitalize()}."))
    for note in scores.notes:
        err().print(Text(f"note: {note}", style="yellow"))
