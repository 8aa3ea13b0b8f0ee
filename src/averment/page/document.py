"""The shell of a page that is one file: style inside, no script, nothing from elsewhere.

Its policy of content forbids everything but that style, so that what a document smuggled in would
do nothing even if it were not escaped. What this module does not do: know what a page shows.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from string import Template

from averment.page.html import Html


def whole_page(
    articles: Iterable[Html], *, title: str, subtitle: str, style: Sequence[str], kind: str = ""
) -> str:
    """The page as a string; half a character, which a model may write, is a question mark.

    Args:
        articles: In the order in which they are shown.
        title: Plain text.
        subtitle: Plain text.
        style: The names of the style sheets.
        kind: A class of the whole, where a style sheet needs one.
    """
    css = styles(style)
    page = Template(_data("template.html")).substitute(
        title=escape(title),
        subtitle=escape(subtitle),
        policy=f"default-src 'none'; style-src {source_of(css)}",
        style=css,
        kind=escape(kind),
        articles="\n".join(articles),
    )
    return page.encode("utf-8", "replace").decode()


def source_of(css: str) -> str:
    """How a policy of content names a style that stands in the page: by its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()}'"


def styles(names: Iterable[str]) -> str:
    """Style sheets of this room, in a row."""
    return "\n".join(map(_data, names))


def _data(name: str) -> str:
    return (resources.files("averment.page") / name).read_text(encoding="utf-8")
