"""`averment demo`: the whole story on the encyclopaedia that ships with the package.

Four roles, each asked of a real local model. Nothing is scripted, so a model may not play its
part at the first question; each role has spare questions, and the demo says which it took.
"""

from __future__ import annotations

import hashlib
import json as json_module
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from averment.cli.ask import Narrator, print_verdict, write_page
from averment.cli.console import err, out, print_json
from averment.cli.options import HtmlOption, JsonOption, OfflineOption
from averment.errors import ModelFileError, ModelUnavailable

if TYPE_CHECKING:
    from averment.engine import Answered, Engine

DEMO_MODELS = ("qwen2.5-coder-0.5b", "smollm2-135m")
_TRIES = 3


class Role(NamedTuple):
    """What a question of the demo is to show, and how one sees that it did."""

    name: str
    told: str
    shown: Callable[[Answered], bool]


def _retrieved_before(result: Answered) -> bool:
    return any(made.trigger == "rare_entity" for made in result.answer.retrievals)


def _repaired(result: Answered) -> bool:
    return any(
        sentence.repairs
        for sentence in (result.trace.draft.sentences if result.trace.draft else ())
    )


ROLES = (
    Role(
        "common",
        "Common names, and the corpus knows the pair: answered without looking anything up",
        lambda result: not result.answer.retrievals and result.verdict == "answered",
    ),
    Role(
        "rare",
        "A rare name in the question: looked up before the first word",
        lambda result: _retrieved_before(result) and result.verdict == "answered",
    ),
    Role(
        "repair",
        "A claim whose two ends never meet in the corpus: caught, looked up, written again",
        lambda result: _repaired(result) and result.verdict != "abstained",
    ),
    Role(
        "unknown",
        "Nothing in the corpus supports an answer: it says that it does not know",
        lambda result: result.verdict == "abstained",
    ),
)


def demo(
    model: Annotated[
        str | None,
        typer.Option(
            help="Another local model.  [default: qwen2.5-coder-0.5b]", show_default=False
        ),
    ] = None,
    offline: OfflineOption = None,
    html: HtmlOption = None,
    json: JsonOption = False,
) -> None:
    """See it work: rare name, wrong claim, repair and abstention, on a bundled corpus."""
    shown: list[tuple[Role, Answered]] = []
    with open_demo(model, offline=offline, quiet=json) as engine:
        for role in ROLES:
            if not json:
                out().print(f"\n[bold]{role.told}[/bold]")
            shown.append((role, _play(engine, role, quiet=json)))
        if html is not None:
            told = [role.told for role, _ in shown]
            write_page(html, [result for _, result in shown], engine, told)
    if json:
        from averment.shapes import answer_object

        print_json(
            {
                "roles": [
                    {"role": r.name, "shown": r.shown(a), **answer_object(a.answer)}
                    for r, a in shown
                ]
            }
        )
        return
    n_shown = sum(role.shown(result) for role, result in shown)
    out().print(f"\n{n_shown} of {len(ROLES)} roles shown by {shown[0][1].answer.model}.")
    if html is not None:
        out().print(f"Page: {html}", markup=False)
    out().print(
        "Next, on your own documents:\n"
        "  averment index build PATHS\n"
        '  averment ask "your question"',
        markup=False,
    )


def _play(engine: Engine, role: Role, *, quiet: bool) -> Answered:
    from averment.types import Question

    result: Answered | None = None
    for number, text in enumerate(questions(role.name)[:_TRIES]):
        if not quiet:
            if number:
                out().print("  (the model did not play this part; a spare question)", style="cyan")
            out().print(f"  [bold]Q[/bold] {text}")
        question = Question(f"{role.name}-{number + 1}", text)
        result = engine.answer(question, None if quiet else Narrator())
        if not quiet:
            print_verdict(result.answer)
        if role.shown(result):
            break
    assert result is not None  # every role has questions: tests/demo hold the file to that
    return result


def questions(role: str) -> list[str]:
    """The questions of a role, the main one first."""
    text = (resources.files("averment") / "demo" / "questions.json").read_text(encoding="utf-8")
    return [row["question"] for row in json_module.loads(text) if row["role"] == role]


def open_demo(model: str | None, *, offline: bool | None, quiet: bool) -> Engine:
    """The engine over the bundled corpus; index and model are made ready in the home directory."""
    from averment.settings import resolve_settings
    from averment.wiring import open_engine

    settings = resolve_settings(offline=offline)
    index = _demo_index(settings.home)
    name = model or _fetch_first(offline=offline, quiet=quiet)
    if not quiet:
        err().print(f"Corpus: {index} · model: {name}", markup=False)
    # Models have learned what an encyclopaedia says, so rarity may decide when to look things up.
    return open_engine(
        index=index,
        model=name,
        policy="quco-known",
        offline=settings.offline,
        audit="off",
    )


def _fetch_first(*, offline: bool | None, quiet: bool) -> str:
    from averment.cli.getting import fetch

    failed: list[str] = []
    for name in DEMO_MODELS:
        try:
            fetch(name, offline=offline, quiet=quiet)
        except (ModelFileError, ModelUnavailable) as error:
            failed.append(f"{name}: {error.message}")
        else:
            for reason in [] if quiet else failed:
                err().print(f"Could not use {reason}", markup=False)
            return name
    raise ModelFileError(
        "No model for the demo. " + " ".join(failed),
        hint="Connect once and type: averment models get qwen2.5-coder-0.5b — or name a .gguf "
        "file: averment demo --model FILE",
    )


def _demo_index(home: Path) -> Path:
    """The index of the bundled corpus, built once for each content, text form and format."""
    from averment.corpus.readers import read_documents
    from averment.index.manifest import FORMAT_VERSION
    from averment.text import TextForm
    from averment.wiring import build_index

    articles = resources.files("averment") / "demo" / "articles.jsonl"
    made_of = articles.read_bytes() + f"{TextForm().identity} {FORMAT_VERSION}".encode()
    digest = hashlib.sha256(made_of).hexdigest()
    target = home / "demo" / f"encyclopaedia-{digest[:12]}"
    if not (target / "MANIFEST.json").exists():
        with resources.as_file(articles) as path:
            build_index(read_documents([path], on_bad=_refuse), target)
    return target


def _refuse(record: object) -> None:
    raise AssertionError(f"the bundled corpus is broken: {record}")
