"""The house rules that a program can check: sizes, docstrings, and what an import costs.

Source: CONTRIBUTING.md; lint rules and import directions are checked by `make check`.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "src" / "averment"
MODULES = sorted(PACKAGE.rglob("*.py"))
SCRIPTS = sorted(
    path for room in ("bench", "research") for path in REPOSITORY.glob(f"{room}/**/*.py")
)
HEAVY = (
    "Stemmer",
    "bm25s",
    "duckdb",
    "docx",
    "fsspec",
    "httpx",
    "lxml",
    "numpy",
    "openai",
    "pptx",
    "pydantic",
    "pydantic_settings",
    "pyarrow",
    "pypdf",
    "ray",
    "rich.live",
    "sentencex",
    "torch",
    "xllamacpp",
)
LIGHT_MODULES = (
    "averment",
    "averment.types",
    "averment.text",
    "averment.steps",
    "averment.trace",
    "averment.engine",
    "averment.shapes",
    "averment.policies.quco",
    "averment.policies.fixed",
    "averment.cli",
)

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | FunctionNode


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> list[FunctionNode]:
    nodes = ast.walk(tree_of(path))
    return [node for node in nodes if isinstance(node, FunctionNode)]


def lines_of(function: FunctionNode) -> int:
    """Length with its docstring, without decorators."""
    return (function.end_lineno or 0) - function.lineno + 1


def public_things(node: Documented, name: str) -> Iterator[tuple[str, Documented]]:
    """The module, its public classes and functions, and their public methods."""
    yield name, node
    for child in node.body:
        if isinstance(child, ast.ClassDef | FunctionNode) and not child.name.startswith("_"):
            if isinstance(node, FunctionNode):
                continue  # what is inside a function is nobody's business
            yield from public_things(child, f"{name}:{child.name}")


def test_there_is_something_to_check() -> None:
    assert PACKAGE / "engine.py" in MODULES
    assert REPOSITORY / "bench" / "faithfulness.py" in SCRIPTS


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_what_a_script_takes_from_the_package_is_there(path: Path) -> None:
    taken = [
        (node.module, name.name)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("averment")
        for name in node.names
        if not name.name.startswith("_")  # the core is not everywhere
    ]

    lacking = [
        (module, name)
        for module, name in taken
        if module and not hasattr(importlib.import_module(module), name)
    ]

    assert lacking == []


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_has_at_most_600_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_function_has_at_most_80_lines(path: Path) -> None:
    too_long = {f.name: lines_of(f) for f in functions(path) if lines_of(f) > 80}

    assert too_long == {}


def test_nine_functions_of_ten_have_at_most_40_lines_and_half_of_them_12() -> None:
    lengths = [lines_of(function) for path in MODULES for function in functions(path)]

    assert statistics.quantiles(lengths, n=10)[-1] <= 40
    assert statistics.median(lengths) <= 12


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_every_module_and_everything_public_in_it_says_what_it_is_for(path: Path) -> None:
    silent = [
        name
        for name, node in public_things(tree_of(path), relative(path))
        if not ast.get_docstring(node)
    ]

    assert silent == []


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_module_is_named_after_what_has_no_name(path: Path) -> None:
    assert path.stem not in {"utils", "helpers", "common", "manager", "base"}


@pytest.mark.parametrize("module", LIGHT_MODULES)
def test_an_import_brings_nothing_heavy(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} does not exist yet")
    program = f"import sys, {module}; print(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert sorted(set(done.stdout.split()) & set(HEAVY)) == []
