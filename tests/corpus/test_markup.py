"""Web pages: the text that a reader sees, in blocks, with title and language."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.corpus.passages import cut_passages
from averment.types import Document
from corpus.reading import read, write

pytest.importorskip("lxml", reason="needs the extra [docs]")


def text_of(tmp_path: Path, body: str) -> str:
    (document,), bad = read(write(tmp_path / "a.html", f"<title>T</title><body>{body}"))

    assert bad == []
    return document.text


def test_page_is_one_document_with_its_title_and_language(tmp_path: Path) -> None:
    page = '<!doctype html><html lang="de-AT"><head><title> Die\nFähre &amp; mehr</title></head>'
    path = write(tmp_path / "d" / "a.htm", f"{page}<h1>Sørlandia</h1><p>Sie fährt.</html>")

    documents, bad = read(tmp_path)

    text = "Sørlandia\n\nSie fährt."
    assert documents == [Document("d/a.htm", text, "Die Fähre & mehr", language="de")]
    assert (bad, path.exists()) == ([], True)


@pytest.mark.parametrize(
    ("page", "title"),
    [
        pytest.param("<p>x<h2>The <i>ferry</i></h2><h1>y</h1>", "The ferry", id="first heading"),
        pytest.param("<title> </title><p>x", "My page", id="file name"),
        pytest.param("<svg><title>Logo</title></svg><p>x", "My page", id="not of a drawing"),
    ],
)
def test_page_without_a_title_is_named_by(tmp_path: Path, page: str, title: str) -> None:
    (document,), _ = read(write(tmp_path / "My page.html", page))

    assert document.title == title


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("<p>a\n   b</p><p>c", "a b\n\nc", id="paragraphs"),
        pytest.param("a<br>b<br><br>c", "a\nb\n\nc", id="line breaks"),
        pytest.param("<ul><li>a<li><p>b</p></ul>c", "a\n\nb\n\nc", id="list"),
        pytest.param("a <b>b</b>c<!-- no -->d", "a bcd", id="inline"),
        pytest.param("<pre>a\n  b\n\nc</pre>d", "a\nb\n\nc\n\nd", id="preformatted"),
        pytest.param(
            "<table><tr><th>a<th>b<tr><td><p>c</p></td><td>d</td></table>e",
            "a\tb\n\nc\td\n\ne",
            id="table",
        ),
        pytest.param(
            "<nav>n</nav>a<style>s</style><noscript>n</noscript>b<script>'<p>'</script>"
            "<button>x</button>c",
            "abc",
            id="what nobody reads",
        ),
    ],
)
def test_blocks_are_parted_by_blank_lines(tmp_path: Path, body: str, text: str) -> None:
    assert text_of(tmp_path, body) == text


def test_passages_are_cut_between_paragraphs(tmp_path: Path) -> None:
    paragraph = "no full stop here " * 15
    (document,), _ = read(write(tmp_path / "a.html", f"<p>{paragraph}</p>" * 4))

    passages = cut_passages(document, words=60)

    assert [passage.text for passage in passages] == [paragraph.strip()] * 4


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        pytest.param("<meta charset=iso-8859-1>", "cp1252", id="Latin-1 means Windows"),
        pytest.param(
            "<meta http-equiv=Content-Type content='text/html; charset=windows-1250'>",
            "cp1250",
            id="older way",
        ),
        pytest.param("<meta charset='utf-8'>", "utf-8-sig", id="byte order mark"),
        pytest.param("<meta charset=rot13>", "utf-8", id="no encoding of pages"),
        pytest.param('<?xml version="1.0" encoding="UTF-8"?>', "utf-8", id="XHTML"),
    ],
)
def test_declared_encoding_is_used(tmp_path: Path, head: str, encoding: str) -> None:
    path = write(tmp_path / "a.html", f"{head}<p>“Zürich” – x".encode(encoding))

    (document,), bad = read(path)

    assert (document.text, bad) == ("“Zürich” – x", [])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"<p>caf\xe9", "not UTF-8: 0xe9 at byte 6", id="not UTF-8"),
        pytest.param(b"\x89PNG\0\0<p>x", "binary, not text: a NUL byte at byte 4", id="binary"),
        pytest.param(b" \n", "empty text", id="blank"),
        pytest.param(b"<!-- x -->", "no text in it", id="comment"),
        pytest.param(b"<script>x</script>", "no text in it", id="scripts only"),
        pytest.param(
            b"<div>" * 100_000 + b"x",
            "cannot be read as HTML: Excessive depth in document: 2048",
            id="absurd nesting",
        ),
    ],
)
def test_page_that_cannot_be_used_is_told(tmp_path: Path, content: bytes, reason: str) -> None:
    write(tmp_path / "a.html", content)
    write(tmp_path / "z.txt", "good")

    documents, bad = read(tmp_path)

    assert [d.document_id for d in documents] == ["z.txt"]
    assert bad == [f"a.html: {reason}"]
