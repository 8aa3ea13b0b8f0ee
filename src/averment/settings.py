"""Every setting, declared once: flag, then environment, then `averment.toml`, then default.

The only module, beside the command line, that reads the environment and configuration files.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from averment.costs import Costs
from averment.dating import Undated, days_of
from averment.errors import UnknownNameError, UsageError
from averment.ports import DamagedSegments
from averment.promises import Remedy, Unit

_FLAGS = {
    **{f"serve_{name}": name for name in ("host", "port", "mode", "log_text")},
    "timeout_s": "timeout",
    "costs": "cost",
}
"""The flags that are not named as their setting is."""
RetrieverName = Literal["bm25", "dense", "fusion"]
CONFIGURATION_FILE = "averment.toml"
DEFAULT_INDEX = Path(".averment/index")


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
    index: Path = Field(
        default=DEFAULT_INDEX,
        description="the index: a directory of averment's or in infini-gram's format, or "
        "infinigram:NAME (infinigram-mini:NAME, each with @URL behind it) for one behind an API",
    )
    model: str | None = Field(
        default=None,
        description="a registry name, a .gguf file, the folder of a checkpoint (runtime "
        "transformers), or with base_url a model of that server; unset: the best local model that "
        "is there",
    )
    base_url: str | None = Field(
        default=None, description="an OpenAI-compatible server, e.g. http://localhost:11434/v1"
    )
    api_key: SecretStr | None = Field(
        default=None, description="key for base_url; unset: OPENAI_API_KEY, else none"
    )
    runtime: Literal["llama_cpp", "transformers"] = Field(
        default="llama_cpp",
        description="what runs a local model: llama_cpp, or transformers (extra [transformers]), "
        "which is slow and lets itself be looked into, as dragin, etc and seakr need it",
    )
    policy: str = Field(default="quco", description="when to retrieve: a preset name")
    retriever: RetrieverName = Field(
        default="bm25",
        description="who finds passages: bm25 (words), dense (meaning, by vectors of `averment "
        "index embed`) or fusion (the ranks of both)",
    )
    embedder: Path | None = Field(
        default=None,
        description="the sentence model of dense retrieval: a directory with model.onnx and "
        "tokenizer.json, such as all-MiniLM-L6-v2",
    )
    faithfulness: str = Field(
        default="auto",
        description="who judges faithfulness: lexical, minilm (ships with averment), judge (the "
        "language model), a directory with model.onnx, or a checkpoint of transformers; auto: "
        "minilm if the extra [local] is there, else lexical",
    )
    scores: bool = Field(default=True, description="score the claims of an answer")
    calibrator: Path | None = Field(
        default=None, description="a file of `averment calibrate`; unset: scores are uncalibrated"
    )
    target_error: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="promise that no more than this share of what is given is false, and withhold "
        "the rest; needs a calibrator with held-out questions (`averment calibrate --hold-out`)",
    )
    confidence: float = Field(
        default=0.9, gt=0, lt=1, description="with which probability that promise is kept"
    )
    unit: Unit = Field(
        default=Unit.CLAIM, description="what is given or withheld as a whole: claim or answer"
    )
    withheld: Remedy | None = Field(
        default=None,
        description="what becomes of what is withheld: drop (left out), hedge (given as what may "
        "be), abstain (no answer at all), or cheapest (whichever costs least, which also withholds "
        "where nothing is promised); unset: drop, and cheapest with the policy expected-cost",
    )
    costs: Costs = Field(
        default_factory=Costs,
        description="what is weighed where the cheapest is done, in units of a false claim that is "
        "given: false, hedged, false_hedged, dropped, abstained, search, draft; and search_mends, "
        "draft_mends, the shares of bad claims that one more of them makes true",
    )
    extractor: Literal["rules", "spacy", "distilled", "model"] = Field(
        default="rules",
        description="who finds entities and triplets: rules, spacy (extra [spacy]), distilled (a "
        "small encoder, extra [local]) or model",
    )
    extractor_model: Path | None = Field(
        default=None,
        description="the directory of the encoder behind the extractor distilled (model.onnx, "
        "card.json); unset: the one of averment's source, which is too large for the core package",
    )
    language: str = Field(
        default="auto",
        description="what questions, answers and texts are in: de, en, es, zh, …, or auto (each as "
        "it looks; what is too short to tell is in the language of the index)",
    )
    aliases: bool = Field(
        default=True,
        description="count a name by all its forms: rules, the tables of the index, your own "
        "(averment alias); the preset quco-paper never does",
    )
    as_of: str | None = Field(
        default=None,
        description="look at documents up to this day, month or year only (2021-05-01): counts, "
        "passages and evidence; unset: at all",
    )
    undated: Undated = Field(
        default=Undated.EXCLUDE,
        description="documents without a date, with as_of: exclude, or include",
    )
    model_cutoff: str | None = Field(
        default=None,
        description="when the model's training data end (2024-06): the policies quco, quco-known "
        "and expected-cost look up what the corpus knows only from later; unset: nobody asks when",
    )
    damaged_segments: DamagedSegments = Field(
        default="fail",
        description="segments that cannot be read: fail, or answer without them (lower_bound)",
    )
    passages: Path | None = Field(
        default=None,
        description="an index of averment's whose passages are searched where `index` is one of "
        "infini-gram; unset: documents of that are read around the names of a query",
    )
    infinigram_tokenizer: Path | None = Field(
        default=None,
        description="the tokenizer.json whose tokens an index in infini-gram's format has; unset: "
        "the one in its directory, or the API's",
    )
    infinigram_parallel: int = Field(
        default=24, ge=1, description="requests at a time to infini-gram's API"
    )
    data: Path | None = Field(
        default=None,
        description="where the data files of benches lie; unset: beside the bench file, and for "
        "the benches that ship with averment `data` in home",
    )
    audit: str = Field(
        default="off",
        description="where answers, checks and changes are recorded: off (nowhere), on "
        "(`audit.sqlite` in home), or a file; what cannot be recorded fails",
    )
    audit_by: str | None = Field(
        default=None, description="who acts, as records name them; unset: nobody is named"
    )
    audit_retention_days: float | None = Field(
        default=None,
        gt=0,
        description="erase the texts of records that are older; the records stay; unset: never",
    )
    offline: bool = Field(default=False, description="forbid every connection but loopback")
    timeout_s: float = Field(default=120.0, gt=0, description="longest wait for a server's reply")
    threads: int | None = Field(default=None, ge=1, description="CPU threads of a local model")
    serve_host: str = Field(
        default="127.0.0.1", description="where `serve` listens; anything but loopback is reachable"
    )
    serve_port: int = Field(default=8000, ge=0, le=65535, description="its port; 0: any free one")
    serve_keys: SecretStr | None = Field(
        default=None,
        description="keys, with commas between, of which clients show one; unset: none is needed",
    )
    serve_mode: Literal["hold-sentence", "hold-answer", "annotate"] = Field(
        default="hold-sentence",
        description="when text leaves: a sentence once it is checked (hold-sentence), the whole "
        "answer once it is decided (hold-answer), or at once with verdicts behind it (annotate)",
    )
    serve_workers: int = Field(
        default=4, ge=1, description="requests that are worked on at a time; corpus queries apart"
    )
    serve_queue: int = Field(
        default=32, ge=0, description="requests that may wait for a worker; further ones get 429"
    )
    serve_timeout_s: float = Field(
        default=300.0, gt=0, description="longest time for one request, waiting included"
    )
    serve_body_bytes: int = Field(
        default=2_000_000, ge=1, description="largest body of a request; larger ones get 413"
    )
    otel: bool = Field(
        default=False,
        description="make spans and events of answers and checks by OpenTelemetry's API (extra "
        "[otel]); where they go is for you to set up",
    )
    otel_content: bool = Field(
        default=False,
        description="put the texts of questions, answers and queries into spans and events",
    )
    serve_keep_answers: int = Field(
        default=100,
        ge=1,
        description="answers of policies that `serve` keeps in memory, so that their pages open",
    )
    serve_log_text: bool = Field(
        default=False, description="write questions and answers into the log of `serve`"
    )

    @field_validator("as_of", "model_cutoff")
    @classmethod
    def _is_a_date(cls, given: str | None) -> str | None:
        if given is not None and days_of(given) is None:
            raise ValueError("it is not a date; write it as 2024, 2024-05 or 2024-05-31")
        return given

    @field_validator("undated")
    @classmethod
    def _is_a_rule(cls, given: Undated) -> Undated:
        if given is Undated.ONLY:
            raise ValueError("documents without a date cannot be all; exclude or include them")
        return given

    @field_validator("costs", mode="before")
    @classmethod
    def _known_costs(cls, given: Any) -> Any:
        """A misspelt cost would be left at its default, silently."""
        known = [field.name for field in dataclasses.fields(Costs)]
        if isinstance(given, Mapping) and (unknown := sorted(given.keys() - set(known))):
            raise ValueError(f"there is no cost {', '.join(unknown)}; there is {', '.join(known)}")
        return given

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
    for name in given:
        if name not in Settings.model_fields:
            raise UnknownNameError("setting", name, Settings.model_fields)
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
                flag = _FLAGS.get(name, name).replace("_", "-")
                shown = name.upper() if "AVERMENT_" in told else flag
                found[name] = told.format(shown)
                break
        else:
            found[name] = "default"
    return found
