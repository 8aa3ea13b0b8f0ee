"""How the pages of the server are made: templates, style, script, icon, and the headers of each.

Templates escape everything but what `averment.page` put together, which escaped it itself. No page
may run, load or send anything but this server's own, nor be shown inside of another: its headers
say so. What this module does not do: answer, count, or decide who may read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FunctionLoader, StrictUndefined

from averment.page.document import source_of, styles
from averment.page.html import Html
from averment.page.render import STYLES, corpus_in_words
from averment.serve.refusals import Refused
from averment.serve.sessions import Sessions
from averment.wiring.serving import Serving

_POLICY = (
    "default-src 'none'; style-src {style}; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: forms would then be sent without saying from where, which is asked of them.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_TYPES = {"js": "text/javascript", "svg": "image/svg+xml"}
_TITLES = {
    400: "That cannot be used",
    403: "Not from there",
    404: "Nothing is here",
    429: "Too many are waiting",
    503: "The corpus cannot be reached",
    504: "It took too long",
}


class Pages:
    """Makes pages.

    Args:
        serving: What is served, which every page names.
        sessions: Whether one signs in here.
    """

    def __init__(self, serving: Serving, sessions: Sessions) -> None:
        self._environment = Environment(
            loader=FunctionLoader(_template),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._assets = {
            "page.js": _template("page.js"),
            "icon.svg": _template("icon.svg"),
        }
        # In each page rather than in a file of its own, which would be waited for before the paint.
        style = f"{styles(STYLES)}\n{_template('page.css')}"
        self.headers = {
            **_HEADERS,
            "Content-Security-Policy": _POLICY.format(style=source_of(style)),
        }
        digest = hashlib.sha256("".join(self._assets.values()).encode()).hexdigest()
        self._environment.globals.update(
            corpus=corpus_in_words(serving.index.info),
            model=serving.own_model or "",
            style=Html(style),
            version=digest[:12],
            signs_in=sessions.are_needed,
        )

    def page(self, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page of a template.

        Args:
            name: Of the template, without its suffix.
            status: Of the response.
            **values: What the template asks for.
        """
        html = self._environment.get_template(f"{name}.html").render(values)
        # Half a character, which a model may write, is a question mark.
        return HTMLResponse(
            html.encode("utf-8", "replace"), status_code=status, headers=self.headers
        )

    def problem(self, refusal: Refused) -> HTMLResponse:
        """The page of what went wrong."""
        title = _TITLES.get(refusal.status, "That did not work")
        made = self.page("problem", refusal.status, title=title, refusal=refusal)
        made.headers.update(refusal.headers)
        return made

    def asset(self, name: str) -> Response | None:
        """Script or icon; None: there is none of that name."""
        content = self._assets.get(name)
        if content is None:
            return None
        kind = _TYPES[name.rpartition(".")[2]]
        cached: Mapping[str, str] = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(content, media_type=kind, headers={**self.headers, **cached})


def is_read(request: Request) -> bool:
    """Whether a person reads the response, and no program does."""
    return "text/html" in request.headers.get("accept", "")


def _template(name: str) -> str:
    return (resources.files("averment.serve") / "templates" / name).read_text(encoding="utf-8")
