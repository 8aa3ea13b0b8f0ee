"""Words of many scripts with known answers, the same in Python, in C++ and in counts.

What counts as one word is decided in design/0002 and design/0030: NFC and case are folded, accents
stay unless they are folded; width, Arabic's presentation forms and its tatweel are part of a word.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.index import compiled
from averment.index.build import IndexWriter
from averment.index.embedded import open_embedded
from averment.text import TextForm
from averment.types import Document
from contracts.index_engines import EACH_ENGINE, WITHOUT_CORE

KEPT = {
    "Arabic": ("كتب محمد الكتاب", ["كتب", "محمد", "الكتاب"]),
    "Arabic with harakat": ("مُحَمَّدٌ", ["مُحَمَّدٌ"]),
    "tatweel is a letter": ("محمـــد", ["محمـــد"]),
    "Arabic digits": ("عام ٢٠٢٤م", ["عام", "٢٠٢٤م"]),
    "Arabic punctuation": ("من؟ هنا، ثم", ["من", "هنا", "ثم"]),
    "a joiner parts words": ("می\u200cشود", ["می", "شود"]),
    "Russian": ("Ёлка и май", ["ёлка", "и", "май"]),
    "Russian decomposed": ("е\u0308лка маи\u0306", ["ёлка", "май"]),
    "German sharp s": ("Straße STRASSE ẞ", ["strasse", "strasse", "ss"]),
    "German umlaut": ("KÖLN Ko\u0308ln", ["köln", "köln"]),
    "Spanish": ("¿Qué? ¡CANCIÓN!", ["qué", "canción"]),
    "Chinese": ("北京2008年奥运会。", ["北", "京", "2008", "年", "奥", "运", "会"]),
    "Chinese with Latin": ("在NFL联盟", ["在", "nfl", "联", "盟"]),
    "Japanese": ("東京タワーはTokyoの", ["東", "京", "タ", "ワ", "ー", "は", "tokyo", "の"]),
    "Japanese decomposed": ("か\u3099", ["が"]),
    "full width": ("ＮＨＫ", ["ｎｈｋ"]),
    "half width": ("ｶﾞｽ", ["ｶ", "ﾞ", "ｽ"]),
    "ideographic blank": ("国\u3000家", ["国", "家"]),
    "Thai": ("กรุงเทพ 2024", [*"กรุงเทพ", "2024"]),
    "Korean": ("한국어 단어", ["한국어", "단어"]),
}
FOLDED = {
    "Arabic with harakat": ("مُحَمَّدٌ", ["محمد"]),
    "Arabic hamza": ("أحمد", ["احمد"]),
    "Russian": ("ёлка май", ["елка", "маи"]),
    "Spanish": ("canción", ["cancion"]),
    "German": ("Köln", ["koln"]),
}


@pytest.mark.parametrize(("text", "words"), KEPT.values(), ids=KEPT.keys())
def test_words_with_accents(text: str, words: list[str]) -> None:
    form = TextForm()

    assert form.words(text) == words
    assert [word.form for word in form.words_with_spans(text)] == words


@pytest.mark.parametrize(("text", "words"), FOLDED.values(), ids=FOLDED.keys())
def test_words_without_accents(text: str, words: list[str]) -> None:
    assert TextForm(fold_accents=True).words(text) == words


@WITHOUT_CORE
def test_the_compiled_core_cuts_the_same_words() -> None:
    assert compiled.available()
    from averment.index import _native

    for text, words in KEPT.values():
        assert _native.words(text) == words
    for text, words in FOLDED.values():
        assert _native.words(text, fold_accents=True) == words


@pytest.mark.parametrize("engine", EACH_ENGINE)
@pytest.mark.parametrize(
    ("text", "phrase", "count"),
    [
        ("北京是首都。京北不是北京。", "北京", 2),
        ("東京タワーと東京駅", "東京", 2),
        ("กรุงเทพมหานคร กรุงเทพ", "กรุงเทพ", 2),
        ("Die STRASSE und die Straße", "straße", 2),
        ("е\u0308лка, ёлка", "Ёлка", 2),
        ("محمد ومحمد محمد", "محمد", 2),
        ("Köln, KÖLN und Ko\u0308ln; Koln", "köln", 3),
    ],
    ids=["zh", "ja", "th", "de", "ru", "ar", "umlaut"],
)
def test_phrases_are_counted_in_any_script(
    text: str, phrase: str, count: int, engine: str, tmp_path: Path
) -> None:
    with IndexWriter(tmp_path / "idx", engine=engine) as writer:
        writer.add(Document("a", text))
        writer.publish()

    [found] = open_embedded(tmp_path / "idx").count([phrase])

    assert (found.value, found.kind) == (count, "exact")
