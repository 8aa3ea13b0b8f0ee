from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from math import log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import EmptyCorpusError, IndexFormatError
from averment.retrieval.bm25 import BM25Retriever, build_bm25, open_bm25
from averment.retrieval.terms import search_terms
from averment.types import Passage
from retrieval.passages_by_hand import OneByOne, passages_of


def built(passages: Sequence[Passage], directory: Path, **settings: float) -> BM25Retriever:
    build_bm25(passages, directory, **settings)
    return open_bm25(directory, passages)


def ids_found(retriever: BM25Retriever, query: str, k: int = 10) -> list[str]:
    [retrieval] = retriever.search([query], k=k)
    return [hit.passage.passage_id for hit in retrieval.hits]


# --- searching ----------------------------------------------------------------------------------


def test_scores_are_those_of_the_formula(tmp_path: Path) -> None:
    retriever = built(passages_of("sea sea ship", "sea", "land"), tmp_path)

    [retrieval] = retriever.search(["sea ship"], k=3)

    mean_length = 5 / 3

    def part(repetitions: int, length: int, n_with_term: int) -> float:
        idf = log(1 + (3 - n_with_term + 0.5) / (n_with_term + 0.5))
        return idf * repetitions / (repetitions + 1.2 * (0.25 + 0.75 * length / mean_length))

    assert [hit.score for hit in retrieval.hits] == pytest.approx(
        [part(2, 3, 2) + part(1, 3, 1), part(1, 1, 2)], rel=1e-5
    )


def test_k1_of_zero_ignores_repetition(tmp_path: Path) -> None:
    retriever = built(passages_of("sea", "sea sea sea"), tmp_path, k1=0.0)

    [retrieval] = retriever.search(["sea"], k=2)

    assert retrieval.hits[0].score == retrieval.hits[1].score


def test_b_of_zero_ignores_length(tmp_path: Path) -> None:
    retriever = built(passages_of("sea and more words than there", "sea"), tmp_path, b=0.0)

    assert ids_found(retriever, "sea") == ["0", "1"]


def test_a_word_of_the_title_is_found(tmp_path: Path) -> None:
    passages = [*passages_of("It was shown."), *passages_of("It was shown.", title="Vetham")]

    [retrieval] = built(passages, tmp_path).search(["Vetham"], k=2)

    assert [hit.passage for hit in retrieval.hits] == [passages[1]]


def test_ties_go_to_the_earlier_passage_also_at_the_cut(tmp_path: Path) -> None:
    retriever = built(passages_of(*["same words"] * 40), tmp_path)

    assert ids_found(retriever, "words", k=3) == ["0", "1", "2"]


@pytest.mark.parametrize("query", ["", "the of", "zebra", "…"])
def test_a_query_without_a_word_that_occurs_finds_nothing(tmp_path: Path, query: str) -> None:
    retriever = built(passages_of("the sea", "the land"), tmp_path)

    assert ids_found(retriever, query) == []


def test_only_passages_that_share_a_word_are_found(tmp_path: Path) -> None:
    retriever = built(passages_of("sea", "land", "sea and land"), tmp_path)

    assert ids_found(retriever, "sea", k=10) == ["0", "2"]


def test_passages_without_any_word_can_be_indexed(tmp_path: Path) -> None:
    retriever = built(passages_of("…", "", "the"), tmp_path)

    assert ids_found(retriever, "sea") == []


def test_a_search_for_no_passage_is_a_mistake(tmp_path: Path) -> None:
    retriever = built(passages_of("sea"), tmp_path)

    with pytest.raises(ValueError, match="at least 1"):
        retriever.search(["sea"], k=0)


def test_only_the_passages_that_are_found_are_read(tmp_path: Path) -> None:
    passages = passages_of("sea", "land", "sky")
    build_bm25(passages, tmp_path)
    stored = OneByOne(passages)

    open_bm25(tmp_path, stored).search(["land"], k=2)

    assert stored.read == [1]


_TEXTS = st.lists(
    st.lists(st.sampled_from("sea land sky ship Åland 東京 ’s the".split()), max_size=6).map(
        " ".join
    ),
    min_size=1,
    max_size=8,
)


@settings(deadline=None)
@given(texts=_TEXTS, query=st.text("sealndkyhip 東Å", max_size=20), k=st.integers(1, 10))
def test_hits_share_a_term_are_ordered_and_are_the_best(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str, k: int
) -> None:
    retriever = built(passages_of(*texts), tmp_path_factory.mktemp("bm25"))

    [few] = retriever.search([query], k=k)
    [every] = retriever.search([query], k=len(texts))

    wanted = set(search_terms(query))
    matching = [str(at) for at, text in enumerate(texts) if wanted & set(search_terms(text))]
    keys = [(-hit.score, int(hit.passage.passage_id)) for hit in every.hits]
    assert sorted(hit.passage.passage_id for hit in every.hits) == matching
    assert keys == sorted(keys)
    assert few.hits == every.hits[:k]


