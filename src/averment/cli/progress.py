"""Progress bars on stderr; silent when stderr is not a terminal or JSON was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from averment.cli.console import err


@contextmanager
def byte_progress(what: str, total_bytes: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar of bytes; yields the function that takes the bytes done so far."""
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
        task = progress.add_task(what, total=total_bytes or None)
        yield lambda done: progress.update(task, completed=done)
