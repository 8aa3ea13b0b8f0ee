"""AT-4 with a corpus: names that stand together are no support for what is said of them.

Forty films, each with a director, a star and a guest who was only there: of 160 claims the forty
of the directors are stated, all others put a name that co-occurs into a relation that is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.types import Claim, ClaimVerdict, Document, RelationOutcome, Support
from averment.wiring import check
from averment.wiring.corpus import build_index, open_index
from contracts.disk import disk_without_fsync  # noqa: F401

_FIRST = "Ada Bela Cosmo Dario Elka Fenna Gero Hilda".split()
_LAST = "Arvid Brandt Corell Dumas Ekman".split()
FILMS = [f"The {first} {last} Story" for first in ("Silent", *_FIRST[1:]) for last in _LAST]


def person(number: int, role: str) -> str:
    """A name of its own for each film and role."""
    first, last = _FIRST[number % len(_FIRST)], _LAST[number // len(_FIRST)]
    return f"{first} {role}{last.lower()}"


def documents() -> Iterator[Document]:
    """An article a film, which tells who directed it, who plays in it, and who came to see it."""
    for number, film in enumerate(FILMS):
        director, star, guest = (person(number, role) for role in ("Mc", "Van", "Ter"))
        yield Document(
            f"film-{number}",
            f"{film} is a 1990 drama film directed by {director} and starring {star}. "
            f"On the evening of the first showing {guest} had a great day.",
            title=film,
        )


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Claim]]:
    """The claims about directors, stars, guests and guests as spouses."""
    path = tmp_path_factory.mktemp("films") / "index"
    build_index(documents(), path)
    told: dict[str, list[Claim]] = {}
    for role in ("Mc", "Van", "Ter"):
        said = [f"{film} was directed by {person(n, role)}." for n, film in enumerate(FILMS)]
        told[role] = list(_checked(" ".join(said), path))
    said = [f"{person(n, 'Mc')} was married to {person(n, 'Ter')}." for n in range(len(FILMS))]
    told["spouse"] = list(_checked(" ".join(said), path))
    return told


def _checked(text: str, path: Path) -> tuple[Claim, ...]:
    return check(text, index=open_index(path), faithfulness="lexical").claims


def outcomes(found: list[Claim]) -> list[RelationOutcome]:
    return [each.relation.outcome for claim in found for each in claim.checks if each.relation]


def test_every_pair_stands_near_each_other(claims: dict[str, list[Claim]]) -> None:
    supports = [claim.support for found in claims.values() for claim in found]

    assert supports == [Support.PRESENT] * 160


def test_what_articles_state_is_supported(claims: dict[str, list[Claim]]) -> None:
    assert outcomes(claims["Mc"]) == [RelationOutcome.SUPPORTED] * 40
    assert [claim.verdict for claim in claims["Mc"]] == [ClaimVerdict.SUPPORTED] * 40


@pytest.mark.parametrize("role", ["Van", "Ter"])
def test_another_name_of_the_article_is_contradicted(
    claims: dict[str, list[Claim]], role: str
) -> None:
    assert outcomes(claims[role]) == [RelationOutcome.CONTRADICTED] * 40
    assert [claim.verdict for claim in claims[role]] == [ClaimVerdict.CONTRADICTED] * 40


def test_a_relation_that_nobody_states_has_no_support(claims: dict[str, list[Claim]]) -> None:
    assert RelationOutcome.SUPPORTED not in outcomes(claims["spouse"])
    assert ClaimVerdict.SUPPORTED not in [claim.verdict for claim in claims["spouse"]]
