"""Models behind any OpenAI-compatible server: vLLM, llama.cpp, Ollama, hosted ones.

Completions are preferred, since the prompts of averment are texts to be continued. A server
without them gets the prompt as a message of the user, and the answer so far as a message of the
assistant to go on with. Which of the two, and whether log-probabilities come back, is found out
once, by a short request.

Retries with growing pauses are those of the SDK: connection failures, time-outs, 408, 409, 429
and 5xx. A stream that breaks after its first piece is not asked for again.

Given texts are scored where completions repeat what they were asked (``echo``) with its
log-probabilities, as vLLM does. Many servers take that option and ignore it, so
`Capability.SCORING` is there only once `OpenAICompatible.score` has been answered with numbers;
whether these mean anything is found out by `averment.models.canary`.

What this module does not do: grammars (servers disagree about them).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from averment.errors import (
    AvermentError,
    CapabilityError,
    ContextOverflow,
    MalformedReply,
    ModelError,
    ModelUnavailable,
    UsageError,
)
from averment.models import openai_wire as wire
from averment.models.batching import in_parallel
from averment.models.closing import Closing
from averment.models.writing import Writing
from averment.types import (
    Capability,
    FinishReason,
    Generation,
    GenerationOptions,
    ModelInfo,
    Prompt,
    Token,
)

Mode = Literal["chat", "completions"]

_CONNECT_TIMEOUT_S = 5.0
_MAX_STOPS = 4  # what servers accept; further stop strings are cut here
_PROBE = Prompt("One, two, three, four,")
_PROBE_TOKENS = 4  # a chat model may begin with an empty one
_REFUSED_PARAMETER = (400, 422)
_NO_SUCH_ENDPOINT = (404, 405, 501)
_KEY_REFUSED = (401, 403)


def open_openai_compatible(
    base_url: str,
    model: str,
    *,
    api_key: str | None = None,
    timeout_s: float = 60,
    max_retries: int = 2,
    max_concurrency: int = 8,
    mode: Literal["auto", "chat", "completions"] = "auto",
    offline: bool = False,
) -> OpenAICompatible:
    """Connect to a server and find out what it can do, by one to four short requests.

    Args:
        base_url: Usually ends in ``/v1``.
        model: The name under which the server knows the model.
        api_key: Not needed for local servers. Never logged, never part of an error.
        timeout_s: Longest wait for a reply, or for the next piece of a stream.
        max_retries: Further tries after the first, for failures that may pass.
        max_concurrency: Requests that run at the same time.
        mode: Which of the server's two interfaces to use; ``auto`` prefers completions.
        offline: Allow loopback servers only.

    Raises:
        UsageError: The URL is not one, or leaves this machine although `offline`.
        ModelUnavailable: The server cannot be reached, or is overloaded.
        ModelError: It refuses the key, or does not have the model.
        MalformedReply: What answers is not such a server.
    """
    host = _host_of(base_url)
    if offline and not is_loopback(host):
        raise UsageError(
            f"The model server {without_userinfo(base_url)} is not on this machine, and offline "
            "was asked for.",
            hint="Name a server on localhost, or leave offline mode.",
        )
    import openai  # slow to import

    client = openai.OpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        timeout=openai.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_TIMEOUT_S)),
        max_retries=max_retries,
        # A proxy of the environment cannot reach a server on this machine.
        http_client=openai.DefaultHttpx2Client(trust_env=not is_loopback(host)),
    )
    server = _Server(client, model, without_userinfo(base_url), api_key or "", max_retries + 1)
    return _probe(server, ("completions", "chat") if mode == "auto" else (mode,), max_concurrency)


def _host_of(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"{base_url!r} is not the URL of a model server.",
            hint="For example: http://localhost:8000/v1",
        )
    return parts.hostname


def is_loopback(host: str) -> bool:
    """Whether a name or address is of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def without_userinfo(base_url: str) -> str:
    """The URL without a password."""
    parts = urlsplit(base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _probe(server: _Server, modes: Sequence[Mode], max_concurrency: int) -> OpenAICompatible:
    import openai

    refusal: openai.APIStatusError | None = None
    options = GenerationOptions(max_tokens=_PROBE_TOKENS)
    for mode in modes:
        for logprobs in (True, False):
            dialect = _Dialect(mode, logprobs)
            try:
                generation = server.ask(_PROBE, options, dialect)
            except openai.APIStatusError as error:
                refusal = error
                if error.status_code in _NO_SUCH_ENDPOINT:
                    break
                if error.status_code not in _REFUSED_PARAMETER:
                    raise server.translated(error) from error
                continue
            found = _Dialect(mode, logprobs and wire.gives_logprobs(generation))
            return OpenAICompatible(server, found, max_concurrency)
    assert refusal is not None
    raise server.translated(refusal) from refusal


@dataclass(frozen=True, slots=True)
class _Dialect:
    mode: Mode
    logprobs: bool


class OpenAICompatible(Closing):
    """A model on a server; a `LanguageModel`, a `ScoringModel` too where the server can.

    Safe to call from threads.

    Made by `open_openai_compatible`. Log-probabilities are there if `info` says so; then a single
    token may still be without one where the server gave none. Where a server does not count tokens,
    and for answers that were complete after one sentence, usage is an estimate.
    """

    def __init__(self, server: _Server, dialect: _Dialect, max_concurrency: int) -> None:
        self._server = server
        self._dialect = dialect
        self._max_concurrency = max_concurrency
        self._has_scored = False

    @property
    def info(self) -> ModelInfo:
        """The model's name on the server; the source is the base URL."""
        capabilities = {Capability.SAMPLES}
        if self._dialect.logprobs:
            capabilities.add(Capability.LOGPROBS)
        if self._has_scored:
            capabilities.add(Capability.SCORING)
        return ModelInfo(self._server.model, self._server.url, frozenset(capabilities))

    @property
    def mode(self) -> Mode:
        """Which interface of the server is used."""
        return self._dialect.mode

    def close(self) -> None:
        """Close the connections."""
        self._server.client.close()

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        """One continuation for each prompt.

        Raises:
            ModelUnavailable: The server cannot be reached or is overloaded, after all tries.
            ContextOverflow: A prompt does not fit.
            MalformedReply: The reply is not an answer.
            CapabilityError: A grammar was asked for.
        """
        return self._run([(prompt, options) for prompt in prompts])

    def sample(
        self, prompts: Sequence[Prompt], n_samples: int, options: GenerationOptions
    ) -> list[list[Generation]]:
        """Several continuations for each prompt; whether seeds count is up to the server.

        Raises:
            ModelUnavailable: The server cannot be reached or is overloaded, after all tries.
            ContextOverflow: A prompt does not fit.
            MalformedReply: The reply is not an answer.
            CapabilityError: A grammar was asked for.
        """
        draws = [replace(options, seed=options.seed + at) for at in range(n_samples)]
        flat = iter(self._run([(prompt, draw) for prompt in prompts for draw in draws]))
        return [[next(flat) for _ in draws] for _ in prompts]

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        """The tokens of each continuation, each with the log-probability the model gives it.

        Prompt and continuation are sent as one text. A token that begins in the prompt, and one
        that the server gives no log-probability, have none.

        Raises:
            CapabilityError: The server refuses the option or ignores it, and always did.
            ModelUnavailable: The server cannot be reached or is overloaded, after all tries.
            ContextOverflow: Prompt and continuation do not fit.
        """
        if self._dialect.mode == "chat":
            raise self._server.cannot_score("it is used through its chat interface.")
        return in_parallel(self._score, continuations, n_threads=self._max_concurrency)

    def _score(self, pair: tuple[Prompt, str]) -> list[Token]:
        import openai

        prompt, continuation = pair
        if not continuation:
            return []
        before = prompt.text + prompt.answer
        try:
            choice = self._server.echo(before + continuation)
        except openai.APIStatusError as error:
            failure = self._server.translated(error)
            refused = error.status_code in _REFUSED_PARAMETER or "echo" in failure.message
            if self._has_scored or not refused or isinstance(failure, ContextOverflow):
                raise failure from error
            raise self._server.cannot_score(failure.message) from error
        except MalformedReply as error:
            if self._has_scored:
                raise
            raise self._server.cannot_score(error.message) from error
        scored = wire.scored_tokens(choice, before, continuation)
        if any(token.logprob is not None for token in scored):
            self._has_scored = True
        return scored

    def _run(self, tasks: Sequence[tuple[Prompt, GenerationOptions]]) -> list[Generation]:
        if any(options.grammar is not None for _, options in tasks):
            raise CapabilityError(
                f"A grammar was asked for; OpenAI-compatible servers such as {self._server.url}"
                " have no common way to take one.",
                hint="Use a local model, or leave the grammar out.",
            )
        return in_parallel(self._one, tasks, n_threads=self._max_concurrency)

    def _one(self, task: tuple[Prompt, GenerationOptions]) -> Generation:
        import openai

        try:
            return self._server.ask(*task, self._dialect)
        except openai.APIStatusError as error:
            raise self._server.translated(error) from error


@dataclass(frozen=True, slots=True)
class _Server:
    """The wire: bodies out, generations in. Status errors are left to the caller of `ask`."""

    client: Any
    model: str
    url: str
    secret: str
    n_tries: int

    def ask(self, prompt: Prompt, options: GenerationOptions, dialect: _Dialect) -> Generation:
        """One request."""
        chat = dialect.mode == "chat"
        endpoint = self.client.chat.completions if chat else self.client.completions
        body = self._body(prompt, options, dialect)
        writing = Writing(options, begun=prompt.answer if chat else "")
        finish = None
        usage = None
        n_pieces = 0
        with self._unreachable(), self._replies(endpoint, body, options) as replies:
            for reply in replies:
                usage = reply.get("usage") or usage
                for choice in reply["choices"]:
                    finish = wire.finish_of(choice) or finish
                    for token in wire.tokens_of(choice, options.n_alternatives):
                        writing.add(token)
                        n_pieces += 1
                if writing.has_ended:
                    break
        if finish is None and not writing.has_ended:
            raise MalformedReply(f"The reply of {self.url} breaks off without a finish reason.")
        cost = wire.usage_of(usage, prompt=prompt.text + prompt.answer, n_pieces=n_pieces)
        return writing.generation(finish or FinishReason.STOP, cost)

    def echo(self, text: str) -> Mapping[str, Any]:
        """The choice of a reply that repeats a text with its log-probabilities.

        Raises:
            MalformedReply: It does not repeat the text.
        """
        body = {
            "model": self.model,
            "prompt": text,
            "max_tokens": 1,  # some servers read 0 as no limit
            "temperature": 0.0,
            "echo": True,
            "logprobs": 1,
        }
        options = GenerationOptions(max_tokens=1)
        with (
            self._unreachable(),
            self._replies(self.client.completions, body, options) as replies,
        ):
            choices = next(replies)["choices"]
        if not choices or not wire.text_of(choices[0]).startswith(text):
            raise MalformedReply(f"The reply of {self.url} does not repeat what it was asked.")
        found: Mapping[str, Any] = choices[0]
        return found

    def cannot_score(self, why: str) -> CapabilityError:
        """The error for a server without log-probabilities of given texts."""
        return CapabilityError(
            f"The model server {self.url} gives no log-probabilities of a given text: {why}",
            hint="Use a local model, or a server such as vLLM whose completions take `echo`.",
        )

    def _body(
        self, prompt: Prompt, options: GenerationOptions, dialect: _Dialect
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": options.max_tokens,
            "temperature": options.temperature,
            "seed": options.seed,
        }
        if options.stop:
            body["stop"] = list(options.stop[:_MAX_STOPS])
        if dialect.mode == "completions":
            body["prompt"] = prompt.text + prompt.answer
            return body | ({"logprobs": options.n_alternatives + 1} if dialect.logprobs else {})
        body["messages"] = [{"role": "user", "content": prompt.text}]
        if prompt.answer:
            body["messages"].append({"role": "assistant", "content": prompt.answer})
        if dialect.logprobs:
            body["logprobs"] = True
            if options.n_alternatives:  # the written token may be one of those that are listed
                body["top_logprobs"] = options.n_alternatives + 1
        return body

    @contextmanager
    def _replies(
        self, endpoint: Any, body: Mapping[str, Any], options: GenerationOptions
    ) -> Iterator[Iterator[dict[str, Any]]]:
        """The pieces of the reply; leaving early closes the connection, which stops the server."""
        if not options.until_sentence_end:
            response = endpoint.with_raw_response.create(**body)
            yield iter([wire.parse(response.http_response.text)])
            return
        with endpoint.with_streaming_response.create(
            **body, stream=True, stream_options={"include_usage": True}
        ) as response:
            if "text/event-stream" in response.headers.get("content-type", ""):
                yield wire.stream_replies(response.iter_lines())
            else:  # a server that does not stream
                yield iter([wire.parse(response.read().decode(errors="replace"))])

    @contextmanager
    def _unreachable(self) -> Iterator[None]:
        import httpx2
        import openai

        try:
            yield
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            cause = error.__cause__ or error
            raise ModelUnavailable(
                f"The model server {self.url} does not answer after"
                f" {self.n_tries} {'try' if self.n_tries == 1 else 'tries'}:"
                f" {type(cause).__name__}: {self._clean(str(cause))}.",
                hint="Check that the server is running, that the base URL is right (most end in"
                " /v1), and whether --timeout is long enough.",
            ) from error

    def translated(self, error: Any) -> AvermentError:
        """The error of averment for an HTTP status."""
        status = error.status_code
        said = self._clean(wire.message_of_body(error.body))
        if status in _KEY_REFUSED:
            return ModelError(
                f"The model server {self.url} refuses access (HTTP {status}).",
                hint="Set OPENAI_API_KEY to a key that this server accepts.",
            )
        if status == 404:
            return self._missing(said)
        if status in (408, 409, 429) or status >= 500:
            return ModelUnavailable(
                f"The model server {self.url} failed {self.n_tries} times (HTTP {status}): {said}",
                hint="Wait, or lower the number of concurrent requests.",
            )
        return wire.error_of_message(said)

    def _missing(self, said: str) -> ModelError:
        import openai

        try:
            names = [model.id for model in self.client.models.list()]
        except (openai.OpenAIError, AttributeError, ValueError):  # a server without a list
            names = []
        return ModelError(
            f"The model server {self.url} has no model {self.model!r} (HTTP 404): {said}",
            hint=f"It has: {', '.join(sorted(names))}."
            if names
            else "Check the model's name and the base URL; for most servers it ends in /v1.",
        )

    def _clean(self, text: str) -> str:
        return text.replace(self.secret, "…") if self.secret else text
