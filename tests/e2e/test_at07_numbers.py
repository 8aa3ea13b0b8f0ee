"""AT-7: another digit, unit, date or sign makes a supported claim a contradicted one.

And another spelling of the same value does not: "1,000" is "one thousand", "5 km" is "5000 m".
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import averment
from averment.cli.app import run
from averment.types import Claim, ClaimVerdict
from contracts.disk import disk_without_fsync  # noqa: F401
from e2e.judges import EACH_JUDGE

BRIDGE = "The bridge is 5 km long and was painted green."
OPENED = "The bridge opened on 3 May 1890 after a long delay."
NIGHT = "The temperature fell to -12 °C at night."
SALES = "Sales rose by 12 % in spring."
BAG = "The bag weighs 2500 grams when full."
PRICE = "The price is $5,000,000 in all."
DOSE = "The dose is 5 µg daily for adults."

SAME_VALUE = {
    "as it stands": ("The bridge is 5 km long.", BRIDGE),
    "metres for kilometres": ("The bridge is 5000 m long.", BRIDGE),
    "date in the other order": ("The bridge opened on May 3, 1890.", OPENED),
    "year of the date": ("The bridge opened in 1890.", OPENED),
    "number in words": (
        "The town has 1,000 inhabitants.",
        "The town has one thousand inhabitants.",
    ),
    "percent in words": ("Sales rose by 12 percent.", SALES),
    "kilograms for grams": ("The bag weighs 2.5 kg.", BAG),
    "hours for minutes": ("The walk took 1.5 hours.", "The walk took 90 minutes."),
    "millions in words": ("The price is $5 million.", PRICE),
    "sign kept": ("The temperature fell to -12 °C.", NIGHT),
}
ALTERED = {
    "digit": ("The bridge is 6 km long.", BRIDGE, "number_differs"),
    "unit": ("The bridge is 5 m long.", BRIDGE, "number_differs"),
    "day": ("The bridge opened on 4 May 1890.", OPENED, "date_differs"),
    "month": ("The bridge opened on 3 June 1890.", OPENED, "date_differs"),
    "year": ("The bridge opened in 1891.", OPENED, "date_differs"),
    "sign": ("The temperature fell to 12 °C.", NIGHT, "number_differs"),
    "digits exchanged": ("Sales rose by 21 percent.", SALES, "number_differs"),
    "decimal point": ("The bag weighs 25 kg.", BAG, "number_differs"),
    "magnitude": ("The price is $5 billion.", PRICE, "number_differs"),
    "currency": ("The price is €5,000,000.", PRICE, "number_differs"),
    "milligrams for micrograms": ("The dose is 5 mg daily.", DOSE, "number_differs"),
}


def checked(claim: str, passage: str, faithfulness: str) -> Claim:
    (found,) = averment.check(claim, contexts=[passage], faithfulness=faithfulness).claims
    return found


@EACH_JUDGE
@pytest.mark.parametrize(("claim", "passage"), SAME_VALUE.values(), ids=SAME_VALUE.keys())
def test_the_same_value_is_supported(claim: str, passage: str, faithfulness: str) -> None:
    assert checked(claim, passage, faithfulness).verdict is ClaimVerdict.SUPPORTED


@EACH_JUDGE
@pytest.mark.parametrize(("claim", "passage", "rule"), ALTERED.values(), ids=ALTERED.keys())
def test_another_value_is_contradicted_by_a_named_rule(
    claim: str, passage: str, rule: str, faithfulness: str
) -> None:
    found = checked(claim, passage, faithfulness)

    assert found.verdict is ClaimVerdict.CONTRADICTED
    assert found.reasons["verdict"] == rule


@EACH_JUDGE
def test_a_passage_about_something_else_does_not_hide_the_number(faithfulness: str) -> None:
    claim, passage, rule = ALTERED["digit"]

    (found,) = averment.check(
        claim, contexts=["Stir the flour into warm milk.", passage], faithfulness=faithfulness
    ).claims

    assert (found.verdict, found.reasons["verdict"]) == (ClaimVerdict.CONTRADICTED, rule)
    assert "5 km" in found.evidence[0].text


@EACH_JUDGE
def test_the_command_says_so_too(faithfulness: str, capsys: pytest.CaptureFixture[str]) -> None:
    claim, passage, rule = ALTERED["year"]
    Path("answer.txt").write_text(claim, encoding="utf-8")
    Path("source.txt").write_text(passage, encoding="utf-8")
    command = ["check", "answer.txt", "--context", "source.txt", "--faithfulness", faithfulness]

    assert run([*command, "--json"]) == 0

    (found,) = json.loads(capsys.readouterr().out)["claims"]
    assert (found["verdict"], found["reasons"]["verdict"]) == ("contradicted", rule)
