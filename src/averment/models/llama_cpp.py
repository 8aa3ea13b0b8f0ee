"""Local models in GGUF files, run in this process by llama.cpp (package ``xllamacpp``).

Prompts are completed as raw text, without a chat template. Up to ``n_parallel`` prompts are
decoded together, each in a slot with a context of its own.

Cost of a prompt: a slot keeps what it has read, and what slots had to give up is kept in memory
(512 MiB), so a prompt pays only for what follows the longest beginning that was read before.
Prompts with a common beginning that start at the same time do not share it: each slot reads it
once.

What can be repeated: a prompt that is read whole gives the same bits in every slot; a prompt
whose beginning was read before gives other last bits (log-probabilities moved by up to 0.01
nats), and so does decoding one text beside others. Greedy text therefore depends on earlier and
concurrent calls only where the two best tokens are that close. Samples do not depend on earlier
calls, because their prompt is read anew; they do on calls that run at the same time, and on
``n_parallel``.

What this module does not do: fetch files (`averment.models.registry`), GPU settings.
"""

from __future__ import annotations

import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from averment.errors import (
    ContextOverflow,
    MalformedReply,
    MissingExtraError,
    ModelError,
    ModelFileError,
    ModelUnavailable,
    UsageError,
)
from averment.models import openai_wire as wire
from averment.models.batching import in_parallel
from averment.models.closing import Closing
from averment.models.token_texts import join_bytes, require_joined
from averment.models.writing import Writing
from averment.types import (
    Capability,
    FinishReason,
    Generation,
    GenerationOptions,
    ModelInfo,
    Prompt,
    Token,
    Usage,
)

_CAPABILITIES = frozenset(
    {Capability.LOGPROBS, Capability.SAMPLES, Capability.GRAMMAR, Capability.SCORING}
)
_PROMPT_CACHE_MIB = 512
_CERTAIN = 1000  # logit bias that no other token can beat
_TOKENIZE_TIMEOUT_S = 60

_T = TypeVar("_T")


def open_llama_cpp(
    path: Path,
    *,
    name: str,
    n_ctx: int = 4096,
    n_threads: int | None = None,
    n_parallel: int = 4,
) -> LlamaCpp:
    """Load a GGUF file.

    Args:
        path: The file.
        name: Under which results are reported.
        n_ctx: Tokens of prompt and answer together, for each prompt.
        n_threads: Threads that compute; the runtime chooses if None. They wait for each
            other at every layer, so one thread too many on busy cores costs more than it gives.
        n_parallel: Prompts that are decoded at the same time, each with its own context memory.

    Raises:
        MissingExtraError: The runtime is not installed.
        ModelFileError: There is no such file, or the runtime cannot load it.
    """
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingExtraError("Local models", "local") from error
    _check_file(path)
    key = secrets.token_urlsafe()
    parameters = _parameters(xllamacpp, n_ctx=n_ctx, n_threads=n_threads, n_parallel=n_parallel)
    parameters.model.path = str(path)
    # The runtime listens on a loopback port; nobody else is to use it.
    parameters.api_keys = [key]
    try:
        server, reply = _apart(lambda: _started(xllamacpp, parameters))
    except RuntimeError as error:
        raise ModelFileError(
            f"The model file {path} cannot be loaded: it is damaged, truncated, of a kind that"
            " llama.cpp does not know, or larger than the memory that is free.",
            hint="Compare its size and hash with: averment models list",
        ) from error
    if "error" in reply:
        raise _error_of(reply["error"])
    info = ModelInfo(name, str(path), _CAPABILITIES)
    return LlamaCpp(server, info=info, n_parallel=n_parallel, key=key)


def _started(xllamacpp: Any, parameters: Any) -> tuple[Any, Mapping[str, Any]]:
    # subtle: a runtime that is closed before its loop has begun waits for ever. The loop has begun
    # once it has answered, and a model that cannot decode is found out here.
    server = xllamacpp.Server(parameters)
    return server, server.handle_completions({"prompt": "\n", "max_tokens": 1})


