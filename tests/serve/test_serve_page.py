"""The lines of `docs/how-to/serve.md` do what the page says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from averment.serve.app import make_app
from conftest import REPOSITORY
from serve.rivers_index import rivers  # noqa: F401
from serve.running import running, serving_of
from towns_by_hand import scripted

PAGE = (REPOSITORY / "docs" / "how-to" / "serve.md").read_text(encoding="utf-8")
LINES = [
    line
    for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    for line in re.split(r"\n\n(?=curl)", block.strip())
]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_curl_line_of_the_page_is_answered(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving, running(serving) as url:
        answers = [
            subprocess.run(
                ["bash", "-c", line.replace("http://127.0.0.1:8000", url)],
                capture_output=True,
                text=True,
                check=True,
                timeout=20,
            ).stdout
            for line in LINES
        ]

    assert len(LINES) == 9
    assert [answer for answer in answers if not answer or '"error"' in answer] == []
    assert answers[2].endswith("data: [DONE]\n\n")


def test_every_route_is_on_the_page(rivers: Path) -> None:
    with serving_of(rivers, scripted()) as serving:
        paths = make_app(serving, serving.settings).openapi()["paths"]

    assert [path for path in [*paths, "/openapi.json"] if path not in PAGE] == []
