"""The server put together: routes, what stands before them, and what they share.

Routes only read a request, wait at a gate and hand on; what they do is in the modules beside.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from importlib import metadata
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from averment.errors import AvermentError
from averment.serve import corpus, infinigram
from averment.serve.body_route import BodyRoute
from averment.serve.chat import Chats
from averment.serve.connection import Events, while_connected, within
from averment.serve.details import DETAILS, headers_of
from averment.serve.gate import Gate, Pool, in_thread
from averment.serve.kept import KeptAnswers
from averment.serve.measures import CONTENT_TYPE, Measures
from averment.serve.page_routes import page_routes
from averment.serve.pages import Pages, is_read
from averment.serve.protection import Protection, rules_of, sessions_of
from averment.serve.refusals import Refused, refused
from averment.serve.requests import (
    ChatRequest,
    CooccurRequest,
    CountRequest,
    FirstSeenRequest,
    Mode,
    SearchRequest,
    VerifyRequest,
)
from averment.serve.upstream import Upstream
from averment.serve.verify import verify
from averment.settings import Settings
from averment.wiring.serving import Serving

_CORPUS_WORKERS = 4
_KINDS = {404: "NotFound", 405: "MethodNotAllowed", 408: "TimeLimit", 413: "TooLarge"}


class Json(JSONResponse):
    """JSON in ASCII, so that any text can be sent."""

    def render(self, content: Any) -> bytes:
        """The bytes of a value."""
        return json.dumps(content, allow_nan=False).encode()


class ErrorObject(BaseModel):
    """What went wrong: what OpenAI's clients read, and our kind and hint."""

    message: str
    type: str
    param: str | None
    code: str | None
    kind: str
    hint: str


class InfinigramError(BaseModel):
    """A refusal as infini-gram's API words it; one that is not its own is ours."""

    error: str | ErrorObject


class ErrorBody(BaseModel):
    """The body of every refusal."""

    error: ErrorObject


_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": meaning}
    for status, meaning in {
        400: "The request cannot be used",
        401: "No key, or another",
        403: "Not under this host name",
        404: "No such model, or route",
        408: "The body does not come",
        413: "The body is too large",
        429: "Too many wait already; see Retry-After",
        500: "The server failed",
        502: "The model server failed",
        503: "The corpus cannot be reached, or the server stops",
        504: "It took too long",
    }.items()
}

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {}, "text/event-stream": {}}}
}


class Server:
    """What the routes share.

    Args:
        serving: Index, judge, engines.
        settings: Limits and defaults.
    """

    def __init__(self, serving: Serving, settings: Settings) -> None:
        self.serving = serving
        self.settings = settings
        self.measures = Measures()
        gate = partial(Gate, n_waiting=settings.serve_queue, timeout_s=settings.serve_timeout_s)
        self.answers = gate(settings.serve_workers)
        self.corpus = gate(_CORPUS_WORKERS)
        self.pool = Pool(settings.serve_workers)
        self.corpus_pool = Pool(_CORPUS_WORKERS)
        endpoint = serving.chat_server()
        self.upstream = endpoint and Upstream(endpoint, timeout_s=settings.timeout_s)
        self.kept = KeptAnswers(settings.serve_keep_answers)
        self.chats = Chats(serving, self.upstream, settings, self.measures, self.kept)
        self.sessions = sessions_of(settings)
        self.pages = Pages(serving, self.sessions)
        self.policies = serving.policies()
        self.measures.watch("answers_inside", "Answers on the way.", lambda: self.answers.n_inside)
        self.measures.watch("corpus_inside", "Queries on the way.", lambda: self.corpus.n_inside)

    @asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Have threads while requests come, and give everything back behind the last."""
        self.pool.take_over()
        try:
            yield
        finally:
            if self.upstream is not None:
                await self.upstream.close()
            await in_thread(self.serving.close)
            for pool in (self.pool, self.corpus_pool):
                pool.close()

    async def from_corpus(
        self, request: Request, call: Callable[[], dict[str, Any]], *, is_brief: bool = False
    ) -> Response:
        """The answer of the corpus: at once where it is brief and nobody waits, else from a thread.

        It is made into JSON where it comes from, which for a thousand pairs takes milliseconds.
        """
        if is_brief and self.corpus.is_free:
            return Json(call())
        made = self.corpus_pool.call(lambda: Json(call()))
        return await while_connected(request, within(self.corpus, made))


def make_app(serving: Serving, settings: Settings) -> FastAPI:
    """The application; it closes what it serves when it ends.

    Args:
        serving: Index, judge, engines.
        settings: Limits, keys, defaults.
    """
    server = Server(serving, settings)
    app = FastAPI(
        title="averment",
        version=metadata.version("averment"),
        summary="Answers with the evidence for each claim, and exact counts of a corpus.",
        docs_url=None,  # these pages would fetch their scripts from elsewhere
        redoc_url=None,
        lifespan=server.lifespan,
    )
    app.include_router(_models_and_answers(server), responses=_REFUSALS)
    app.include_router(_corpus(server), responses=_REFUSALS)
    app.include_router(_state(server))
    app.include_router(page_routes(server))
    for kind in (AvermentError, Refused, TimeoutError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, partial(_on_error, server.pages))
    rules = rules_of(settings, settings.serve_host, server.sessions)
    app.add_middleware(Protection, rules=rules, measures=server.measures)
    made = app.openapi
    app.openapi = lambda: _as_refused(made())  # type: ignore[method-assign]
    return app


def _models_and_answers(server: Server) -> APIRouter:
    router = APIRouter(prefix="/v1")

    @router.get("/models")
    async def list_models() -> Response:
        """Every model, alone and behind each policy."""
        models = await server.chats.models()
        names = [*models, *(f"{policy}/{m}" for policy in server.policies for m in models)]
        rows = [{"id": n, "object": "model", "created": 0, "owned_by": "averment"} for n in names]
        return Json({"object": "list", "data": rows})

    @router.post("/chat/completions", responses=_STREAM)
    async def complete_chat(
        request: Request,
        asked: ChatRequest,
        x_averment_mode: Annotated[Mode | None, Header()] = None,
    ) -> Response:
        """Complete a chat: by a policy, or by the model's server and checked afterwards."""
        body = asked.model_dump(exclude_unset=True)
        _check_text(body)
        given = asked.averment.mode if asked.averment else None
        mode = given or x_averment_mode or server.settings.serve_mode
        if not asked.stream:
            work = within(server.answers, server.chats.body(body, mode=mode))
            made = await while_connected(request, work)
            return Json(made, headers=headers_of(made[DETAILS]))
        events = Events(server.chats.pieces(body, mode=mode), server.answers)
        await while_connected(request, events.begin())
        return StreamingResponse(
            aiter(events), media_type="text/event-stream", headers={"Cache-Control": "no-cache"}
        )

    @router.post("/verify")
    async def verify_text(request: Request, asked: VerifyRequest) -> Response:
        """Check a text claim by claim."""
        work = in_thread(verify, server.serving, asked)
        made = await while_connected(request, within(server.answers, work))
        return Json(made)

    return router


