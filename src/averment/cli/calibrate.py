"""`averment calibrate`: labelled claims in, a calibrator out, and what it changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from averment.cli.console import err, out, print_json
from averment.cli.options import AuditOption, JsonOption
from averment.files import read_text, write_whole
from averment.text import n_of

if TYPE_CHECKING:
    from averment.calibrating import Calibration, Quality
    from averment.franq.calibrator import Calibrator
    from averment.promises import NotAttainable, Promise

_LABEL = "Make labels first: averment label ANSWERS.jsonl"
_CONFIDENCE = 0.9
_TARGETS = (0.05, 0.1, 0.2)
_OUTPUT = "Name another file: -o calibrator.json"


def calibrate(
    labelled: Annotated[Path, typer.Argument(help="JSONL that `averment label` wrote.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the calibrator goes.")
    ] = Path("calibrator.json"),
    mode: Annotated[
        str,
        typer.Option(help="condition, shared, gold, soft or em: which rows teach which curve."),
    ] = "condition",
    corpus: Annotated[
        bool, typer.Option(help="Corpus evidence enters, where the rows have it.")
    ] = True,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the report.")] = 5,
    seed: Annotated[int, typer.Option(help="Of the folds, and of what is held out.")] = 0,
    hold_out: Annotated[
        float,
        typer.Option(
            min=0,
            max=0.9,
            help="A share of the questions that is not fitted on, such as 0.5: `--target-error` of "
            "other commands needs it.",
        ),
    ] = 0.0,
    plot: Annotated[
        Path | None,
        typer.Option(help="Also draw the reliability diagram: .svg or .png.", show_default=False),
    ] = None,
    audit: AuditOption = None,
    json: JsonOption = False,
) -> None:
    """Fit a calibrator on labelled claims, and show reliability before and after."""
    from importlib import metadata

    from averment.calibrating import calibrate as fit_and_report
    from averment.franq.calibrator_json import to_json
    from averment.labels import read_labels
    from averment.page.reliability import check_target, write_reliability
    from averment.settings import resolve_settings
    from averment.wiring.audited_changes import record_calibration, recording

    _refuse_target(output, labelled)
    if plot is not None:
        check_target(plot)
    written = read_text(labelled, hint=_LABEL)
    labels = read_labels(written.split("\n"), source=str(labelled))
    with recording(resolve_settings(audit=audit)) as auditor:
        made = fit_and_report(
            labels,
            mode=_mode(mode),
            created_by=f"averment {metadata.version('averment')}",
            with_corpus=corpus,
            n_folds=folds,
            seed=seed,
            hold_out=hold_out,
        )
        text = to_json(made.calibrator) + "\n"
        if auditor is not None:
            record_calibration(auditor, made, text=text, labels=written)
        write_whole(output, text)
    if plot is not None:
        both = (made.before, made.after)
        write_reliability(
            plot,
            [(q.name, q.reliability) for q in both],
            title=f"{n_of(made.n_rows, 'claim')}, cross-fitted",
            curves=[(q.name, q.risk_coverage) for q in both],
        )
    if json:
        print_json(_object(made, output))
    else:
        _print(made)
    err().print(f"Calibrator: {output}", markup=False)


def _refuse_target(output: Path, labelled: Path) -> None:
    """Refuse a place where no calibrator can go, before anything long is computed."""
    from averment.errors import UsageError

    if output.is_dir():
        raise UsageError(f"{output} is a directory, not a calibrator.", hint=_OUTPUT)
    if output.exists() and labelled.exists() and output.samefile(labelled):
        raise UsageError(f"{output} holds the labels; it is not overwritten.", hint=_OUTPUT)


def _mode(name: str) -> Any:
    from averment.errors import UnknownNameError
    from averment.franq.calibrator import Mode

    fitted = [mode.value for mode in Mode if mode.reads_labels]
    if name not in fitted:
        raise UnknownNameError("calibration mode", name, fitted)
    return Mode(name)


def _object(made: Calibration, output: Path) -> dict[str, Any]:
    from averment.trace import to_plain

    return {
        "calibrator": str(output),
        "fingerprint": made.calibrator.fingerprint,
        "mode": made.calibrator.mode.value,
        "made_with": to_plain(made.calibrator.made_with),
        "counts": to_plain(made.calibrator.counts),
        "n_rows": made.n_rows,
        "before": to_plain(made.before),
        "after": to_plain(made.after),
        "ece_band": to_plain(made.ece_band),
        "promises": [to_plain(found) for found in _promises(made.calibrator)],
    }


def _promises(calibrator: Calibrator) -> list[Promise | NotAttainable]:
    """What can be promised of claims, for usual targets; nothing without held-out questions."""
    from averment.franq.selective import promise

    held_out = calibrator.held_out
    if held_out is None:
        return []
    return [promise(held_out, target_error=t, confidence=_CONFIDENCE) for t in _TARGETS]


def _print(made: Calibration) -> None:
    counts = made.calibrator.counts
    out().print(
        f"{n_of(counts.n_used, 'claim')} of {n_of(counts.n_groups, 'question')}, "
        f"{counts.n_true} true; {counts.n_unlabelled} without a label, "
        f"{counts.n_without_p_faithful} without faithfulness, "
        f"{n_of(counts.n_duplicates, 'duplicate')}"
    )
    out().print(
        "The table is cross-fitted: no claim was scored by a calibrator that saw its question.\n"
    )
    out().print(f"{'score':<12} {'before':^22}   {'after':^22}")
    out().print(
        f"{'':<12} {'claims':>6} {'mean':>7} {'true':>7}   {'claims':>6} {'mean':>7} {'true':>7}"
    )
    for old, new in zip(made.before.reliability, made.after.reliability, strict=True):
        out().print(f"{old.low:.1f} to {old.high:.1f}   {_bin(old)}   {_bin(new)}", highlight=False)
    out().print()
    for name, told in (
        ("ECE", "lower is better"),
        ("Brier", "lower is better"),
        ("PR-AUC", "higher is better"),
        ("ROC-AUC", "higher is better"),
        ("PRR", "higher is better"),
        ("AURC", "lower is better"),
    ):
        old_value, new_value = _value(made.before, name), _value(made.after, name)
        out().print(f"{name:<8} {old_value:>7} → {new_value:>7}   {told}")
    low, high = made.ece_band.low, made.ece_band.high
    if low is not None and high is not None:
        out().print(f"Perfectly calibrated scores of so many claims: ECE {low:.3f} to {high:.3f}.")
    _print_promises(made.calibrator)


def _print_promises(calibrator: Calibrator) -> None:
    from averment.promises import Promise

    if calibrator.held_out is None:
        return
    n_questions = n_of(calibrator.held_out.n_questions, "held-out question")
    out().print(
        f"\nWhat {n_questions} can promise of claims, with confidence {_CONFIDENCE}:\n"
        f"{'target error':>12}   {'P(true) from':>12}   {'kept':>6}   {'false of them':>13}"
    )
    for found in _promises(calibrator):
        told = f"{found.target_error:>12}   "
        if isinstance(found, Promise):
            told += f"{found.p_true_at_least:>12.3f}   {found.coverage:>6.1%}   "
            told += f"{found.error_kept:>13.1%}"
        elif found.best_target_error is None:
            told += "not attainable"
        else:
            told += f"not attainable; at best {found.best_target_error:g}"
        out().print(told, highlight=False)


def _bin(of: Any) -> str:
    if of.mean_confidence is None:
        return f"{0:>6} {'':>7} {'':>7}"
    return f"{of.n_rows:>6} {of.mean_confidence:>7.2f} {of.share_true:>7.2f}"


def _value(quality: Quality, name: str) -> str:
    value = getattr(quality, name.lower().replace("-", "_"))
    return "-" if value is None else f"{value:.3f}"
