"""The last answers of a server, so that their pages can be opened: in memory, and gone with it.

Bounded in number and bytes; the oldest go first. Traces are kept as they would be on disk, packed,
so that what they take is known. What this module does not do: write anything down, or decide who
may read.
"""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from typing import NamedTuple

from averment.answers import answer_of
from averment.engine import Answered
from averment.trace import Trace

MOST_BYTES = 64_000_000
"""Of all packed traces together."""


class Listed(NamedTuple):
    """An answer in a list: what was asked, what became of it, and when."""

    trace_id: str
    question: str
    verdict: str
    said: str
    policy: str
    asked_at: str
    """ISO 8601, UTC."""
    seconds: float


class _Kept(NamedTuple):
    listed: Listed
    packed: bytes


class KeptAnswers:
    """Keeps answers by the ids of their traces; safe to use from several threads.

    Args:
        most: Answers that are kept.
        most_bytes: What their traces may take; one that is larger is not kept at all.
    """

    def __init__(self, most: int, most_bytes: int = MOST_BYTES) -> None:
        self.most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._n_bytes = 0
        self._lock = threading.Lock()

    @property
    def n_bytes(self) -> int:
        """What the kept traces take."""
        return self._n_bytes

    def keep(self, answered: Answered) -> None:
        """Keep an answer, and let go of the oldest where it takes too much."""
        packed = zlib.compress(answered.trace.dumps().encode(), level=1)
        if len(packed) > self._most_bytes:
            return
        with self._lock:
            self._kept[answered.trace.trace_id] = _Kept(_listed(answered), packed)
            self._n_bytes += len(packed)
            while len(self._kept) > self.most or self._n_bytes > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._n_bytes -= len(oldest.packed)

    def find(self, trace_id: str) -> Answered | None:
        """The answer of a trace; None: it never was here, or is gone."""
        with self._lock:
            kept = self._kept.get(trace_id)
        if kept is None:
            return None
        trace = Trace.loads(zlib.decompress(kept.packed).decode())
        return Answered(answer_of(trace), trace)

    def recent(self) -> list[Listed]:
        """All that are kept, the latest first."""
        with self._lock:
            return [kept.listed for kept in reversed(self._kept.values())]


def _listed(answered: Answered) -> Listed:
    answer, trace = answered.answer, answered.trace
    return Listed(
        trace_id=trace.trace_id,
        question=answer.question.text,
        verdict=answer.verdict.value,
        said=answer.final_answer or answer.text,
        policy=trace.policy.partition("(")[0],
        asked_at=trace.started_at,
        seconds=answer.cost.seconds,
    )
