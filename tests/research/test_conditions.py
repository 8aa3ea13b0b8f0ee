"""The conditions of both papers' tables are read by what runs them, and name what there is."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import averment
from averment.evaluation.bench_file import bench_names, read_bench
from averment.evaluation.datasets import DATASETS
from averment.franq.calibrator import Mode
from averment.prompts import load
from averment.settings import Settings
from averment.types import CorpusInfo
from averment.uq.registry import ESTIMATORS
from averment.wiring import make_policy
from conftest import REPOSITORY

RESEARCH = REPOSITORY / "research"
BENCHES = sorted((RESEARCH / "quco").glob("*.toml"))
ABSENT_SETS = {"asqa"}
FRANQ_FILES = ("long-form.toml", "short-form.toml")


@pytest.fixture(scope="module")
def info(tmp_path_factory: pytest.TempPathFactory) -> CorpusInfo:
    place = tmp_path_factory.mktemp("idx")
    averment.build_index([averment.Document("a", "Oslo is in Norway.")], place / "idx")
    return averment.open_index(place / "idx").info


@pytest.mark.parametrize("path", BENCHES, ids=lambda path: path.stem)
def test_a_condition_of_quco_names_policies_sets_settings_and_the_prompt_that_there_are(
    path: Path, info: CorpusInfo
) -> None:
    bench = read_bench(str(path))

    variants = [bench.variant(policy) for policy in bench.policies]
    made = {repr(make_policy(each.preset, info, each.parameters)) for each in variants}
    assert len(made) == len(bench.policies)
    assert {each.data for each in bench.sets} <= set(DATASETS) | ABSENT_SETS
    assert set(bench.settings) <= set(Settings.model_fields)
    assert bench.prompt == f"answer-{load('answer').digest[:8]}"


@pytest.mark.parametrize("path", BENCHES, ids=lambda path: path.stem)
def test_what_the_paper_reports_is_labelled_as_its_own_and_of_a_policy_of_the_condition(
    path: Path,
) -> None:
    bench = read_bench(str(path))

    assert all(row.source.startswith("arXiv 2512.19134") for row in bench.paper)
    assert {row.policy for row in bench.paper} <= {*bench.policies, "web-tool"}
    assert {row.set for row in bench.paper} <= {each.name for each in bench.sets}


@pytest.mark.parametrize("path", BENCHES, ids=lambda path: path.stem)
def test_a_condition_of_quco_says_whether_it_was_run_and_stands_in_the_readme(path: Path) -> None:
    told = re.findall(r"^# Status: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    readme = (RESEARCH / "quco" / "README.md").read_text(encoding="utf-8")

    assert len(told) == 1
    assert told[0].startswith(("not run", "cannot run", "runs here", "run "))
    assert f"`{path.stem}`" in readme


def test_the_readme_of_quco_names_no_bench_that_there_is_not() -> None:
    readme = (RESEARCH / "quco" / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:table|figure|small-|quco-|white-)[\w.-]+)`", readme)

    policies = {name for path in BENCHES for name in read_bench(str(path)).policies}
    assert named
    assert set(named) <= {path.stem for path in BENCHES} | set(bench_names()) | policies


@pytest.fixture
def conditions() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "franq_conditions", RESEARCH / "franq" / "conditions.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", FRANQ_FILES)
def test_a_condition_of_franq_names_methods_that_there_are_or_says_why_not(
    file: str, conditions: ModuleType
) -> None:
    condition = conditions.read_conditions(file)
    known = {*ESTIMATORS, *(f"franq_{mode}" for mode in Mode), "constant"}

    named = {method for table in condition.tables for method in table.methods}
    named |= {condition.branches.faithful, condition.branches.unfaithful}
    assert named - known == set(condition.missing)


@pytest.mark.parametrize("file", FRANQ_FILES)
def test_every_table_of_franq_says_whether_it_was_run_and_stands_in_the_readme(
    file: str, conditions: ModuleType
) -> None:
    tables = conditions.read_conditions(file).tables
    readme = (RESEARCH / "franq" / "README.md").read_text(encoding="utf-8")

    assert all(table.status.startswith(("not run", "run ")) for table in tables)
    assert all(f"`{table.name}`" in readme for table in tables)
    scripts = [table.twin.split()[1] for table in tables if table.twin]
    assert all((REPOSITORY / script).is_file() for script in scripts)


def test_what_the_paper_of_franq_reports_belongs_to_a_condition(conditions: ModuleType) -> None:
    known = {
        (table.name, model, method, claims)
        for file in FRANQ_FILES
        for table in conditions.read_conditions(file).tables
        for model in table.models
        for method in table.methods
        for claims in table.claims
    }
    rows = conditions.paper_rows()

    assert rows
    assert {
        (row["table"], row["model"], part, row["claims"])
        for row in rows
        for part in row["method"].split("+")  # a pair: where the claim is faithful, where not
    } <= known
    values = [float(r[m]) for r in rows for m in ("roc_auc", "pr_auc", "prr", "ece") if r[m]]
    assert all(-1 <= value <= 1 for value in values)


def test_the_conditions_are_not_in_the_package() -> None:
    package = REPOSITORY / "src" / "averment"

    assert "research" not in {path.name for path in package.rglob("*")}
    assert 'wheel.packages = ["src/averment"]' in (REPOSITORY / "pyproject.toml").read_text()
