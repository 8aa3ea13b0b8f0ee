"""`averment filter --engine ray`: what is found about rows is found by workers.

The driver reads the rows, decides and writes, in order: kept and rejected rows, the report and the
state of a run are those of a local run, byte for byte, and either can go on after the other. Each
worker opens the index itself, so all machines have to see it under one path. It is worth it where
finding claims, or judging them (`--full`), takes the time; reading and writing stay with one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from averment.distributed.spreading import spread
from averment.wiring.filters import OpenFilter


def on_ray(opened: OpenFilter) -> OpenFilter:
    """The same filter, on a cluster.

    Args:
        opened: Of `open_filter`; its index has been opened by a path.
    """
    spreading = partial(spread, opened.finder, doing="finding the claims of rows")
    return replace(opened, filtering=replace(opened.filtering, spread=spreading))
