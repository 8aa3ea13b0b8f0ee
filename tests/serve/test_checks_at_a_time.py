"""Checks compete for processors; more at a time would hold up the streams beside them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from averment.faithfulness.lexical import LexicalAlignment
from averment.settings import resolve_settings
from averment.types import Document, Faithfulness
from averment.wiring import open_index, open_retriever
from averment.wiring.serving import Serving
from serve.rivers_index import rivers  # noqa: F401
from towns_by_hand import scripted


class Watched(LexicalAlignment):
    """The lexical judge, and how many asked it at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.most = self._inside = 0
        self._counting = threading.Lock()

    def score(self, claims: Sequence[tuple[str, Sequence[str]]]) -> list[Faithfulness]:
        with self._counting:
            self._inside += 1
            self.most = max(self.most, self._inside)
        time.sleep(0.02)  # so that those who may come in do
        with self._counting:
            self._inside -= 1
        return super().score(claims)


def test_no_more_checks_run_at_a_time_than_there_are_processors(rivers: Path) -> None:
    index, judge = open_index(rivers), Watched()
    settings = resolve_settings(index=rivers)
    retriever = open_retriever(index, settings)
    evidence = [Document("a", "The Vltava flows through Prague.")]

    with (
        Serving(
            settings, index=index, retriever=retriever, scorer=judge, model=scripted()
        ) as serving,
        ThreadPoolExecutor(4 * (os.cpu_count() or 1)) as pool,
    ):
        asked = [
            pool.submit(serving.check, "The Vltava flows through Prague.", None, evidence)
            for _ in range(8 * (os.cpu_count() or 1))
        ]
        reports = [each.result() for each in asked]

    assert {each.report.claims[0].verdict for each in reports} == {"supported"}
    assert judge.most <= (os.cpu_count() or 1)
