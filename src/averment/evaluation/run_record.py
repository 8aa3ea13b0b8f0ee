"""What a run was made with: kept beside its rows, and compared before any are added.

Rows made with another model, corpus, data file or setting never stand in one file: a run that
would mix them is refused, with what differs.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from averment.engine import versions
from averment.errors import DatasetError, UsageError
from averment.evaluation.bench_file import MAX_UNKNOWN, PaperRow, Variant
from averment.files import read_text, write_whole
from averment.trace import from_plain, to_plain

FILE_NAME = "run.json"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class SetRecord:
    """The questions of one set: which file, which draw, how many records could not be used."""

    name: str
    data: str
    file: str
    digest: str
    n: int
    seed: int | None = None
    split: str = ""
    skipped: int = 0
    aliases_digest: str = ""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What a run was made with.

    Args:
        bench: The name of the bench, or of the file of answers.
        model: Who wrote.
        model_identity: Name, digest and runtime of the model.
        index: Digest of the index.
        sets: The questions.
        settings: Those that decide what is answered, wherever they came from.
        decoder_seed: Added to the seed of every model call.
        max_unknown: Share of unknown counts above which a policy's rows are invalid.
        expect: What `averment bench compare` holds the run against.
        paper: What papers report.
        variants: The policies that are no presets.
        versions: Of averment and Python.
        machine: What it ran on.
        schema: Of this record.
    """

    bench: str
    model: str
    model_identity: str
    index: str
    sets: tuple[SetRecord, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    decoder_seed: int = 0
    max_unknown: float = MAX_UNKNOWN
    expect: tuple[str, ...] = ()
    paper: tuple[PaperRow, ...] = ()
    variants: Mapping[str, Variant] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)
    machine: str = field(default_factory=platform.machine)
    schema: int = SCHEMA

    def differences(self, other: RunRecord) -> list[str]:
        """What of another record forbids that its rows stand beside those of this one."""
        parts = ("bench", "model_identity", "index", "decoder_seed")
        pairs = [
            (name.replace("_", " "), getattr(self, name), getattr(other, name)) for name in parts
        ]
        # What an older averment did not write down forbids nothing.
        pairs += [(name, was, other.settings.get(name, was)) for name, was in self.settings.items()]
        told = [f"{name} is {now!r} and was {was!r}" for name, was, now in pairs if now != was]
        for name, its_variant in other.variants.items():
            if self.variants.get(name, its_variant) != its_variant:
                told.append(f"the policy {name!r} is another one")
        files = {each.name: (each.digest, each.aliases_digest) for each in self.sets}
        for each in other.sets:
            found = (each.digest, each.aliases_digest)
            if files.get(each.name, found) != found:
                told.append(f"the file of set {each.name!r} is another one")
        return told


def claim_run(directory: Path, record: RunRecord) -> None:
    """Write the record of a run that begins or goes on.

    Raises:
        UsageError: The rows that are there were made with something else.
        DatasetError: The record that is there cannot be read.
    """
    path = directory / FILE_NAME
    if path.exists():
        differences = read_record(directory).differences(record)
        if differences:
            raise UsageError(
                f"The run at {directory} was made otherwise: {'; '.join(differences)}.",
                hint="Name another folder (-o DIR), or delete this one.",
            )
    plain = to_plain(record)
    write_whole(path, json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def read_record(directory: Path) -> RunRecord:
    """The record of a run.

    Raises:
        UsageError: The directory holds no run.
        DatasetError: The record cannot be read, or is of a newer version.
    """
    path = directory / FILE_NAME
    text = read_text(path, hint="Name the folder of a run: averment bench run NAME")
    try:
        plain = json.loads(text)
        if plain["schema"] > SCHEMA:
            raise DatasetError(
                f"{path} has schema {plain['schema']}; this averment reads up to {SCHEMA}.",
                hint="Update averment: pip install -U averment",
            )
        record: RunRecord = from_plain(RunRecord, plain)
    except (KeyError, TypeError, ValueError) as error:
        raise DatasetError(f"{path} is no record of a run: {error!r}.") from error
    return record
