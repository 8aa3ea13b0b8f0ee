"""The verdict on a claim speaks of evidence: passages first, then the corpus, never of truth."""

from __future__ import annotations

import pytest

from averment.scoring.verdicts import verdict_of
from averment.types import ClaimVerdict, Faithfulness, Support

SUPPORTED, CONTRADICTED = ClaimVerdict.SUPPORTED, ClaimVerdict.CONTRADICTED
UNSUPPORTED, UNVERIFIED = ClaimVerdict.UNSUPPORTED, ClaimVerdict.UNVERIFIED


def found(
    score: float, contradiction: float | None = None, reason: str | None = None
) -> Faithfulness:
    return Faithfulness(score, contradiction, 0, 0, 9, reason)


@pytest.mark.parametrize("support", list(Support), ids=str)
@pytest.mark.parametrize(
    ("faithfulness", "verdict", "reason"),
    [
        pytest.param(found(0.5), SUPPORTED, "passage_entails", id="entailed"),
        pytest.param(found(0.49), UNSUPPORTED, "passages_do_not_entail", id="not entailed"),
        pytest.param(
            found(0.4, reason="name_missing"), UNSUPPORTED, "name_missing", id="a rule says why"
        ),
        pytest.param(found(0.1, 0.5), CONTRADICTED, "passage_contradicts", id="contradicted"),
        pytest.param(
            found(0.6, 0.6, "number_differs"), CONTRADICTED, "number_differs", id="by a rule"
        ),
        pytest.param(found(0.9, 0.49), SUPPORTED, "passage_entails", id="hardly opposed"),
    ],
)
def test_where_there_is_a_passage_it_decides_whatever_the_corpus_says(
    faithfulness: Faithfulness, support: Support, verdict: ClaimVerdict, reason: str
) -> None:
    assert verdict_of(faithfulness, support, unknown="why", from_corpus=False) == (verdict, reason)


@pytest.mark.parametrize(
    "faithfulness",
    [None, Faithfulness(0.0, reason="no_evidence"), Faithfulness(0.0, reason="empty_claim")],
    ids=["nobody judged", "no evidence", "an empty claim"],
)
@pytest.mark.parametrize(
    ("support", "verdict", "reason"),
    [
        (Support.PRESENT, UNVERIFIED, "mention_only"),
        (Support.ABSENT, UNSUPPORTED, "absent_in_corpus"),
        (Support.NOT_COVERED, UNSUPPORTED, "not_covered_in_corpus"),
        (Support.UNKNOWN, UNVERIFIED, "why"),
    ],
    ids=str,
)
def test_without_a_passage_the_corpus_decides_and_never_supports(
    faithfulness: Faithfulness | None, support: Support, verdict: ClaimVerdict, reason: str
) -> None:
    assert verdict_of(faithfulness, support, unknown="why", from_corpus=False) == (verdict, reason)


@pytest.mark.parametrize("support", [Support.ABSENT, Support.NOT_COVERED], ids=str)
def test_what_never_occurs_together_in_the_corpus_is_not_entailed_by_its_passages(
    support: Support,
) -> None:
    entailed = Faithfulness(0.9, 0.0, passage=0, start=0, end=4)

    found = verdict_of(entailed, support, unknown="why", from_corpus=True)

    assert found == (ClaimVerdict.UNSUPPORTED, f"{support}_in_corpus")


def test_a_claim_with_something_missing_is_not_supported_however_well_the_rest_fits() -> None:
    nearly = Faithfulness(0.7, None, passage=0, start=0, end=4, reason="name_missing")

    found = verdict_of(nearly, Support.UNKNOWN, unknown="why", from_corpus=False)

    assert found == (ClaimVerdict.UNSUPPORTED, "name_missing")


@pytest.mark.parametrize(
    "rule", ["number_differs", "date_differs", "negation_differs", "opposite_stated"]
)
def test_a_passage_that_says_something_else_contradicts(rule: str) -> None:
    differing = Faithfulness(0.4, 0.3, passage=0, start=0, end=4, reason=rule)

    found = verdict_of(differing, Support.UNKNOWN, unknown="why", from_corpus=False)

    assert found == (ClaimVerdict.CONTRADICTED, rule)


@pytest.mark.parametrize(
    ("faithfulness", "from_corpus", "expected"),
    [
        pytest.param(
            Faithfulness(0.9, passage=0),
            True,
            (ClaimVerdict.CONTRADICTED, "corpus_states_another"),
            id="entailed by a passage of the same corpus",
        ),
        pytest.param(
            Faithfulness(0.9, passage=0),
            False,
            (ClaimVerdict.SUPPORTED, "passage_entails"),
            id="entailed by a passage that somebody brought",
        ),
        pytest.param(
            Faithfulness(0.2, passage=0),
            False,
            (ClaimVerdict.CONTRADICTED, "corpus_states_another"),
            id="not entailed",
        ),
        pytest.param(
            Faithfulness(0.2, 0.9, 0, reason="date_differs"),
            True,
            (ClaimVerdict.CONTRADICTED, "date_differs"),
            id="a passage opposes too",
        ),
        pytest.param(
            None, True, (ClaimVerdict.CONTRADICTED, "corpus_states_another"), id="nobody judged"
        ),
    ],
)
def test_a_claim_that_the_corpus_denies_is_contradicted(
    faithfulness: Faithfulness | None, from_corpus: bool, expected: tuple[ClaimVerdict, str]
) -> None:
    found = verdict_of(
        faithfulness, Support.PRESENT, unknown="why", from_corpus=from_corpus, is_denied=True
    )

    assert found == expected
