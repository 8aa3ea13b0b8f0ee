"""The numbers of the page about scale are those of the committed rows."""

from __future__ import annotations

import subprocess
import sys

from conftest import REPOSITORY

SCRIPT = REPOSITORY / "bench" / "scale_page.py"
PAGE = REPOSITORY / "docs" / "explanation" / "scale.md"


def test_the_page_says_what_the_rows_say() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr


def test_a_number_that_was_changed_by_hand_is_noticed() -> None:
    program = (
        "import sys, pathlib, scale_page as s\n"
        "page = s.PAGE.read_text('utf-8')\n"
        "changed = page.replace('| segments | 1 |', '| segments | 2 |', 1)\n"
        "made = s.filled(changed, *s.measurements(s.read(s.ROWS)))\n"
        "sys.exit(0 if changed != page and made == page else 1)\n"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=SCRIPT.parent, capture_output=True)

    assert done.returncode == 0, done.stderr


def test_all_answers_behind_the_page_are_right() -> None:
    assert "| right answers | 1,736 of 1,736 | 1,736 of 1,736 |" in PAGE.read_text(encoding="utf-8")
