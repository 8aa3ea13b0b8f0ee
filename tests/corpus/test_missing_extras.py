"""Without an extra: its files are listed with the line to type, and the others are read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from averment.corpus.readers import read_documents
from averment.errors import MissingExtraError
from corpus.reading import read, write

CASES = [
    pytest.param("a.html", "lxml", "docs", id="html"),
    pytest.param("a.pdf", "pypdf", "docs", id="pdf"),
    pytest.param("a.docx", "docx", "docs", id="docx"),
    pytest.param("a.pptx", "pptx", "docs", id="pptx"),
    pytest.param("a.parquet", "pyarrow", "parquet", id="parquet"),
]


@pytest.mark.parametrize(("name", "module", "extra"), CASES)
def test_file_is_listed_with_the_line_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    write(tmp_path / name, "content")
    write(tmp_path / "z.txt", "good")

    documents, bad = read(tmp_path)

    assert [d.document_id for d in documents] == ["z.txt"]
    assert bad == [f"{name}: needs the extra [{extra}]: pip install 'averment[{extra}]'"]


@pytest.mark.parametrize(("name", "module", "extra"), CASES)
def test_run_ends_with_the_line_to_type_when_nothing_else_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    write(tmp_path / name, "content")
    write(tmp_path / "a.png", "of no type that is read")

    with pytest.raises(MissingExtraError) as caught:
        read(tmp_path)

    assert caught.value.hint == f"Type: pip install 'averment[{extra}]'"


def test_files_of_the_core_need_no_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("lxml", "pypdf", "docx", "pptx", "pyarrow"):
        monkeypatch.setitem(sys.modules, module, None)
    write(tmp_path / "a.csv", "text\nx\n")
    write(tmp_path / "a.md", "x")

    documents = list(read_documents([tmp_path], on_bad=lambda bad: pytest.fail(str(bad))))

    assert [d.document_id for d in documents] == ["a.csv:2", "a.md"]
