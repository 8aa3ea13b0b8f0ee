"""Progress bars on stderr; silent when stderr is not a terminal or JSON was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from averment.cli.console import err

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


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
    from rich.progress import DownloadColumn

    with _progress(what, DownloadColumn(), quiet=quiet, then=then) as advance:
        yield advance


@contextmanager
def count_progress(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar of things; yields the function that takes how many are done and how many there are."""
    from rich.progress import MofNCompleteColumn

    with _progress(what, MofNCompleteColumn(), quiet=quiet, then=None) as advance:
        yield advance


@contextmanager
def _progress(
    what: str, amount: ProgressColumn, *, quiet: bool, then: str | None
) -> Iterator[Callable[[int, int], None]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = err()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        amount,
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
