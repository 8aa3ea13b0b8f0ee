"""`averment label`: claims with their passages and counts, one by one, and what a person says.

Scores are kept but never shown: whoever labels must not be told what to think. Every reply is on
disk before the next claim is shown.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from averment.cli.console import at_least, err, out, print_json
from averment.cli.options import IndexOption, JsonOption
from averment.errors import DatasetError, UsageError
from averment.files import read_text
from averment.text import n_of

if TYPE_CHECKING:
    from averment.cli.label_file import LabelFile
    from averment.labels import ClaimToLabel

_SHOWN_CODE_POINTS = 600
_TRUTH = {"t": True, "f": False, "u": None}
_FAITHFUL = {"y": True, "n": False}
_END = ("", "q", "\x04")
_ARROWS = re.compile(r"\x1b(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])?")  # and whatever else is no letter
_HELP = """\
  t  true in the world, whatever the passages say    f  false    u  nobody can tell (kept as null)
  y  the passages say it    n  they do not, or say otherwise: faithful is not true
  s  skip for now    b  back: take the last label away    o  passages in full    q  quit
"""


def label(
    answers: Annotated[
        Path,
        typer.Argument(
            help="What `ask --json` or `check --json` printed, or JSON lines with claim, passages "
            "and question.",
            show_default=False,
        ),
    ],
    labels: Annotated[
        Path | None,
        typer.Argument(
            help="Where labels are appended, one JSON line each.  "
            "[default: ANSWERS with .labels.jsonl]",
            show_default=False,
        ),
    ] = None,
    question_index: Annotated[
        bool,
        typer.Option(
            "--question-index", help="Count the ends of each claim in the index of --index, now."
        ),
    ] = False,
    index: IndexOption = None,
    window: Annotated[
        int, typer.Option("--window", min=0, help="Largest distance of the ends, in words.")
    ] = 1000,
    json: JsonOption = False,
) -> None:
    """Label claims as true and as faithful, for averment calibrate; --json only shows how far."""
    from averment.cli.label_file import LabelFile

    claims = load_claims(answers)
    target = labels or answers.with_suffix(".labels.jsonl")
    kept = LabelFile(target)
    if json:
        print_json(_progress(claims, kept, target))
        return
    counted = _live_counts(index, window) if question_index or index else _given_counts
    try:
        with _keys() as keys:
            _Session(claims, kept, keys, counted).run()
    finally:  # whoever interrupts wants to know what is kept, too
        done = _progress(claims, kept, target)
        err().print(f"{done['labelled']} of {done['claims']} labelled: {target}", markup=False)


def load_claims(path: Path) -> list[ClaimToLabel]:
    """The claims of a file, each once; what cannot be read is told and passed over."""
    from averment.labels import claims_to_label, json_records

    text = read_text(path, hint="Write it with: averment ask … --json")
    claims: dict[str, ClaimToLabel] = {}
    n_read = 0
    for line, record in json_records(f"{line}\n" for line in text.split("\n")):
        try:
            found = claims_to_label(record, source=f"{path}:{line}")
        except DatasetError as error:
            err().print(error.message, markup=False)
            continue
        n_read += len(found)
        for claim in found:
            claims.setdefault(claim.claim_id, claim)
    if not claims:
        raise UsageError(f"{path} holds no claim.", hint="Write it with: averment ask … --json")
    if n_read > len(claims):
        again = n_read - len(claims)
        err().print(f"{n_of(again, 'claim')} of the same words and passages left out.")
    return list(claims.values())


def _progress(claims: Sequence[ClaimToLabel], kept: LabelFile, target: Path) -> dict[str, Any]:
    known = kept.rows
    rows = [known[claim.claim_id] for claim in claims if claim.claim_id in known]
    truths = [row.label for row in rows]
    faithful = [row.faithful for row in rows]
    return {
        "labels": str(target),
        "claims": len(claims),
        "questions": len({claim.question_id for claim in claims}),
        "labelled": len(rows),
        "true": truths.count(True),
        "false": truths.count(False),
        "unverifiable": truths.count(None),
        "faithful": faithful.count(True),
        "unfaithful": faithful.count(False),
        "without_passages": faithful.count(None),
    }


# --- asking -------------------------------------------------------------------------------------


class _Session:
    """Shows claims and keeps what is said of them."""

    def __init__(
        self,
        claims: Sequence[ClaimToLabel],
        kept: LabelFile,
        keys: Iterator[str],
        counted: Callable[[ClaimToLabel], list[str]],
    ) -> None:
        self._claims = claims
        self._kept = kept
        self._keys = keys
        self._counted = counted

    def run(self) -> None:
        """Until every claim has a label, or q, or the end of the input."""
        at = 0
        while at < len(self._claims):
            claim = self._claims[at]
            if claim.claim_id in self._kept.rows:
                at += 1
                continue
            self._show(at)
            said = self._ask_both(claim)
            if said in _END:
                return
            at = self._back(at) if said == "b" else at + 1

    def _ask_both(self, claim: ClaimToLabel) -> str:
        """Ask and keep; the key that led on."""
        while True:
            truth = self._ask("true?", _TRUTH, claim)
            if truth not in _TRUTH:
                return truth
            faithful = self._ask("faithful?", _FAITHFUL, claim) if claim.passages else None
            if faithful == "b":
                continue
            if faithful is None or faithful in _FAITHFUL:
                verdict = None if faithful is None else _FAITHFUL[faithful]
                self._kept.append(claim.labelled(_TRUTH[truth], verdict))
                return truth
            return faithful

    def _ask(self, what: str, replies: dict[str, Any], claim: ClaimToLabel) -> str:
        """One of the replies, or s, b or q."""
        choices = "/".join(replies)
        while True:
            out().print(f"{what:>11}  {choices}  (s skip, b back, o open, q quit, ? help) ", end="")
            key = next(self._keys, "")
            out().print(key if key.isprintable() else "", markup=False)
            if key == "o":
                _print_passages(claim, whole=True)
            elif key in replies or key in ("s", "b") or key in _END:
                return key
            else:
                out().print(_HELP, markup=False)

    def _back(self, at: int) -> int:
        """Take the last label away; the place of its claim."""
        last = self._kept.last
        places = {claim.claim_id: place for place, claim in enumerate(self._claims)}
        if last is None or last.claim_id not in places:
            out().print("There is nothing to go back to.")
            return at
        self._kept.take_back()
        return places[last.claim_id]

    def _show(self, at: int) -> None:
        from rich.text import Text

        claim, n_claims = self._claims[at], len(self._claims)
        known = self._kept.rows
        n_labelled = sum(each.claim_id in known for each in self._claims)
        out().print()
        out().rule(f"claim {at + 1}: {n_labelled} of {n_claims} labelled", align="left")
        if claim.question:
            out().print(Text(f"{'question':>11}  {claim.question}"))
        out().print(Text.assemble(f"{'claim':>11}  ", (claim.claim, "bold")))
        for line in self._counted(claim):
            out().print(Text(f"{'corpus':>11}  {line}", style="bright_black"))
        _print_passages(claim, whole=False)


def _print_passages(claim: ClaimToLabel, *, whole: bool) -> None:
    from rich.text import Text

    if not claim.passages:
        out().print(Text(f"{'passages':>11}  none", style="bright_black"))
    for number, passage in enumerate(claim.passages, start=1):
        cut = not whole and len(passage.text) > _SHOWN_CODE_POINTS
        text = passage.text[:_SHOWN_CODE_POINTS] + " … (o)" if cut else passage.text
        name = passage.title or passage.document_id
        head = f"{'evidence' if passage.is_evidence else 'passage':>9} {number}  "
        out().print(Text.assemble(head, (f"{name}: " if name else "", "cyan"), text))


def _given_counts(claim: ClaimToLabel) -> list[str]:
    """What the input says of the pairs of a claim."""
    return [_pair_told(pair) for pair in claim.counts]


def _live_counts(index: Path | None, window_words: int) -> Callable[[ClaimToLabel], list[str]]:
    """Asks the index: the ends of the triplets that came with a claim, or that rules find in it."""
    from averment.claims.rules import RulesExtractor
    from averment.settings import resolve_settings
    from averment.wiring import open_index

    settings = resolve_settings(index=index)
    opened = open_index(
        settings.index, damaged_segments=settings.damaged_segments, settings=settings
    )

    def counted(claim: ClaimToLabel) -> list[str]:
        (extraction,) = RulesExtractor().triplets([claim.claim])
        pairs = list(claim.pairs) or [(each.head, each.tail) for each in extraction.triplets]
        told = []
        for head, tail in pairs:
            (together,) = opened.cooccurrence([(head, tail)], window_words=window_words)
            of_head, of_tail = opened.count([head, tail])
            pair = {"head": head, "tail": tail, "documents": together.documents}
            each = {"head_documents": of_head.documents, "tail_documents": of_tail.documents}
            told.append(_pair_told({**pair, **each, "kind": together.kind}))
        return told

    return counted


def _pair_told(pair: Mapping[str, Any]) -> str:
    ends = f"{pair.get('head')} + {pair.get('tail')}"
    documents = pair.get("documents")
    if not isinstance(documents, int):
        return f"{ends}: the corpus could not tell"
    together = f"{at_least(pair.get('kind', 'exact'))}{n_of(documents, 'document')}"
    each = [n for n in (pair.get("head_documents"), pair.get("tail_documents")) if n is not None]
    alone = f" (each: {each[0]} and {each[1]})" if len(each) == 2 else ""
    return f"{ends}: together in {together}{alone}"


# --- keys ---------------------------------------------------------------------------------------


@contextmanager
def _keys() -> Iterator[Iterator[str]]:
    """Keys as they are pressed, without the return key; the terminal is left as it was.

    From anything but a terminal: the first character of each line.
    """
    if not sys.stdin.isatty():
        yield (line.strip()[:1].lower() or " " for line in sys.stdin)
    elif sys.platform == "win32":
        import msvcrt

        yield iter(lambda: msvcrt.getwch().lower(), "\x04")
    else:
        import termios
        import tty

        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        try:
            # At once, before anything is shown: keys that are pressed early must not be lost. An
            # interrupt still interrupts.
            tty.setcbreak(terminal, termios.TCSADRAIN)
            yield _pressed(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _pressed(terminal: int) -> Iterator[str]:
    while pressed := os.read(terminal, 32).decode(errors="ignore"):
        yield from _ARROWS.sub(" ", pressed).lower()
