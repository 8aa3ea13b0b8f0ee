from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import IndexFormatError, UsageError
from averment.retrieval.dense import (
    DenseRetriever,
    PassageVectors,
    add_vectors,
    move_vectors,
    open_dense,
    passage_text,
    read_vectors,
)
from averment.types import Passage
from retrieval.passages_by_hand import N_DIMENSIONS, OneByOne, WordEmbedder, passages_of

EMBEDDER = WordEmbedder()


def write(passages: Sequence[Passage], directory: Path, *, without: Sequence[int] = ()) -> None:
    """The vectors of passages by `EMBEDDER`, but of some none."""
    directory.mkdir(exist_ok=True)
    vectors = EMBEDDER.embed([passage_text(passage) for passage in passages])
    made = {number: row for number, row in enumerate(vectors) if number not in without}
    room = PassageVectors.none_yet(len(passages), N_DIMENSIONS, model=EMBEDDER.digest)
    add_vectors(room, made, passages, directory)


def built(passages: Sequence[Passage], directory: Path, **options: Any) -> DenseRetriever:
    write(passages, directory)
    return open_dense(read_vectors(directory), passages, embedder=EMBEDDER, **options)


def ids_found(retriever: DenseRetriever, query: str, k: int = 10) -> list[str]:
    [retrieval] = retriever.search([query], k=k)
    return [hit.passage.passage_id for hit in retrieval.hits]


def of_vectors(*rows: Sequence[float], **options: Any) -> DenseRetriever:
    """A retriever over passages with these vectors; the query "x" has the first direction."""

    class FirstDirection(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.eye(1, len(rows[0]), dtype=np.float32)

    vectors = np.array(rows, dtype=np.float32)
    passages = passages_of(*["x"] * len(rows))
    return DenseRetriever(passages, vectors, embedder=FirstDirection(), **options)


# --- searching ----------------------------------------------------------------------------------


def test_scores_are_the_cosines() -> None:
    [retrieval] = of_vectors([0.6, 0.8], [-1.0, 0.0], [1.0, 0.0]).search(["x"], k=3)

    assert [hit.passage.passage_id for hit in retrieval.hits] == ["2", "0", "1"]
    assert [hit.score for hit in retrieval.hits] == pytest.approx([1.0, 0.6, -1.0])


def test_ties_go_to_the_earlier_passage_also_at_the_cut(tmp_path: Path) -> None:
    retriever = built(passages_of(*["same words"] * 41), tmp_path)

    assert ids_found(retriever, "words", k=3) == ["0", "1", "2"]


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_passages=st.integers(1, 200),
    n_different=st.integers(1, 50),
    k=st.integers(1, 20),
)
def test_hits_are_the_nearest_of_all_passages(
    seed: int, n_passages: int, n_different: int, k: int
) -> None:
    random = np.random.default_rng(seed)
    different = random.normal(size=(n_different, 24))
    rows = different[random.integers(n_different, size=n_passages)]
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    found = ids_found(of_vectors(*rows), "x", k=k)

    by_hand = sorted(range(n_passages), key=lambda number: (-float(rows[number, 0]), number))
    assert found == [str(number) for number in by_hand[:k]]


def test_every_query_of_a_batch_is_answered_as_if_it_were_alone(tmp_path: Path) -> None:
    retriever = built(passages_of("sea", "land sea", "sky", "sea sky land"), tmp_path)
    queries = ["sea", "land", "sky sea", "sea"]

    together = retriever.search(queries, k=3)

    assert together == [retriever.search([query], k=3)[0] for query in queries]


@pytest.mark.parametrize("query", ["", " ", "?!", "…"])
def test_a_query_without_a_word_finds_nothing(tmp_path: Path, query: str) -> None:
    retriever = built(passages_of("sea", "land"), tmp_path)

    assert ids_found(retriever, query) == []


def test_passages_that_are_not_meant_are_not_found(tmp_path: Path) -> None:
    among = np.array([True, False, True])

    retriever = built(passages_of("sea", "sea", "land"), tmp_path, among=among)

    assert ids_found(retriever, "sea", k=3) == ["0", "2"]


def test_where_no_passage_is_meant_nothing_is_found(tmp_path: Path) -> None:
    retriever = built(passages_of("sea", "sea"), tmp_path, among=np.zeros(2, dtype=np.bool_))

    assert ids_found(retriever, "sea") == []


def test_only_the_passages_that_are_found_are_read(tmp_path: Path) -> None:
    passages = passages_of("sea", "land", "sky")
    write(passages, tmp_path)
    stored = OneByOne(passages)

    open_dense(read_vectors(tmp_path), stored, embedder=EMBEDDER).search(["land"], k=1)

    assert stored.read == [1]


def test_a_search_for_no_passage_is_a_mistake(tmp_path: Path) -> None:
    retriever = built(passages_of("sea"), tmp_path)

    with pytest.raises(ValueError, match="at least 1"):
        retriever.search(["sea"], k=0)


def test_retrievals_say_which_model_compared(tmp_path: Path) -> None:
    embedder = WordEmbedder("0123456789abcdef")
    vectors = embedder.embed(["sea"])

    [found] = DenseRetriever(passages_of("sea"), vectors, embedder=embedder).search(["sea"], k=1)

    assert found.retriever == "dense(0123456789ab)"


# --- making and moving --------------------------------------------------------------------------


def test_title_and_text_are_embedded_together() -> None:
    with_title, without = passages_of("A film.", title="Vetham") + passages_of("A film.")

    assert passage_text(with_title) == "Vetham\nA film."
    assert passage_text(without) == "A film."


def test_the_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    passages = passages_of("the sea and the land", "ships at sea", title="Åland")

    for name in ("one", "two"):
        write(passages, tmp_path / name)

    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two


