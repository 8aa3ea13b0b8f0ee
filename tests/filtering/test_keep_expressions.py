"""Expressions over documented fields: what they say, what stays unknown, what is refused."""

from __future__ import annotations

import re

import pytest

from averment.errors import UnknownNameError, UsageError
from averment.filtering.keep import COUNTED, JUDGED, Keep, parse_keep

NUMBERS = {
    **dict.fromkeys([*COUNTED, *JUDGED]),
    "n_claims": 4,
    "n_pairs": 2,
    "n_absent_pairs": 0,
    "lowest_p_true": 0.8,
}


def keep(text: str) -> Keep:
    return parse_keep(text, judged=True, calibrated=True)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("n_claims == 4", True),
        ("n_claims != 4", False),
        ("n_claims > 3 and n_absent_pairs == 0", True),
        ("n_claims > 5 or n_absent_pairs > 0", False),
        ("not (n_claims > 5)", True),
        ("1 < n_claims <= 4", True),
        ("p_true >= 0.8", True),
        ("n_pairs / n_claims < 0.6 and n_pairs * 2 - 1 == 3 and n_pairs + 1 == 3", True),
        ("-n_claims < 0", True),
        ("true", True),
        ("False", False),
    ],
)
def test_what_is_known_is_true_or_false(text: str, kept: bool) -> None:
    assert keep(text)(NUMBERS) is kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("least_documents >= 2", None),
        ("not least_documents >= 2", None),
        ("-least_documents + 1 < 2", None),
        ("n_claims == 4 and least_documents >= 2", None),
        ("n_claims == 5 and least_documents >= 2", False),
        ("n_claims == 4 or least_documents >= 2", True),
        ("n_claims == 5 or least_documents >= 2", None),
        ("n_claims / n_absent_pairs > 1", None),
        ("n_claims / 0 > 1", None),
        ("least_documents == null", True),
        ("least_documents != null", False),
        ("n_claims != null", True),
        ("least_documents is None", True),
        ("n_claims is not null and n_claims > 1", True),
        ("least_documents == null or least_documents >= 2", True),
    ],
)
def test_what_is_unknown_stays_unknown_unless_it_is_asked_for(text: str, kept: bool | None) -> None:
    assert keep(text)(NUMBERS) is kept


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cannot be read"),
        ("n_claims > 1 n_pairs", "cannot be read at character 14"),
        ("n_claims = 1", "cannot be read"),
        ("n_claims > 1and n_pairs > 1", "cannot be read"),
        ("n_claims", "'n_claims' stands where a comparison is expected"),
        ("n_claims + 1", "a comparison is expected"),
        ("n_claims > 'a'", "\"'a'\" stands where a field or a number is expected"),
        ("n_claims > true", "a field or a number is expected"),
        ("n_claims in (1, 2)", "'(1, 2)' stands where a field or a number is expected"),
        ("n_claims in n_pairs", "stands where one of == != < <= > >= is expected"),
        ("n_claims < null", "null is only == or != to something"),
        ("__import__('os').system('x') == 0", "a field or a number is expected"),
        ("n_claims.real == 1", "a field or a number is expected"),
        ("(lambda: 1)() == 1", "a field or a number is expected"),
        ("2 ** n_claims > 1", "a field or a number is expected"),
        ("n_claims == 1 " + "or n_claims == 1 " * 200, "at most 2,000 are read"),
    ],
)
def test_what_is_no_expression_is_refused_with_what_is_expected(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        keep(text)


def test_a_field_that_there_is_not_is_told_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError) as raised:
        keep("n_claim > 1")

    assert "Did you mean n_claims" in raised.value.hint
    assert "least_documents" in raised.value.hint


def test_fields_that_a_run_does_not_establish_are_refused() -> None:
    with pytest.raises(UsageError, match="n_contradicted is not known without a judge"):
        parse_keep("n_contradicted == 0", judged=False, calibrated=False)
    with pytest.raises(UsageError, match="lowest_p_true is not known without a calibrator"):
        parse_keep("p_true > 0.5", judged=True, calibrated=False)
    assert parse_keep("p_faithful > 0.5", judged=True, calibrated=False).fields == (
        "lowest_p_faithful",
    )


def test_a_deep_expression_is_refused_and_not_run() -> None:
    with pytest.raises(UsageError):
        keep("(" * 900 + "n_claims == 1" + ")" * 900)
