"""Files of data sets on the Hugging Face hub, fetched once and read like any other file.

A file, not rows of a table: its SHA-256 then names the very data that was measured on. What this
module does not do: decide where files are kept or whether a connection is allowed; the caller says
both.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from averment.errors import DatasetError, MissingExtraError


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository of data sets.

    Args:
        repository: ``owner/name``.
        path: Within it.
        revision: Branch, tag or commit; a commit alone stays what it is.
    """

    repository: str
    path: str
    revision: str = "main"


def fetch(file: HubFile, *, cache: Path, offline: bool) -> Path:
    """The file on disk, downloaded if it is not there yet.

    Args:
        file: What to fetch.
        cache: Where downloads are kept, in the layout of the hub's own tools.
        offline: Make no connection; what is not there is an error then.

    Returns:
        Its path, for `averment.evaluation.datasets.read_dataset`.

    Raises:
        MissingExtraError: The hub's package is not installed.
        DatasetError: The file is not there, or cannot be fetched.
    """
    try:
        import httpx2  # comes with it
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HFValidationError
    except ImportError as error:
        raise MissingExtraError("Data sets of the hub", "hub") from error
    try:
        return Path(
            hf_hub_download(
                file.repository,
                file.path,
                repo_type="dataset",
                revision=file.revision,
                cache_dir=cache,
                local_files_only=offline,
            )
        )
    except (httpx2.HTTPError, HFValidationError, OSError) as error:
        what = f"{file.path} of {file.repository} ({file.revision})"
        if offline:
            raise DatasetError(
                f"{what} is not in {cache}, and no connection is allowed.",
                hint="Fetch it without --offline, or name a file of your own.",
            ) from error
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise DatasetError(
            f"{what} cannot be fetched from the hub: {reason}.",
            hint="Fetch it by hand and name the file.",
        ) from error
