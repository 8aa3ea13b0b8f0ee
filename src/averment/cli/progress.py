"""Progress bars on stderr; silent when stderr is not a terminal or JSON was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from averment.cli.console import err


@contextmanager
def byte_progress(
    what: str, *, quiet: bool, then: str | None = None
) -> Iterator[Callable[[int, int], None]]:
    """A bar of bytes; yields the function that takes the bytes done and the bytes in all.

    Args:
        what: Is done while there are bytes left.
        quiet: Show nothing.
        then: What is done when there are none left, if that takes a while.
    """
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

        def advance(done: int, total: int) -> None:
            told = then if then and done >= total else what
            progress.update(task, completed=done, total=total or None, description=told)

        yield advance
