"""The documentation says what the code does: the readme runs, references are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import averment
from averment.cli.app import app
from averment.settings import Settings
from averment.wiring import make_policy, policy_names
from conftest import REPOSITORY

PRESETS = set(
    "none single fixed fixed-length flare flare-simplified dragin etc seakr quco quco-known "
    "quco-paper expected-cost".split()
)
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def _python_example() -> str:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    return str(code)


def test_the_index_example_of_the_readme_runs(tmp_path: Path) -> None:
    before_the_model, _ = _python_example().split("engine = ")
    scope: dict[str, object] = {}

    exec(before_the_model, scope)
    index = scope["index"]

    assert index.count(["Hirtshals"])[0].documents == 2  # type: ignore[attr-defined]
    assert index.exists([("Sørlandia", "Denmark")], window_words=1000) == [False]  # type: ignore[attr-defined]


@pytest.mark.model
def test_the_whole_python_example_of_the_readme_runs(model_path: Path) -> None:
    code = _python_example().replace('"qwen2.5-coder-0.5b"', repr(str(model_path)))
    scope: dict[str, object] = {}

    exec(code, scope)

    assert scope["answer"].verdict in ("answered", "warned", "abstained")  # type: ignore[attr-defined]


def test_the_settings_page_is_what_the_code_says() -> None:
    made = subprocess.run(
        [sys.executable, "-c", "import generate; print(generate.settings_page(), end='')"],
        cwd=REPOSITORY / "docs",
        capture_output=True,
        text=True,
        check=True,
    )

    page = (REPOSITORY / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    assert page == made.stdout, "type: make docs"


def test_the_commands_page_knows_every_command_and_option() -> None:
    page = (REPOSITORY / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    missing = [word for word in _spoken(get_command(app), "averment") if word not in page]

    assert missing == [], "type: make docs"


def _spoken(command: object, path: str) -> list[str]:
    words = [f"`{path}`"]
    for parameter in command.params:  # type: ignore[attr-defined]
        words += [option for option in parameter.opts if option.startswith("--")]
    for name, inner in getattr(command, "commands", {}).items():
        words += _spoken(inner, f"{path} {name}")
    return words


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_every_preset_makes_a_policy_that_names_itself(tmp_path: Path) -> None:
    averment.build_index([averment.Document("a", "Oslo is in Norway.")], tmp_path / "idx")
    info = averment.open_index(tmp_path / "idx").info

    policies = {name: repr(make_policy(name, info)) for name in policy_names()}

    assert set(policies) == PRESETS
    assert policies["quco-paper"].startswith("quco(entity_threshold=1000,")
    for setting in ("window_words=750", "check_final_answer=False", "max_repairs=1"):
        assert setting in policies["quco-paper"]
    assert policies["none"].startswith("none(")


def test_public_names_are_complete_and_lazy() -> None:
    assert sorted(averment.__all__) == dir(averment)
    assert all(getattr(averment, name) is not None for name in averment.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        averment.no_such_name  # noqa: B018
