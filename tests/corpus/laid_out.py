"""PDF files for the tests with lines of several sizes on each page, and with an outline."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import NamedTuple

from corpus.pages import file_of


class Row(NamedTuple):
    """A line of a page; its size in points."""

    text: str
    size: int = 11
    is_bold: bool = False


PICTURE = [Row("", 0)]
"""A page that is a picture, as scanners make them."""


def laid_out(*pages: Sequence[str | Row], outline: Sequence[tuple[str, int, int]] = ()) -> bytes:
    """A PDF file.

    Args:
        pages: The lines of each from above; a string is one in the size of the text.
        outline: Entries: title, level from 1, page from 1.
    """
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Title()>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
        b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
        b"/Length 1>>stream\n0\nendstream",
    ]
    kids = []
    for page in pages:
        drawn = b"".join(
            b"BT /F%d %d Tf 72 %d Td (%s) Tj ET\n"
            % (2 if row.is_bold else 1, row.size, 760 - 20 * number, row.text.encode("cp1252"))
            for number, row in enumerate(Row(row) if isinstance(row, str) else row for row in page)
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn))
        picture = b"/XObject<</I 6 0 R>>" if page is PICTURE else b""
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R/F2 5 0 R>>%s>>>>" % (len(objects), picture)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    return _with_outline(file_of(objects), outline) if outline else file_of(objects)


def _with_outline(content: bytes, outline: Sequence[tuple[str, int, int]]) -> bytes:
    import pypdf

    writer, target = pypdf.PdfWriter(), io.BytesIO()
    writer.append(io.BytesIO(content))
    above: list[object] = []
    for title, level, page in outline:
        del above[level - 1 :]
        parent = above[-1] if above else None
        above.append(writer.add_outline_item(title=title, page_number=page - 1, parent=parent))
    writer.write(target)
    return target.getvalue()


def handbook(*, outline: bool) -> bytes:
    """Four pages with a running head and foot, a chapter of two sections, references, an appendix.

    The references join "Nordvik" and "Hammerfest", which the body never does.
    """
    entries = [
        ("Leave", 1, 1),
        ("Parental leave", 2, 2),
        ("Travel", 1, 3),
        ("References", 1, 4),
        ("Appendix A", 1, 4),
    ]
    bodies: list[list[str | Row]] = [
        [
            Row("1 Leave", 18),
            "Every employee has leave. It is asked for a month before, and the",
            "manager answers within a week.",
        ],
        [
            Row("1.1 Parental leave", 14),
            "Parental leave lasts sixteen weeks. The Nordvik fund, which was foun-",
            "ded in Tromsø, pays for it. The employee tells the manager, and the",
        ],
        [
            "manager tells the fund. The fund pays on the last day of the month.",
            Row("2 Travel", 18),
            "The ferry sails from Hirtshals to Kristiansand twice a day.",
        ],
        [
            Row("References", 18),
            "Eriksen, M. (2018). The Nordvik fund and Hammerfest. Oslo: Gyldendal.",
            "Hansen, O. (2015). Leave in Norway. Bergen: Fagbokforlaget.",
            Row("Appendix A", 18),
            "Form 12 is signed by the department of Vestland.",
        ],
    ]
    pages = [
        ["Acme Ltd - Staff handbook", *body, f"Page {number} of 4"]
        for number, body in enumerate(bodies, start=1)
    ]
    return laid_out(*pages, outline=entries if outline else ())
