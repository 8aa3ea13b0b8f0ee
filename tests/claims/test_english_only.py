"""English is handed on; other languages are said not to be read."""

import pytest

from averment.claims.english_only import EnglishOnly
from averment.claims.rules import RulesExtractor
from averment.errors import ExtractionError

ENGLISH = "Kumbasaram was directed by Haneef."
GERMAN = "Der Film wurde von dem Regisseur Haneef in der Stadt Köln gedreht."


def test_other_languages_between_english_sentences_are_said_not_to_be_read():
    found = EnglishOnly(RulesExtractor(language="en")).triplets([ENGLISH, GERMAN, ENGLISH])
    assert found[0] == found[2] == RulesExtractor().triplets([ENGLISH])[0]
    assert found[0].triplets
    assert found[1].triplets == ()
    assert found[1].failed.startswith("language_not_read: the extractor rules reads English")


def test_entities_of_another_language_are_refused_with_the_remedy():
    with pytest.raises(ExtractionError, match="reads English, and this looks like 'de'") as error:
        EnglishOnly(RulesExtractor()).entities([ENGLISH, GERMAN])
    assert "--extractor rules" in error.value.hint
    assert error.value.raw == GERMAN


def test_a_language_that_is_named_holds_for_all_texts():
    named = EnglishOnly(RulesExtractor(language="en"), language="en")
    assert named.entities([GERMAN]) == RulesExtractor(language="en").entities([GERMAN])
    assert EnglishOnly(RulesExtractor(), language="de").triplets([ENGLISH])[0].failed


def test_short_texts_are_in_the_language_of_the_index():
    assert EnglishOnly(RulesExtractor()).triplets(["Oslo."])[0].failed is None
    assert EnglishOnly(RulesExtractor(), otherwise="de").triplets(["Oslo."])[0].failed
