"""The site builds without a warning, holds every page, and needs nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from page_blocks import PAGES, name_of

import averment
from conftest import REPOSITORY

pytestmark = pytest.mark.xdist_group("site")  # one process builds it

FROM_ELSEWHERE = re.compile(
    r"<(?:script|img|iframe|link)[^>]* (?:src|href)=\"(?:https?:)?//"
    r"|@import|url\(['\"]?(?:https?:)?//"
)
MARKDOWN = [
    path
    for pattern in ("*.md", "design/*.md", "bench/*.md", "research/**/*.md", "docs/**/*.md")
    for path in sorted(REPOSITORY.glob(pattern))
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make site` makes."""
    pytest.importorskip("furo", reason="absent; type: pip install 'averment[site]'")
    made = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs"]
    done = subprocess.run(
        [*command, "-d", str(made / "doctrees"), ".", str(made / "site")],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr  # the warnings: broken links, names without a place
    return made / "site"


def test_every_page_is_there_and_reached_from_the_first(site: Path) -> None:
    names = [name_of(page).removesuffix(".md") for page in PAGES]
    first = (site / "docs" / "index.html").read_text(encoding="utf-8")
    missing = [name for name in names if f'href="{name.removeprefix("docs/")}.html"' not in first]

    assert missing == ["docs/index"]


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    found = [
        (path.name, match[0])
        for path in [*site.rglob("*.html"), *site.rglob("*.css")]
        for match in FROM_ELSEWHERE.finditer(path.read_text(encoding="utf-8"))
    ]

    assert found == []


def test_search_needs_no_server(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")

    assert "docs/tutorial/first-answer" in index
    assert "hirtshal" in index  # a stem


def test_the_reference_has_every_public_name_with_its_arguments(site: Path) -> None:
    page = (site / "docs" / "reference" / "python.html").read_text(encoding="utf-8")

    assert [name for name in averment.__all__ if f'id="averment.{name}"' not in page] == [
        "AvermentError"  # stands with the other errors
    ]
    assert 'id="averment.errors.AvermentError"' in page
    assert "<strong>counts_only</strong>" in page


@pytest.mark.parametrize("page", MARKDOWN, ids=name_of)
def test_a_link_to_a_file_of_the_repository_names_one(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    inside = [link for link in links if not re.match(r"https?://|mailto:", link)]

    assert [link for link in inside if not (page.parent / link).exists()] == []
