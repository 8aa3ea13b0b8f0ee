"""Several calls at a time, results in the order of what was asked.

For runtimes and servers that batch by themselves what arrives together. No retries here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")


def in_parallel(
    work: Callable[[_Item], _Outcome], items: Sequence[_Item], *, n_threads: int
) -> list[_Outcome]:
    """The outcome of each item, in order.

    Args:
        work: Called once an item, from several threads at once.
        items: What to do.
        n_threads: How many calls may run at a time, at least 1.

    Raises:
        Exception: The first error in the order of the items; what has not begun is dropped.
    """
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(n_threads, len(items))) as pool:
        return list(pool.map(work, items))
