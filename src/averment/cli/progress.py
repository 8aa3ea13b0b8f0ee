"""Progress bars on stderr; silent when stderr is not a terminal or JSON was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from averment.cli.console import err


@contextmanager
def byte_progress(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar of bytes; yields the function that takes the bytes done and the bytes in all."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = err()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total or None)