def _apart(call: Callable[[], _T], on_interrupt: Callable[[], None] = lambda: None) -> _T:
    """What a call into the runtime gives, made on a thread of its own, where no interrupt arises.

    subtle: on the main thread Ctrl-C is raised by whatever line of Python comes next. In the
    runtime's callback it would be swallowed, and a runtime that has just been made would be closed
    before its loop has begun. Here the call ends first, which ``on_interrupt`` may hasten.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        running = pool.submit(call)
        try:
            return running.result()
        except KeyboardInterrupt:
            on_interrupt()
            raise


def _parameters(xllamacpp: Any, *, n_ctx: int, n_threads: int | None, n_parallel: int) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.n_ctx = n_ctx * n_parallel
    parameters.n_parallel = n_parallel
    # A shared context would let long prompts that run together overflow where each alone fits.
    parameters.kv_unified = False
    parameters.n_gpu_layers = 0
    parameters.warmup = False
    parameters.verbosity = -1
    parameters.cache_ram_mib = _PROMPT_CACHE_MIB
    parameters.ui = False
    parameters.endpoint_slots = False
    if n_threads is not None:
        parameters.cpuparams.n_threads = n_threads
        parameters.cpuparams_batch.n_threads = n_threads
    return parameters


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelFileError(f"The model file {path} cannot be read: {error.strerror}.") from error
    if magic != b"GGUF":
        raise ModelFileError(
            f"{path} is not a model file: it starts with {magic!r}, expected b'GGUF'."
        )


class LlamaCpp(Closing):
    """A loaded local model; a `LanguageModel` and a `ScoringModel`. Safe to call from threads.

    Made by `open_llama_cpp`. Close it to give the memory back.
    """

    def __init__(self, server: Any, *, info: ModelInfo, n_parallel: int, key: str) -> None:
        self._server = server
        self._info = info
        self._n_parallel = n_parallel
        self._key = key

    @property
    def info(self) -> ModelInfo:
        """Which model this is; the source is its file."""
        return self._info

    @property
    def loopback(self) -> tuple[str, str]:
        """Where the runtime itself can be asked, on this machine only: its base URL and its key."""
        return f"{self._open_server().listening_address}/v1", self._key

    def close(self) -> None:
        """Give the memory back; the model cannot be used any more. Harmless when repeated."""
        self._server = None

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        """One continuation for each prompt.

        Raises:
            ContextOverflow: A prompt is longer than the context.
            UsageError: The grammar cannot be parsed.
        """
        return in_parallel(
            lambda prompt: self._complete(prompt, options)[0], prompts, n_threads=self._n_parallel
        )

    def sample(
        self, prompts: Sequence[Prompt], n_samples: int, options: GenerationOptions
    ) -> list[list[Generation]]:
        """Several continuations for each prompt, from the whole distribution at a temperature.

        Groups of ``n_parallel`` samples are decoded together. The prompt is read once, anew.

        Raises:
            ContextOverflow: A prompt is longer than the context.
            UsageError: The grammar cannot be parsed.
        """
        return [self._sample(prompt, n_samples, options) for prompt in prompts]

    def _sample(
        self, prompt: Prompt, n_samples: int, options: GenerationOptions
    ) -> list[Generation]:
        samples: list[Generation] = []
        while len(samples) < n_samples:
            n = min(self._n_parallel, n_samples - len(samples))
            seed = options.seed + len(samples)
            samples += self._complete(prompt, options, n=n, seed=seed, anew=not samples)
        return samples

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        """The tokens of each continuation, each with the log-probability the model gives it.

        Exact, at one decoding step a token. The continuation is tokenised on its own, and each
        token is forced in turn; the runtime reports log-probabilities from before the forcing.
        Spreading the tokens of one text over slots is slower, since slots do not share what they
        have read; one pass over all of them is what `averment.models.llama_cpp_python` has.

        Returns:
            Tokens that join to the continuation. Where a character is split over tokens, its text
            is that of the last of them, and the log-probability of the others may be None. So is
            that of a token that nothing stands before.

        Raises:
            ContextOverflow: Prompt and continuation are longer than the context.
        """
        return in_parallel(
            lambda pair: self._score(*pair), continuations, n_threads=self._n_parallel
        )

    # --- writing --------------------------------------------------------------------------------

    def _complete(
        self,
        prompt: Prompt,
        options: GenerationOptions,
        *,
        n: int = 1,
        seed: int | None = None,
        anew: bool = False,
    ) -> list[Generation]:
        if options.max_tokens < 1:
            raise ValueError(f"max_tokens is {options.max_tokens}, expected at least 1")
        reply = _Reply(options, n)
        request = {
            "prompt": prompt.text + prompt.answer,
            "max_tokens": options.max_tokens,
            "temperature": options.temperature,
            # The runtime's own defaults cut the tail of the distribution.
            "top_k": 0,
            "top_p": 1.0,
            "min_p": 0.0,
            "seed": options.seed if seed is None else seed,
            "n": n,
            "logprobs": options.n_alternatives + 1,
            "cache_prompt": not anew,
            "stream": True,
            "timings_per_token": True,
        }
        if options.grammar is not None:
            request["grammar"] = options.grammar
        server = self._open_server()
        _apart(lambda: server.handle_completions(request, reply.take), reply.stop)
        return reply.generations()

    def _open_server(self) -> Any:
        if self._server is None:
            raise ValueError(f"the model {self._info.name!r} is closed")
        return self._server

    # --- scoring --------------------------------------------------------------------------------

    def _score(self, prompt: Prompt, continuation: str) -> list[Token]:
        before = [piece["id"] for piece in self._tokenize(prompt.text + prompt.answer, first=True)]
        pieces = self._tokenize(continuation, first=False)
        texts = join_bytes([_piece_bytes(piece) for piece in pieces])
        require_joined(texts, continuation, model=self._info.name)
        scored = []
        for piece, text in zip(pieces, texts, strict=True):
            scored.append(Token(text, self._force(before, piece["id"]) if before else None))
            before.append(piece["id"])
        return scored

    def _force(self, before: list[int], token_id: int) -> float | None:
        reply = self._open_server().handle_completions(
            {
                "prompt": before,
                "max_tokens": 1,
                "temperature": 0,
                "logit_bias": [[token_id, _CERTAIN]],
                "logprobs": 1,
            }
        )
        if "error" in reply:
            raise _error_of(reply["error"])
        logprobs = reply["choices"][0]["logprobs"]
        if not logprobs:  # the beginning of a character: the runtime withholds it
            return None
        (entry,) = logprobs["content"]
        if entry["id"] != token_id:
            raise MalformedReply(f"The runtime gave token {entry['id']}, expected {token_id}.")
        return float(entry["logprob"])

    def _tokenize(self, text: str, *, first: bool) -> list[dict[str, Any]]:
        body = {"content": text, "add_special": first, "with_pieces": True}
        request = urllib.request.Request(
            f"{self._open_server().listening_address}/tokenize",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"},
        )
        # A proxy of the environment must not see what goes to loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_TOKENIZE_TIMEOUT_S) as reply:
                pieces: list[dict[str, Any]] = json.load(reply)["tokens"]
        except (urllib.error.URLError, TimeoutError) as error:
            raise ModelUnavailable(f"The local runtime does not tokenise: {error}.") from error
        return pieces


class _Reply:
    """The chunks of one request, sorted by continuation."""

    def __init__(self, options: GenerationOptions, n: int) -> None:
        self._n_alternatives = options.n_alternatives
        self._writings = [Writing(options) for _ in range(n)]
        self._finishes = [FinishReason.STOP] * n
        self._usages = [Usage()] * n
        self._error: Exception | None = None
        self._stopped = False

    def stop(self) -> None:
        """Ask the runtime to stop at the next chunk; callable from another thread."""
        self._stopped = True

    def take(self, chunk: Mapping[str, Any]) -> bool:
        """Take a chunk; True asks the runtime to stop."""
        try:
            return self._stopped or self._take(chunk)
        except Exception as error:  # the runtime would swallow it
            self._error = error
            return True

    def _take(self, chunk: Mapping[str, Any]) -> bool:
        if "error" in chunk:
            raise _error_of(chunk["error"])
        choice = chunk["choices"][0]
        at = choice["index"]
        writing = self._writings[at]
        if not writing.has_ended:
            self._usages[at] = _usage_of(chunk["timings"], shared=at > 0)
            for entry in (choice["logprobs"] or {}).get("content", ()):
                writing.add(wire.token_of(entry, self._n_alternatives))
        if choice["finish_reason"] == "length":
            self._finishes[at] = FinishReason.LENGTH
        return all(writing.has_ended for writing in self._writings)

    def generations(self) -> list[Generation]:
        if self._error is not None:
            raise self._error
        parts = zip(self._writings, self._finishes, self._usages, strict=True)
        return [writing.generation(finish, usage) for writing, finish, usage in parts]


def _usage_of(timings: Mapping[str, Any], *, shared: bool) -> Usage:
    """Of continuations that share one prompt, only the first has it to account for."""
    prompt_tokens = timings["cache_n"] + timings["prompt_n"]
    cached = prompt_tokens if shared else timings["cache_n"]
    return Usage(prompt_tokens, timings["predicted_n"], cached)


def _piece_bytes(piece: Mapping[str, Any]) -> bytes:
    raw = piece["piece"]
    return raw.encode() if isinstance(raw, str) else bytes(raw)


def _error_of(error: Mapping[str, Any]) -> ModelError | UsageError:
    message = str(error.get("message", error))
    if error.get("type") == "exceed_context_size_error":
        return ContextOverflow(
            f"The prompt has {error['n_prompt_tokens']} tokens; the context of the model holds"
            f" {error['n_ctx']}.",
            hint="Give fewer or shorter passages, or open the model with a larger context.",
        )
    if "grammar" in message:
        return UsageError(f"The grammar is not GBNF that llama.cpp can parse: {message}.")
    return ModelError(f"The local runtime failed: {message}.")