def test_vectors_that_were_there_stay_when_others_come(tmp_path: Path) -> None:
    passages = passages_of("sea", "land", "sky")
    write(passages, tmp_path / "some", without=[0, 2])
    write(passages, tmp_path / "all")
    missing = read_vectors(tmp_path / "some").missing(None)
    (tmp_path / "more").mkdir()

    rows = dict(zip(missing, EMBEDDER.embed(["sea", "sky"]), strict=True))
    add_vectors(read_vectors(tmp_path / "some"), rows, passages, tmp_path / "more")

    assert missing == [0, 2]
    for name in ("vectors.npy", "keys.npy", "dense.json"):
        assert (tmp_path / "more" / name).read_bytes() == (tmp_path / "all" / name).read_bytes()


def test_vectors_move_with_the_texts_that_they_are_of(tmp_path: Path) -> None:
    write(passages_of("sea", "land", "sky", "ship"), tmp_path / "before")
    (tmp_path / "after").mkdir()
    passages = passages_of("ship", "new", "land", "land")

    move_vectors(read_vectors(tmp_path / "before"), passages, tmp_path / "after")

    found = read_vectors(tmp_path / "after")
    assert found.missing(None) == [1]
    expected = EMBEDDER.embed(["ship", "land", "land"])
    assert np.array_equal(found.vectors[[0, 2, 3]], expected)


def test_a_passage_with_another_title_does_not_inherit_a_vector(tmp_path: Path) -> None:
    write(passages_of("A film.", title="Vetham"), tmp_path / "before")
    (tmp_path / "after").mkdir()

    move_vectors(
        read_vectors(tmp_path / "before"),
        passages_of("A film.", title="Kumbasaram"),
        tmp_path / "after",
    )

    assert read_vectors(tmp_path / "after").missing(None) == [0]


def test_a_passage_without_a_vector_does_not_pass_for_another(tmp_path: Path) -> None:
    write(passages_of("sea", "land"), tmp_path / "before", without=[0, 1])
    (tmp_path / "after").mkdir()

    move_vectors(read_vectors(tmp_path / "before"), passages_of("land", "sea"), tmp_path / "after")

    assert read_vectors(tmp_path / "after").missing(None) == [0, 1]


# --- opening ------------------------------------------------------------------------------------

FILES = ("dense.json", "vectors.npy", "keys.npy")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "foreign"])
def test_a_damaged_file_is_a_format_error(tmp_path: Path, name: str, damage: str) -> None:
    passages = passages_of("the sea and the land", "ships at sea")
    write(passages, tmp_path)
    path = tmp_path / name
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        cut = {"empty": b"", "cut": content[: len(content) - 3], "foreign": b"\x00" * 200}
        path.write_bytes(cut[damage])

    with pytest.raises(IndexFormatError) as caught:
        open_dense(read_vectors(tmp_path), passages, embedder=EMBEDDER)

    assert str(tmp_path) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("name", FILES[1:])
def test_an_array_with_another_byte_in_its_header_is_a_format_error(
    tmp_path: Path, name: str
) -> None:
    write(passages_of("sea", "land"), tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes().replace(b"), }", b"(, }", 1))

    with pytest.raises(IndexFormatError, match="its header is damaged"):
        read_vectors(tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_index_is_a_format_error(tmp_path: Path, name: str) -> None:
    passages = passages_of("sea", "land")
    write(passages, tmp_path / "one")
    write(passages_of("sky", "ship", "sea"), tmp_path / "two")
    (tmp_path / "one" / name).write_bytes((tmp_path / "two" / name).read_bytes())

    with pytest.raises(IndexFormatError, match="damaged"):
        open_dense(read_vectors(tmp_path / "one"), passages, embedder=EMBEDDER)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", "averment-dense-2", "not of format"),
        ("n_dimensions", 7, "damaged"),
        ("n_passages", None, "damaged"),
    ],
)
def test_settings_that_do_not_fit_are_a_format_error(
    tmp_path: Path, field: str, value: object, message: str
) -> None:
    write(passages_of("sea", "land"), tmp_path)
    path = tmp_path / "dense.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(settings | {field: value}), encoding="utf-8")

    with pytest.raises(IndexFormatError, match=message):
        read_vectors(tmp_path)


def test_another_number_of_passages_is_a_format_error(tmp_path: Path) -> None:
    write(passages_of("sea", "land"), tmp_path)

    with pytest.raises(IndexFormatError, match="vectors of 2 passages, but there are 1"):
        open_dense(read_vectors(tmp_path), passages_of("sea"), embedder=EMBEDDER)


def test_vectors_of_another_model_are_refused(tmp_path: Path) -> None:
    passages = passages_of("sea", "land")
    write(passages, tmp_path)

    with pytest.raises(UsageError, match="made by the sentence model words") as refused:
        open_dense(read_vectors(tmp_path), passages, embedder=WordEmbedder("other"))

    assert "averment index embed" in refused.value.hint


def test_a_passage_that_would_never_be_found_is_an_error(tmp_path: Path) -> None:
    passages = passages_of("sea", "land", "sky")
    write(passages, tmp_path, without=[1])

    with pytest.raises(UsageError, match="1 of 3 passages have no vector yet") as refused:
        open_dense(read_vectors(tmp_path), passages, embedder=EMBEDDER)

    assert "averment index embed" in refused.value.hint


def test_a_passage_that_is_not_meant_needs_no_vector(tmp_path: Path) -> None:
    passages = passages_of("sea", "land", "sky")
    write(passages, tmp_path, without=[1])
    among = np.array([True, False, True])

    retriever = open_dense(read_vectors(tmp_path), passages, embedder=EMBEDDER, among=among)

    assert ids_found(retriever, "land", k=3) == ids_found(retriever, "land", k=2)
