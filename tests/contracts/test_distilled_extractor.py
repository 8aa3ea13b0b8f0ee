from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from averment.errors import UsageError
from averment.models.scripted import ScriptedModel
from averment.ports import ClaimExtractor
from averment.settings import resolve_settings
from averment.wiring import open_extractor
from averment.wiring.models import open_distilled
from contracts.extractor_contract import ExtractorContract

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("onnxruntime") is None, reason="the extra [local] is not installed"
)


@pytest.fixture(scope="module")
def opened() -> ClaimExtractor:
    return open_distilled()


class TestDistilledExtractor(ExtractorContract):
    @pytest.fixture
    def extractor(self, opened: ClaimExtractor) -> ClaimExtractor:
        return opened


def test_the_setting_opens_the_encoder_that_ships_for_english_alone() -> None:
    opened = open_extractor(resolve_settings(extractor="distilled"), ScriptedModel([]))

    [german] = opened.triplets(["Der Film wurde von dem Regisseur Haneef in der Stadt gedreht."])

    assert opened.name == "distilled"
    assert german.failed


@pytest.mark.parametrize(
    ("sentence", "pair"),
    [
        ("Vetham is a 1994 film directed by Arjun Nair.", ("Vetham", "Arjun Nair")),
        (
            "Silas Hardy (24 January 1827 – March 1867) was a senator.",
            ("Silas Hardy", "24 January 1827"),
        ),
        ("Haneef was born in Zurich.", ("Haneef", "Zurich")),
    ],
    ids=["film", "brackets", "verb"],
)
def test_what_a_plain_sentence_claims_is_found(
    opened: ClaimExtractor, sentence: str, pair: tuple[str, str]
) -> None:
    [found] = opened.triplets([sentence])

    assert pair in [(each.head, each.tail) for each in found.triplets]


def test_what_is_found_in_a_sentence_does_not_depend_on_its_company(opened: ClaimExtractor) -> None:
    one, other = "Haneef was born in Zurich.", "Vetham is a 1994 film directed by Arjun Nair."

    assert opened.triplets([one, other]) == opened.triplets([one]) + opened.triplets([other])


def test_what_the_encoder_does_not_read_claims_nothing(opened: ClaimExtractor) -> None:
    padding = "and then some more of the same " * 60

    [found] = opened.triplets([f"It was old {padding} when Haneef was born in Zurich."])

    assert found.triplets == ()


def test_importing_loads_nothing() -> None:
    code = "import averment.claims.distilled, sys; sys.exit('onnxruntime' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_encoder_that_is_not_there_is_said_to_be_left_out_of_packages(tmp_path: Path) -> None:
    settings = resolve_settings(extractor="distilled", extractor_model=tmp_path)

    with pytest.raises(UsageError, match="packages of averment leave it out") as caught:
        open_extractor(settings, ScriptedModel([]))

    assert "AVERMENT_EXTRACTOR_MODEL" in str(caught.value.hint)
