"""The pages in a real browser: ask, watch, open, take along, print; by keyboard; checked by axe.

Needs Chromium, playwright and axe-core; CONTRIBUTING.md says how one gets them. Skipped with a
reason where one of them is absent, unless AVERMENT_REQUIRE names ``browser``.
"""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.models.scripted import ScriptedModel
from averment.types import Prompt
from conftest import REPOSITORY, absent
from serve.rivers_index import rivers  # noqa: F401
from serve.running import running, serving_of
from towns_by_hand import GOOD, QUESTION

AXE = REPOSITORY / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
FIRST = " The Danube flows through Prague."
VIEWS = [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]
WAIT_MS = 20_000


class WatchedModel:
    """Says something wrong first, and waits before one draft until what came before was seen."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        self.waits_before = 2
        self._n_drafts = 0

    def __call__(self, prompt: Prompt) -> str:
        self._n_drafts += 1
        if self._n_drafts == 1:
            return FIRST
        if self._n_drafts == self.waits_before:
            self.may_go_on.wait(20)
        return GOOD.removeprefix(prompt.answer) if GOOD.startswith(prompt.answer) else ""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("browser", "playwright is not installed; type: pip install playwright")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if found is None:
        absent("browser", "Chromium is not installed; type: apt-get install chromium")
    if not AXE.exists():
        absent("browser", "axe-core is not there; type: npm install --no-save axe-core")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def model() -> WatchedModel:
    return WatchedModel()


@pytest.fixture
def url(model: WatchedModel, rivers: Path) -> Iterator[str]:
    scripted = ScriptedModel(model, name="tiny", capabilities=frozenset())
    # One that does not search first, so that a repair finds something which was not there before.
    with serving_of(rivers, scripted, policy="quco-known") as serving, running(serving) as url:
        yield url
        model.may_go_on.set()


class Tab:
    """A page of the browser, with what it complained about and what it asked for."""

    def __init__(self, browser: Any, width: int = 1280, scheme: str = "light", **more: Any) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, **more
        )
        self.page = context.new_page()
        self.width = width
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("console", lambda said: self.complaints.append(said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def check(self) -> None:
        """Nothing to complain about for a reader, by whatever means they read."""
        assert self.complaints == []
        assert self.page.evaluate("document.documentElement.scrollWidth") <= self.width
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run()")
        assert found["passes"]
        told = [
            f"{each['id']}: {[node['html'][:120] for node in each['nodes']]}"
            for each in found["violations"]
        ]
        assert told == []


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_ask_watch_open_a_claim_and_take_the_answer_along(
    width: int, scheme: str, chromium: Any, url: str, model: WatchedModel, tmp_path: Path
) -> None:
    tab = Tab(chromium, width, scheme)
    page = tab.page

    page.goto(url)
    tab.check()
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.locator("#steps li.search").wait_for()
    assert "The Danube flows through Prague." in page.locator("#steps").inner_text()
    assert page.get_by_role("status").inner_text()
    tab.check()

    model.may_go_on.set()
    page.wait_for_url("**/answers/*")
    claim = page.locator("details.claim").first
    assert not claim.locator(".panel").is_visible()
    claim.locator("> summary").click()
    assert claim.locator("mark").first.is_visible()
    assert "who made the numbers" in claim.inner_text().lower()
    page.locator("details.more > summary").click()
    tab.check()

    with page.expect_download() as download:
        page.get_by_text("Download as one file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)

    saved = Tab(chromium, width, scheme)
    saved.page.goto(file.as_uri())
    saved.page.locator("details.claim > summary").first.click()
    assert saved.page.locator("details.claim .panel").first.is_visible()
    assert saved.requests == [file.as_uri()]
    assert saved.page.locator("article").inner_html() == _closed(page)
    saved.check()


def _closed(page: Any) -> str:
    """The article with the claims as they are in the file that was just opened."""
    page.evaluate(
        "for (const d of document.querySelectorAll('article details')) d.open = false;"
        "document.querySelector('details.claim').open = true"
    )
    return str(page.locator("article").inner_html())


def test_a_rejected_draft_is_struck_through_while_one_watches(
    chromium: Any, url: str, model: WatchedModel
) -> None:
    model.waits_before = 3
    page = Tab(chromium).page
    page.goto(url)

    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    page.locator("#steps li.rejected").wait_for()

    assert FIRST.strip() in page.locator("#steps li.rejected").inner_text()


def test_what_goes_wrong_is_said_where_one_asked(chromium: Any, url: str) -> None:
    tab = Tab(chromium)
    page = tab.page
    page.goto(url)

    page.get_by_label("Question").fill("?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("alert").get_by_text("The question is empty").wait_for()

    assert page.get_by_role("button", name="Ask").is_enabled()
    assert not page.locator("#progress").is_visible()


def test_asking_can_be_stopped(chromium: Any, url: str) -> None:
    page = Tab(chromium).page
    page.goto(url)

    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.locator("#steps li.search").wait_for()
    page.get_by_role("button", name="Stop").click()

    page.get_by_role("alert").get_by_text("Stopped.").wait_for()
    assert page.get_by_role("button", name="Ask").is_enabled()


def test_the_keyboard_reaches_the_content_and_opens_a_claim(
    chromium: Any, url: str, model: WatchedModel
) -> None:
    model.may_go_on.set()
    page = Tab(chromium).page
    page.goto(url)
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/answers/*")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    for _ in range(4):  # ask something else, open all, download, the first claim
        page.keyboard.press("Tab")
    claim = page.locator("details.claim").first
    assert claim.locator("> summary").evaluate("e => e.matches(':focus-visible')")
    page.keyboard.press("Enter")

    assert claim.locator(".panel").is_visible()


def test_without_scripts_one_asks_and_opens_claims_all_the_same(
    chromium: Any, url: str, model: WatchedModel
) -> None:
    model.may_go_on.set()
    page = Tab(chromium, java_script_enabled=False).page
    page.goto(url)

    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    page.wait_for_url("**/answers/*")
    page.locator("details.claim > summary").first.click()

    assert page.locator("details.claim .panel").first.is_visible()
    assert not page.get_by_text("Open all claims").is_visible()


def test_on_paper_every_claim_is_open_and_nothing_is_dark(
    chromium: Any, url: str, model: WatchedModel, tmp_path: Path
) -> None:
    from pypdf import PdfReader

    model.may_go_on.set()
    page = Tab(chromium, scheme="dark").page
    page.goto(url)
    page.get_by_label("Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/answers/*")
    page.emulate_media(media="print")
    assert page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert page.locator("h2").first.evaluate("e => getComputedStyle(e).color") == "rgb(27, 31, 36)"

    printed = PdfReader(io.BytesIO(page.pdf())).pages

    text = "".join(sheet.extract_text() for sheet in printed)
    assert text.upper().count("WHO MADE THE NUMBERS") == page.locator("details.claim").count()


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_corpus_and_what_is_not_there_can_be_read(
    width: int, scheme: str, chromium: Any, url: str
) -> None:
    tab = Tab(chromium, width, scheme)

    tab.page.goto(f"{url}/corpus?a=Prague&b=Vltava")
    assert tab.page.locator("ul.places mark").first.is_visible()
    tab.check()
    tab.page.goto(f"{url}/answers/gone")
    assert tab.complaints.pop().endswith("404 (Not Found)")
    tab.check()


def test_a_key_opens_the_page_until_one_signs_out(chromium: Any, rivers: Path) -> None:
    tab = Tab(chromium, 360, "dark")
    page = tab.page
    scripted = ScriptedModel(
        lambda prompt: GOOD.removeprefix(prompt.answer), name="tiny", capabilities=frozenset()
    )
    with serving_of(rivers, scripted, serve_keys="k-one") as serving, running(serving) as url:
        page.goto(f"{url}/corpus?a=Prague")
        tab.complaints.clear()  # Chromium would like a field for a name beside the key
        tab.check()
        page.get_by_label("Key").fill("k-one")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/corpus?a=Prague")
        page.get_by_role("link", name="Ask").click()
        page.get_by_label("Question").fill(QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_url("**/answers/*")
        tab.check()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/sign-in")
        page.goto(url)

        assert page.get_by_role("heading", name="Sign in").is_visible()
