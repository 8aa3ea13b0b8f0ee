"""Arrays on disk as ``.npy`` files, and other files, read through a memory map.

What this module does not do: checksums and sizes (`averment.index.manifest`).
"""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from averment.errors import IndexFormatError
from averment.files import mapped_array

Positions = npt.NDArray[np.int64]
"""Sorted word numbers, counted from the start of a segment."""

REBUILD = "Restore it from a copy, or rebuild it: averment index build PATHS"
"""The hint where an index is damaged."""

_Scalar = TypeVar("_Scalar", bound=np.generic)


def save_array(directory: Path, name: str, array: npt.NDArray[Any]) -> None:
    """Write ``name.npy``."""
    np.save(directory / f"{name}.npy", array, allow_pickle=False)


def load_array(directory: Path, name: str, kind: type[_Scalar]) -> npt.NDArray[_Scalar]:
    """Map ``name.npy``, read-only.

    Raises:
        IndexFormatError: It is missing, or is not an array of that kind.
    """
    path = directory / f"{name}.npy"
    try:
        array = mapped_array(path)
    except (OSError, ValueError) as error:
        raise IndexFormatError(
            f"{path} cannot be read as an array: {error}.", hint=REBUILD
        ) from error
    if array.dtype != kind:
        raise IndexFormatError(f"{path} holds {array.dtype}, not {np.dtype(kind)}.", hint=REBUILD)
    return np.asarray(array)  # a plain view: slicing a memmap object is many times slower


def map_file(path: Path) -> mmap.mmap:
    """Map a file of any bytes, read-only; it stays readable if a later writer removes it.

    Raises:
        IndexFormatError: It is missing or empty.
    """
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise IndexFormatError(f"{path} cannot be read: {error}.", hint=REBUILD) from error
