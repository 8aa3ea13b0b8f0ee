"""Language models and extractors, as the settings name them."""

from __future__ import annotations

import importlib.util
import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import MissingExtraError, UsageError
from averment.languages import AUTO, ENGLISH
from averment.ports import ClaimExtractor, LanguageModel
from averment.settings import Settings

if TYPE_CHECKING:
    from averment.models.llama_cpp import LlamaCpp
    from averment.models.openai_compat import OpenAICompatible
    from averment.models.transformers_lm import TransformersLM

# Best first; `ask` takes the first one that is there and says which.
LOCAL_MODELS = ("qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m")


def open_model(settings: Settings) -> LlamaCpp | OpenAICompatible | TransformersLM:
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
    if settings.runtime == "transformers":
        from averment.models.transformers_lm import open_transformers

        name, path = _local_model(settings)
        return open_transformers(path, name=name, n_threads=settings.threads)
    if importlib.util.find_spec("xllamacpp") is None:  # before anybody fetches a model in vain
        raise MissingExtraError("Local models", "local")
    from averment.models.llama_cpp import open_llama_cpp

    name, path = _local_model(settings)
    return open_llama_cpp(path, name=name, n_threads=settings.threads)


def _local_model(settings: Settings) -> tuple[str, Path]:
    """Its name and where it is; a folder is a checkpoint of transformers."""
    from averment.models.registry import Registry

    registry = Registry(settings.home)
    name = settings.model or next(
        (name for name in LOCAL_MODELS if registry.find(name)), LOCAL_MODELS[0]
    )
    if settings.runtime == "transformers" and Path(name).is_dir():
        return name, Path(name)
    return name, registry.resolve(name)


def open_extractor(
    settings: Settings, model: LanguageModel, *, index_language: str = ENGLISH
) -> ClaimExtractor:
    """Who finds entities and triplets.

    Args:
        settings: Who it is, and in which language texts are.
        model: Who is asked, if it is the model.
        index_language: That of the index, which texts are in that are too short to tell.

    Raises:
        MissingExtraError: The parser, or what runs the encoder, is not installed.
        ModelFileError: The encoder that ships is damaged.
        UnknownNameError: There is no such language.
    """
    otherwise = ENGLISH if index_language == AUTO else index_language
    if settings.extractor == "model":
        from averment.claims.prompted import PromptedExtractor

        return PromptedExtractor(model, language=settings.language, otherwise=otherwise)
    if settings.extractor in ("spacy", "distilled"):
        from averment.claims.english_only import EnglishOnly

        english = _english_extractor(settings)
        return EnglishOnly(english, language=settings.language, otherwise=otherwise)
    from averment.claims.rules import RulesExtractor

    return RulesExtractor(language=settings.language, otherwise=otherwise)


def _english_extractor(settings: Settings) -> ClaimExtractor:
    if settings.extractor == "distilled":
        return open_distilled(settings.extractor_model)
    from averment.claims.parsed import open_spacy

    return open_spacy()


def open_distilled(directory: Path | None = None, *, n_threads: int = 1) -> ClaimExtractor:
    """The extractor over a small encoder.

    Args:
        directory: Of the encoder; None: where the source has it. Without a ``tokenizer.json``
            of its own it shares that of the judge that ships.
        n_threads: Threads that compute.

    Raises:
        UsageError: There is no encoder.
        MissingExtraError: The runtime is not installed.
        ModelFileError: It is damaged, or no encoder of an extractor.
    """
    from averment.claims.distilled import DistilledExtractor
    from averment.models.token_numbers import open_token_numbers

    package = resources.files("averment")
    with (
        resources.as_file(package / "claims" / "model") as shipped,
        resources.as_file(package / "faithfulness" / "model" / "tokenizer.json") as shared,
    ):
        directory = directory or shipped
        if not (directory / "model.onnx").is_file():
            raise UsageError(
                f"There is no encoder for the extractor distilled in {directory}: packages of "
                "averment leave it out for its size; it is in src/averment/claims/model of its "
                "source.",
                hint="Type: export AVERMENT_EXTRACTOR_MODEL=DIRECTORY",
            )
        own = directory / "tokenizer.json"
        reader = open_token_numbers(
            directory,
            tokenizer=own if own.is_file() else shared,
            n_threads=n_threads,
            purpose="Distilled extractors",
        )
    return DistilledExtractor(reader)
