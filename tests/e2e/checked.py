"""The command `check`, run on a text with one source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from averment.cli.app import run

Check: TypeAlias = Callable[..., tuple[int, str, str]]
"""Takes further arguments; gives the exit code, what was printed, and what was told."""


def checking(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, answer: str, source: str
) -> Check:
    """Runs `check` on an answer whose context is the source, both files of the current folder."""
    (tmp_path / "answer.txt").write_text(answer, encoding="utf-8")
    (tmp_path / "source.txt").write_text(source, encoding="utf-8")

    def check(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        command = ["check", "answer.txt", "--context", "source.txt", "--faithfulness", "lexical"]
        code = run([*command, *arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return check
