"""The routes of the pages: ask, watch, open an answer, take it along, look into the corpus.

Everything works without a script; one script adds live progress. A form that another site sends
here is refused, whatever cookie comes with it. What this module does not do: make HTML, or answer.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from averment.engine import Answered
from averment.page.render import Entry, article, corpus_in_words, render_page
from averment.page.snippets import snippets_of
from averment.serve.asking import Asking, PageQuestion
from averment.serve.chat import Asked
from averment.serve.connection import Events, while_connected, within
from averment.serve.explorer import explore
from averment.serve.packed_route import PackedRoute
from averment.serve.protection import SIGN_IN, session_token
from averment.serve.refusals import Refused, refused
from averment.serve.sessions import COOKIE, LIFE_S

if TYPE_CHECKING:
    from averment.serve.app import Server

_MOST_PHRASE = 1000
_LISTING_TIMEOUT_S = 2.0
"""How long the page waits for the names of an upstream's models."""
_HERE = frozenset({"same-origin", "none"})

Phrase = Annotated[str, Query(max_length=_MOST_PHRASE)]


def page_routes(server: Server) -> APIRouter:
    """The routes of the pages; they are no part of the interface for programs."""
    router = APIRouter(include_in_schema=False, route_class=PackedRoute)
    _add_asking(router, server)
    _add_answers(router, server)
    _add_corpus(router, server)
    _add_sessions(router, server)
    return router


def _add_asking(router: APIRouter, server: Server) -> None:
    asking = Asking(server.chats)

    @router.get("/")
    async def show_start() -> Response:
        """The box to ask in, and the last answers."""
        models, unknown = await _models(server)
        return server.pages.page(
            "ask",
            models=models,
            models_unknown=unknown,
            policies=server.policies,
            policy=server.settings.policy,
            recent=server.kept.recent(),
            most=server.kept.most,
        )

    @router.post("/answers", dependencies=[Depends(_check_same_site)])
    async def begin_answer(request: Request) -> Response:
        """Answer a question: step by step for the script, as a page for a plain form."""
        asked = await _question_of(request, server)
        if "text/event-stream" not in request.headers.get("accept", ""):
            work = within(server.answers, asking.answer(asked))
            trace_id = await while_connected(request, work)
            return RedirectResponse(f"/answers/{trace_id}", status_code=303)
        events = Events(asking.pieces(asked), server.answers)
        await while_connected(request, events.begin())
        return StreamingResponse(
            aiter(events), media_type="text/event-stream", headers={"Cache-Control": "no-cache"}
        )


def _add_answers(router: APIRouter, server: Server) -> None:
    @router.get("/answers/{trace_id}.html")
    async def export_answer(trace_id: str) -> Response:
        """An answer as one file, which opens from disk."""
        entry = await _entry(server, trace_id)
        page = render_page(
            [entry],
            title=f"averment: {entry.answer.question.text}",
            subtitle=f"Corpus {corpus_in_words(server.serving.index.info)}. Presence in the "
            "corpus is no proof of truth.",
        )
        name = f"averment-{entry.answer.trace_id}.html"
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(
            page, media_type="text/html", headers={**server.pages.headers, **disposition}
        )

    @router.get("/answers/{trace_id}")
    async def show_answer(trace_id: str) -> Response:
        """An answer with everything behind it."""
        entry = await _entry(server, trace_id)
        return server.pages.page("answer", answer=entry.answer, article=article(entry))

    @router.get("/assets/{name}")
    async def show_asset(name: str) -> Response:
        """Script and icon."""
        found = server.pages.asset(name)
        if found is None:
            raise Refused(404, "NotFound", f"There is no file {name[:100]!r}.")
        return found


def _add_corpus(router: APIRouter, server: Server) -> None:
    @router.get("/corpus")
    async def show_corpus(
        request: Request, a: Phrase = "", b: Phrase = "", forms: Phrase = ""
    ) -> Response:
        """How often a phrase occurs, or how near two stand."""
        first, second = a.strip() or b.strip(), b.strip() if a.strip() else ""
        found, refusal = None, None
        if first:
            call = partial(explore, server.serving, first, second, by_forms=bool(forms))
            work = within(server.corpus, server.corpus_pool.call(call))
            try:
                found = await while_connected(request, work)
            except Exception as error:
                refusal = refused(error)
                if refusal.status != 400:  # only what was typed wrong is said beside the form
                    raise
        return server.pages.page(
            "corpus",
            400 if refusal else 200,
            a=a,
            b=b,
            by_forms=bool(forms),
            found=found,
            refusal=refusal,
        )


