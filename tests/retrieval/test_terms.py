from __future__ import annotations

from averment.retrieval.terms import search_terms, terms_identity
from averment.text import TextForm


def test_forms_of_a_word_share_a_term() -> None:
    assert search_terms("directing") == search_terms("Directed") == search_terms("DIRECTS")


def test_stop_words_and_possessives_are_left_out() -> None:
    assert search_terms("The director of Theodred's film") == search_terms("director Theodred film")


def test_terms_keep_order_and_repetition() -> None:
    assert search_terms("Bishop and bishops of Elmham") == ["bishop", "bishop", "elmham"]


def test_scripts_without_spaces_give_a_term_a_character() -> None:
    assert search_terms("東京") == ["東", "京"]


def test_the_identity_tells_the_text_form_and_the_stemmer() -> None:
    identity = terms_identity()

    assert identity.startswith(TextForm().identity)
    assert "snowball" in identity
