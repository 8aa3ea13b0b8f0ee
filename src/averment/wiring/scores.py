"""Who judges faithfulness, and how claims are scored with what is there."""

from __future__ import annotations

import dataclasses
import importlib.util
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import CalibrationError, CapabilityError, ModelFileError, UsageError
from averment.index.embedded import EmbeddedIndex
from averment.ports import (
    CorpusIndex,
    FaithfulnessScorer,
    LanguageModel,
    PairJudge,
    ScoringModel,
)
from averment.promises import Remedy
from averment.settings import Settings
from averment.text import TextForm
from averment.types import Capability

_HOLD_OUT = "averment calibrate LABELLED.jsonl --hold-out 0.5"

if TYPE_CHECKING:
    from averment.franq.calibrator import Calibrator
    from averment.models.judge import JudgeByLanguageModel
    from averment.models.nli import OnnxNli
    from averment.promises import Promise
    from averment.scoring.flow import Scoring


def open_faithfulness(settings: Settings, model: LanguageModel | None) -> FaithfulnessScorer:
    """Who judges faithfulness.

    Args:
        settings: Names the judge.
        model: The language model, for the judge that is one.

    Raises:
        MissingExtraError: The judge needs an extra that is not installed.
        ModelFileError: The model is not there, or is not what it should be.
        CapabilityError: The language model cannot judge, or there is none.
        UsageError: A directory without a judge.
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
    if Path(name).is_dir() and not (Path(name) / "config.json").is_file():
        raise UsageError(
            f"The directory {name} holds no judge: neither model.onnx nor a checkpoint's "
            "config.json is in it.",
            hint="Name lexical, minilm, judge, or a directory with one of them.",
        )
    from averment.models.nli_transformers import open_transformers_nli

    checkpoint = open_transformers_nli(name, local_files_only=settings.offline)
    return scorer_for_window(
        CachedJudge(checkpoint),  # in memory only: what a name stands for can change
        window_tokens=checkpoint.window_tokens,
        n_tokens=checkpoint.n_tokens,
    )


def _nli_scorer(directory: Path | None, settings: Settings, cache: Path) -> FaithfulnessScorer:
    from averment.faithfulness.cache import CachedJudge
    from averment.models.nli import open_nli, open_shipped_nli

    n_threads = settings.threads or 1
    if directory is None:
        nli = open_shipped_nli(n_threads=n_threads)
    else:
        nli = open_nli(directory, n_threads=n_threads)
    return scorer_of(nli, CachedJudge(nli, identity=nli.identity, directory=cache))


def scorer_of(nli: OnnxNli, judge: PairJudge) -> FaithfulnessScorer:
    """How claims are scored with an ONNX model, as its card has it.

    Chunks are as long as the premises that it was trained on, if its card says so, and lexical
    alignment has its say if the card holds the weights.

    Args:
        nli: The model.
        judge: The model itself, or who remembers for it.

    Raises:
        ModelFileError: The weights on the card are not those of a joint judgement.
    """
    from averment.faithfulness.chunks import packed_chunks
    from averment.faithfulness.joint import JointJudge, JointWeights
    from averment.faithfulness.scorer import ChunkedScorer, scorer_for_window

    if nli.joint is not None:
        try:
            judge = JointJudge(judge, weights=JointWeights(**nli.joint))
        except TypeError as error:
            expected = ", ".join(field.name for field in dataclasses.fields(JointWeights))
            raise ModelFileError(
                f"The card of {nli.name!r} has the joint weights {sorted(nli.joint)}; expected "
                f"{expected}."
            ) from error
    if nli.window_words is None:
        return scorer_for_window(judge, window_tokens=nli.window_tokens, n_tokens=nli.n_tokens)
    return ChunkedScorer(judge, split=partial(packed_chunks, budget=nli.window_words))


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
    weighs: bool = False,
) -> Scoring:
    """How claims are scored with these edges; what the model is good for is found out now.

    Args:
        settings: Name the calibrator.
        scorer: Who judges faithfulness.
        index: The corpus, if there is one.
        model: The language model, if there is one.
        writes: The model writes what is scored, so that log-probabilities come with it.
        window_words: The window of the counts.
        weighs: Something weighs the scores by what errors cost, whatever the settings say.

    Raises:
        UsageError: An error rate is to be promised, or costs are to be weighed, without a
            calibrator; or one remedy is asked for where costs choose it.
        CalibrationError: The calibrator is damaged, was fitted on the numbers of others, or cannot
            promise that error rate.
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
    calibrator = None if settings.calibrator is None else read_calibrator(settings.calibrator)
    remedy = _remedy(settings, weighs)
    costs = settings.costs if remedy is Remedy.CHEAPEST else None
    if costs is not None and calibrator is None:
        raise UsageError(
            "What is expected to cost least can only be told by a calibrator: without one no score "
            "is a probability.",
            hint="Name one: --calibrator FILE, made by averment calibrate LABELLED.jsonl",
        )
    return Scoring(
        faithfulness_scorer=scorer.name,
        model=model.info.name if model is not None and reads else "",
        rescores=rescores,
        corpus=corpus,
        form=index.form if isinstance(index, EmbeddedIndex) else TextForm(),
        notes=(why_not,) if why_not else (),
        calibrator=calibrator,
        promise=_promise(settings, calibrator, remedy),
        costs=costs,
    )


def _remedy(settings: Settings, weighs: bool) -> Remedy:
    """What becomes of what is withheld; where costs are weighed, they choose."""
    if not weighs:
        return settings.withheld or Remedy.DROP
    if settings.withheld not in (None, Remedy.CHEAPEST):
        raise UsageError(
            f"The policy {settings.policy!r} lets costs choose what becomes of a claim, and "
            f"--withheld {settings.withheld} was asked for.",
            hint="Leave --withheld out, or make the others dear: --cost hedged=9",
        )
    return Remedy.CHEAPEST


def _promise(settings: Settings, calibrator: Calibrator | None, remedy: Remedy) -> Promise | None:
    from averment.franq.selective import promise
    from averment.promises import NotAttainable

    if settings.target_error is None:
        return None
    if calibrator is None:
        raise UsageError(
            f"An error of at most {settings.target_error:g} can only be promised by a calibrator.",
            hint=f"Name one: --calibrator FILE, made by {_HOLD_OUT}",
        )
    if calibrator.held_out is None:
        raise CalibrationError(
            f"The calibrator {settings.calibrator} was made without held-out questions: it cannot "
            "promise an error rate.",
            hint=f"Make it again: {_HOLD_OUT}",
        )
    found = promise(
        calibrator.held_out,
        target_error=settings.target_error,
        confidence=settings.confidence,
        unit=settings.unit,
    )
    if isinstance(found, NotAttainable):
        raise CalibrationError(
            found.why, hint="Ask for a higher --target-error or a lower --confidence."
        )
    return dataclasses.replace(found, remedy=remedy)


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