def _add_sessions(router: APIRouter, server: Server) -> None:
    @router.get(SIGN_IN)
    async def show_sign_in(next: str = "/") -> Response:  # noqa: A002
        """Where a browser shows its key."""
        if not server.sessions.are_needed:
            return RedirectResponse("/", status_code=303)
        return server.pages.page("sign_in", next=_path_here(next), is_wrong=False)

    @router.post(SIGN_IN, dependencies=[Depends(_check_same_site)])
    async def sign_in(request: Request) -> Response:
        """Begin a session for a key."""
        form = await _form_of(request)
        wanted = _path_here(form.get("next", "/"))
        if not server.sessions.admit_key(form.get("key", "").strip()):
            return server.pages.page("sign_in", 401, next=wanted, is_wrong=True)
        made = RedirectResponse(wanted, status_code=303)
        made.set_cookie(
            COOKIE,
            server.sessions.begin(),
            max_age=LIFE_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return made

    @router.post("/sign-out", dependencies=[Depends(_check_same_site)])
    async def sign_out(request: Request) -> Response:
        """End a session."""
        server.sessions.end(session_token(request.headers.get("cookie", "").encode("latin-1")))
        made = RedirectResponse(SIGN_IN, status_code=303)
        made.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return made


# --- what the routes share ----------------------------------------------------------------------


async def _models(server: Server) -> tuple[list[str], str]:
    """The models that can be asked, and why they are not known."""
    try:
        async with asyncio.timeout(_LISTING_TIMEOUT_S):
            return await server.chats.models(), ""
    except Exception as error:
        return [], refused(error).message


async def _question_of(request: Request, server: Server) -> PageQuestion:
    form = await _form_of(request)
    model = form.get("model", "").strip() or server.serving.own_model or server.settings.model
    if not model:
        raise Refused(400, "UsageError", "No model was named.", hint="Choose one beside the box.")
    policy = form.get("policy", "").strip() or server.settings.policy
    return PageQuestion(form.get("question", "").strip(), Asked(policy, model))


async def _form_of(request: Request) -> dict[str, str]:
    """The fields of a plain form, the last of each name; what is no text is refused."""
    try:
        fields = parse_qs((await request.body()).decode(), errors="strict", max_num_fields=20)
    except ValueError as error:
        raise Refused(400, "UsageError", "The form that was sent cannot be read.") from error
    return {name: values[-1] for name, values in fields.items()}


async def _entry(server: Server, trace_id: str) -> Entry:
    """An answer that is kept, with the places of its pairs in the corpus."""

    def find() -> Entry | None:
        found: Answered | None = server.kept.find(trace_id)
        if found is None:
            return None
        snippets = snippets_of(found.answer, server.serving.index)
        return Entry(found.answer, found.trace, snippets=snippets)

    entry = await within(server.corpus, server.corpus_pool.call(find))
    if entry is None:
        raise Refused(
            404,
            "NotFound",
            f"This answer is not here. The last {server.kept.most} answers are kept in memory "
            "until the server stops.",
            hint="Ask again, and download the page of an answer that you want to keep.",
        )
    return entry


def _check_same_site(request: Request) -> None:
    """Refuse a form that another site sends; programs, which say nothing of it, may send one."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        is_here = site in _HERE
    else:
        is_here = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not is_here:
        raise Refused(
            403,
            "OtherSite",
            "This form was sent by another site.",
            hint="Open the page of this server and ask there.",
        )


def _path_here(wanted: str) -> str:
    """A path of this server to go on to, whatever was asked for."""
    is_path = wanted.startswith("/") and not wanted.startswith(("//", "/\\"))
    return wanted if is_path and wanted.isprintable() else "/"
