"""PDF and Word files: their text in reading order; damaged, locked and empty ones are told."""

from __future__ import annotations

import io
import random
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from averment.types import Document
from corpus.pages import pdf
from corpus.reading import read, write

docx = pytest.importorskip("docx", reason="needs the extra [docs]")
pypdf = pytest.importorskip("pypdf", reason="needs the extra [docs]")


def word(*paragraphs: str, title: str = "") -> bytes:
    document = docx.Document()
    document.core_properties.title = title
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    return saved(document)


def saved(document: docx.document.Document) -> bytes:
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def with_body(xml: str) -> bytes:
    """A Word document with a body of that markup."""
    made, target = zipfile.ZipFile(io.BytesIO(word())), io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in made.namelist():
            content = made.read(name)
            if name == "word/document.xml":
                content = content.replace(b"<w:body>", b"<w:body>" + xml.encode())
            archive.writestr(name, content)
    return target.getvalue()


def locked(password: str) -> bytes:
    writer, target = pypdf.PdfWriter(), io.BytesIO()
    writer.append(io.BytesIO(pdf("The ferry sails.")))
    writer.encrypt(password, "owner", algorithm="AES-256")
    writer.write(target)
    return target.getvalue()


def with_stream(packed: bytes) -> bytes:
    """A PDF file whose only page is that packed stream."""
    mark = b"<</Length 0>>stream\n\nendstream"
    stream = b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed)
    return pdf("").replace(mark, stream)


# --- PDF ----------------------------------------------------------------------------------------


def test_pages_of_a_pdf_are_parted_by_a_blank_line(tmp_path: Path) -> None:
    path = write(tmp_path / "My paper.pdf", pdf("The ferry to Malmö.", "", "It sails."))

    (document,), bad = read(path)

    assert (document.document_id, document.title) == ("My paper.pdf", "My paper")
    assert (document.text, bad) == ("The ferry to Malmö.\n\nIt sails.", [])


def test_pdf_is_titled_by_its_properties(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "a.pdf", pdf("x", title=" On ferries ")))

    assert document.title == "On ferries"


def test_pdf_that_opens_without_a_password_is_read_though_encrypted(tmp_path: Path) -> None:
    (document,), bad = read(write(tmp_path / "a.pdf", locked("")))

    assert (document.text, bad) == ("The ferry sails.", [])


def test_faults_that_the_parser_mends_are_not_noise(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    shifted = pdf("The ferry sails.").replace(b"startxref\n", b"startxref\n1")

    (document,), bad = read(write(tmp_path / "a.pdf", shifted))

    assert (document.text, bad) == ("The ferry sails.", [])
    assert caplog.records != []
    assert capfd.readouterr() == ("", "")


# --- Word ---------------------------------------------------------------------------------------


def test_word_document_is_read_in_order_with_its_tables(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_heading("Handbook", 0)
    made.add_paragraph("The ferry Sørlandia sails.")
    table = made.add_table(2, 2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {number}"
    made.add_paragraph("It was built\nin 1993.")

    documents, bad = read(write(tmp_path / "a.docx", saved(made)))

    text = (
        "Handbook\n\nThe ferry Sørlandia sails.\n\ncell 0\tcell 1\n\ncell 2\tcell 3\n\n"
        "It was built\nin 1993."
    )
    assert documents == [Document("a.docx", text, title="Handbook")]
    assert bad == []


@pytest.mark.parametrize(
    ("content", "title"),
    [
        pytest.param(word("x", title=" On ferries "), "On ferries", id="properties"),
        pytest.param(word("x"), "a", id="file name"),
    ],
)
def test_word_document_is_titled_by(tmp_path: Path, content: bytes, title: str) -> None:
    (document,), _ = read(write(tmp_path / "a.docx", content))

    assert document.title == title


def test_changes_are_read_as_accepted_and_controls_where_they_are(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>It sails </w:t></w:r>"
        "<w:del><w:r><w:t>not</w:t><w:delText>never</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>daily</w:t><w:tab/><w:t>at</w:t></w:r></w:ins></w:p>"
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>eight.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )

    (document,), _ = read(write(tmp_path / "a.docx", with_body(body)))

    assert document.text == "It sails daily at\n\neight."


# --- what cannot be used ------------------------------------------------------------------------

EMPTY = "no text in it"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param("a.pdf", b"", "cannot be read as PDF: ", id="empty pdf"),
        pytest.param("a.pdf", word("x"), "cannot be read as PDF: ", id="docx named pdf"),
        pytest.param("a.pdf", pdf("x" * 999)[:700], "cannot be read as PDF: ", id="cut pdf"),
        pytest.param("a.pdf", pdf("", ""), f"{EMPTY}; scanned pages need ", id="scan"),
        pytest.param(
            "a.pdf",
            locked("secret"),
            "encrypted: it opens with a password only",
            id="locked",
        ),
        pytest.param("a.docx", b"", "cannot be read as Word: ", id="empty docx"),
        pytest.param("a.docx", pdf("x"), "cannot be read as Word: ", id="pdf named docx"),
        pytest.param("a.docx", word("x")[:9000], "cannot be read as Word: ", id="cut docx"),
        pytest.param("a.docx", word(), EMPTY, id="no paragraphs"),
        pytest.param(
            "a.docx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512),
            "cannot be read as Word: encrypted, or of the format before 2007",
            id="old format",
        ),
        pytest.param(
            "a.docx", with_body("<w:p>" * 10_000), "cannot be read as Word: ", id="nested docx"
        ),
    ],
)
def test_file_that_cannot_be_used_is_told_and_the_next_one_read(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    write(tmp_path / name, content)
    write(tmp_path / "z.txt", "good")

    documents, (bad,) = read(tmp_path)

    assert [d.document_id for d in documents] == ["z.txt"]
    assert bad.startswith(f"{name}: {reason}")


def test_pdf_that_unpacks_without_end_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", with_stream(zlib.compress(b" " * 100_000_000)))

    documents, (bad,) = read(path)

    assert path.stat().st_size < 200_000
    assert (documents, bad[:42]) == ([], "a.pdf: cannot be read as PDF: Limit reache")


def test_word_document_that_unpacks_without_end_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.docx", with_body("<w:p/>" * 12_000_000))

    documents, (bad,) = read(path)

    assert path.stat().st_size < 400_000
    assert (documents, bad[:50]) == ([], "a.docx: cannot be read as Word: would unpack to 72")


@pytest.mark.parametrize(
    ("name", "make"),
    [pytest.param("a.pdf", pdf, id="pdf"), pytest.param("a.docx", word, id="docx")],
)
def test_damage_of_any_kind_never_ends_the_run(
    tmp_path: Path, name: str, make: Callable[[str], bytes]
) -> None:
    content, chance = make("The ferry sails."), random.Random(0)

    for _ in range(60):
        at = chance.randrange(len(content))
        path = write(tmp_path / name, content[:at] + chance.randbytes(4) + content[at + 4 :])

        documents, bad = read(path)

        assert len(documents) + len(bad) == 1