# --- building -----------------------------------------------------------------------------------


def test_the_same_passages_give_the_same_bytes(tmp_path: Path) -> None:
    passages = passages_of("the sea and the land", "ships at sea", title="Åland")

    for name in ("one", "two"):
        build_bm25(iter(passages), tmp_path / name)

    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two


def test_building_again_replaces_the_index(tmp_path: Path) -> None:
    build_bm25(passages_of("sea", "land", "sky"), tmp_path)

    retriever = built(passages_of("ship"), tmp_path)

    assert ids_found(retriever, "sea ship") == ["0"]


def test_no_passage_is_an_empty_corpus(tmp_path: Path) -> None:
    with pytest.raises(EmptyCorpusError):
        build_bm25([], tmp_path)


@pytest.mark.parametrize(("k1", "b"), [(-1.0, 0.75), (float("nan"), 0.75), (1.2, 1.5), (1.2, -0.1)])
def test_settings_out_of_range_are_mistakes(tmp_path: Path, k1: float, b: float) -> None:
    with pytest.raises(ValueError, match="k1 must be at least 0"):
        build_bm25(passages_of("sea"), tmp_path, k1=k1, b=b)


def test_building_prints_and_logs_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)

    build_bm25(passages_of("sea", "land"), tmp_path)

    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_searching_does_not_import_the_library_that_builds(tmp_path: Path) -> None:
    build_bm25(passages_of("sea"), tmp_path)
    program = f"""
import sys
from pathlib import Path
from averment.retrieval.bm25 import open_bm25
from averment.types import Passage
retriever = open_bm25(Path({str(tmp_path)!r}), [Passage("0", "0", "", "sea", 0, 3)])
print(len(retriever.search(["sea"], k=1)[0].hits), "bm25s" in sys.modules)
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.split() == ["1", "False"], done.stderr


# --- opening ------------------------------------------------------------------------------------

FILES = ("bm25.json", "scores.npy", "passages.npy", "starts.npy")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "foreign"])
def test_a_damaged_file_is_a_format_error(tmp_path: Path, name: str, damage: str) -> None:
    passages = passages_of("the sea and the land", "ships at sea")
    build_bm25(passages, tmp_path)
    path = tmp_path / name
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        cut = {"empty": b"", "cut": content[: len(content) - 3], "foreign": b"\x00" * 200}
        path.write_bytes(cut[damage])

    with pytest.raises(IndexFormatError) as caught:
        open_bm25(tmp_path, passages)

    assert str(tmp_path) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("name", FILES[1:])
def test_an_array_with_another_byte_in_its_header_is_a_format_error(
    tmp_path: Path, name: str
) -> None:
    passages = passages_of("the sea and the land", "ships at sea")
    build_bm25(passages, tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes().replace(b"), }", b"(, }", 1))

    with pytest.raises(IndexFormatError, match=f"{name}: its header is damaged"):
        open_bm25(tmp_path, passages)


@pytest.mark.parametrize("name", FILES[1:])
def test_an_array_of_another_index_is_a_format_error(tmp_path: Path, name: str) -> None:
    passages = passages_of("the sea and the land", "ships at sea")
    build_bm25(passages, tmp_path / "one")
    build_bm25(passages_of("sky", "sky and ships and more", "and one more"), tmp_path / "two")
    (tmp_path / "one" / name).write_bytes((tmp_path / "two" / name).read_bytes())

    with pytest.raises(IndexFormatError, match="damaged"):
        open_bm25(tmp_path / "one", passages)


def test_an_array_of_another_type_is_a_format_error(tmp_path: Path) -> None:
    passages = passages_of("sea")
    build_bm25(passages, tmp_path)
    (tmp_path / "scores.npy").write_bytes((tmp_path / "starts.npy").read_bytes())

    with pytest.raises(IndexFormatError, match="float32"):
        open_bm25(tmp_path, passages)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", "other", "not of format"),
        ("terms_identity", "other", "words would be missed"),
        ("terms", None, "no list of terms"),
        ("n_passages", 7, "7 passages"),
        ("n_postings", "many", "damaged"),
    ],
)
def test_settings_that_do_not_fit_are_a_format_error(
    tmp_path: Path, field: str, value: object, message: str
) -> None:
    passages = passages_of("sea")
    build_bm25(passages, tmp_path)
    path = tmp_path / "bm25.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(settings | {field: value}), encoding="utf-8")

    with pytest.raises(IndexFormatError, match=message):
        open_bm25(tmp_path, passages)


def test_another_number_of_passages_is_a_format_error(tmp_path: Path) -> None:
    build_bm25(passages_of("sea", "land"), tmp_path)

    with pytest.raises(IndexFormatError, match="2 passages, but there are 1"):
        open_bm25(tmp_path, passages_of("sea"))
