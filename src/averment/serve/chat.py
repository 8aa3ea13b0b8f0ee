"""A chat request on its way: whom it asks, which of the two routes it takes, what the log says.

A policy answers what it can express; everything else goes to the model's server and is checked
afterwards. The details of the response say which it was and why.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from averment.audit.actor import ACTOR, MOST_CHARACTERS, REQUEST
from averment.dating import Undated
from averment.engine import Answered, Engine
from averment.errors import CapabilityError, ModelError, UnknownNameError
from averment.serve.by_policy import PolicyRequest, held_by
from averment.serve.checked_afterwards import CheckedRequest, Recorder
from averment.serve.completions import Identity
from averment.serve.details import DETAILS, CheckedAfterwards
from averment.serve.evidence import (
    beyond_a_policy,
    evidence_of,
    ignored_by_a_policy,
    question_of,
    upstream_messages,
)
from averment.serve.gate import in_thread
from averment.serve.kept import KeptAnswers
from averment.serve.measures import Measures
from averment.serve.requests import Options
from averment.serve.upstream import Upstream
from averment.settings import Settings
from averment.wiring import policy_names
from averment.wiring.audited import record_checked_answer, record_request
from averment.wiring.serving import Serving

_OURS = frozenset({DETAILS, "documents"})


class Asked(NamedTuple):
    """The policy and the model that a model name stands for."""

    policy: str
    model: str


def named(model: str, *, default_policy: str) -> Asked:
    """What ``policy/model`` or ``model`` stands for; a model's name may have a slash itself."""
    policy, slash, rest = model.partition("/")
    if slash and rest and policy in policy_names():
        return Asked(policy, rest)
    return Asked(default_policy, model)


