"""First paint and bytes of the pages of `averment serve`, in Chromium over loopback.

    pip install playwright; apt-get install chromium
    python bench/page_paint.py

Serves the bundled encyclopaedia with a scripted model, which says of a birthplace first what is
wrong and then what is right, as the 0.5B model of the demo does; scores come from the faithfulness
model that ships. Opens the box, the answer, the corpus explorer with two phrases, and the file of
the answer from disk, in turn, each in a fresh context of the browser with an empty cache. Prints
one JSON row: the first contentful paint from the start of the navigation (median, worst), the first
byte, and the bytes on the wire with their headers. Goal: first paint below 300 ms, less than 60 kB.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn

import averment
from averment.cli.serve import listening
from averment.corpus.readers import read_documents
from averment.models.scripted import ScriptedModel
from averment.serve.app import make_app
from averment.settings import resolve_settings
from averment.wiring.serving import open_serving

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PAINTED = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  for (const e of list.getEntries()) if (e.name === "first-contentful-paint") resolve(e.startTime);
}).observe({ type: "paint", buffered: true }))"""


QUESTION = "In which city was Ludwig van Beethoven born?"
WRONG = " Ludwig van Beethoven was born in Berlin."
RIGHT = " Ludwig van Beethoven was born in Bonn. So the answer is Bonn."


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The base URL of a server with the encyclopaedia and a scripted model."""
    articles = resources.files("averment") / "demo" / "articles.jsonl"
    with resources.as_file(articles) as path:
        averment.build_index(
            read_documents([path], on_bad=lambda bad: sys.exit(str(bad))), folder / "encyclopaedia"
        )
    drafts = iter([WRONG])
    model = ScriptedModel(
        lambda prompt: next(drafts, RIGHT.removeprefix(prompt.answer)),
        name="scripted",
        capabilities=frozenset(),
    )
    settings = resolve_settings(index=folder / "encyclopaedia")
    with open_serving(settings, model) as opened, listening("127.0.0.1", 0) as listener:
        config = uvicorn.Config(make_app(opened, settings), log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


FIRST_BYTE = "() => performance.getEntriesByType('navigation')[0].responseStart"


class Loaded(NamedTuple):
    """One page, loaded once."""

    paint_ms: float
    first_byte_ms: float
    n_bytes: int
    n_requests: int


def load(browser: Any, url: str, width: int) -> Loaded:
    """From the start of the navigation to the first byte and to the first contentful paint."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    sizes: list[int] = []
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda said: sizes.append(said["encodedDataLength"]))
    page.goto(url, wait_until="networkidle")
    painted, first_byte = page.evaluate(PAINTED), page.evaluate(FIRST_BYTE)
    context.close()
    return Loaded(float(painted), float(first_byte), sum(sizes), len(sizes))


def main() -> None:
    """Load every page so many times, in turn."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--times", type=int, default=15)
    given = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as base,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page()
        page.goto(base)
        page.get_by_label("Question").fill(QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_url("**/answers/*")
        answer = page.url
        file = Path(folder) / "answer.html"
        file.write_bytes(page.request.get(f"{answer}.html").body())
        urls = {
            "ask": base,
            "answer": answer,
            "corpus": f"{base}/corpus?a=Marie+Curie&b=radium",
            "file": file.as_uri(),
        }
        found: dict[str, list[Loaded]] = {name: [] for name in urls}
        for turn in range(given.times + 1):
            for name, url in urls.items():
                measured = load(browser, url, given.width)
                if turn:  # the first warms up browser and server
                    found[name].append(measured)
        row = {
            "bench": "page_paint",
            "chromium": browser.version,
            "width": given.width,
            "times": given.times,
            "cpus": os.cpu_count(),
            "load": [round(each, 1) for each in os.getloadavg()],
            "pages": {
                name: {
                    "first_paint_ms": round(statistics.median(each.paint_ms for each in rows), 1),
                    "first_byte_ms": round(statistics.median(e.first_byte_ms for e in rows), 1),
                    "worst_ms": round(max(each.paint_ms for each in rows), 1),
                    "bytes": max(each.n_bytes for each in rows),
                    "requests": rows[0].n_requests,
                }
                for name, rows in found.items()
            },
            "file_bytes": file.stat().st_size,
        }
        browser.close()
    sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
