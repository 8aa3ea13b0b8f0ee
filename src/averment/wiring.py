"""The composition root: the adapters put together as the settings say.

The only module that knows every adapter. Adapters with optional or heavy dependencies are imported
where they are opened.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.corpus.passages import cut_passages
from averment.engine import Edges, Engine, Missing, carry_out
from averment.errors import (
    CalibrationError,
    CapabilityError,
    MissingExtraError,
    UnknownNameError,
    UsageError,
)
from averment.index import compiled
from averment.index.build import IndexWriter
from averment.index.embedded import DamagedSegments, EmbeddedIndex, open_embedded
from averment.index.engines import REFERENCE, WITHOUT_CORE
from averment.index.manifest import damaged_files, read_manifest
from averment.index.thresholds import LEAST_DOCUMENTS
from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.loop import SentenceLoop, Trigger
from averment.policies.quco import Aggregation, CountUnit, QuCo
from averment.ports import (
    ClaimExtractor,
    CorpusIndex,
    FaithfulnessScorer,
    LanguageModel,
    Retriever,
    ScoringModel,
)
from averment.settings import Settings, resolve_settings
from averment.text import TextForm
from averment.types import Capability, CorpusInfo, Document, Passage, Question, Report

if TYPE_CHECKING:
    from averment.franq.calibrator import Calibrator
    from averment.models.judge import JudgeByLanguageModel
    from averment.models.llama_cpp import LlamaCpp
    from averment.models.openai_compat import OpenAICompatible
    from averment.scoring.flow import Scoring


# Best first; `ask` takes the first one that is there and says which.
LOCAL_MODELS = ("qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m")

_PASSAGES_A_CLAIM = 3


# --- the corpus ---------------------------------------------------------------------------------


def build_index(
    documents: Iterable[Document],
    path: str | Path,
    *,
    fold_accents: bool = False,
    counts_only: bool = False,
    keep_tokens: bool = False,
    add: bool = False,
    replace: bool = False,
    on_duplicate: Callable[[Document], None] | None = None,
    resume_key: str | None = None,
    on_resume: Callable[[int], None] | None = None,
) -> CorpusInfo:
    """Build an index from documents, or add them to one.

    Args:
        documents: Streamed, never all in memory.
        path: The index directory; an index that is there is replaced as a whole.
        fold_accents: "Zürich" and "Zurich" are one word.
        counts_only: Statistics without text: no passages, no retrieval, no snippets.
        keep_tokens: Words in their normal form are kept for snippets; of use with `counts_only`.
        add: Keep what is there, and its options.
        replace: With `add`: a document takes the place of the one that has its id.
        on_duplicate: Told of each document whose id is there already; the first one stays. With
            `replace` only of those that are the same as before.
        resume_key: Names the documents, which must come in the same order again. A build with the
            key, options and path of one that was interrupted goes on where that one had got to.
        on_resume: Told how many documents of the interrupted build need not be indexed again.

    Raises:
        EmptyCorpusError: No document came.
        UsageError: The directory holds something else.
    """
    form = None if add else TextForm(fold_accents=fold_accents)
    only, tokens = (None, None) if add else (counts_only, keep_tokens)
    with IndexWriter(
        Path(path), form=form, counts_only=only, keep_tokens=tokens, add=add, resume_key=resume_key
    ) as writer:
        if writer.n_resumed_documents and on_resume is not None:
            on_resume(writer.n_resumed_documents)
        for document in documents:
            passages = cut_passages(document) if writer.wants_passages else ()
            added = writer.add(document, passages, replace=replace)
            if not added and on_duplicate is not None:
                on_duplicate(document)
        info = _publish(writer)
    _say_if_without_core(info)
    return info


def delete_documents(
    path: str | Path, document_ids: Iterable[str], *, missing_ok: bool = False
) -> CorpusInfo:
    """Delete documents from an index; counts and retrieval are exact without them at once.

    Their bytes stay on disk until `merge_index`.

    Args:
        path: The index directory.
        document_ids: Of the documents.
        missing_ok: Ids that no document has are passed over.

    Raises:
        UsageError: No document has one of the ids; nothing was deleted.
        EmptyCorpusError: No document would be left.
    """
    with IndexWriter(Path(path), add=True) as writer:
        missing = [one for one in dict.fromkeys(document_ids) if not writer.delete(one)]
        if missing and not missing_ok:
            shown = ", ".join(map(repr, missing[:5])) + (" …" if len(missing) > 5 else "")
            raise UsageError(
                f"The index at {path} has no document {shown}; nothing was deleted.",
                hint="`averment index count WORD --show 5` shows ids; or pass --missing-ok.",
            )
        return _publish(writer)


def merge_index(path: str | Path) -> CorpusInfo:
    """Make few segments of many and let go of what was deleted; answers stay the same.

    Args:
        path: The index directory.
    """
    with IndexWriter(Path(path), add=True) as writer:
        writer.merge()
        return _publish(writer)


def _publish(writer: IndexWriter) -> CorpusInfo:
    """Publish with what retrieval needs, if that is another than before."""
    from averment.retrieval.bm25 import build_bm25

    if writer.keeps_text and writer.renumbers_passages and writer.n_documents:
        build_bm25(writer.passages(), writer.extra_directory("bm25"))
    return writer.publish()


def open_index(path: str | Path, *, damaged_segments: DamagedSegments = "fail") -> EmbeddedIndex:
    """Open an index for counting.

    Args:
        path: The index directory.
        damaged_segments: With ``lower_bound``, what cannot be read is left out, and counts say
            that they are lower bounds.

    Raises:
        NotAnIndexError: The directory is missing or holds no index.
        IndexFormatError: Damaged, of a newer format, or of another text form.
    """
    index = open_embedded(Path(path), damaged_segments=damaged_segments)
    for problem in index.problems:
        logging.getLogger("averment").warning("left out, so counts are lower bounds: %s", problem)
    _say_if_without_core(index.info)
    return index


def verify_index(path: str | Path) -> list[str]:
    """Read every file of an index and name those that are not what was written.

    Raises:
        NotAnIndexError: The directory is missing or holds no index.
        IndexFormatError: The manifest itself is damaged, or of another format or text form.
    """
    return damaged_files(Path(path), read_manifest(Path(path)))


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
    return open_bm25(directory, index.passages(), among=index.passages_meant())


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


# --- scores -------------------------------------------------------------------------------------


def open_faithfulness(settings: Settings, model: LanguageModel | None) -> FaithfulnessScorer:
    """Who judges faithfulness.

    Args:
        settings: Names the judge.
        model: The language model, for the judge that is one.

    Raises:
        MissingExtraError: The judge needs an extra that is not installed.
        ModelFileError: The model is not there, or is not what it should be.
        CapabilityError: The language model cannot judge, or there is none.
    """
    name = settings.faithfulness
    if name == "auto":
        name = "minilm" if _has_shipped_nli() else "lexical"
    if name == "lexical":
        from averment.faithfulness.lexical import LexicalAlignment

        return LexicalAlignment()
    from averment.faithfulness.cache import CachedJudge
    from averment.faithfulness.scorer import ChunkedScorer, scorer_for_window

    cache = settings.home / "cache" / "faithfulness"
    if name == "judge":
        judge = _language_model_as_judge(model)
        return ChunkedScorer(CachedJudge(judge, identity=judge.identity, directory=cache))
    if name == "minilm" or (Path(name) / "model.onnx").is_file():
        return _nli_scorer(None if name == "minilm" else Path(name), settings, cache)
    from averment.models.nli_transformers import open_transformers_nli

    checkpoint = open_transformers_nli(name, local_files_only=settings.offline)
    return scorer_for_window(
        CachedJudge(checkpoint),  # in memory only: what a name stands for can change
        window_tokens=checkpoint.window_tokens,
        n_tokens=checkpoint.n_tokens,
    )


def _nli_scorer(directory: Path | None, settings: Settings, cache: Path) -> FaithfulnessScorer:
    """Around an ONNX model; chunks are as long as the premises that it was trained on."""
    from averment.faithfulness.cache import CachedJudge
    from averment.faithfulness.chunks import packed_chunks
    from averment.faithfulness.scorer import ChunkedScorer, scorer_for_window
    from averment.models.nli import open_nli, open_shipped_nli

    n_threads = settings.threads or 1
    if directory is None:
        nli = open_shipped_nli(n_threads=n_threads)
    else:
        nli = open_nli(directory, n_threads=n_threads)
    cached = CachedJudge(nli, identity=nli.identity, directory=cache)
    if nli.window_words is None:
        return scorer_for_window(cached, window_tokens=nli.window_tokens, n_tokens=nli.n_tokens)
    return ChunkedScorer(cached, split=partial(packed_chunks, budget=nli.window_words))


def _language_model_as_judge(model: LanguageModel | None) -> JudgeByLanguageModel:
    from averment.models.judge import JudgeByLanguageModel

    if not isinstance(model, ScoringModel):
        raise CapabilityError(
            "The language model cannot judge: it gives no log-probabilities of a text.",
            hint="Name a local model: --model NAME",
        )
    return JudgeByLanguageModel(model, name=model.info.name)


def _has_shipped_nli() -> bool:
    """Whether this installation has the model and what runs it; whether they work is not asked."""
    card = resources.files("averment") / "faithfulness" / "model" / "card.json"
    return card.is_file() and all(map(importlib.util.find_spec, ("onnxruntime", "tokenizers")))


def make_scoring(
    settings: Settings,
    scorer: FaithfulnessScorer,
    *,
    index: CorpusIndex | None,
    model: LanguageModel | None,
    writes: bool,
    window_words: int,
) -> Scoring:
    """How claims are scored with these edges; what the model is good for is found out now.

    Args:
        settings: Name the calibrator.
        scorer: Who judges faithfulness.
        index: The corpus, if there is one.
        model: The language model, if there is one.
        writes: The model writes what is scored, so that log-probabilities come with it.
        window_words: The window of the counts.

    Raises:
        CalibrationError: The calibrator is damaged, or was fitted on the numbers of others.
    """
    from averment.franq.evidence import CorpusSize
    from averment.models.canary import probe
    from averment.scoring.flow import Scoring

    found = probe(model) if model is not None else None
    rescores = found is not None and Capability.SCORING in found.capabilities
    reads = rescores or (writes and found is not None and Capability.LOGPROBS in found.capabilities)
    lacking = {Capability.SCORING} if reads else {Capability.SCORING, Capability.LOGPROBS}
    why_not = found.why_not(lacking) if found is not None else None
    corpus = None
    if index is not None and index.info.n_documents and index.info.n_words:
        corpus = CorpusSize(index.info.n_documents, index.info.n_words, window_words)
    return Scoring(
        faithfulness_scorer=scorer.name,
        model=model.info.name if model is not None and reads else "",
        rescores=rescores,
        corpus=corpus,
        form=index.form if isinstance(index, EmbeddedIndex) else TextForm(),
        notes=(why_not,) if why_not else (),
        calibrator=None if settings.calibrator is None else read_calibrator(settings.calibrator),
    )


def read_calibrator(path: Path) -> Calibrator:
    """The calibrator in a file, to be held against whoever makes the numbers that it reads.

    Raises:
        UsageError: There is no such file, or it cannot be read.
        CalibrationError: It holds no calibrator.
    """
    from averment.franq.calibrator_json import from_json

    try:
        return from_json(path.read_text(encoding="utf-8"), made_with=None)
    except OSError as error:
        raise UsageError(
            f"The calibrator {path} cannot be read: {error.strerror}.",
            hint=f"Make one: averment calibrate LABELLED.jsonl -o {path}",
        ) from error
    except UnicodeDecodeError as error:
        raise CalibrationError(f"{path} is no calibrator: it is not text.") from error
    except CalibrationError as error:
        raise CalibrationError(f"{path}: {error.message}", hint=error.hint) from error


def check(
    text: str,
    question: str | None = None,
    contexts: Sequence[str | Document] = (),
    index: EmbeddedIndex | str | Path | None = None,
    model: LanguageModel | str | None = None,
    **settings: Any,
) -> Report:
    """Check a text claim by claim, against passages, the corpus, or both.

    Args:
        text: Any text.
        question: What it answers, if that is known.
        contexts: What its claims are held against. Without any, and with an index of documents,
            passages are retrieved for each claim.
        index: An open index or its directory; None: there is no corpus.
        model: Re-scores the words of the text; an open model or its name; None: nobody does.
        **settings: Any field of `Settings`, `faithfulness` and `calibrator` above all.

    Raises:
        UsageError: A setting, path or name that cannot be used.
        CalibrationError: The calibrator is of other scores.
    """
    named = {**settings, "model": model if isinstance(model, str) else None}
    resolved = resolve_settings(**named)
    opened = (
        open_index(index, damaged_segments=resolved.damaged_segments)
        if isinstance(index, (str, Path))
        else index
    )
    own = open_model(resolved) if isinstance(model, str) else None
    try:
        return _check(text, question, contexts, opened, own or model, resolved)
    finally:
        if own is not None:
            own.close()


def _check(
    text: str,
    question: str | None,
    contexts: Sequence[str | Document],
    index: EmbeddedIndex | None,
    model: Any,
    settings: Settings,
) -> Report:
    from averment.checking import TextCheck

    scorer = open_faithfulness(settings, model)
    counting = None if index is None else QuCo(entity_threshold=LEAST_DOCUMENTS)
    window_words = counting.window_words if counting else 0
    scoring = make_scoring(
        settings, scorer, index=index, model=model, writes=False, window_words=window_words
    )
    has_passages = index is not None and index.extra_directory("bm25") is not None
    rule = TextCheck(scoring, counting, n_passages=_PASSAGES_A_CLAIM if has_passages else 0)
    writer = model or _missing("a language model", "Name one: --model NAME")
    edges = Edges(
        index=index or _missing("a corpus index", "Name one: --index DIR"),
        retriever=open_retriever(index) if index and has_passages else _missing("passages", ""),
        model=writer,
        extractor=open_extractor(settings, writer),
        faithfulness=scorer,
    )
    passages = [_whole_context(number, given) for number, given in enumerate(contexts, start=1)]
    asked = None if question is None else Question("question", question)
    return carry_out(rule.run(text, asked, passages), edges)


def _missing(what: str, hint: str) -> Any:
    return Missing(what, hint=hint)


def _whole_context(number: int, given: str | Document) -> Passage:
    document = given if isinstance(given, Document) else Document(f"context {number}", given)
    name = document.document_id
    return Passage(name, name, document.title, document.text, 0, len(document.text))


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
    opened = (
        index
        if isinstance(index, EmbeddedIndex)
        else open_index(resolved.index, damaged_segments=resolved.damaged_segments)
    )
    rule = make_policy(resolved.policy, opened.info)
    retriever = open_retriever(opened)
    if model is not None and not isinstance(model, str):
        return _engine(rule, opened, retriever, model, resolved, on_close=None)
    own = open_model(resolved)
    try:
        return _engine(rule, opened, retriever, own, resolved, on_close=own.close)
    except BaseException:
        own.close()
        raise


def _engine(
    rule: SentenceLoop,
    index: CorpusIndex,
    retriever: Retriever,
    model: LanguageModel,
    settings: Settings,
    *,
    on_close: Callable[[], None] | None,
) -> Engine:
    extractor = open_extractor(settings, model)
    if not settings.scores:
        return Engine(rule, Edges(index, retriever, model, extractor), on_close=on_close)
    scorer = open_faithfulness(settings, model)
    window_words = getattr(rule.trigger, "window_words", 0)
    scoring = make_scoring(
        settings, scorer, index=index, model=model, writes=True, window_words=window_words
    )
    edges = Edges(index, retriever, model, extractor, scorer)
    return Engine(rule, edges, scoring=scoring, on_close=on_close)
