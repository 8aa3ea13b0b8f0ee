"""Pieces of work that do not depend on each other, spread over a cluster; results come in order.

A worker makes what does the work once (it opens an index, a model) and keeps it while it lives.
Work is read ahead a little, so that none waits and nothing grows with the input. Work that is lost
with its worker is done again by another. What this module does not do: know what the work is.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from averment.distributed.cluster import MOST_RETRIES, errors_told, joined

_W = TypeVar("_W")
_R = TypeVar("_R")
_QUEUED = 2
"""Pieces a processor that are handed over, so that none waits for the driver."""


def spread(
    make: Callable[[], Callable[[_W], _R]], work: Iterable[_W], *, doing: str
) -> Iterator[_R]:
    """The result of each piece of work, in order.

    Args:
        make: Makes what does the work; it is sent to the workers, with all that it refers to.
        work: Read as far ahead as workers are waiting.
        doing: For messages: "filtering rows".

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterUnavailable: There is no cluster, or workers die again and again.
        AvermentError: What the work raises.
    """
    with joined() as ray:
        from ray import cloudpickle

        packed = cloudpickle.dumps(make)  # type: ignore[no-untyped-call]
        name = hashlib.sha256(packed).hexdigest()
        shared = ray.put(packed)
        task = ray.remote(num_cpus=1, max_retries=MOST_RETRIES, scheduling_strategy="SPREAD")(_do)
        most = _QUEUED * max(int(ray.cluster_resources().get("CPU", 1)), 1)
        asked: deque[Any] = deque()
        folder = Path.cwd()

        def first() -> _R:
            with errors_told(doing):
                result: _R = ray.get(asked.popleft())
                return result

        for piece in work:
            if len(asked) >= most:
                yield first()
            asked.append(task.remote(name, shared, folder, piece))
        while asked:
            yield first()


_made: dict[str, Callable[[Any], Any]] = {}
"""What does the work of this worker: of one run at a time."""


def _do(name: str, packed: bytes, folder: Path, piece: Any) -> Any:
    from ray import cloudpickle

    if name not in _made:
        _made.clear()
        if folder.is_dir():  # so that relative paths mean what they mean to the driver
            os.chdir(folder)
        _made[name] = cloudpickle.loads(packed)()
    return _made[name](piece)
