"""Dense retrieval as a person meets it: vectors made, kept, missing, of another model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import averment
from averment.cli.app import run
from averment.errors import UsageError
from averment.models.sentence_embedder import open_sentence_embedder
from averment.settings import resolve_settings
from averment.types import Document
from averment.wiring import delete_documents, embed_index, merge_index, open_retriever
from averment.wiring import retrievers as retrievers_module
from averment.wiring.retrievers import vector_state
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.model_server import ModelServer
from models.tiny_embedder import write_tiny_embedder

WORDS = "prague vienna brno bohemia austria vltava danube railway river city flows capital".split()
TEXTS = {
    "prague": "Prague is the capital of Bohemia. The Vltava flows through Prague.",
    "vienna": "Vienna is the capital of Austria. The Danube flows through Vienna.",
    "brno": "Brno is a city east of Prague. Prague and Brno are linked by a railway.",
}
Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sentence model, named in the environment."""
    directory = write_tiny_embedder(tmp_path / "sentence-model", WORDS)
    monkeypatch.setenv("AVERMENT_EMBEDDER", str(directory))
    return directory


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of three documents, named in the environment; without vectors."""
    averment.build_index([Document(name, text) for name, text in TEXTS.items()], tmp_path / "idx")
    monkeypatch.setenv("AVERMENT_INDEX", str(tmp_path / "idx"))
    return tmp_path / "idx"


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """Runs a command: (exit code, stdout, stderr)."""

    def tell(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        said = capsys.readouterr()
        return code, said.out, said.err

    return tell


def found_by(name: str, query: str, *, k: int = 3) -> list[str]:
    """The documents that a retriever of the settings finds."""
    settings = resolve_settings(retriever=name)
    retriever = open_retriever(averment.open_index(settings.index), settings)
    [found] = retriever.search([query], k=k)
    return [hit.passage.document_id for hit in found.hits]


# --- on the command line ------------------------------------------------------------------------


@pytest.mark.parametrize("retriever", ["dense", "fusion"])
def test_an_answer_says_which_retriever_found_its_passages(
    index: Path, model: Path, told: Told, retriever: str
) -> None:
    def write(prompt: str) -> str:
        return " So the answer is Vltava."

    assert told("index", "embed")[0] == 0
    with ModelServer(write) as server:
        code, out, _ = told(
            *("ask", "Which river flows through Prague?", "--json", "--policy", "single"),
            *("--base-url", server.url, "--model", "tiny", "--retriever", retriever),
            *("--html", "page.html", "--trace", "trace.json"),
        )

    digest = open_sentence_embedder(model).digest[:12]
    name = {"dense": f"dense({digest})", "fusion": f"fusion(bm25, dense({digest}))"}[retriever]
    assert code == 0
    [made] = json.loads(out)["retrievals"]
    assert made["retriever"] == name
    assert made["passages"][0]["document_id"] == "prague"
    assert name in Path("page.html").read_text(encoding="utf-8")
    assert name in Path("trace.json").read_text(encoding="utf-8")


def test_without_vectors_the_command_that_makes_them_is_named(
    index: Path, model: Path, told: Told
) -> None:
    with ModelServer(lambda prompt: "") as server:
        named = ["--base-url", server.url, "--model", "tiny", "--retriever", "dense"]
        code, _, err = told("ask", "Which river?", *named)

    assert code == 2
    assert "has no vectors" in err
    assert "averment index embed" in err


def test_without_a_sentence_model_its_setting_is_named(index: Path, told: Told) -> None:
    code, _, err = told("index", "embed")

    assert code == 2
    assert "--embedder DIR, or AVERMENT_EMBEDDER" in err


def test_an_index_of_counts_only_cannot_be_embedded(
    tmp_path: Path, model: Path, told: Told
) -> None:
    documents = [Document(name, text) for name, text in TEXTS.items()]
    averment.build_index(documents, tmp_path / "counts", counts_only=True)

    code, _, err = told("index", "embed", "--index", str(tmp_path / "counts"))

    assert (code, "counts only" in err) == (2, True)


def test_documents_that_were_added_lack_vectors_until_they_are_embedded(
    index: Path, model: Path, tmp_path: Path, told: Told
) -> None:
    more = tmp_path / "more.jsonl"
    more.write_text(json.dumps({"id": "graz", "text": "Graz is a city in Austria."}))
    told("index", "embed")

    _, added, _ = told("index", "add", str(more))
    _, info, _ = told("index", "info")
    _, doctor, _ = told("doctor")
    with pytest.raises(UsageError, match="1 of 4 passages have no vector yet"):
        found_by("dense", "city")
    _, embedded, _ = told("index", "embed", "--json")
    _, as_json, _ = told("index", "info", "--json")

    assert "Without a vector: 1 passage; next: averment index embed" in added
    assert "1 missing: averment index embed" in info
    assert "bm25 is ready" in doctor
    assert json.loads(embedded)["embedded"] == 1
    vectors = json.loads(as_json)["vectors"]
    assert (vectors["n_vectors"], vectors["n_missing"]) == (4, 0)
    assert "graz" in found_by("dense", "city Austria")


def test_an_index_without_vectors_says_so(index: Path, told: Told) -> None:
    _, info, _ = told("index", "info")
    _, as_json, _ = told("index", "info", "--json")

    assert "none (for dense retrieval: averment index embed)" in info
    assert json.loads(as_json)["vectors"] is None


def test_doctor_says_what_a_retriever_lacks(
    index: Path, model: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AVERMENT_RETRIEVER", "fusion")

    _, before, _ = told("doctor")
    told("index", "embed")
    _, after, _ = told("doctor")

    assert "has no vectors, which the retriever 'fusion' needs" in before
    assert "fusion is ready" in after


def test_an_unknown_retriever_is_refused(index: Path, told: Told) -> None:
    code, _, err = told("ask", "Which river?", "--retriever", "sparse")

    assert (code, "'bm25', 'dense' or 'fusion'" in err) == (2, True)


# --- what happens to vectors --------------------------------------------------------------------


def test_deleted_documents_are_not_found_and_the_others_keep_their_vectors(
    index: Path, model: Path, told: Told
) -> None:
    told("index", "embed")

    delete_documents(index, ["prague"])

    assert found_by("dense", "Prague") == ["brno", "vienna"]
    assert sorted(found_by("fusion", "Prague")) == ["brno", "vienna"]


def test_merging_moves_vectors_without_the_model_and_lets_go_of_the_deleted(
    index: Path, model: Path, told: Told
) -> None:
    averment.build_index([Document("graz", "Graz is a city in Austria.")], index, add=True)
    told("index", "embed")
    before = found_by("dense", "city Austria Prague", k=4)
    delete_documents(index, ["vienna"])

    merge_index(index)

    opened = averment.open_index(index)
    state = vector_state(opened)
    assert state is not None
    assert (state.n_vectors, state.n_missing) == (3, 0)
    expected = [name for name in before if name != "vienna"]
    assert found_by("dense", "city Austria Prague", k=4) == expected
    assert opened.verify() == []
    [vectors] = index.glob("passages/dense-*/vectors.npy")
    assert len(np.load(vectors)) == 3


def test_a_document_that_was_replaced_is_embedded_again(
    index: Path, model: Path, told: Told
) -> None:
    told("index", "embed")

    changed = Document("brno", "Brno has no railway to Vienna.")
    averment.build_index([changed], index, add=True, replace=True)
    _, embedded, _ = told("index", "embed", "--json")

    assert json.loads(embedded)["embedded"] == 1
    assert found_by("dense", "railway Vienna", k=1) == ["brno"]


def test_another_model_is_refused_and_replaces_all_vectors_when_asked_to(
    index: Path, model: Path, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told("index", "embed")
    monkeypatch.setenv(
        "AVERMENT_EMBEDDER", str(write_tiny_embedder(tmp_path / "other", [*WORDS, "east"]))
    )

    with pytest.raises(UsageError, match="cannot be compared"):
        found_by("dense", "Prague")
    _, embedded, _ = told("index", "embed", "--json")

    assert json.loads(embedded)["embedded"] == 3
    assert found_by("dense", "Prague", k=1) == ["prague"]


def test_what_has_vectors_is_not_embedded_again_and_the_index_stays_as_it_is(
    index: Path, model: Path, told: Told
) -> None:
    told("index", "embed")
    before = averment.open_index(index).info

    _, out, _ = told("index", "embed", "--json")

    assert json.loads(out)["embedded"] == 0
    assert averment.open_index(index).info == before


# --- interruptions ------------------------------------------------------------------------------


class Interrupted:
    """An embedder whose user presses Ctrl+C after so many texts."""

    def __init__(self, directory: Path, *, after: int) -> None:
        self._embedder = open_sentence_embedder(directory)
        self._left = after
        self.digest = self._embedder.digest
        self.n_embedded = 0

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if texts != ["a"]:  # which asks for the number of dimensions only
            if self.n_embedded == self._left:
                raise KeyboardInterrupt
            self.n_embedded += len(texts)
        return self._embedder.embed(texts)


def test_what_was_interrupted_goes_on_where_it_had_got_to(index: Path, model: Path) -> None:
    first, second = Interrupted(model, after=2), Interrupted(model, after=99)
    told: list[tuple[int, int]] = []

    with pytest.raises(KeyboardInterrupt):
        embed_index(index, first)
    n_embedded = embed_index(index, second, on_progress=lambda *done: told.append(done))

    assert (first.n_embedded, second.n_embedded, n_embedded) == (2, 1, 1)
    assert told == [(1, 1)]
    assert found_by("dense", "Prague", k=1) == ["prague"]


def test_another_model_that_makes_no_vector_takes_none_away(
    index: Path, model: Path, tmp_path: Path
) -> None:
    embed_index(index, open_sentence_embedder(model))
    other = write_tiny_embedder(tmp_path / "other", [*WORDS, "east"])

    with pytest.raises(KeyboardInterrupt):
        embed_index(index, Interrupted(other, after=0))

    assert found_by("dense", "Prague", k=1) == ["prague"]


def test_what_was_finished_is_published_on_the_way(
    index: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrievers_module, "_LEAST_STRIDE", 2)
    there: list[int] = []

    def look(done: int, total: int) -> None:
        state = vector_state(averment.open_index(index))
        there.append(state.n_vectors if state else 0)

    embed_index(index, open_sentence_embedder(model), on_progress=look)

    assert there == [0, 0, 2]
    assert averment.open_index(index).verify() == []


def test_interrupted_vectors_are_the_same_bytes_as_those_made_at_once(
    index: Path, model: Path, tmp_path: Path
) -> None:
    averment.build_index([Document(n, t) for n, t in TEXTS.items()], tmp_path / "other")
    with pytest.raises(KeyboardInterrupt):
        embed_index(index, Interrupted(model, after=1))

    embed_index(index, open_sentence_embedder(model))
    embed_index(tmp_path / "other", open_sentence_embedder(model))

    ours, others = (
        averment.open_index(path).extra_directory("dense") for path in (index, tmp_path / "other")
    )
    assert ours is not None
    assert others is not None
    assert ours.name == others.name
