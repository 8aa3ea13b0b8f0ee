"""Every method of the tables on the same claims: estimators, XGBoost, FRANQ, with the corpus.

What is fitted is cross-fitted: a claim is scored by what was fitted on the other folds. Folds are
of questions, the same for all methods, so that no claim is scored by a fit that has seen its
question under another condition. Pairs that are chosen are chosen on training folds.

Confidence is better when higher. A method that cannot be fitted has no value, and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scored import ScoredClaim

from averment.errors import CalibrationError
from averment.franq.calibration import fit
from averment.franq.calibrator import MadeWith, Mode
from averment.franq.components import CONSTANT, LOG_PROBABILITIES
from averment.franq.corpus_stack import CORPUS, PLAIN, Features
from averment.franq.folds import fold_of_each
from averment.franq.rows import Row
from averment.franq.score import Score
from averment.metrics.ranking import roc_auc
from averment.metrics.rows import BoolArray, FloatArray, IntArray

N_FOLDS = 5
SEED = 0
CORPUS_ALONE = Features(unfaithful=CORPUS.unfaithful)
_LEAST_SHARE = 0.9  # of the training claims that have a value, or an estimator is not chosen

Pair: TypeAlias = tuple[str, str]
"""The estimators of the faithful branch and of the other one."""
Choose: TypeAlias = Callable[[Sequence[ScoredClaim]], Pair]
Predict: TypeAlias = Callable[[Sequence[ScoredClaim], Sequence[ScoredClaim]], FloatArray]
"""From training claims and others to the confidence of the others, NaN where there is none."""

PAPER_SHORT: Pair = ("semantic_entropy", "sum_of_eigenvalues")
PAPER_LONG: Pair = ("max_probability", "parametric_knowledge")


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A method: the confidence of each claim, NaN where there is none, and why."""

    confidence: FloatArray
    is_probability: bool
    """Whether it lies in [0, 1], so that its calibration can be asked about."""
    notes: tuple[str, ...] = ()
    """Why folds have none, one each."""


def folds_of(claims: Sequence[ScoredClaim], *, seed: int = SEED) -> IntArray:
    """The fold of each claim; all claims of a question are in one."""
    return fold_of_each([claim.question for claim in claims], n_folds=N_FOLDS, seed=seed)


def single_columns(claims: Sequence[ScoredClaim]) -> dict[str, Column]:
    """Every estimator that has a value for some claim, and faithfulness alone."""
    columns = {}
    for name in sorted({name for claim in claims for name in claim.uncertainty}):
        confidence = -_values(claims, name)
        is_log = name in LOG_PROBABILITIES
        columns[name] = Column(np.exp(confidence) if is_log else confidence, is_log)
    p_faithful = np.array([claim.p_faithful for claim in claims])
    return {**columns, "faithfulness alone": Column(p_faithful, True)}


def fitted_columns(
    claims: Sequence[ScoredClaim],
    folds: IntArray,
    *,
    paper: Pair,
    taught: BoolArray | None = None,
    only: Sequence[str] = (),
) -> dict[str, Column]:
    """Every method that combines or is fitted, cross-fitted.

    Args:
        claims: At least 2 questions.
        folds: Of each claim.
        paper: FRANQ's own pair for this form of answer.
        taught: Which claims may teach; all unless said otherwise. The others are scored too.
        only: Names of methods; all unless said otherwise.
    """
    may_teach = np.ones(len(claims), dtype=bool) if taught is None else taught
    with_gold = any(claim.is_faithful is not None for claim in claims)
    with_corpus = any(claim.evidence for claim in claims)
    methods = _methods(paper, with_gold=with_gold, with_corpus=with_corpus)
    return {
        name: Column(confidence, is_probability, notes)
        for name, predict, is_probability in methods
        if not only or name in only
        for confidence, notes in [_cross_fitted(claims, folds, may_teach, predict)]
    }


