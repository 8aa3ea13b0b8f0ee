"""Names and triplets in German, Spanish and Chinese; what is in no language with rules says so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.claims.languages.vocabulary import vocabulary
from averment.claims.rules import RulesExtractor
from averment.errors import ExtractionError, UnknownNameError

NAMES = {
    "de: nouns have capitals and are no names": (
        "Der Fluss fließt durch die Stadt Köln und viele Wälder.",
        ["Köln"],
    ),
    "de: behind an article only listed names are": (
        "Die Grenze der Schweiz liegt am Rhein.",
        ["Schweiz", "Rhein"],
    ),
    "de: two capitals in a row": (
        "Später traf Otto von Bismarck die Königin Victoria in London.",
        ["Otto von Bismarck", "Victoria", "London"],
    ),
    "de: by whom is no part of a name": (
        "1990 wurde Kumbasaram von Haneef gedreht.",
        ["Kumbasaram", "Haneef"],
    ),
    "de: what ends as nouns do": ("In Regierung und Wissenschaft war es bekannt.", []),
    "de: long words are compounds, but for places": (
        "Wie viele Arten gab es von Zwillingsprimzahlen in Recklinghausen?",
        ["Recklinghausen"],
    ),
    "de: an acronym": ("Wie viele Sitze hat die SPD?", ["SPD"]),
    "de: a question word is none": ("Welcher Regisseur hat Kumbasaram gedreht?", ["Kumbasaram"]),
    "es: particles inside": (
        "La obra fue escrita por Gabriel García Márquez en la Ciudad de México.",
        ["Gabriel García Márquez", "Ciudad de México"],
    ),
    "es: the article that opens a sentence": ("El Ebro pasa por Zaragoza.", ["Ebro", "Zaragoza"]),
    "es: a question": ("¿Cuándo nació Miguel de Cervantes?", ["Miguel de Cervantes"]),
    "zh: a title in brackets": ("谁执导了《英雄》？", ["英雄"]),
    "zh: a name as foreign names are spelt": ("后来马里奥·爱迪生也来了。", ["马里奥·爱迪生"]),
    "zh: an end that names have": ("黑豹队的防守丢了多少分？", ["黑豹队"]),
    "zh: Latin letters": ("他在NFL打球。", ["NFL"]),
    "zh: subject and object": ("鲁迅出生于绍兴。", ["鲁迅", "绍兴"]),
    "zh: a country that holds the word for and": (
        "北京是中华人民共和国的首都。",
        ["北京", "中华人民共和国"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), NAMES.values(), ids=NAMES.keys())
def test_names(text: str, expected: list[str]) -> None:
    [found] = RulesExtractor().entities([text])

    assert [each.text for each in found if each.kind in ("name", "title")] == expected
    assert all(text[each.start : each.end] == each.text for each in found)


TRIPLETS = {
    "de: passive, the verb at the end": (
        "Kumbasaram wurde von Haneef in Zürich gedreht.",
        [
            ("Kumbasaram", "wurde von gedreht", "Haneef"),
            ("Kumbasaram", "wurde in gedreht", "Zürich"),
        ],
    ),
    "de: the subject behind the verb": (
        "Im Jahr 1867 wurde Marie Curie in Warschau geboren.",
        [
            ("Marie Curie", "wurde in geboren", "1867"),
            ("Marie Curie", "wurde in geboren", "Warschau"),
        ],
    ),
    "de: a role before the head": (
        "Die Hauptstadt von Deutschland ist Berlin.",
        [("Deutschland", "hauptstadt von", "Berlin")],
    ),
    "de: two subjects": (
        "Haneef und Arjun Nair gründeten die Firma Orbit.",
        [
            ("Haneef", "gründeten die firma", "Orbit"),
            ("Arjun Nair", "gründeten die firma", "Orbit"),
        ],
    ),
    "de: a life in brackets": (
        "Marie Curie (7. November 1867 – 4. Juli 1934) war eine Physikerin.",
        [
            ("Marie Curie", "geboren", "7. November 1867"),
            ("Marie Curie", "gestorben", "4. Juli 1934"),
        ],
    ),
    "de: a relative clause": (
        "Haneef, der Vetham schrieb, wurde in Zürich geboren.",
        [("Haneef", "schrieb", "Vetham"), ("Haneef", "wurde in geboren", "Zürich")],
    ),
    "de: a pronoun is nobody": ("Er wurde in Zürich geboren.", []),
    "de: a common noun is nobody": ("Der Film wurde von Haneef gedreht.", []),
    "es: passive": (
        "Kumbasaram fue dirigida por Haneef en 2017.",
        [
            ("Kumbasaram", "fue dirigida por", "Haneef"),
            ("Kumbasaram", "fue dirigida en", "2017"),
        ],
    ),
    "es: a date with its month": (
        "Gabriel García Márquez nació en Aracataca el 6 de marzo de 1927.",
        [
            ("Gabriel García Márquez", "nació en", "Aracataca"),
            ("Gabriel García Márquez", "nació", "6 de marzo de 1927"),
        ],
    ),
    "es: a role before the head": (
        "La capital de España es Madrid.",
        [("España", "capital de", "Madrid")],
    ),
    "es: a date in front": (
        "En 1990 Ana Botella fundó Orbit en Sevilla.",
        [
            ("Ana Botella", "fundó", "1990"),
            ("Ana Botella", "fundó", "Orbit"),
            ("Ana Botella", "fundó en", "Sevilla"),
        ],
    ),
    "es: a common noun is nobody": ("La película fue dirigida por Haneef.", []),
    "zh: by whom": ("《红楼梦》由曹雪芹所著。", [("红楼梦", "著", "曹雪芹")]),
    "zh: a second clause": (
        "曹雪芹出生于南京，著有《红楼梦》。",
        [("曹雪芹", "出生于", "南京"), ("曹雪芹", "著有", "红楼梦")],
    ),
    "zh: what something is of": ("北京是中国的首都。", [("北京", "首都", "中国")]),
    "zh: what of something is": ("中国的首都是北京。", [("中国", "首都", "北京")]),
    "zh: at a date": ("鲁迅于1881年出生。", [("鲁迅", "出生", "1881年")]),
    "zh: a pronoun is nobody": ("他出生于北京。", []),
}


@pytest.mark.parametrize(("sentence", "expected"), TRIPLETS.values(), ids=TRIPLETS.keys())
def test_triplets(sentence: str, expected: list[tuple[str, str, str]]) -> None:
    [found] = RulesExtractor().triplets([sentence])

    assert [(each.head, each.relation, each.tail) for each in found.triplets] == expected


SILENT = [
    ("question", "Wer führte bei Kumbasaram Regie?"),
    ("conclusion", "Die Antwort ist also Haneef."),
    ("comparison", "Haneef ist älter als Arjun Nair."),
    ("negation", "Haneef hat Vetham nicht gedreht."),
    ("refusal", "Wer Kumbasaram gedreht hat, ist unbekannt."),
    ("talk", "Laut dem Text wurde Kumbasaram von Haneef gedreht."),
    ("fragment", "Haneef aus der Stadt Zürich und die anderen."),
    ("question", "¿Quién dirigió Kumbasaram?"),
    ("conclusion", "Por lo tanto, la respuesta es Haneef."),
    ("comparison", "Haneef es más alto que Arjun Nair."),
    ("negation", "Haneef no dirigió Vetham en Sevilla."),
    ("refusal", "Se desconoce quién dirigió Kumbasaram."),
    ("question", "谁执导了《英雄》？"),
    ("conclusion", "所以答案是北京。"),
    ("comparison", "长江比黄河长。"),
    ("negation", "鲁迅没有出生于北京。"),
    ("refusal", "无法确定鲁迅出生于哪里"),
]


@pytest.mark.parametrize(("rule", "sentence"), SILENT)
def test_what_claims_nothing_says_by_which_rule(rule: str, sentence: str) -> None:
    [found] = RulesExtractor().triplets([sentence])

    assert (found.triplets, found.failed) == ((), None)
    assert found.silent == rule or (rule == "refusal" and found.silent == "question")


def test_a_silent_rule_that_is_switched_off_lets_triplets_through() -> None:
    extractor = RulesExtractor(silent_rules=())

    [found] = extractor.triplets(["Haneef hat Vetham nicht in Zürich gedreht."])

    assert [each.tail for each in found.triplets] == ["Vetham", "Zürich"]


@pytest.mark.parametrize(
    "text",
    [
        "東京は日本の首都です。",
        "القاهرة هي عاصمة مصر وأكبر مدنها.",
        "Анна была королевой и жила в Москве.",
        "กรุงเทพเป็นเมืองหลวงของประเทศไทย",
        "La capitale de la France est Paris, qui est une ville sur la Seine.",
        "Москва — столица.",
    ],
    ids=["ja", "ar", "ru", "th", "fr", "too short for a vote"],
)
def test_a_language_without_rules_is_not_read_as_english(text: str) -> None:
    [found] = RulesExtractor().triplets([text])

    assert found.failed is not None
    assert found.failed.startswith("language_not_read")
    with pytest.raises(ExtractionError, match="language_not_read"):
        RulesExtractor().entities([text])


def test_a_language_that_is_named_is_not_guessed() -> None:
    short = "Haneef drehte Kumbasaram."  # no function word tells what it is in

    assert not RulesExtractor().triplets([short])[0].triplets
    assert RulesExtractor(language="de").triplets([short])[0].triplets
    assert RulesExtractor(otherwise="de").triplets([short])[0].triplets
    with pytest.raises(UnknownNameError, match="klingon"):
        RulesExtractor(language="klingon")


_WORDS = st.sampled_from(
    "Haneef Vetham Zürich wurde gedreht von in und , ( ) der ist fue nació en la de y 1962 ; „ “ « "
    "北京 是 的 首都 《 》 出生于 由 执导 ， 。 12. März Die El . –".split()
)


@given(text=st.lists(_WORDS, max_size=14).map(" ".join) | st.text(max_size=40))
@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize("code", ["de", "es", "zh"])
def test_no_text_makes_the_rules_of_a_language_fail(code: str, text: str) -> None:
    extractor = RulesExtractor(language=code, silent_rules=())
    [found] = extractor.triplets([text])
    [entities] = extractor.entities([text])

    assert all(text[each.start : each.end] == each.text for each in entities)
    assert not {each.reason for each in found.dropped} & {
        "head_not_in_sentence",
        "tail_not_in_sentence",
    }


def test_the_vocabularies_of_german_and_spanish_have_the_same_lists() -> None:
    assert set(vocabulary("de").lists) == set(vocabulary("es").lists)
    assert set(vocabulary("de").settings) == set(vocabulary("es").settings)