def _corpus(server: Server) -> APIRouter:
    router = APIRouter(route_class=BodyRoute)

    @router.post("/v1/corpus/count")
    async def count_phrases(request: Request, asked: CountRequest) -> Response:
        """Count phrases in the corpus, exactly."""
        is_brief = corpus.is_brief(server.serving, asked, asked.phrases)
        call = partial(corpus.count, server.serving, asked)
        return await server.from_corpus(request, call, is_brief=is_brief)

    @router.post("/v1/corpus/cooccur")
    async def count_pairs(request: Request, asked: CooccurRequest) -> Response:
        """Count pairs of phrases near each other, exactly."""
        is_brief = corpus.is_brief(server.serving, asked, list(chain.from_iterable(asked.pairs)))
        call = partial(corpus.cooccur, server.serving, asked)
        return await server.from_corpus(request, call, is_brief=is_brief)

    @router.post("/v1/corpus/first-seen")
    async def date_phrases(request: Request, asked: FirstSeenRequest) -> Response:
        """Tell from when to when phrases and pairs are found, exactly."""
        return await server.from_corpus(request, partial(corpus.first_seen, server.serving, asked))

    @router.post("/v1/corpus/search")
    async def find_passages(request: Request, asked: SearchRequest) -> Response:
        """Find passages."""
        return await server.from_corpus(request, partial(corpus.search, server.serving, asked))

    @router.get("/infinigram")
    async def list_indexes() -> Response:
        """The names of the indexes, as infini-gram's API lists them."""
        return Json([server.serving.index.info.name])

    @router.post("/infinigram", responses={400: {"model": InfinigramError}})
    async def ask_like_infinigram(request: Request, asked: dict[str, Any]) -> Response:
        """Count as infini-gram's API is asked; exact, so `approx` is always false."""
        _check_text(asked)
        index = server.serving.index
        return await server.from_corpus(
            request, partial(infinigram.answer, index, index.form, asked)
        )

    return router


def _state(server: Server) -> APIRouter:
    router = APIRouter()

    @router.get("/healthz")
    async def be_healthy() -> Response:
        """Whether requests are taken; needs no key."""
        return Json({"status": "ok"})

    @router.get("/metrics", response_class=PlainTextResponse)
    async def show_measures() -> Response:
        """Numbers for Prometheus."""
        return PlainTextResponse(server.measures.text(), media_type=CONTENT_TYPE)

    return router


def _check_text(body: Any) -> None:
    """Refuse what cannot be sent on: halves of characters, NaN, numbers without end, a tower."""
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        raise Refused(400, "UsageError", "The request holds half a character.") from error
    except ValueError as error:
        raise Refused(
            400, "UsageError", "The request holds NaN or a number beyond what a double can hold."
        ) from error
    except RecursionError as error:
        raise Refused(400, "UsageError", "The request is nested too deeply.") from error


async def _on_error(pages: Pages, request: Request, error: Exception) -> Response:
    """What went wrong: a page for a person, an error object for a program."""
    param = None
    headers: Mapping[str, str] | None = None
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        param = ".".join(str(step) for step in first["loc"] if step != "body") or None
        refusal = Refused(400, "UsageError", f"{param or 'The body'}: {first['msg']}.")
    elif isinstance(error, HTTPException):
        kind = _KINDS.get(error.status_code, "UsageError")
        refusal, headers = Refused(error.status_code, kind, str(error.detail)), error.headers
    else:
        refusal = refused(error)
    if is_read(request):
        return pages.problem(refusal)
    body = refusal.object()
    if param is not None:
        body["error"]["param"] = param
    return Json(body, status_code=refusal.status, headers=headers or refusal.headers)


def _as_refused(document: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI document with our answer to an invalid request, which is 400 and not 422."""
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    return document