def _methods(
    paper: Pair, *, with_gold: bool, with_corpus: bool
) -> Iterator[tuple[str, Predict, bool]]:
    """Name, how to fit and predict, whether it is a probability."""
    chosen: Choose = partial(best_pair, otherwise=paper)

    def fixed(_: Sequence[ScoredClaim]) -> Pair:
        return paper

    yield "best single, calibrated", partial(_best_single, otherwise=paper), True
    yield "XGBoost, FRANQ features", partial(_boosted, names=paper), True
    yield "XGBoost, all", partial(_boosted, names=None), True
    if set(paper) <= LOG_PROBABILITIES:
        yield "FRANQ none", _franq(Mode.NONE, fixed), True
    else:
        yield "FRANQ none", _raw(paper), False
    yield "FRANQ quantile", _franq(Mode.QUANTILE, fixed), True
    for mode in (Mode.SHARED, Mode.CONDITION, Mode.GOLD, Mode.SOFT, Mode.EM):
        if with_gold or mode is not Mode.GOLD:
            yield f"FRANQ {mode}", _franq(mode, fixed), True
    for mode in (Mode.CONDITION, Mode.EM):
        yield f"FRANQ {mode}, chosen pair", _franq(mode, chosen), True
    if with_corpus:
        yield "corpus evidence alone", _corpus_alone, True
        yield "XGBoost, all and corpus", partial(_boosted, names=None, corpus=True), True
        for mode in (Mode.CONDITION, Mode.EM):
            yield f"FRANQ {mode} + corpus", _franq(mode, fixed, CORPUS), True
        name = "FRANQ condition, chosen pair + corpus"
        yield name, _franq(Mode.CONDITION, chosen, CORPUS), True


def _cross_fitted(
    claims: Sequence[ScoredClaim], folds: IntArray, taught: BoolArray, predict: Predict
) -> tuple[FloatArray, tuple[str, ...]]:
    """The confidence of each claim by the fit of the other folds, and why some have none."""
    confidence = np.full(len(claims), np.nan)
    notes = []
    for fold in np.unique(folds):
        rest = np.flatnonzero(folds == fold).tolist()
        teachers = [claims[at] for at in np.flatnonzero((folds != fold) & taught).tolist()]
        try:
            confidence[rest] = predict(teachers, [claims[at] for at in rest])
        except CalibrationError as error:
            notes.append(error.message)
    return confidence, tuple(notes)


# --- FRANQ --------------------------------------------------------------------------------------


def _franq(mode: Mode, choose: Choose, features: Features = PLAIN) -> Predict:
    def predict(teachers: Sequence[ScoredClaim], rest: Sequence[ScoredClaim]) -> FloatArray:
        pair = choose(teachers)
        taught = [_row(claim, pair) for claim in teachers]
        return _predicted(taught, [_row(claim, pair) for claim in rest], mode, pair, features)

    return predict


def _raw(pair: Pair) -> Predict:
    """The formula with raw confidences, which are no probabilities: an order and nothing more."""

    def predict(_: Sequence[ScoredClaim], rest: Sequence[ScoredClaim]) -> FloatArray:
        p_faithful = np.array([claim.p_faithful for claim in rest])
        uf, uu = (-_values(rest, name) for name in pair)
        return p_faithful * uf + (1 - p_faithful) * uu

    return predict


def _best_single(
    teachers: Sequence[ScoredClaim], rest: Sequence[ScoredClaim], *, otherwise: Pair
) -> FloatArray:
    """The estimator that orders the training claims best, with one isotonic curve."""
    name = _best(teachers, otherwise[1])
    pair = (CONSTANT, name)
    taught, others = ([_one_branch(c, name) for c in some] for some in (teachers, rest))
    return _predicted(taught, others, Mode.CONDITION, pair, PLAIN)


def _corpus_alone(teachers: Sequence[ScoredClaim], rest: Sequence[ScoredClaim]) -> FloatArray:
    """The base rate, moved by corpus evidence."""
    taught, others = ([_one_branch(c, None) for c in some] for some in (teachers, rest))
    return _predicted(taught, others, Mode.CONDITION, (CONSTANT, CONSTANT), CORPUS_ALONE)


