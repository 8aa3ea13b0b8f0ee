"""Which language a text is in: said by a record or an option, or guessed, or not told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from averment.errors import UnknownNameError
from averment.languages import (
    FUNCTION_WORDS,
    KNOWN,
    checked_language,
    document_language,
    guess_language,
    language_code,
    spoken_language,
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The capital of France is Paris.", "en"),
        ("Die Hauptstadt von Frankreich ist Paris.", "de"),
        ("¿Cuál es la capital de Francia?", "es"),
        ("Nació Cervantes.", None),
        ("Cervantes escribió Rayuela.", "es"),
        ("Il a été le roi de France pendant une année.", "fr"),
        ("法国的首都是巴黎。", "zh"),
        ("フランスの首都はパリです。", "ja"),
        ("Столица Франции — это Париж, и он был велик.", "ru"),
        ("Столиця України — Київ.", "uk"),
        ("عاصمة فرنسا هي باريس", "ar"),
        ("پایتخت فرانسه پاریس است", "fa"),
        ("เมืองหลวงของฝรั่งเศสคือปารีส", "th"),
        ("프랑스의 수도는 파리이다.", "ko"),
        ("Πρωτεύουσα της Γαλλίας είναι το Παρίσι.", "el"),
    ],
)
def test_a_text_shows_its_language(text: str, language: str | None) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "Paris",
        "Haneef drehte Kumbasaram.",
        "World War I",
        "Van Egmont is a surname.",
        "ü",
    ],
)
def test_a_text_that_is_too_short_to_tell_is_no_other_language_than_english(text: str) -> None:
    assert guess_language(text) in (None, "en")


def test_what_cannot_be_told_is_the_default_only_in_its_letters() -> None:
    assert spoken_language("Haneef drehte Kumbasaram.") == "en"
    assert spoken_language("Haneef drehte Kumbasaram.", otherwise="de") == "de"
    assert spoken_language("Москва — столица.") == "und"
    assert spoken_language("Москва — столица.", otherwise="ru") == "ru"
    assert spoken_language("1867") == "en"


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("de-AT", "de"),
        ("zh_Hans", "zh"),
        ("deu", "de"),
        ("nb", "no"),
        (" es ", "es"),
        ("klingon", None),
        ("", None),
    ],
)
def test_codes_as_records_write_them(written: str, code: str | None) -> None:
    assert language_code(written) == code


def test_a_setting_is_a_code_or_auto() -> None:
    assert checked_language("AUTO") == "auto"
    assert checked_language("de-CH") == "de"
    with pytest.raises(UnknownNameError, match="german"):
        checked_language("german")


def test_a_record_goes_before_the_setting_and_the_look_of_a_text() -> None:
    german = "Die Hauptstadt von Frankreich ist Paris."

    assert document_language("es", german, "auto") == "es"
    assert document_language("no language", german, "zh") == "zh"
    assert document_language(None, german, "auto") == "de"
    assert document_language(None, "Paris", "auto") == "und"


def test_function_words_are_in_the_form_in_which_texts_are_looked_at() -> None:
    assert set(FUNCTION_WORDS) <= KNOWN
    assert all(word == word.lower() for words in FUNCTION_WORDS.values() for word in words)


@pytest.mark.data
@pytest.mark.parametrize("language", ["en", "de", "es", "ru", "ar", "zh"])
def test_questions_of_xquad_are_told_or_not_told_but_hardly_taken_for_another(
    language: str, shared_data: Path
) -> None:
    path = shared_data / "multilingual" / f"xquad_{language}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        questions = [json.loads(line)["question"] for line in lines]
    guesses = [guess_language(question) for question in questions]

    assert sum(guess == language for guess in guesses) > 0.85 * len(questions)
    assert sum(guess not in (language, None) for guess in guesses) <= 0.002 * len(questions)
