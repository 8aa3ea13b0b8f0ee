"""Fetching a model with everything said before the first byte is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from averment.cli.console import err
from averment.cli.progress import byte_progress

if TYPE_CHECKING:
    from averment.models.registry import Registry


def open_registry() -> Registry:
    """The registry of this machine's home."""
    from averment.models.registry import Registry
    from averment.settings import resolve_settings

    return Registry(resolve_settings().home)


def fetch(name: str, *, source: str = "auto", offline: bool | None, quiet: bool) -> Path:
    """The path of a model, fetched if it is absent.

    Its name, size, licence and source are shown before the first byte.

    Raises:
        ModelFileError: Offline and absent, no source reachable, wrong hash.
        UnknownNameError: No such model.
    """
    from averment.models.registry import Registry
    from averment.settings import resolve_settings

    settings = resolve_settings(offline=offline)
    registry = Registry(settings.home)
    present = registry.find(name)
    if present is not None:
        return present
    file = registry.file(name)
    console = err()
    if not quiet:
        console.print(file.describe(), markup=False)
    with byte_progress(file.file_name, quiet=quiet) as advance:
        return registry.get(
            name,
            source=source,
            offline=settings.offline,
            progress=advance,
            on_source=lambda told: None if quiet else console.print(f"  from {told}", markup=False),
        )