class Chats:
    """Completes chats.

    Args:
        serving: Index, judge, engines.
        upstream: The model's own server; None: it has none, and only policies answer.
        settings: The default policy, and what is logged.
        measures: Where answers are counted.
        kept: Where answers of policies are kept.
    """

    def __init__(
        self,
        serving: Serving,
        upstream: Upstream | None,
        settings: Settings,
        measures: Measures,
        kept: KeptAnswers,
    ) -> None:
        self._serving = serving
        self._upstream = upstream
        self._settings = settings
        self._measures = measures
        self._kept = kept

    async def models(self) -> list[str]:
        """The models that can be asked for, without policies.

        Raises:
            Refused: The upstream cannot be reached.
        """
        if self._serving.own_model is not None:
            return [self._serving.own_model]
        listed = await self._upstream.models() if self._upstream is not None else []
        given = self._settings.model
        return listed or ([given] if given else [])

    async def body(self, request: Mapping[str, Any], *, mode: str) -> dict[str, Any]:
        """The completion as a whole."""
        started = time.perf_counter()
        _name_actor(request)
        made = await (await self._prepared(request, mode)).body()
        self.note(made[DETAILS], question=question_of(request), started=started)
        return made

    async def pieces(
        self, request: Mapping[str, Any], *, mode: str
    ) -> AsyncIterator[dict[str, Any]]:
        """The completion in pieces."""
        started = time.perf_counter()
        prepared = await self._prepared(request, mode)
        await self._record_begin(request, prepared.identity, mode)
        async for piece in prepared.pieces():
            details = piece.get(DETAILS) or {}
            if "route" in details:
                self.note(details, question=question_of(request), started=started)
            yield piece

    async def _prepared(
        self, request: Mapping[str, Any], mode: str
    ) -> PolicyRequest | CheckedRequest:
        asked = named(request["model"], default_policy=self._settings.policy)
        self._check_model(asked.model)
        identity = Identity(
            f"chatcmpl-{secrets.token_hex(8)}", int(time.time()), str(request["model"])
        )
        evidence = evidence_of(request)
        looks_back = Options(**request.get(DETAILS) or {}).looks_back
        if reasons := beyond_a_policy(request, evidence):
            return CheckedRequest(
                upstream=self._chat_server(asked.model, reasons),
                request=_for_upstream(request, asked.model),
                check=partial(self._serving.check, looks_back=looks_back),
                question=question_of(request),
                evidence=evidence,
                route=CheckedAfterwards(
                    reasons=tuple(reasons),
                    sources=evidence.sources,
                    policy=asked.policy,
                    model=asked.model,
                    mode=mode,
                    trace_id=identity.completion_id.removeprefix("chatcmpl-"),
                ),
                identity=identity,
                record=self._recorder(request),
            )
        engine = await self.engine(asked, looks_back)
        return PolicyRequest(
            engine=engine,
            question=question_of(request),
            identity=identity,
            model=asked.model,
            mode=held_by(engine, mode),
            ignored=ignored_by_a_policy(request),
            keep=self.keep,
            include_usage=bool((request.get("stream_options") or {}).get("include_usage")),
        )

    def _recorder(self, request: Mapping[str, Any]) -> Recorder | None:
        auditor = self._serving.auditor
        return None if auditor is None else partial(record_checked_answer, auditor, request)

    async def _record_begin(
        self, request: Mapping[str, Any], identity: Identity, mode: str
    ) -> None:
        """Record a request of which text leaves before its answer is recorded."""
        _name_actor(request)
        auditor = self._serving.auditor
        if auditor is not None:
            REQUEST.set(identity.completion_id)
            await in_thread(
                record_request,
                auditor,
                request,
                request_id=identity.completion_id,
                model=identity.model,
                mode=mode,
            )

    async def engine(self, asked: Asked, looks_back: tuple[str, Undated] | None = None) -> Engine:
        """The engine of a policy and a model, over the index as of a day if one is given.

        Raises:
            UnknownNameError: No such policy or model.
            ModelError: The model cannot be reached, or not be used.
            CapabilityError: The policy needs what the model lacks.
        """
        self._check_model(asked.model)
        try:
            return await in_thread(self._serving.engine, *asked, looks_back)
        except ModelError as error:
            if error.transient or asked.model in (listed := await self.models()):
                raise
            raise UnknownNameError("model", asked.model, listed) from error

    def _chat_server(self, model: str, reasons: list[str]) -> Upstream:
        if self._upstream is None:
            raise CapabilityError(
                f"A policy cannot express {', '.join(reasons)}, and {model!r} has no chat "
                "interface that could answer instead.",
                hint="Ask one question, or start the server with --upstream URL.",
            )
        return self._upstream

    async def keep(self, answered: Answered) -> None:
        """Keep an answer, so that its page can be opened."""
        await in_thread(self._kept.keep, answered)

    def note(self, details: Mapping[str, Any], *, question: str, started: float) -> None:
        """Count an answer and log it; what was asked and said only if that was asked for."""
        self._measures.answer(details)
        log = logging.getLogger("averment.serve")
        log.info(
            "trace=%s route=%s policy=%s verdict=%s reason=%s claims=%d seconds=%.2f",
            details["trace_id"],
            details["route"],
            details["policy"],
            details["verdict"],
            details["reason"],
            len(details["claims"]),
            time.perf_counter() - started,
        )
        if self._settings.serve_log_text:
            said = details.get("answer")
            log.info("trace=%s question=%r answer=%r", details["trace_id"], question, said)

    def _check_model(self, name: str) -> None:
        own = self._serving.own_model
        if own is not None and name != own:
            raise UnknownNameError("model", name, [own])


def _name_actor(request: Mapping[str, Any]) -> None:
    """Who asks, as OpenAI's clients say it, unless a header has said it."""
    user = request.get("user")
    if ACTOR.get() is None and isinstance(user, str) and user:
        ACTOR.set(user[:MOST_CHARACTERS])


def _for_upstream(request: Mapping[str, Any], model: str) -> dict[str, Any]:
    kept = {name: value for name, value in request.items() if name not in _OURS}
    return {**kept, "model": model, "messages": upstream_messages(request)}
