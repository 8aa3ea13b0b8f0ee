"""What stands beside the segments of an open index: directories that its writer's caller filled.

Each is opened once for an index and all its restrictions, so that who has it open goes on with what
was current then, after later writers have removed the files. What this module does not do: know
what is in them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from averment.errors import IndexFormatError, IndexUnavailable
from averment.index.manifest import Manifest, read_manifest

_T = TypeVar("_T")


class Extras:
    """The extra directories of a generation.

    Args:
        path: Of the index.
        manifest: Of the generation.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self._path = path
        self._generation = manifest.generation
        self._directories = {extra.name: path / extra.directory for extra in manifest.extras}
        self._opened: dict[str, Any] = {}

    def directory(self, name: str) -> Path | None:
        """Where it lies; None: there is none of that name."""
        return self._directories.get(name)

    def opened(self, name: str, opening: Callable[[Path], _T]) -> _T | None:
        """What a function makes of a directory, made once; None: there is none of that name.

        Raises:
            IndexUnavailable: It is gone, since the index has been changed meanwhile.
        """
        directory = self.directory(name)
        if directory is None:
            return None
        if name not in self._opened:
            try:
                self._opened[name] = opening(directory)
            except IndexFormatError as error:
                if read_manifest(self._path).generation == self._generation:
                    raise
                raise IndexUnavailable(
                    f"The index at {self._path} has been changed since it was opened, and "
                    f"{directory.name} of then is gone.",
                    hint="Open it anew: start the command or the server again.",
                ) from error
        made: _T = self._opened[name]
        return made
