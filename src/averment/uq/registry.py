"""Every estimator by name.

What a record lacks is told by `Estimator.score`; what a method will need, by `Estimator.needs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from averment.errors import UnknownNameError
from averment.uq import ccp, lexical, meaning, relevance, rescoring, sample_graph, token_probability
from averment.uq.estimator import Estimator, Level, Need
from averment.uq.records import Record, Span
from averment.uq.sample_graph import Affinity


def _spans(name: str, formula: Callable[[Record, Span], float], *needs: Need) -> Estimator:
    return Estimator(name, formula, frozenset(needs))


def _answers(name: str, formula: Callable[[Record], float], *needs: Need) -> Estimator:
    sequence_only = frozenset({Level.SEQUENCE})
    return Estimator(name, lambda record, _: formula(record), frozenset(needs), sequence_only)


def _by_affinity(name: str, formula: Callable[..., float]) -> list[Estimator]:
    samples, nli = Need.SAMPLES, Need.NLI
    return [
        _answers(name, formula, samples, nli),
        _answers(
            f"{name}_contradiction", partial(formula, affinity=Affinity.CONTRADICTION), samples, nli
        ),
        _answers(f"{name}_jaccard", partial(formula, affinity=Affinity.JACCARD), samples),
    ]


_TOKENS, _LOGPROBS, _TOP = Need.TOKENS, Need.LOGPROBS, Need.TOP_LOGPROBS
_FULL, _UNPROMPTED = Need.FULL_DISTRIBUTION, Need.RESCORED_WITHOUT_PROMPT
_SAMPLES, _SAMPLE_LOGPROBS = Need.SAMPLES, Need.SAMPLE_LOGPROBS

_ALL = (
    _spans("max_probability", token_probability.max_probability, _TOKENS, _LOGPROBS),
    _spans("perplexity", token_probability.perplexity, _TOKENS, _LOGPROBS),
    _spans("mean_token_entropy", token_probability.mean_token_entropy, _TOKENS, _FULL),
    _spans("max_token_entropy", token_probability.max_token_entropy, _TOKENS, _FULL),
    _spans(
        "mean_token_entropy_top", token_probability.mean_token_entropy_top, _TOKENS, _LOGPROBS, _TOP
    ),
    _spans(
        "max_token_entropy_top", token_probability.max_token_entropy_top, _TOKENS, _LOGPROBS, _TOP
    ),
    _spans("pmi", rescoring.pmi, _TOKENS, _LOGPROBS, _UNPROMPTED),
    _spans("conditional_pmi", rescoring.conditional_pmi, _TOKENS, _LOGPROBS, _FULL, _UNPROMPTED),
    _spans(
        "parametric_knowledge",
        rescoring.parametric_knowledge,
        _TOKENS,
        Need.RESCORED_WITHOUT_CONTEXT,
    ),
    _spans("p_true", rescoring.p_true, Need.P_TRUE),
    _spans("ccp", ccp.ccp, _TOKENS, _LOGPROBS, _TOP, Need.NLI),
    _answers("lexical_similarity", lexical.lexical_similarity, _SAMPLES),
    *_by_affinity("degree_matrix", sample_graph.degree_matrix),
    *_by_affinity("eccentricity", sample_graph.eccentricity),
    *_by_affinity("sum_of_eigenvalues", sample_graph.sum_of_eigenvalues),
    _answers("number_of_semantic_sets", sample_graph.number_of_semantic_sets, _SAMPLES, Need.NLI),
    _answers("semantic_entropy", meaning.semantic_entropy, _SAMPLES, _SAMPLE_LOGPROBS, Need.NLI),
    _answers("semantic_entropy_discrete", meaning.semantic_entropy_discrete, _SAMPLES, Need.NLI),
    _answers("luq", meaning.luq, _SAMPLES, Need.NLI),
    _spans("frequency_scoring", meaning.frequency_scoring, _SAMPLES, Need.NLI),
    _spans("token_sar", relevance.token_sar, _TOKENS, _LOGPROBS, Need.SIMILARITY),
    _answers("sentence_sar", relevance.sentence_sar, _SAMPLES, _SAMPLE_LOGPROBS, Need.SIMILARITY),
    _answers("sar", relevance.sar, _SAMPLES, _SAMPLE_LOGPROBS, Need.SIMILARITY),
)

ESTIMATORS: Final[Mapping[str, Estimator]] = MappingProxyType({e.name: e for e in _ALL})
"""Every estimator by its name."""


def estimator(name: str) -> Estimator:
    """The estimator of that name.

    Raises:
        UnknownNameError: There is none; close names are listed.
    """
    try:
        return ESTIMATORS[name]
    except KeyError:
        raise UnknownNameError("estimator", name, ESTIMATORS) from None
