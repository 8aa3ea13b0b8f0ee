"""What is recorded of answers, checks and changes, where a ledger was asked for.

Whoever is to be recorded waits for it: what cannot be recorded fails, and is not given out. Facts
stay for good, so they hold numbers, codes, names of models and ids of documents; whatever a person
or a document said is content, which can be erased. Keys and passwords are in neither.

What this module does not do: keep records (`averment.audit`), replay them (`replaying`).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from averment.audit.actor import ACTOR
from averment.audit.canonical import canonical
from averment.audit.chain import Event, Head, Kind
from averment.audit.contents import Contents, new_salt, sealed
from averment.audit.store import Ledger
from averment.engine import Unanswered, versions
from averment.models.closing import Closing
from averment.models.openai_compat import without_userinfo
from averment.prompts import load
from averment.settings import Settings
from averment.trace import to_plain
from averment.types import Claim, CorpusInfo, ModelInfo, Passage

LEDGER_FILE = "audit.sqlite"
_OFF, _ON = "off", "on"
_LEAST_SECRET = 8
"""Characters of a key or password from which on it is struck out of texts; a shorter one ("none",
"test") is a word of any text."""
_RETENTION_EVERY_S = 3600.0


def ledger_path(settings: Settings) -> Path | None:
    """Where is recorded; None: nowhere."""
    if settings.audit == _OFF:
        return None
    return named_ledger(settings)


def named_ledger(settings: Settings) -> Path:
    """The ledger that the settings name, or where it is by default."""
    if settings.audit in (_OFF, _ON):
        return settings.home / LEDGER_FILE
    return Path(settings.audit)


def open_auditor(settings: Settings) -> Auditor | None:
    """Who records as the settings say, to be closed by the caller; None: nobody.

    Raises:
        NotALedgerError, LedgerFormatError, LedgerUnavailable: The ledger cannot be written.
    """
    path = ledger_path(settings)
    return None if path is None else Auditor(Ledger(path), settings)


class Auditor(Closing):
    """Writes what happens into a ledger; may be used by several threads.

    Args:
        ledger: Is closed with the auditor.
        settings: Whose digest goes with each record; name the actor and the time of retention.
    """

    def __init__(self, ledger: Ledger, settings: Settings) -> None:
        self.ledger = ledger
        self.settings = settings
        self.last: Head | None = None
        self._secrets = _secrets(settings)
        self._settings_text = json.dumps(settings_object(settings), sort_keys=True)
        self._settings_digest = hashlib.sha256(canonical(settings_object(settings))).hexdigest()
        self._models: dict[str, dict[str, Any]] = {}
        self._next_retention = 0.0
        self._retain()

    def close(self) -> None:
        """Close the ledger; may be repeated."""
        self.ledger.close()

    def record(
        self,
        kind: Kind,
        facts: Mapping[str, Any],
        texts: Mapping[str, str] | None = None,
        *,
        salt: bytes | None = None,
        by: str | None = None,
    ) -> Head:
        """Record one event; on disk when this returns.

        Args:
            kind: What it is.
            facts: What stays for good.
            texts: What can be erased.
            salt: Of the texts, where facts have hashes with it; None: a new one.
            by: Who; None: the actor of the request, or of the settings.

        Raises:
            LedgerUnavailable, LedgerFormatError: Nothing was recorded.
        """
        self._retain()
        kept = {name: self._without_secrets(text) for name, text in (texts or {}).items()}
        event = Event(
            kind,
            by or ACTOR.get() or self.settings.audit_by,
            {**facts, "settings": self._settings_digest},
            Contents(kept, salt or new_salt()),
            versions(),
        )
        (head,) = self.ledger.append(event)
        self.last = head
        return head

    @property
    def settings_text(self) -> str:
        """The settings as JSON, without keys and passwords."""
        return self._settings_text

    def model(self, info: ModelInfo | None) -> dict[str, Any] | None:
        """What identifies a model: its name, its server, or the hash of its file.

        What a server has behind a name can change without notice; nothing here can tell.
        """
        if info is None:
            return None
        if info.source not in self._models:
            self._models[info.source] = self._identified(info)
        return {"name": _file_name(info.name), **self._models[info.source]}

    def _identified(self, info: ModelInfo) -> dict[str, Any]:
        source = Path(info.source)
        if not source.is_file():
            shown = source.name if source.exists() else info.source
            return {"source": shown, "sha256": None}
        return {"source": source.name, "sha256": self._file_digest(source)}

    def _file_digest(self, file: Path) -> str:
        """As the registry verified it when the file was fetched, or read now."""
        from averment.models.registry import Registry

        for row in Registry(self.settings.home).list():
            if row.path is not None and row.path.samefile(file):
                return row.file.sha256
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        # subtle: half a character, which a model may say, becomes the JSON escape of itself.
        return text.encode("utf-8", "backslashreplace").decode()

    def _retain(self) -> None:
        days = self.settings.audit_retention_days
        if days is not None and time.monotonic() >= self._next_retention:
            self._next_retention = time.monotonic() + _RETENTION_EVERY_S
            self.ledger.retain(days)


def settings_object(settings: Settings) -> dict[str, Any]:
    """Every setting as JSON; of a key or password only whether there is one."""
    found: dict[str, Any] = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = "(set)"
        elif name == "base_url" and value is not None:
            value = without_userinfo(value)
        found[name] = str(value) if isinstance(value, Path) else to_plain(value)
    return found


def _secrets(settings: Settings) -> list[str]:
    """Keys and passwords, the longest first, each also as it stands in JSON."""
    serve_keys = settings.serve_keys.get_secret_value() if settings.serve_keys else ""
    api_key = settings.api_key.get_secret_value() if settings.api_key else ""
    parts = urlsplit(settings.base_url or "")
    given = [
        *(key.strip() for key in serve_keys.split(",")),
        api_key,
        os.environ.get("OPENAI_API_KEY", ""),
        parts.password or "",
        f"{parts.username}:{parts.password}" if parts.password else "",
    ]
    spelled = {*given, *(json.dumps(each)[1:-1] for each in given)}
    return sorted((s for s in spelled if len(s) >= _LEAST_SECRET), key=len, reverse=True)


# --- parts of facts -------------------------------------------------------------------------------


def index_facts(info: CorpusInfo | None) -> dict[str, Any] | None:
    """Which generation of which index."""
    if info is None:
        return None
    return {
        "name": info.name,
        "digest": info.digest,
        "generation": info.generation,
        "built_at": info.built_at,
        "n_documents": info.n_documents,
    }


def claim_facts(claims: Iterable[Claim]) -> list[dict[str, Any]]:
    """What is held of each claim, without its words."""
    return [
        {
            "start": claim.start,
            "end": claim.end,
            "verdict": claim.verdict.value,
            "reason": claim.reasons.get("verdict"),
            "support": claim.support.value,
            "p_faithful": claim.p_faithful,
            "p_true": claim.p_true,
            "calibrated": claim.calibrated,
        }
        for claim in claims
    ]


def document_facts(passages: Iterable[Passage], salt: bytes) -> list[dict[str, Any]]:
    """Which passages were read: document, place, and the hash of the salt and the text.

    A page is a number; the section is text of the document, and stands with the texts.
    """
    return [
        {
            "id": passage.document_id,
            "start": passage.start,
            "end": passage.end,
            "sha256": sealed(salt, passage.text.encode()),
            **({"page": passage.place.page} if passage.place and passage.place.page else {}),
        }
        for passage in dict.fromkeys(passages)
    ]


def prompt_facts(prompt_ids: Iterable[str]) -> dict[str, str]:
    """The hash of each prompt."""
    return {name: load(name).digest for name in sorted(set(prompt_ids))}


def calibrator_digest(setup: Mapping[str, Any] | None) -> str | None:
    """The hash of the calibrator of a scoring, as `averment calibrate` writes it."""
    text = (setup or {}).get("calibrator")
    return None if text is None else hashlib.sha256(f"{text}\n".encode()).hexdigest()


def failure_of(result: object) -> str | None:
    """The kind of error that a question ended in, if it did."""
    return type(result.error).__name__ if isinstance(result, Unanswered) else None


def _file_name(name: str) -> str:
    """The name of a model that is a file or folder, without where it lies."""
    return Path(name).name if Path(name).exists() else name


def texts_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as JSON, one a line."""
    return "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
