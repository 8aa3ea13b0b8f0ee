"""The text form: words, their places, sentences, names."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from averment.text import (
    Name,
    Span,
    TextForm,
    Word,
    capitalised_names,
    contains_words,
    duration,
    ends_like_a_sentence,
    first_sentence_end,
    n_of,
    sentence_spans,
    sentences,
    shortened,
)

FORM = TextForm()
FOLDED = TextForm(fold_accents=True)

# --- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(" ?! … ", [], id="no word"),
        pytest.param(
            "Don't re-enter_here, 3.5 GB", "don t re enter here 3 5 gb".split(), id="ascii"
        ),
        pytest.param("«Zürich»—Straße", ["zürich", "strasse"], id="full case folding"),
        pytest.param("ΟΔΟΣ οδος", ["οδοσ", "οδοσ"], id="final sigma"),
        pytest.param("cafe\u0301 CAFÉ", ["café", "café"], id="composed and not"),
        pytest.param("Å \u212b A\u030a", ["å", "å", "å"], id="angstrom"),
        pytest.param("\u1112\u1161\u11ab 한", ["한", "한"], id="hangul syllables from letters"),
        pytest.param("x² ½ ⅷ ٣", ["x²", "½", "ⅷ", "٣"], id="numbers of all kinds"),
        pytest.param("東京タワーへ", list("東京タワーへ"), id="han and kana by character"),
        pytest.param("ｶﾀｶﾅ", list("ｶﾀｶﾅ"), id="narrow kana"),
        pytest.param("か\u3099", ["が"], id="kana composed with its mark"),
        pytest.param("กำ", ["ก", "ำ"], id="thai by character"),
        pytest.param("ລາວ", list("ລາວ"), id="lao by character"),
        pytest.param("ខ្មែរ", list("ខ្មែរ"), id="khmer by character"),
        pytest.param("Tokyo東京2020年", ["tokyo", "東", "京", "2020", "年"], id="mixed scripts"),
        pytest.param("a\u200bb a\u00adb", ["a", "b", "a", "b"], id="invisible characters part"),
        pytest.param("ﬁn", ["fin"], id="ligature"),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert FORM.words(text) == words
    assert [word.form for word in FORM.words_with_spans(text)] == words


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        pytest.param("Ann, Bob", [("ann", 0, 3), ("bob", 5, 8)], id="ascii"),
        pytest.param("Äh, so", [("äh", 0, 2), ("so", 4, 6)], id="composed"),
        pytest.param("cafe\u0301 x", [("café", 0, 5), ("x", 6, 7)], id="not composed"),
        pytest.param("\U0001f600é e\u0301", [("é", 1, 2), ("é", 3, 5)], id="beyond 16 bits"),
        pytest.param("ＳＴ ß", [("ｓｔ", 0, 2), ("ss", 3, 4)], id="longer form than text"),
        pytest.param("東e\u0301京", [("東", 0, 1), ("é", 1, 3), ("京", 3, 4)], id="by character"),
        pytest.param("\u1112\u1161\u11ab!", [("한", 0, 3)], id="hangul"),
    ],
)
def test_spans_point_into_the_text_as_given(text: str, spans: list[tuple[str, int, int]]) -> None:
    assert FORM.words_with_spans(text) == [Word(*span) for span in spans]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Zürich Zu\u0308rich Zurich", ["zurich"] * 3, id="accents"),
        pytest.param("Đà Nẵng", ["đa", "nang"], id="a stroke is no accent"),
        pytest.param("हिन्दी", ["हिनदी"], id="nonspacing marks of all scripts"),
        pytest.param("a \u0301 b", ["a", "b"], id="a lone accent is no word"),
        pytest.param("한국", ["한국"], id="hangul stays whole"),
    ],
)
def test_folded_words_have_no_accents(text: str, words: list[str]) -> None:
    assert FOLDED.words(text) == words
    assert [word.form for word in FOLDED.words_with_spans(text)] == words


def test_identity_names_function_unicode_and_accents() -> None:
    version = unicodedata.unidata_version

    assert FORM.identity == f"averment-words-1; unicode {version}; accents kept"
    assert FOLDED.identity == f"averment-words-1; unicode {version}; accents folded"


TRICKY = st.text(
    st.sampled_from(
        "aAéß ſﬁİıŉΣςﾞ.!-'\n0٣½²"
        "\u0301\u0308\u0327\u0345\u0300\u0f71\u0f72\u0f74\u3099\u309a\u09be\u09c7"  # marks
        "\u1100\u1161\u11a8가각"  # hangul letters and syllables
        "かがヿ々〇東京กำເຂ្\u2126\u212b\ufb1d\U0001d15e\U0001f600"
    )
    | st.characters(exclude_categories=["Cs"], exclude_characters="\u0f73\u0f75\u0f81"),
    max_size=12,
)


@given(TRICKY, st.sampled_from([FORM, FOLDED]))
@example("\u0344\u0f74\u0f71", FORM)
@settings(deadline=None, max_examples=500)
def test_words_with_spans_are_the_words_in_order_inside_the_text(text: str, form: TextForm) -> None:
    words = form.words_with_spans(text)

    assert [word.form for word in words] == form.words(text)
    assert all(0 <= word.start < word.end <= len(text) for word in words)
    assert [word.start for word in words] == sorted(word.start for word in words)
    assert [word.end for word in words] == sorted(word.end for word in words)


def by_the_definition(text: str) -> list[str]:
    """Maximal runs of letters, marks and numbers, character by character."""
    words, run = [], ""
    for c in [*unicodedata.normalize("NFC", text), " "]:
        name = unicodedata.name(c, "")
        is_alone = name.startswith(("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER", "THAI"))
        if unicodedata.category(c)[0] in "LMN" and not is_alone:
            run += c
            continue
        words += [run] if run else []
        words += [c] if is_alone else []
        run = ""
    return [unicodedata.normalize("NFC", word.casefold()) for word in words]


@given(
    st.text(
        st.sampled_from("aé9²ٳ́-'’ –“” 東かカก𐍈𝔞𝟗𞤀🜁𑀓𠀀󠄀𰀀"),
        max_size=12,
    )
)
@settings(deadline=None, max_examples=500)
def test_words_are_runs_of_letters_marks_and_numbers_in_every_plane(text: str) -> None:
    assert FORM.words(text) == by_the_definition(text)
    assert FORM.words(text * 50) == by_the_definition(text * 50)


def test_words_belong_to_whoever_asked() -> None:
    FORM.words("new york").append("city")

    assert FORM.words("new york") == ["new", "york"]


def test_words_with_spans_are_the_words_where_a_vowel_sign_is_reordered() -> None:
    text = "\u07f2\u0f73\u309a"

    assert [word.form for word in FORM.words_with_spans(text)] == FORM.words(text)


@given(TRICKY, st.sampled_from([FORM, FOLDED]))
@settings(deadline=None, max_examples=300)
def test_canonically_equivalent_texts_have_the_same_words(text: str, form: TextForm) -> None:
    expected = form.words(text)

    assert form.words(unicodedata.normalize("NFC", text)) == expected
    assert form.words(unicodedata.normalize("NFD", text)) == expected


@given(TRICKY, st.sampled_from([FORM, FOLDED]))
@settings(deadline=None, max_examples=300)
def test_form_of_a_word_is_its_own_form(text: str, form: TextForm) -> None:
    for word in form.words(text):
        assert form.words(word) == [word]


@given(st.text(max_size=20))
@settings(deadline=None)
def test_texts_that_differ_in_case_only_have_the_same_words(text: str) -> None:
    assert FORM.words(text.casefold()) == FORM.words(text)


# --- sentences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(" \n ", [], id="blank"),
        pytest.param("  One two.  Three? ", ["One two.", "Three?"], id="blanks are left out"),
        pytest.param("He lives in St. Louis. She left.", None, id="abbreviation"),
        pytest.param("# Title\n\nText", ["# Title", "Text"], id="blank line"),
        pytest.param("\U0001f600 One. Two.", ["\U0001f600 One.", "Two."], id="beyond 16 bits"),
        pytest.param("日本語です。はい。", ["日本語です。", "はい。"], id="full-width stop"),
    ],
)
def test_sentences_of_a_text(text: str, expected: list[str] | None) -> None:
    expected = expected if expected is not None else ["He lives in St. Louis.", "She left."]

    assert sentences(text) == expected
    assert [text[span.start : span.end] for span in sentence_spans(text)] == expected


@pytest.mark.parametrize("language", ["en", "de", "zh", "xx", ""])
def test_unknown_languages_are_split_like_english(language: str) -> None:
    assert sentence_spans("One. Two.", language) == [Span(0, 4), Span(5, 9)]


@pytest.mark.parametrize("blank", ["\u00a0", "\u202f", "\u3000", " \u2009", "\u00a0\u00a0"])
def test_blank_before_a_period_does_not_break_the_splitter_down(blank: str) -> None:
    """It ended the process of whoever indexed such a text: an error that no `except` is for."""
    text = f"They took plan B{blank}. Then they went."

    assert sentences(text, "en") == [f"They took plan B{blank}.", "Then they went."]


def test_half_a_surrogate_pair_stays_in_its_sentence() -> None:
    text = "A\ud800 mill. A dog."

    assert [text[a:b] for a, b in sentence_spans(text)] == ["A\ud800 mill.", "A dog."]


@given(st.text(st.sampled_from("Ab .?!\n\r\t\u00a0\U0001f600。éDr"), max_size=40))
@settings(deadline=None)
def test_sentence_spans_are_in_order_without_blanks_at_their_ends(text: str) -> None:
    end = 0
    for span in sentence_spans(text):
        assert end <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        end = span.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", None, id="nothing"),
        pytest.param("  \n ", None, id="blank"),
        pytest.param("Paris is", None, id="half a sentence"),
        pytest.param("Paris is big.", None, id="perhaps an abbreviation"),
        pytest.param("Paris is big. It", "Paris is big.", id="the next one has begun"),
        pytest.param("He lives in St. Louis", None, id="an abbreviation"),
        pytest.param("Paris is big\n", "Paris is big", id="line break"),
        pytest.param("\n\n Paris.\r\nIt", "Paris.", id="line breaks on both sides"),
        pytest.param("A. B is.\nC", "A. B is.", id="abbreviation before a line break"),
    ],
)
def test_first_sentence_of_a_growing_text(text: str, expected: str | None) -> None:
    end = first_sentence_end(text)

    assert (None if end is None else text[:end].strip()) == expected


@pytest.mark.parametrize(
    "text", ["Yes.", "Yes!", "Yes?", "Yes…", "はい。", 'He said "yes."', "(Yes.) ", "A line\n"]
)
def test_text_that_ends_like_a_sentence(text: str) -> None:
    assert ends_like_a_sentence(text)


@pytest.mark.parametrize("text", ["", "Yes", "Yes,", "3.5", "Yes. And"])
def test_text_that_does_not_end_like_a_sentence(text: str) -> None:
    assert not ends_like_a_sentence(text)


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("nobody was there", [], id="no capital"),
        pytest.param("we met Ann Hardy in Reno", ["Ann Hardy", "Reno"], id="two names"),
        pytest.param("the Bay of Biscay", ["Bay of Biscay"], id="words inside names"),
        pytest.param("the Isle of the dead", ["Isle"], id="words inside names need a capital"),
        pytest.param("the Tower of, London", ["Tower", "London"], id="comma after an inner word"),
        pytest.param("by J. R. R. Tolkien", ["J. R. R. Tolkien"], id="initials"),
        pytest.param("by J.R.R. Tolkien", ["J.R.R. Tolkien"], id="initials without blanks"),
        pytest.param("by O'Brien and D’Arcy", ["O'Brien", "D’Arcy"], id="apostrophes"),
        pytest.param("the Saxe-Coburg line", ["Saxe-Coburg"], id="hyphen before a capital"),
        pytest.param("on Apollo 11 and Boeing-747", ["Apollo 11", "Boeing-747"], id="numbers"),
        pytest.param("in June 1867", ["June"], id="years are no part"),
        pytest.param("Ann, Bob and Cid", ["Ann", "Bob", "Cid"], id="lists"),
        pytest.param("Ann's hat", ["Ann"], id="possessive"),
        pytest.param("in Paris. London is big", ["Paris", "London"], id="end of a sentence"),
        pytest.param("The Beatles", ["Beatles"], id="article"),
        pytest.param("Who Is The Boss", ["Boss"], id="question words"),
        pytest.param("Which? The!", [], id="nothing but such words"),
        pytest.param("Łódź and Ærø", ["Łódź", "Ærø"], id="letters of all kinds"),
    ],
)
def test_names_of_a_text(text: str, names: list[str]) -> None:
    assert [name.text for name in capitalised_names(text)] == names


def test_names_know_their_place_and_whether_they_open_a_sentence() -> None:
    text = "Cats slept. Ann met Bob. The Ritz is open."

    assert capitalised_names(text) == [
        Name("Cats", 0, 4, True),
        Name("Ann", 12, 15, True),
        Name("Bob", 20, 23, False),
        Name("Ritz", 29, 33, False),
    ]


@given(st.text(st.sampled_from("AbÉ 1.,-'\nof"), max_size=40))
@settings(deadline=None)
def test_names_are_spans_in_order(text: str) -> None:
    end = 0
    for name in capitalised_names(text):
        assert name.text == text[name.start : name.end] != ""
        assert name.start >= end
        end = name.end


# --- phrases ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        pytest.param("new york city", "york city", True, id="at the end"),
        pytest.param("new york city", "new york city", True, id="the same"),
        pytest.param("new york city", "new city", False, id="not in a row"),
        pytest.param("new york", "new york city", False, id="longer"),
        pytest.param("new york", "", True, id="nothing"),
        pytest.param("new yorkshire", "new york", False, id="whole words only"),
    ],
)
def test_words_in_a_row(outer: str, inner: str, expected: bool) -> None:
    assert contains_words(outer.split(), tuple(inner.split())) is expected


WORDS = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), max_size=5)


@given(WORDS, WORDS)
def test_words_in_a_row_are_a_slice(outer: list[str], inner: list[str]) -> None:
    slices = [outer[at : at + len(inner)] for at in range(len(outer) - len(inner) + 1)]

    assert contains_words(outer, inner) is (inner in slices)


@pytest.mark.parametrize(("seconds", "told"), [(42.4, "42 s"), (720, "12 min"), (12_600, "3.5 h")])
def test_a_time_in_words(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_a_shortened_text_is_one_line_and_shows_that_it_was_cut() -> None:
    assert shortened("one\n two") == "one two"
    assert shortened("a" * 10, 10) == "a" * 10
    assert shortened("a" * 11, 10) == "a" * 9 + "…"


@pytest.mark.parametrize(
    ("number", "told"),
    [(0, "0 pairs"), (1, "1 pair"), (1234, "1,234 pairs"), (None, "? pairs")],
)
def test_a_number_is_told_with_its_noun_and_an_unknown_one_is_not_zero(
    number: int | None, told: str
) -> None:
    assert n_of(number, "pair") == told
