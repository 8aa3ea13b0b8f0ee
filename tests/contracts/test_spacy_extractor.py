from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from averment.claims import parsed
from averment.claims.parsed import open_spacy
from averment.errors import MissingExtraError
from averment.models.scripted import ScriptedModel
from averment.ports import ClaimExtractor
from averment.settings import resolve_settings
from averment.wiring import open_extractor
from contracts.extractor_contract import ExtractorContract

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("spacy") is None, reason="the extra [spacy] is not installed"
)


@pytest.fixture(scope="module")
def opened() -> ClaimExtractor:
    return open_spacy()


class TestSpacyExtractor(ExtractorContract):
    @pytest.fixture
    def extractor(self, opened: ClaimExtractor) -> ClaimExtractor:
        return opened


@pytest.mark.parametrize(
    ("sentence", "pairs"),
    [
        (
            "Haneef, who wrote Vetham, was born in Zurich and moved to Rome.",
            [("Haneef", "Vetham"), ("Haneef", "Zurich"), ("Haneef", "Rome")],
        ),
        ("The capital of France is Paris.", [("France", "Paris")]),
        (
            "Silas Hardy (24 January 1827 – March 1867) was a senator from Concord.",
            [
                ("Silas Hardy", "24 January 1827"),
                ("Silas Hardy", "March 1867"),
                ("Silas Hardy", "Concord"),
            ],
        ),
        ("He was born in Zurich.", []),
    ],
    ids=["relative clause", "role", "brackets", "pronoun"],
)
def test_a_tail_is_paired_with_what_governs_it(
    opened: ClaimExtractor, sentence: str, pairs: list[tuple[str, str]]
) -> None:
    [found] = opened.triplets([sentence])

    assert [(each.head, each.tail) for each in found.triplets] == pairs


def test_another_pipeline_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "PIPELINE", "en_core_web_sm_of_nobody")

    with pytest.raises(MissingExtraError, match=r"\[spacy\]"):
        open_spacy()


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "VERSION", "0.0.0")

    with pytest.raises(MissingExtraError, match=r"\[spacy\]"):
        open_spacy()


def test_importing_loads_nothing() -> None:
    code = "import averment.claims.parsed, sys; sys.exit('spacy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("setting", "name"), [("rules", "rules"), ("spacy", "spacy")])
def test_the_setting_says_who_finds_claims(setting: str, name: str) -> None:
    settings = resolve_settings(extractor=setting)

    assert open_extractor(settings, ScriptedModel([])).name == name
