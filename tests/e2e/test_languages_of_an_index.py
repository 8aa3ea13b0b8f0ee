"""An index in a language, or in several, through the doors that users take."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import averment
from averment.cli.app import app
from averment.errors import IndexFormatError, UnknownNameError
from averment.index.build import IndexWriter
from averment.settings import resolve_settings
from averment.text import sentences
from averment.wiring import open_retriever

GERMAN = "Die Verteidigung erhielt viele Häuser in der Stadt. Das 19. Jahrhundert begann am 1. Mai."
CITIES = [
    averment.Document("de", "Köln liegt am Rhein. Der Dom von Köln ist hoch.", language="de"),
    averment.Document("zh", "科隆大教堂位于科隆。它很高。", language="zh"),
    averment.Document("en", "The city lies on the river.", language="en"),
]
NAMES = "Cologne\tKöln\tmine\tde\nCologne\t科隆\tmine\tzh\nCologne\tColonia\tmine\tes\n"


def found(index: Path, query: str, **settings: object) -> list[str]:
    opened = averment.open_index(index)
    retriever = open_retriever(opened, resolve_settings(index=index, **settings))
    [result] = retriever.search([query], k=5)
    return [hit.passage.document_id for hit in result.hits]


def test_the_language_of_an_index_decides_how_it_is_searched(tmp_path: Path) -> None:
    documents = [averment.Document("a", GERMAN), averment.Document("b", "Ein anderer Text.")]
    averment.build_index(documents, tmp_path / "en")
    for language in ("de", "auto"):
        averment.build_index(documents, tmp_path / language, language=language)

    assert found(tmp_path / "en", "Haus") == []
    assert found(tmp_path / "de", "Haus") == found(tmp_path / "auto", "Haus") == ["a"]
    assert averment.open_index(tmp_path / "auto").language == "auto"


def test_an_english_index_has_the_same_files_with_and_without_its_language(tmp_path: Path) -> None:
    documents = [averment.Document("a", "Many houses. They are high."), *CITIES[2:]]
    averment.build_index(documents, tmp_path / "one")
    averment.build_index(documents, tmp_path / "two", language="en")
    files = [
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (tmp_path / "one", tmp_path / "two")
    ]
    for each in files:
        manifest = json.loads(each.pop(Path("MANIFEST.json")))
        assert manifest["language"] == "en"

    assert files[0] == files[1]


def test_an_index_from_before_languages_is_read_as_english(tmp_path: Path) -> None:
    averment.build_index([averment.Document("a", "Many houses.")], tmp_path / "idx")
    file = tmp_path / "idx" / "MANIFEST.json"
    manifest = json.loads(file.read_text())
    del manifest["language"]
    file.write_text(json.dumps(manifest))

    assert averment.open_index(tmp_path / "idx").language == "en"
    assert found(tmp_path / "idx", "house") == ["a"]


def test_documents_that_are_added_keep_the_language_of_the_index(tmp_path: Path) -> None:
    averment.build_index([averment.Document("a", GERMAN)], tmp_path / "idx", language="de")
    averment.build_index([averment.Document("b", "Viele Häuser.")], tmp_path / "idx", add=True)
    averment.merge_index(tmp_path / "idx")

    assert averment.open_index(tmp_path / "idx").language == "de"
    assert set(found(tmp_path / "idx", "Haus")) == {"a", "b"}
    with (
        pytest.raises(IndexFormatError, match="language 'de'"),
        IndexWriter(tmp_path / "idx", add=True, language="es"),
    ):
        pass
    with pytest.raises(UnknownNameError, match="klingon"):
        averment.build_index(CITIES, tmp_path / "other", language="klingon")


def test_a_record_says_its_language_whatever_the_index_is(tmp_path: Path) -> None:
    averment.build_index([*CITIES, averment.Document("es", "Muchas casas.", language="es")], "idx")

    assert found(Path("idx"), "casa") == ["es"]
    assert found(Path("idx"), "教堂") == ["zh"]
    assert found(Path("idx"), "cities") == ["en"]


def test_a_query_finds_names_in_the_languages_of_the_index(tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text(NAMES)
    table = averment.wiring.read_alias_table(tmp_path / "names.tsv")
    averment.build_index(CITIES, tmp_path / "idx", aliases=table.rows)
    question = "What stands in Cologne?"

    assert set(found(tmp_path / "idx", question)) == {"de", "zh"}
    assert found(tmp_path / "idx", question, aliases=False) == []
    assert "de" in found(tmp_path / "idx", "科隆有什么？")
    assert set(found(tmp_path / "idx", "Was steht in Köln?")) >= {"de", "zh"}


def test_a_name_is_counted_as_all_languages_write_it(tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text(NAMES)
    table = averment.wiring.read_alias_table(tmp_path / "names.tsv")
    averment.build_index(CITIES, tmp_path / "idx", aliases=table.rows)
    index = averment.open_index(tmp_path / "idx")
    counted = averment.wiring.widened(
        index, averment.wiring.open_aliases(resolve_settings(index=tmp_path / "idx"), index)
    )

    for name in ("Cologne", "Köln", "科隆"):
        [count] = counted.count([name])
        assert (count.value, count.documents, count.kind) == (4, 2, "exact")
    assert index.count(["Cologne"])[0].value == 0


def test_a_claim_in_one_language_is_counted_in_a_corpus_of_another(tmp_path: Path) -> None:
    rows = "Germany\tDeutschland\tmine\tde\nGermany\t德国\tmine\tzh\nBerlin\t柏林\tmine\tzh\n"
    (tmp_path / "names.tsv").write_text(rows)
    table = averment.wiring.read_alias_table(tmp_path / "names.tsv")
    documents = [averment.Document("a", "柏林是德国的首都。", language="zh")]
    averment.build_index(documents, tmp_path / "idx", aliases=table.rows)

    for claim in (
        "Berlin is the capital of Germany.",
        "Berlin ist die Hauptstadt von Deutschland.",
        "柏林是德国的首都。",
    ):
        [checked] = averment.check(claim, index=tmp_path / "idx", faithfulness="lexical").claims
        assert checked.support == "present", claim


@pytest.mark.data
def test_english_questions_that_name_a_country_find_chinese_paragraphs(
    tmp_path: Path, shared_data: Path
) -> None:
    def rows(name: str) -> list[dict[str, Any]]:
        with gzip.open(shared_data / name, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    chinese = {row["id"]: row["context"] for row in rows("multilingual/xquad_zh.jsonl.gz")}
    asked = [
        (row["question"], chinese[row["id"]])
        for row in rows("multilingual/xquad_en.jsonl.gz")
        if any(name in row["question"] for name in ("Kenya", "France", "Brazil"))
    ]
    names = "".join(
        f"{country['name']['common']}\t{country['translations']['zho']['common']}\t\tzh\n"
        for country in rows("aliases/countries.jsonl.gz")
        if "zho" in country["translations"]
    )
    (tmp_path / "names.tsv").write_text(names, encoding="utf-8")
    table = averment.wiring.read_alias_table(tmp_path / "names.tsv")
    documents = [averment.Document(text[:40], text) for text in dict.fromkeys(chinese.values())]
    averment.build_index(documents, tmp_path / "idx", language="zh", aliases=table.rows)

    def n_found(**settings: object) -> int:
        return sum(text[:40] in found(tmp_path / "idx", q, **settings) for q, text in asked)

    assert len(asked) >= 15
    assert n_found() > 0.6 * len(asked)  # numbers and Latin letters alone find few
    assert n_found(aliases=False) < 0.3 * len(asked)


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(GERMAN)
    run = CliRunner().invoke

    built = run(app, ["index", "build", "a.txt", "--index", "idx", "--language", "de"])
    told = run(app, ["index", "info", "--index", "idx", "--json"])
    shown = run(app, ["index", "info", "--index", "idx"])
    wrong = run(app, ["index", "build", "a.txt", "--index", "i2", "--language", "xx"])

    assert built.exit_code == 0, built.output
    assert "English" not in built.output
    assert json.loads(told.output)["language"] == "de"
    assert "language    de" in shown.output
    assert isinstance(wrong.exception, UnknownNameError)


def test_a_build_says_that_documents_do_not_look_english(tmp_path: Path) -> None:
    run = CliRunner().invoke
    for name, text in (("de", GERMAN), ("en", "The city lies on the river."), ("no", "1867")):
        (tmp_path / f"{name}.txt").write_text(text)
    built = {
        name: run(app, ["index", "build", f"{name}.txt", "--index", name]).output
        for name in ("de", "en", "no")
    }

    assert "Most documents look like 'de'" in built["de"]
    assert "--language auto" in built["de"]
    assert "look like" not in built["en"] + built["no"]


def test_sentences_end_as_their_language_ends_them() -> None:
    assert sentences("北京是首都。人多吗？“多。”他说！") == [
        "北京是首都。",
        "人多吗？",
        "“多。”",
        "他说！",
    ]
    assert sentences("東京は首都です。大きいですか？") == ["東京は首都です。", "大きいですか？"]
    assert sentences("القاهرة عاصمة مصر. كم عددهم؟ كثير!") == [
        "القاهرة عاصمة مصر.",
        "كم عددهم؟",
        "كثير!",
    ]
    assert sentences(GERMAN) == [
        "Die Verteidigung erhielt viele Häuser in der Stadt.",
        "Das 19. Jahrhundert begann am 1. Mai.",
    ]
    assert sentences("Er wurde 19. Dann ging er nach Köln.", "de") == [
        "Er wurde 19.",
        "Dann ging er nach Köln.",
    ]
    assert sentences("El Sr. García vive en EE. UU. desde 1990. ¿Dónde?") == [
        "El Sr. García vive en EE. UU. desde 1990.",
        "¿Dónde?",
    ]
    assert sentences("กรุงเทพเป็นเมืองหลวง มีคนมาก\n\nจบ") == ["กรุงเทพเป็นเมืองหลวง มีคนมาก", "จบ"]
