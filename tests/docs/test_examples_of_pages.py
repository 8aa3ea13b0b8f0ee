"""Every block of every page runs, is parsed by what would read it, or says why it does not run.

Python runs page by page. What consoles show is typed, and what comes out is compared. Of the other
shell blocks every `averment` command goes through the parser of the command line, and those that
need no model, server or labels are carried out.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from page_blocks import PAGES, Block, blocks, name_of, shell_lines, shown
from typer.main import get_command

import averment
from averment.cli.app import app, run
from conftest import REPOSITORY
from corpus.pages import pdf

FRAMEWORKS = {
    "use-in-haystack": ("haystack", "haystack"),
    "use-infini-gram": ("infini_gram", "infinigram"),
    "use-in-langchain": ("langchain", "langchain"),
    "use-in-llamaindex": ("llama_index.core", "llamaindex"),
}
OTHER_LANGUAGES = {"console", "python", "toml", "json", "text", "bash", ""}
GENERATED = {"docs/reference/commands.md"}
"""Usage lines as the parser itself prints them."""

WITHOUT_A_MODEL = re.compile(
    r"averment (alias|doctor|filter|check|index (build|add|delete|merge|info|count|cooccur)"
    r"|bench list|audit (list|verify|export))\b"
)
INDENTED = re.compile(r"^    (?:averment|pip|python) .*", flags=re.MULTILINE)
NOT_CARRIED_OUT = (
    "…",
    "HASH",
    "--calibrator",
    " | ",
    ">>",
    "--target-error",
    "--otel",
    "infinigram",
    "--engine ray",
    "s3://",
)
DIFFERS = re.compile(r"\d+(\.\d+)? s\b|(?<=faithfulness )\d\.\d\d")
"""Seconds, and the last digit of a score: processors round differently."""

ENDS_AN_ANSWER = re.compile(r"^ *(answered|warned|abstained|supported|contradicted|unsupported) .*")

CONSOLES = [
    page
    for page in PAGES
    if name_of(page) not in GENERATED and any(b.language == "console" for b in blocks(page))
]
PYTHON_PAGES = [  # that of a page with consoles runs among them
    page
    for page in PAGES
    if page not in CONSOLES and any(b.language == "python" for b in blocks(page))
]
SHELLS = [page for page in PAGES if any(b.language in ("", "bash") for b in blocks(page))]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_block_that_nothing_runs_says_why(page: Path) -> None:
    unknown = [
        block.language
        for block in blocks(page)
        if block.language not in OTHER_LANGUAGES and block.note != "not run"
    ]

    assert unknown == []
    assert INDENTED.findall(page.read_text(encoding="utf-8")) == [], "put it between ```"


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=name_of)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of frameworks, about themselves
def test_the_python_of_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem in FRAMEWORKS:
        module, extra = FRAMEWORKS[page.stem]
        monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")  # read when it is imported
        pytest.importorskip(module, reason=f"absent; type: pip install 'averment[{extra}]'")
    examples = [b.text for b in blocks(page) if b.language == "python" and b.note != "not run"]
    scope: dict[str, object] = {}
    make_world()

    for code in examples:
        exec(code, scope)

    assert "assert" in "".join(examples)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_tables_and_objects_of_a_page_can_be_read(page: Path) -> None:
    readers = {"toml": tomllib.loads, "json": json.loads}
    found = [(b.language, b.text) for b in blocks(page) if b.language in readers]

    assert all(isinstance(readers[language](text), dict) for language, text in found)


def make_world() -> None:
    """Files by the names that pages use, in the working directory."""
    ferry = "The ferry Sørlandia sails from Hirtshals to Kristiansand. She was built in 1993."
    for folder in ("handbook", "abstracts", "docs", "handbuch"):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, "ferry.md").write_text(f"# Sørlandia\n\n{ferry}\n", encoding="utf-8")
        Path(folder, "old.md").write_text("# Tariffs of 1993\n\nA car costs 40 crowns.\n", "utf-8")
    for name in ("answer", "antwort", "handbook", "new", "source", "text"):
        Path(f"{name}.txt").write_text(ferry, encoding="utf-8")
    Path("handbook.pdf").write_bytes(pdf(ferry))
    rows = [{"text": ferry, "context": ferry, "is_right": True, "question": "What sails?"}] * 3
    for name in ("data", "mixed", "sample"):
        lines = "\n".join(json.dumps(row) for row in rows)
        Path(f"{name}.jsonl").write_text(lines, encoding="utf-8")
    Path("names.tsv").write_text("Cologne\tKöln\tby hand\tde\n", encoding="utf-8")
    Path("umls.tsv").write_text("aspirin\tacetylsalicylic acid\tumls\n", encoding="utf-8")


def arguments_of(line: str) -> list[str] | None:
    """What stands behind `averment`, up to a pipe or a file; None: that is no such command."""
    words = shlex.split(line)
    if "averment" not in words:
        return None
    words = words[words.index("averment") + 1 :]
    ends = [at for at, word in enumerate(words) if word in ("|", ">", ">>")]
    return words[: ends[0]] if ends else words


COMMAND: Any = get_command(app)


def parse(arguments: list[str]) -> None:
    """Let the parser of the command line read it, and nothing else happen."""
    command = COMMAND
    context = command.make_context("averment", list(arguments))
    while hasattr(command, "commands"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


def commands_of(page: Path) -> list[str]:
    """The lines of shell blocks that are run."""
    found = (b for b in blocks(page) if b.language in ("", "bash") and b.note != "not run")
    return [line for block in found for line in shell_lines(block)]


@pytest.mark.parametrize("page", [*SHELLS, REPOSITORY / "README.md"], ids=name_of)
def test_the_parser_takes_every_command_of_a_page(page: Path) -> None:
    for line in commands_of(page):
        if re.match(r"(averment|echo|opentelemetry-instrument|AVERMENT_\w+=)", line):
            arguments = arguments_of(line)
            assert arguments is not None, line
            parse(arguments)


@pytest.mark.parametrize("page", SHELLS, ids=name_of)
def test_commands_that_need_no_model_do_what_a_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_world()
    lines = [line for line in commands_of(page) if not any(no in line for no in NOT_CARRIED_OUT)]
    monkeypatch.setenv("AVERMENT_FAITHFULNESS", "lexical")
    averment.build_index([averment.Document("ferry", "Sørlandia sails.")], ".averment/index")
    failed = []

    for line in lines:
        if exported := re.fullmatch(r"export (AVERMENT_\w+)=(\S+)", line):
            monkeypatch.setenv(*exported.groups())
        elif WITHOUT_A_MODEL.match(line) and run(arguments_of(line) or []) not in (0, 1):
            failed.append(line)

    assert failed == []


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of somebody who has installed averment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    way = {"PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8", "AVERMENT_THREADS": "1"}
    return {**os.environ, "PATH": path, **way}


def typed(command: str, environment: dict[str, str]) -> str:
    """What a terminal shows after a command."""
    done = subprocess.run(
        ["bash", "-c", command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return DIFFERS.sub("…", done.stdout)


def compare(block: Block, environment: dict[str, str]) -> None:
    """Type the commands of a block; what comes out is what the page shows."""
    for command, output in shown(block):
        came, expected = typed(command, environment), DIFFERS.sub("…", output)
        if block.note == "some lines":
            assert ENDS_AN_ANSWER.findall(came) == ENDS_AN_ANSWER.findall(expected)
        else:
            assert came == expected


@pytest.mark.parametrize("page", CONSOLES, ids=name_of)
def test_a_terminal_shows_what_a_page_shows(page: Path, terminal: dict[str, str]) -> None:
    for block in blocks(page):
        if block.language == "console" and not block.note:
            compare(block, terminal)
        if block.language == "python":
            exec(block.text, {})


@pytest.mark.model
@pytest.mark.parametrize("page", CONSOLES, ids=name_of)
def test_a_terminal_shows_what_a_page_shows_of_a_model(
    page: Path, terminal: dict[str, str], tmp_path: Path, model_path: Path
) -> None:
    consoles = [b for b in blocks(page) if b.language == "console" and b.note != "not run"]
    if not any(block.note for block in consoles):
        return
    models = tmp_path / "home" / "models"
    models.mkdir(parents=True)
    (models / model_path.name).symlink_to(model_path)

    for block in consoles:
        if block.note or "<<" in block.text or "index build" in block.text:
            compare(block, terminal)