def _predicted(
    taught: Sequence[Row], rest: Sequence[Row], mode: Mode, pair: Pair, features: Features
) -> FloatArray:
    calibrator = fit(
        taught,
        mode=mode,
        made_with=MadeWith(*pair, faithfulness="", model=""),
        created_by="bench/franq",
        features=features,
    )
    scores = calibrator.scores(rest)
    return np.array([s.p_true if isinstance(s, Score) else np.nan for s in scores])


def _row(claim: ScoredClaim, pair: Pair) -> Row:
    uf, uu = (claim.uncertainty.get(name) for name in pair)
    return Row(
        p_faithful=claim.p_faithful,
        uf=None if uf is None else -uf,
        uu=None if uu is None else -uu,
        is_true=claim.is_true,
        is_faithful=claim.is_faithful,
        group=claim.question,
        evidence=claim.evidence,
    )


def _one_branch(claim: ScoredClaim, name: str | None) -> Row:
    """The claim as if nothing were faithful: FRANQ with one branch is that branch."""
    uu = None if name is None else claim.uncertainty.get(name)
    confidence = None if uu is None else -uu
    return Row(0.0, None, confidence, claim.is_true, group=claim.question, evidence=claim.evidence)


def best_pair(teachers: Sequence[ScoredClaim], *, otherwise: Pair) -> Pair:
    """The estimators that order the faithful and the other training claims best, by ROC-AUC."""
    sides = [
        [claim for claim in teachers if (claim.p_faithful >= 0.5) is faithful]
        for faithful in (True, False)
    ]
    return (_best(sides[0], otherwise[0]), _best(sides[1], otherwise[1]))


def _best(teachers: Sequence[ScoredClaim], otherwise: str) -> str:
    found = {}
    is_true = np.array([claim.is_true for claim in teachers])
    for name in sorted({name for claim in teachers for name in claim.uncertainty}):
        values = _values(teachers, name)
        known = ~np.isnan(values)
        if known.mean() >= _LEAST_SHARE:
            found[name] = roc_auc(values[known], is_true[known]).value
    defined = {name: auc for name, auc in found.items() if auc is not None}
    return max(defined, key=lambda name: defined[name]) if defined else otherwise


# --- XGBoost ------------------------------------------------------------------------------------


def _boosted(
    teachers: Sequence[ScoredClaim],
    rest: Sequence[ScoredClaim],
    *,
    names: Pair | None,
    corpus: bool = False,
) -> FloatArray:
    """Boosted trees with the library's defaults, on Pf and these estimators (all: None)."""
    from xgboost import XGBClassifier

    labels = [claim.is_true for claim in teachers]
    if len(set(labels)) < 2:
        raise CalibrationError(f"All {len(labels)} training claims have one label.")
    chosen = names or sorted({name for claim in teachers for name in claim.uncertainty})
    features = sorted({name for claim in teachers for name in claim.evidence}) if corpus else []
    trees = XGBClassifier(random_state=SEED, n_jobs=1)
    trees.fit(_matrix(teachers, chosen, features), np.array(labels, dtype=int))
    made: Any = trees.predict_proba(_matrix(rest, chosen, features))
    return np.asarray(made[:, 1], dtype=np.float64)


def _matrix(
    claims: Sequence[ScoredClaim], names: Sequence[str], features: Sequence[str]
) -> FloatArray:
    columns = [np.array([claim.p_faithful for claim in claims])]
    columns += [_values(claims, name) for name in names]
    columns += [
        np.array([claim.evidence.get(name) for claim in claims], dtype=np.float64)
        for name in features
    ]
    return np.column_stack(columns)


def _values(claims: Sequence[ScoredClaim], name: str) -> FloatArray:
    """The uncertainty of each claim; NaN where it has none."""
    return np.array([claim.uncertainty.get(name) for claim in claims], dtype=np.float64)
