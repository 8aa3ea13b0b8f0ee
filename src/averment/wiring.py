"""The composition root: settings, and the adapters put together.

The only module, beside the command line, that reads the environment and configuration files, and
the only one that knows every adapter. Adapters with optional or heavy dependencies are imported
where they are opened.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import platformdirs
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from averment.corpus.passages import cut_passages
from averment.engine import Edges, Engine
from averment.errors import MissingExtraError, UnknownNameError, UsageError
from averment.index import compiled
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.index.engines import REFERENCE, WITHOUT_CORE
from averment.index.thresholds import LEAST_DOCUMENTS
from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.loop import SentenceLoop, Trigger
from averment.policies.quco import Aggregation, CountUnit, QuCo
from averment.ports import ClaimExtractor, CorpusIndex, LanguageModel, Retriever
from averment.text import TextForm
from averment.types import CorpusInfo, Document

if TYPE_CHECKING:
    from averment.models.llama_cpp import LlamaCpp
    from averment.models.openai_compat import OpenAICompatible

CONFIGURATION_FILE = "averment.toml"
DEFAULT_INDEX = Path(".averment/index")

# Best first; `ask` takes the first one that is there and says which.
LOCAL_MODELS = ("qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m")


class Settings(BaseSettings):
    """Every setting, declared once. Flag, then environment, then `averment.toml`, then default."""

    model_config = SettingsConfigDict(
        env_prefix="AVERMENT_",
        toml_file=CONFIGURATION_FILE,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    home: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("averment", appauthor=False)),
        description="where models, caches and the demo index live; nothing is written elsewhere",
    )
    index: Path = Field(default=DEFAULT_INDEX, description="the index directory")
    model: str | None = Field(
        default=None,
        description="a registry name, a .gguf file, or with base_url a model of that server; "
        "unset: the best local model that is there",
    )
    base_url: str | None = Field(
        default=None, description="an OpenAI-compatible server, e.g. http://localhost:11434/v1"
    )
    api_key: SecretStr | None = Field(
        default=None, description="key for base_url; unset: OPENAI_API_KEY, else none"
    )
    policy: str = Field(default="quco", description="when to retrieve: a preset name")
    extractor: Literal["rules", "model"] = Field(
        default="rules", description="who finds entities and triplets"
    )
    offline: bool = Field(default=False, description="forbid every connection but loopback")
    timeout_s: float = Field(default=120.0, gt=0, description="longest wait for a server's reply")
    threads: int | None = Field(default=None, ge=1, description="CPU threads of a local model")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flag, environment, file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def resolve_settings(**flags: Any) -> Settings:
    """The settings in force; a flag that is None was not given.

    Raises:
        UsageError: A value that cannot be used, or an unreadable `averment.toml`.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "?"
        where = origins(given).get(name, "default")
        raise UsageError(
            f"Setting {name!r} from {where} cannot be used: {first['msg']} "
            f"(found {first['input']!r})."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{CONFIGURATION_FILE} is not TOML: {error}.") from error


def origins(flags: Mapping[str, Any]) -> dict[str, str]:
    """Where each setting came from: flag, environment variable, file or default."""
    sources = (
        ("flag --{}", InitSettingsSource(Settings, dict(flags))()),
        ("environment AVERMENT_{}", EnvSettingsSource(Settings)()),
        (f"file {CONFIGURATION_FILE}", TomlConfigSettingsSource(Settings)()),
    )
    found = {}
    for name in Settings.model_fields:
        for told, values in sources:
            if name in values:
                shown = name.upper() if "AVERMENT_" in told else name.replace("_", "-")
                found[name] = told.format(shown)
                break
        else:
            found[name] = "default"
    return found


# --- the corpus ---------------------------------------------------------------------------------


def build_index(
    documents: Iterable[Document],
    path: str | Path,
    *,
    fold_accents: bool = False,
    counts_only: bool = False,
    add: bool = False,
    on_duplicate: Callable[[Document], None] | None = None,
) -> CorpusInfo:
    """Build an index from documents, or add them to one.

    Args:
        documents: Streamed, never all in memory.
        path: The index directory; an index that is there is replaced as a whole.
        fold_accents: "Zürich" and "Zurich" are one word.
        counts_only: Statistics without text: no passages, no retrieval, no snippets.
        add: Keep what is there, and its options.
        on_duplicate: Told of each document whose id is there already; the first one stays.

    Raises:
        EmptyCorpusError: No document came.
        UsageError: The directory holds something else.
    """
    from averment.retrieval.bm25 import build_bm25

    form = None if add else TextForm(fold_accents=fold_accents)
    only = None if add else counts_only
    with IndexWriter(Path(path), form=form, counts_only=only, add=add) as writer:
        for document in documents:
            added = writer.add(document, () if writer.counts_only else cut_passages(document))
            if not added and on_duplicate is not None:
                on_duplicate(document)
        if not writer.counts_only and writer.n_documents:
            build_bm25(writer.passages(), writer.extra_directory("bm25"))
        info = writer.publish()
    _say_if_without_core(info)
    return info


def open_index(path: str | Path) -> EmbeddedIndex:
    """Open an index for counting.

    Raises:
        NotAnIndexError: The directory is missing or holds no index.
        IndexFormatError: Damaged, of a newer format, or of another text form.
    """
    index = open_embedded(Path(path))
    _say_if_without_core(index.info)
    return index


def _say_if_without_core(info: CorpusInfo) -> None:
    if info.engine == REFERENCE and not compiled.available():
        _say_once(WITHOUT_CORE)


@cache
def _say_once(message: str) -> None:
    logging.getLogger("averment").warning(message)


def open_retriever(index: EmbeddedIndex) -> Retriever:
    """BM25 over the passages of an index.

    Raises:
        UsageError: The index was built with counts only.
    """
    from averment.retrieval.bm25 import open_bm25

    directory = index.extra_directory("bm25")
    if directory is None:
        raise UsageError(
            f"The index {index.info.name!r} has counts only, no passages to retrieve from.",
            hint="Build it without --counts-only.",
        )
    return open_bm25(directory, index.passages())


# --- the model ----------------------------------------------------------------------------------


def open_model(settings: Settings) -> LlamaCpp | OpenAICompatible:
    """The language model that the settings name; to be closed by the caller.

    Raises:
        UsageError: A server without a model name, or the extra [local] is missing.
        ModelFileError: The local model is not there.
    """
    if settings.base_url is not None:
        from averment.models.openai_compat import open_openai_compatible

        if settings.model is None:
            raise UsageError(f"Which model of {settings.base_url}?", hint="Name it: --model NAME")
        key = settings.api_key.get_secret_value() if settings.api_key else None
        return open_openai_compatible(
            settings.base_url,
            settings.model,
            api_key=key or os.environ.get("OPENAI_API_KEY"),
            timeout_s=settings.timeout_s,
            offline=settings.offline,
        )
    if importlib.util.find_spec("xllamacpp") is None:  # before anybody fetches a model in vain
        raise MissingExtraError("Local models", "local")
    from averment.models.llama_cpp import open_llama_cpp
    from averment.models.registry import Registry

    registry = Registry(settings.home)
    name = settings.model or next(
        (name for name in LOCAL_MODELS if registry.find(name)), LOCAL_MODELS[0]
    )
    return open_llama_cpp(registry.resolve(name), name=name, n_threads=settings.threads)


def open_extractor(settings: Settings, model: LanguageModel) -> ClaimExtractor:
    """Who finds entities and triplets."""
    if settings.extractor == "model":
        from averment.claims.prompted import PromptedExtractor

        return PromptedExtractor(model)
    from averment.claims.rules import RulesExtractor

    return RulesExtractor()


# --- policies -----------------------------------------------------------------------------------


def policy_names() -> list[str]:
    """The presets that ship with the package."""
    files = (resources.files("averment") / "presets").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def make_policy(name: str, info: CorpusInfo) -> SentenceLoop:
    """The policy of a preset, with what the index knows filled in.

    Raises:
        UnknownNameError: No such preset.
    """
    if name not in policy_names():
        raise UnknownNameError("policy", name, policy_names())
    preset = resources.files("averment") / "presets" / f"{name}.toml"
    values = tomllib.loads(preset.read_text(encoding="utf-8"))
    return SentenceLoop(_trigger(values, info))


def _trigger(values: dict[str, Any], info: CorpusInfo) -> Trigger:
    match values.pop("trigger"):
        case "none":
            return NoRetrieval()
        case "single":
            return SingleRetrieval()
        case "quco":
            threshold = info.entity_threshold_documents or LEAST_DOCUMENTS
            values["entity_unit"] = CountUnit(values["entity_unit"])
            values["aggregation"] = Aggregation(values["aggregation"])
            return QuCo(**{"entity_threshold": threshold, **values})
        case other:
            raise AssertionError(f"a preset names the trigger {other!r}")


# --- the whole ----------------------------------------------------------------------------------


def open_engine(
    index: CorpusIndex | str | Path | None = None,
    model: LanguageModel | str | None = None,
    policy: str | None = None,
    **settings: Any,
) -> Engine:
    """An engine that answers questions. Close it, or use it in a ``with`` block.

    Args:
        index: An open index or its directory; None: as the settings say.
        model: An open model, a registry name, a .gguf path, or a server's model name.
        policy: A preset: see `policy_names`.
        **settings: Any field of `Settings`.

    Raises:
        NotAnIndexError, IndexFormatError: No usable index there.
        MissingExtraError, ModelFileError: No usable local model.
        UnknownNameError: No such policy.
    """
    named: dict[str, Any] = dict(settings)
    if isinstance(index, (str, Path)):
        named["index"] = Path(index)
    if isinstance(model, str):
        named["model"] = model
    resolved = resolve_settings(policy=policy, **named)
    opened = index if isinstance(index, EmbeddedIndex) else open_index(resolved.index)
    rule = make_policy(resolved.policy, opened.info)
    retriever = open_retriever(opened)
    if model is not None and not isinstance(model, str):
        return Engine(rule, Edges(opened, retriever, model, open_extractor(resolved, model)))
    own = open_model(resolved)
    edges = Edges(opened, retriever, own, open_extractor(resolved, own))
    return Engine(rule, edges, on_close=own.close)
