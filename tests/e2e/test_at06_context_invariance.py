"""AT-6: passages that have nothing to do with a claim, and the order of passages, change nothing.

One text with several claims is checked against their passages; then with 1, 5 and 20 more that are
about something else, and in other orders. Judgements of the shipped model are remembered between
checks, so that only what is new is judged.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.cli.app import run
from averment.types import Claim
from e2e.judges import EACH_JUDGE
from faithfulness.mentions import mentioned_pairs, stated_pairs

TOLERANCE = 0.05
STEP = {"lexical": 5, "minilm": 30}
IRRELEVANT = [
    f"Step {at + 1} of the recipe: stir {at + 2} spoons of flour into the warm milk, add salt, and "
    "let the dough rest beside the oven until it has doubled."
    for at in range(20)
]
EACH_K = pytest.mark.parametrize("k", [1, 5, 20])


def passages_and_text(faithfulness: str) -> tuple[list[str], str]:
    """Claims that are stated and claims that are only mentioned, and where."""
    pairs = stated_pairs()[:: STEP[faithfulness]] + mentioned_pairs()[:: STEP[faithfulness]]
    claims = dict.fromkeys(pair.claim for pair in pairs)
    return [pair.passage for pair in pairs], " ".join(claims)


def checked(text: str, passages: list[str], faithfulness: str) -> tuple[Claim, ...]:
    return averment.check(text, contexts=passages, faithfulness=faithfulness).claims


def farthest(some: tuple[Claim, ...], others: tuple[Claim, ...]) -> float:
    """By how much the faithfulness of one claim differs at most."""
    assert len(some) > 4
    return max(
        abs((a.p_faithful or 0.0) - (b.p_faithful or 0.0))
        for a, b in zip(some, others, strict=True)
    )


@EACH_JUDGE
@EACH_K
def test_irrelevant_passages_change_no_claim(k: int, faithfulness: str) -> None:
    passages, text = passages_and_text(faithfulness)

    alone = checked(text, passages, faithfulness)
    among = checked(text, [*passages, *IRRELEVANT[:k]], faithfulness)

    assert farthest(alone, among) <= TOLERANCE
    assert [claim.verdict for claim in among] == [claim.verdict for claim in alone]


@EACH_JUDGE
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_another_order_of_passages_changes_no_claim(seed: int, faithfulness: str) -> None:
    passages, text = passages_and_text(faithfulness)
    mixed = [*passages, *IRRELEVANT[:5]]
    random.Random(seed).shuffle(mixed)

    in_order = checked(text, [*passages, *IRRELEVANT[:5]], faithfulness)
    shuffled = checked(text, mixed, faithfulness)

    assert farthest(in_order, shuffled) <= TOLERANCE
    assert [c.evidence[0].text for c in shuffled] == [c.evidence[0].text for c in in_order]


@EACH_JUDGE
def test_irrelevant_passages_alone_support_nothing(faithfulness: str) -> None:
    _, text = passages_and_text(faithfulness)

    claims = checked(text, IRRELEVANT, faithfulness)

    assert {claim.verdict.value for claim in claims}.isdisjoint({"supported", "contradicted"})


@EACH_K
def test_the_same_passage_again_changes_nothing(k: int) -> None:
    passages, text = passages_and_text("lexical")

    once, again = checked(text, passages, "lexical"), checked(text, passages * (k + 1), "lexical")

    assert farthest(once, again) == 0.0


@EACH_JUDGE
@EACH_K
def test_the_command_says_the_same(
    k: int, faithfulness: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("answer.txt").write_text("Paris is the capital of France.", encoding="utf-8")
    Path("a.txt").write_text("Paris, the capital of France, is a large city.", encoding="utf-8")
    irrelevant = [f"irrelevant-{at}.txt" for at in range(k)]
    for name, text in zip(irrelevant, IRRELEVANT, strict=False):
        Path(name).write_text(text, encoding="utf-8")

    def claim(*contexts: str) -> Any:
        more = [part for name in contexts for part in ("--context", name)]
        capsys.readouterr()
        assert run(["check", "answer.txt", "--faithfulness", faithfulness, "--json", *more]) == 0
        return json.loads(capsys.readouterr().out)["claims"][0]

    alone, first, last = claim("a.txt"), claim("a.txt", *irrelevant), claim(*irrelevant, "a.txt")

    for found in (first, last):
        assert abs(found["p_faithful"] - alone["p_faithful"]) <= TOLERANCE
        assert found["evidence"] == alone["evidence"]
