"""What every estimator promises, for each of the registry."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from itertools import permutations

import pytest
from answers_by_hand import known_record, poisoned, reordered, samples, whole_claim, without

from averment.errors import UnknownNameError
from averment.uq.estimator import Absence, Absent, Estimator, Level, Need
from averment.uq.records import WHOLE, ClaimSpan, Record
from averment.uq.registry import ESTIMATORS, estimator

ALL = [pytest.param(e, id=name) for name, e in ESTIMATORS.items()]
OF_CLAIMS = [pytest.param(e, id=n) for n, e in ESTIMATORS.items() if Level.CLAIM in e.levels]
OF_TOKENS = [pytest.param(e, id=n) for n, e in ESTIMATORS.items() if Need.TOKENS in e.needs]
OF_ANSWERS = [pytest.param(e, id=n) for n, e in ESTIMATORS.items() if Level.CLAIM not in e.levels]
OF_ONE_LIST = ({Need.TOKENS, Need.LOGPROBS}, {Need.SAMPLES}, {Need.P_TRUE})
OF_SEVERAL_LISTS = [
    pytest.param(e, id=n) for n, e in ESTIMATORS.items() if e.needs not in OF_ONE_LIST
]
BY_NEED = [
    pytest.param(e, need, id=f"{n}-{need}")
    for n, e in ESTIMATORS.items()
    for need in sorted(e.needs)
]
BY_NUMBER = [
    pytest.param(e, need, id=f"{n}-{need}")
    for n, e in ESTIMATORS.items()
    for need in sorted(e.needs - {Need.TOKENS, Need.SAMPLES})
]


def claim_of(record: Record, **changes: object) -> ClaimSpan:
    return replace(whole_claim(record), **changes)


@pytest.mark.parametrize("method", ALL)
def test_a_sure_answer_scores_below_an_unsure_one(method: Estimator) -> None:
    sure, unsure = method.score(known_record()), method.score(known_record(unsure=True))

    assert isinstance(sure, float)
    assert isinstance(unsure, float)
    assert sure < unsure


@pytest.mark.parametrize(("method", "need"), BY_NEED)
def test_without_a_need_the_score_is_absent_and_names_it(method: Estimator, need: Need) -> None:
    absent = method.score(without(known_record(), need))

    assert isinstance(absent, Absent)
    assert (absent.reason, absent.need) == (Absence.MISSING_INPUT, need)


@pytest.mark.parametrize("method", ALL)
def test_its_needs_are_all_it_reads(method: Estimator) -> None:
    # Without TOKENS or SAMPLES nothing is left to strip of them, so these go last.
    bare = known_record(unsure=True)
    for need in sorted(set(Need) - method.needs, key=lambda n: n in (Need.TOKENS, Need.SAMPLES)):
        bare = without(bare, need)

    assert method.score(bare) == method.score(known_record(unsure=True))


@pytest.mark.parametrize(("method", "need"), BY_NUMBER)
def test_nan_is_refused_and_never_confident(method: Estimator, need: Need) -> None:
    absent = method.score(poisoned(known_record(unsure=True), need))

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.INVALID_INPUT


@pytest.mark.parametrize("method", OF_CLAIMS)
def test_a_claim_of_the_whole_answer_scores_as_the_answer(method: Estimator) -> None:
    record = known_record(unsure=True)

    assert method.score(record, whole_claim(record)) == method.score(record, WHOLE)


@pytest.mark.parametrize("method", OF_TOKENS)
def test_a_claim_that_was_not_aligned_has_no_score(method: Estimator) -> None:
    record = known_record()

    absent = method.score(record, claim_of(record, tokens=()))

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.EMPTY_SPAN


@pytest.mark.parametrize("index", [-1, 3])
@pytest.mark.parametrize("method", OF_TOKENS)
def test_a_claim_beyond_the_answer_is_unaligned(method: Estimator, index: int) -> None:
    record = known_record()

    absent = method.score(record, claim_of(record, tokens=(0, index)))

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.UNALIGNED


@pytest.mark.parametrize("method", OF_TOKENS)
def test_a_token_named_twice_counts_once(method: Estimator) -> None:
    record = known_record(unsure=True)

    twice = method.score(record, claim_of(record, tokens=(0, 1, 1)))

    assert twice == method.score(record, claim_of(record, tokens=(1, 0)))


@pytest.mark.parametrize("method", OF_ANSWERS)
def test_comparisons_of_answers_say_nothing_of_a_claim(method: Estimator) -> None:
    record = known_record()

    absent = method.score(record, whole_claim(record))

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.SEQUENCE_ONLY


@pytest.mark.parametrize("method", OF_ANSWERS)
def test_one_sample_is_too_few(method: Estimator) -> None:
    record = known_record()
    alone = replace(record, samples=record.samples[:1])

    absent = method.score(alone)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.TOO_FEW_SAMPLES


@pytest.mark.parametrize("method", ALL)
def test_the_order_of_samples_does_not_matter(method: Estimator) -> None:
    record = known_record(unsure=True)
    like = [[0, 0.3, 0.7], [0.3, 0, 0.2], [0.7, 0.2, 0]]
    uneven = replace(record, sample_similarity=tuple(map(tuple, like)))

    scores = [method.score(reordered(uneven, order)) for order in permutations(range(3))]

    assert scores == pytest.approx([scores[0]] * 6)


@pytest.mark.parametrize("method", OF_SEVERAL_LISTS)
def test_lengths_that_disagree_are_unaligned(method: Estimator) -> None:
    record = known_record()
    longer = replace(
        record,
        tokens=(*record.tokens, record.tokens[0]),
        samples=(*record.samples, record.samples[0]),
    )

    absent = method.score(longer)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.UNALIGNED


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("token_sar", "token_sar(similarity=all-MiniLM-L6-v2)"),
        ("luq", "luq(nli=deberta)"),
        ("degree_matrix_jaccard", "degree_matrix_jaccard"),
    ],
)
def test_the_label_names_the_model_that_judged(name: str, label: str) -> None:
    record = Record("q", "a", nli_model="deberta", similarity_model="all-MiniLM-L6-v2")

    assert estimator(name).label(record) == label


@pytest.mark.parametrize("field", ["nli_model", "similarity_model"])
def test_judgements_of_an_unnamed_model_are_refused(field: str) -> None:
    record = replace(known_record(), **{field: ""})
    need = Need.NLI if field == "nli_model" else Need.SIMILARITY

    absent = [e.score(record) for e in ESTIMATORS.values() if need in e.needs]

    assert absent
    assert all(isinstance(a, Absent) and a.need is need for a in absent)


def test_a_value_that_is_not_finite_is_absent() -> None:
    method = Estimator("infinite", lambda record, span: math.inf, frozenset())

    absent = method.score(Record("q", "a"))

    assert absent == Absent(Absence.UNDEFINED, "infinite is inf here")


@pytest.mark.parametrize("value", [math.inf, -math.inf, 0.5])
def test_what_cannot_be_a_log_probability_is_refused(value: float) -> None:
    record = replace(known_record(), samples=samples("a", "b", "c", logprobs=[-1, value, -1]))

    absent = estimator("sentence_sar").score(record)

    assert isinstance(absent, Absent)
    assert absent.reason is Absence.INVALID_INPUT


def test_every_estimator_is_found_by_its_name() -> None:
    assert all(estimator(name).name == name for name in ESTIMATORS)


def test_an_unknown_name_lists_close_ones() -> None:
    with pytest.raises(UnknownNameError, match="semantic_entropy"):
        estimator("semantic_entropi")


def test_the_room_imports_nothing_heavy_but_numpy() -> None:
    code = "import averment.uq.registry, sys; print(*{m.partition('.')[0] for m in sys.modules})"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    heavy = {"torch", "scipy", "openai", "pydantic", "bm25s", "sentencex", "Stemmer", "xllamacpp"}
    assert not heavy & set(loaded.stdout.split())
