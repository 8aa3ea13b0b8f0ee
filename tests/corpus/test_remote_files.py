"""Files behind a scheme are read as local ones are, through fsspec's own stores."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.cli.app import run
from averment.corpus.files import CorpusFile, list_files
from averment.corpus.fingerprint import fingerprint
from averment.corpus.readers import read_documents
from averment.corpus.remote import RemoteFile
from averment.errors import MissingExtraError, UsageError
from averment.types import Document
from corpus.reading import read

fsspec = pytest.importorskip("fsspec")

RECORD = {"id": "<urn:uuid:1>", "text": "Silas Hardy lived in Reno.", "metadata": {"dump": "CC"}}


@pytest.fixture
def memory() -> Iterator[Any]:
    """The store behind `memory://`, which is one for the process."""
    store = fsspec.filesystem("memory")
    yield store
    store.store.clear()
    store.pseudo_dirs[:] = [""]


def read_all(*urls: str) -> tuple[list[Document], list[str]]:
    bad: list[str] = []
    documents = list(read_documents(urls, on_bad=lambda record: bad.append(str(record))))
    return documents, bad


def test_each_type_is_read_as_from_a_disk(memory: Any, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    line = json.dumps(RECORD).encode() + b"\n"
    (tmp_path / "c" / "sub").mkdir(parents=True)
    (tmp_path / "c" / "a.jsonl.gz").write_bytes(gzip.compress(line + b"no JSON\n"))
    (tmp_path / "c" / "b.csv").write_text("id,text\n2,Hardy met Reno.\n")
    (tmp_path / "c" / "sub" / "page.txt").write_text("A text.")
    (tmp_path / "c" / "sub.txt").write_text("Another text.")
    (tmp_path / "c" / ".hidden.txt").write_text("hidden")
    (tmp_path / "c" / "picture.png").write_bytes(b"png")
    table = pyarrow.table({"id": [7], "text": ["In Parquet."], "metadata": [{"dump": "x"}]})
    write_table(table, tmp_path / "c" / "z.parquet")
    memory.put(str(tmp_path / "c"), "/bucket/c", recursive=True)

    here, bad_here = read(tmp_path / "c")
    documents, bad = read_all("memory://bucket/c")

    assert documents == here
    assert [one.replace("memory://bucket/c/", "") for one in bad] == bad_here
    assert documents[0].metadata == {"metadata": {"dump": "CC"}}  # as datatrove writes it
    assert read_all(f"file://{tmp_path}/c")[0] == here


def test_patterns_name_files_below_what_is_fixed(memory: Any) -> None:
    for name in ("data/00/x.jsonl", "data/01/x.jsonl", "data/01/y.txt"):
        memory.pipe(f"/b/{name}", json.dumps({"text": f"Text of {name}."}).encode())

    documents, bad = read_all("memory://b/data/*/x.jsonl")

    assert [document.document_id for document in documents] == ["00/x.jsonl:1", "01/x.jsonl:1"]
    assert bad == []


def test_a_file_is_named_as_on_a_disk(memory: Any) -> None:
    memory.pipe("/b/data/x.txt", b"Hardy")

    (found,) = list_files(["memory://b/data/x.txt"])

    assert isinstance(found, CorpusFile)
    assert (found.name, found.n_bytes, str(found.path)) == ("x.txt", 5, "memory://b/data/x.txt")


def test_the_fingerprint_changes_with_the_file(memory: Any) -> None:
    memory.pipe("/b/x.txt", b"Hardy")
    before = fingerprint(list_files(["memory://b/x.txt"]))
    again = fingerprint(list_files(["memory://b/x.txt"]))
    memory.pipe("/b/x.txt", b"Forth")

    assert before == again != fingerprint(list_files(["memory://b/x.txt"]))


def test_a_file_that_goes_away_is_told_and_the_next_one_is_read(memory: Any) -> None:
    memory.pipe("/b/a.jsonl", b"{}")
    memory.pipe("/b/b.txt", b"Hardy")
    files = list_files(["memory://b"])
    memory.rm("/b/a.jsonl")
    from averment.corpus.readers import read_files

    bad: list[str] = []
    documents = list(
        read_files(files, on_bad=lambda b: bad.append(str(b)), on_bytes=lambda *_: None)
    )

    assert [document.document_id for document in documents] == ["b.txt"]
    assert bad == ["memory://b/a.jsonl: cannot be read: does not exist"]


def test_a_store_that_fails_while_reading_says_why(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pipe("/b/a.txt", b"Hardy")

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("SlowDown: reduce your request rate\n<xml>")

    monkeypatch.setattr(type(memory), "_open", fail)

    assert read_all("memory://b/a.txt")[1] == [
        "memory://b/a.txt: cannot be read: SlowDown: reduce your request rate"
    ]


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("memory://nowhere/at/all", "does not exist"),
        ("memory://b/*.none", "does not exist"),
        ("nosuch://b/x", "nosuch"),
        ("zip://a::memory://b/x.zip", "a chain of schemes"),
        ("s3://bucket/x.jsonl", "pip install s3fs"),
    ],
)
def test_what_cannot_be_reached_is_refused_with_a_remedy(url: str, told: str) -> None:
    if url.startswith("s3"):
        try:
            import s3fs  # noqa: F401
        except ImportError:
            pass
        else:
            pytest.skip("s3fs is installed here")
    with pytest.raises(UsageError) as refused:
        list_files([url])

    assert told in str(refused.value)
    assert refused.value.hint


def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'averment\[remote\]'"):
        list_files(["s3://bucket/x.jsonl"])


def test_the_command_reads_them(
    memory: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.pipe("/b/x.jsonl", json.dumps(RECORD).encode())

    assert run(["index", "build", "memory://b/*.jsonl", "-o", "idx", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_documents"] == 1


def test_a_remote_file_is_opened_for_reading_bytes(memory: Any) -> None:
    memory.pipe("/b/x.jsonl", b"one\ntwo\n")

    with RemoteFile("memory://b/x.jsonl").open() as file:
        assert file.seek(4) == 4
        assert list(file) == [b"two\n"]
        assert file.tell() == 8
