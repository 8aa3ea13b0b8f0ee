"""`averment doctor`: resolved settings and where each came from; what this machine can run."""

from __future__ import annotations

import importlib.util
import platform
from typing import Any

from averment.cli.console import out, print_json
from averment.cli.options import IndexOption, JsonOption
from averment.errors import AvermentError


def doctor(index: IndexOption = None, json: JsonOption = False) -> None:
    """Show every setting with its origin, and what is here: index, models, extras."""
    from averment.settings import Settings, origins, resolve_settings

    flags = {"index": index} if index else {}
    settings = resolve_settings(**flags)
    came_from = origins(flags)
    found: dict[str, Any] = {
        "settings": {
            name: {"value": _shown(getattr(settings, name)), "from": came_from[name]}
            for name in Settings.model_fields
        },
        "machine": {
            "averment": _version(),
            "python": platform.python_version(),
            "platform": platform.platform(),
        },
        "index": _index_state(settings.index),
        "index_engine": _engine_state(),
        "retriever": _retriever_state(settings),
        "local_runtime": _extra_state("xllamacpp", "local"),
        "faithfulness_judge": _judge_state(settings),
        "aliases": _aliases_state(settings),
        "ledger": _ledger_state(settings),
        "models": _models_state(settings.home),
    }
    if json:
        print_json(found)
        return
    console = out()
    for name, row in found.pop("settings").items():
        console.print(f"{name:<14} {row['value']!s:<44} {row['from']}", markup=False)
    console.print()
    for name, value in found.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {item}" for key, item in value.items())
        console.print(f"{name:<18} {value}", markup=False)


def _shown(value: object) -> object:
    from pydantic import SecretStr

    if isinstance(value, SecretStr):
        return "(set)"
    return value if isinstance(value, (bool, int, float, type(None))) else str(value)


def _version() -> str:
    from importlib import metadata

    return metadata.version("averment")


def _index_state(path: Any) -> str:
    from averment.text import n_of
    from averment.wiring import open_index

    try:
        info = open_index(path).info
    except AvermentError as error:
        return f"{error.message} {error.hint}".strip()
    return f"{path}: {n_of(info.n_documents, 'document')}, {n_of(info.n_words, 'word')}"


def _retriever_state(settings: Any) -> str:
    from averment.wiring import open_index, open_retriever

    try:
        open_retriever(open_index(settings.index), settings)
    except AvermentError as error:
        return f"{error.message} {error.hint}".strip()
    return f"{settings.retriever} is ready"


def _engine_state() -> str:
    from averment.index.engines import WITHOUT_CORE, default_engine

    engine = default_engine()
    return engine if engine == "compiled" else f"{engine}: {WITHOUT_CORE}"


def _extra_state(module: str, extra: str) -> str:
    if importlib.util.find_spec(module) is None:
        return f"not installed; type: pip install 'averment[{extra}]'"
    return f"{module} is installed"


def _judge_state(settings: Any) -> str:
    from averment.wiring import open_faithfulness

    try:
        return open_faithfulness(settings, None).name
    except AvermentError as error:
        return f"{error.message} {error.hint}".strip()


def _aliases_state(settings: Any) -> dict[str, str]:
    from averment.wiring.aliases import user_aliases

    try:
        own = f"{len(user_aliases(settings).rows())} of your own"
    except AvermentError as error:
        own = f"{error.message} {error.hint}".strip()
    return {"forms": own, "countries": _extra_state("countryinfo", "countries")}


def _ledger_state(settings: Any) -> str:
    from averment.audit.reading import LedgerReader
    from averment.wiring.auditing import ledger_path

    path = ledger_path(settings)
    if path is None:
        return "off: nothing is recorded (AVERMENT_AUDIT=on)"
    if not path.exists():
        return f"{path}: made at the first record"
    try:
        with LedgerReader(path) as reader:
            return f"{path}: {reader.head().seq:,} records"
    except AvermentError as error:
        return f"{error.message} {error.hint}".strip()


def _models_state(home: Any) -> dict[str, str]:
    from averment.models.registry import Registry

    return {
        row.file.name: "here" if row.path else f"absent (averment models get {row.file.name})"
        for row in Registry(home).list()
    }
