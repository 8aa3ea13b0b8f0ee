"""PDF files for the tests, written byte by byte: one line of text a page."""

from __future__ import annotations


def pdf(*pages: str, title: str = "") -> bytes:
    """A small PDF file; a page without text is blank, as a scan is for a reader."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Title(%s)>>" % title.encode("cp1252"),
    ]
    kids = []
    for page in pages:
        drawn = b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % page.encode("cp1252") if page else b""
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn))
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    return file_of(objects)


def file_of(objects: list[bytes]) -> bytes:
    """A PDF file of objects; the first is the catalog, the fourth the properties."""
    made = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        made
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n" % (size, table)
        + (b"<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(made)))
    )
