"""The worked example of docs/explanation/how-verification-works.md, on the bundled corpus."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from averment.corpus.readers import read_documents
from averment.types import Claim
from averment.wiring import check
from averment.wiring.corpus import build_index, open_index
from contracts.disk import disk_without_fsync  # noqa: F401

CLAIMS = {
    "Marie Curie was born in Warsaw.": ("supported", "present", "states_relation"),
    "Marie Curie was born in Paris.": ("contradicted", "present", "rival_stronger"),
    "Hjalmar Johansen was born in Oslo.": ("contradicted", "present", "states_another"),
    "Fridtjof Nansen died in 1929.": ("contradicted", "absent", "states_another"),
    "Silas Hardy died in 1867.": ("unsupported", "not_covered", None),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Claim]:
    path = tmp_path_factory.mktemp("encyclopaedia") / "idx"
    articles = Path(str(resources.files("averment") / "demo" / "articles.jsonl"))
    build_index(read_documents([articles], on_bad=pytest.fail), path)
    report = check("\n\n".join(CLAIMS), index=open_index(path), faithfulness="lexical")
    return {claim.text: claim for claim in report.claims}


@pytest.mark.parametrize(("text", "expected"), CLAIMS.items(), ids=CLAIMS)
def test_a_claim_is_judged_as_the_page_says(
    found: dict[str, Claim], text: str, expected: tuple[str, str, str | None]
) -> None:
    claim = found[text]

    [made] = claim.checks
    reason = made.relation.reason if made.relation else None
    assert (claim.verdict, claim.support, reason) == expected
