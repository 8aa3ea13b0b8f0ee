"""AT-5: a faithful claim may be false and an unfaithful one true, and the mixture knows better
than faithfulness alone and than the corpus alone which claims are false.

The set is `small_world`: 900 claims of answers to questions about 300 towns, by passages that are
right, corrupted or silent. Each is scored by `averment.check` against its passage and a corpus that
holds none of the passages; calibrators are cross-fitted, so that no claim is scored by one that
saw its town. The corpus alone is calibrated in the same way, on the same features.

PR-AUC compares orders only, and an order forgives a mixture whose branches are swapped. What
it claims to be is a probability, so its calibration is a criterion too.

What is not claimed: on corrupted passages alone the corpus alone finds more false claims, as
nothing of the corpus enters the faithful branch unless rivals are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import pytest
from numpy.typing import NDArray

import averment
from averment.franq import calibrator, damping
from averment.franq.calibration import fit
from averment.franq.calibrator import MadeWith, Mode
from averment.franq.corpus_stack import CORPUS
from averment.franq.cross_fitting import cross_fitted_scores
from averment.franq.rows import Row
from averment.franq.score import Score, mixture
from averment.metrics.calibration_error import expected_calibration_error
from averment.metrics.ranking import pr_auc
from averment.metrics.resampling import BootstrapInterval, bootstrap_difference
from averment.types import Claim
from averment.wiring import open_index
from contracts.disk import disk_without_fsync  # noqa: F401
from e2e.small_world import BelievingModel, Told, World, small_world

pytestmark = pytest.mark.xdist_group("faithful-but-false")  # one process scores its claims

FloatArray = NDArray[np.float64]
MADE_WITH = MadeWith("max_probability", "parametric_knowledge", "lexical-alignment", "believing")
LARGEST_ECE = 0.1
N_RESAMPLES = 500


@dataclass(frozen=True, eq=False)
class Scored:
    """The claims of the world with their scores."""

    told: tuple[Told, ...]
    claims: tuple[Claim, ...]

    @property
    def rows(self) -> list[Row]:
        return [
            Row(c.p_faithful, c.uf, c.uu, t.is_true, t.in_passage, t.town, c.features)
            for t, c in zip(self.told, self.claims, strict=True)
        ]

    @property
    def is_true(self) -> NDArray[np.bool_]:
        return np.array([told.is_true for told in self.told])

    def where(self, *conditions: str) -> NDArray[np.bool_]:
        """The claims whose passages are of these conditions; all, if none is named."""
        return np.array([not conditions or told.condition in conditions for told in self.told])


@pytest.fixture(scope="module")
def world() -> World:
    return small_world(seed=0)


@pytest.fixture(scope="module")
def scored(world: World, tmp_path_factory: pytest.TempPathFactory) -> Scored:
    path = tmp_path_factory.mktemp("world") / "index"
    averment.build_index(world.documents, path)
    index, model = open_index(path), BelievingModel(world.told)
    reports = [
        averment.check(
            told.claim,
            told.question,
            [told.passage],
            index=index,
            model=model,
            faithfulness="lexical",
        )
        for told in world.told
    ]
    return Scored(world.told, tuple(report.claims[0] for report in reports))


# --- the set ------------------------------------------------------------------------------------


def test_every_claim_has_every_number(scored: Scored) -> None:
    assert len(scored.claims) == 900
    assert all(row.uf is not None and row.uu is not None for row in scored.rows)
    assert all("zero_weakest" in row.evidence for row in scored.rows)


def test_the_set_holds_what_is_faithful_but_false_and_what_is_true_but_not_faithful(
    scored: Scored,
) -> None:
    faithful_but_false = [t for t in scored.told if t.in_passage and not t.is_true]
    implicit_true = [t for t in scored.told if t.is_true and not t.in_passage]

    assert {told.condition for told in faithful_but_false} == {"corrupted"}
    assert min(len(faithful_but_false), len(implicit_true)) > 100


def test_the_lexical_tier_knows_what_stands_in_the_passage(scored: Scored) -> None:
    in_passage = np.array([told.in_passage for told in scored.told])
    p_faithful = np.array([claim.p_faithful for claim in scored.claims])

    assert p_faithful[in_passage].mean() > 0.7
    assert p_faithful[~in_passage].mean() < 0.2


def test_no_passage_is_in_the_corpus(world: World) -> None:
    documents = {document.text for document in world.documents}

    assert not [told for told in world.told if told.passage in documents]


# --- the criteria -------------------------------------------------------------------------------


def cross_fitted(rows: Sequence[Row], mode: Mode, made_with: MadeWith) -> FloatArray:
    fitted = partial(fit, mode=mode, made_with=made_with, created_by="test", features=CORPUS)
    scores = cross_fitted_scores(rows, fitted)
    return np.array([score.p_true for score in scores if isinstance(score, Score)])


def by_mixture(scored: Scored) -> FloatArray:
    return cross_fitted(scored.rows, Mode.CONDITION, MADE_WITH)


def by_faithfulness(scored: Scored) -> FloatArray:
    return np.array([claim.p_faithful for claim in scored.claims])


@cache
def by_corpus(scored: Scored) -> FloatArray:
    """Everything that corpus features say, and nothing else."""
    rows = [replace(row, p_faithful=0.0) for row in scored.rows]
    return cross_fitted(rows, Mode.SHARED, replace(MADE_WITH, uf="constant", uu="constant"))


def gain(
    p_true: FloatArray, over: FloatArray, scored: Scored, *conditions: str
) -> BootstrapInterval:
    """By how much PR-AUC for false claims is higher; towns are drawn."""
    at = scored.where(*conditions)
    towns = [told.town for told, chosen in zip(scored.told, at, strict=True) if chosen]
    return bootstrap_difference(
        pr_auc,
        1 - p_true[at],
        baseline=1 - over[at],
        is_true=scored.is_true[at],
        question_ids=towns,
        n_resamples=N_RESAMPLES,
    )


def failures(p_true: FloatArray, scored: Scored) -> list[str]:
    """What AT-5 asks for and these probabilities do not give."""
    faithfulness, corpus = by_faithfulness(scored), by_corpus(scored)
    ece = expected_calibration_error(p_true, scored.is_true).value
    gains = {
        "beats faithfulness alone": gain(p_true, faithfulness, scored),
        "beats the corpus alone": gain(p_true, corpus, scored),
        "beats faithfulness where passages are silent": gain(
            p_true, faithfulness, scored, "missing"
        ),
        "beats the corpus where passages are silent": gain(p_true, corpus, scored, "missing"),
        "beats faithfulness where passages are corrupted": gain(
            p_true, faithfulness, scored, "corrupted"
        ),
    }
    failed = [name for name, found in gains.items() if found.low is None or found.low <= 0]
    if ece is None or ece > LARGEST_ECE:
        failed.append("is calibrated")
    return failed


def test_the_mixture_beats_faithfulness_alone_and_the_corpus_alone(scored: Scored) -> None:
    assert failures(by_mixture(scored), scored) == []


def test_where_passages_mislead_the_corpus_alone_is_not_better(scored: Scored) -> None:
    found = gain(by_mixture(scored), by_corpus(scored), scored, "corrupted", "missing")

    assert found.high is not None
    assert found.high > 0


Mixture = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
BROKEN: dict[str, tuple[Mixture, str]] = {
    "swapped weights": (lambda p, f, g: mixture(1 - p, f, g), "is calibrated"),
    "swapped branches": (lambda p, f, g: mixture(p, g, f), "is calibrated"),
    "the faithful branch alone": (
        lambda p, f, g: mixture(np.ones_like(p), f, g),
        "beats the corpus alone",
    ),
    "faithfulness for truth": (
        lambda p, f, g: np.clip(p, 0.01, 0.99),
        "beats faithfulness alone",
    ),
    "upside down": (lambda p, f, g: 1 - mixture(p, f, g), "beats faithfulness alone"),
}


@pytest.mark.parametrize(("broken", "criterion"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_formula_does_not_pass(
    scored: Scored, monkeypatch: pytest.MonkeyPatch, broken: Mixture, criterion: str
) -> None:
    with monkeypatch.context() as patched:
        for module in (calibrator, damping):
            patched.setattr(module, "mixture", broken)
        p_true = by_mixture(scored)

    assert criterion in failures(p_true, scored)


def test_shuffled_labels_do_not_pass(scored: Scored) -> None:
    order = np.random.default_rng(1).permutation(len(scored.told))
    shuffled = [
        replace(told, is_true=scored.told[at].is_true)
        for told, at in zip(scored.told, order, strict=True)
    ]
    unrelated = replace(scored, told=tuple(shuffled))

    assert "beats the corpus alone" in failures(by_mixture(unrelated), unrelated)
