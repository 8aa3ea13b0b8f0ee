"""Search terms by the language of a passage, and of a query over passages of several."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from averment.errors import IndexFormatError
from averment.retrieval.bm25 import build_bm25, open_bm25
from averment.retrieval.terms import query_terms, search_terms, terms_identity
from averment.types import Passage


def passages_of(*texts: str) -> list[Passage]:
    return [Passage(str(at), str(at), "", text, 0, len(text)) for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Die Häuser der Stadt", "Haus Stadt"),
        ("es", "las canciones", "Canción"),
        ("ru", "в Москве", "Москва"),
        ("ru", "ёлки", "елка"),
        ("ar", "مُحَمَّد", "محمـــد"),
        ("ar", "ﻣﺤﻤﺪ", "محمد"),
        ("fr", "les nationales", "national"),
        ("ja", "ＮＨＫ", "nhk"),
        ("ja", "ｶﾞｽ", "ガス"),
        ("und", "Zürich", "ZÜRICH"),
    ],
)
def test_forms_of_a_word_share_a_term(language: str, one: str, other: str) -> None:
    assert search_terms(one, language) == search_terms(other, language) != []


def test_scripts_without_blanks_give_pairs_and_han_its_characters_too() -> None:
    assert search_terms("北京市2008年", "zh") == ["北", "京", "市", "北京", "京市", "2008", "年"]
    assert search_terms("北京，上", "zh") == ["北", "京", "北京", "上"]
    assert search_terms("ไทยก", "th") == ["ไท", "ทย", "ยก"]
    assert search_terms("ก", "th") == ["ก"]


def test_english_terms_are_as_they_always_were() -> None:
    text = "The director of Theodred's film in 東京"

    assert search_terms(text, "en") == search_terms(text) == query_terms(text, ["en"])
    assert search_terms(text) == ["director", "theodr", "film", "東", "京"]
    assert "english" in terms_identity() == terms_identity(["en"])


def test_a_query_is_read_in_its_own_language_where_passages_are_in_it() -> None:
    question = "Wer sind die Panthers und die Häuser?"

    assert query_terms(question, ["de", "es"]) == ["panth", "haus"]
    assert set(query_terms(question, ["de", "und"])) == {"panth", "panthers", "haus", "häuser"}


def test_a_query_in_none_of_the_languages_has_each_word_as_each_of_them_has_it() -> None:
    question = "Wer sind die Panthers und die Häuser?"  # German

    assert query_terms(question, ["en", "es"]) == ["panther", "häuser", "panthers", "häus"]
    assert "haus" in query_terms("Häuser", ["de", "en"])  # too short to tell


def test_passages_of_several_languages_stand_in_one_index(tmp_path: Path) -> None:
    passages = passages_of("Viele Häuser.", "Many houses.", "许多房子。", "Muchas casas.")
    build_bm25(passages, tmp_path, languages=["de", "en", "zh", "es"])
    found = open_bm25(tmp_path, passages).search(["Haus", "house", "房子", "la casa"], k=1)

    assert [each.hits[0].passage.passage_id for each in found] == ["0", "1", "2", "3"]


def test_english_passages_are_written_as_before(tmp_path: Path) -> None:
    passages = passages_of("Many houses.", "A house.")
    build_bm25(passages, tmp_path / "one")
    build_bm25(passages, tmp_path / "two", languages=["en", "en"])

    for name in ("bm25.json", "scores.npy", "passages.npy", "starts.npy"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert "languages" not in json.loads((tmp_path / "one" / "bm25.json").read_text())


def test_as_many_languages_as_passages(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="shorter"):
        build_bm25(passages_of("a", "b"), tmp_path, languages=["de"])


@pytest.mark.parametrize("languages", ["de", [], [1]])
def test_a_damaged_list_of_languages_is_refused(languages: object, tmp_path: Path) -> None:
    passages = passages_of("Viele Häuser.")
    build_bm25(passages, tmp_path, languages=["de"])
    file = tmp_path / "bm25.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"languages": languages}))

    with pytest.raises(IndexFormatError, match="list of languages"):
        open_bm25(tmp_path, passages)


def test_names_in_other_languages_are_searched_with_a_query_which_stays_as_it_is(
    tmp_path: Path,
) -> None:
    passages = passages_of("科隆大教堂很高。", "Köln ist groß.", "The city is high.", "北京很大。")
    build_bm25(passages, tmp_path, languages=["zh", "de", "en", "zh"])
    forms = {"Who lives in Cologne?": ["科隆", "Köln"]}
    retriever = open_bm25(tmp_path, passages).restricted(
        None, forms_of=lambda query, languages: forms.get(query, [])
    )

    [found, other] = retriever.search([*forms, "Cologne"], k=5)

    assert {hit.passage.passage_id for hit in found.hits} == {"0", "1"}
    assert (found.query, other.hits) == ("Who lives in Cologne?", ())
