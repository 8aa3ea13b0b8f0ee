"""Scoring of given texts in one pass: GGUF files in llama.cpp through ``llama-cpp-python``.

A text is read like a prompt, many tokens a step, and the log-probabilities of all its tokens come
out at once; the default runtime (`averment.models.llama_cpp`) needs a step for each of them. It is
an extra because the package is compiled when it is installed. The file is loaded a second time
beside the default runtime; both map the same pages.

What can be repeated: every text is read anew, so that its log-probabilities are the same bits
whatever was scored before. The default runtime differs by some hundredths of a nat a token,
because a step of one token and a step of many multiply quantised weights in different ways.

What this module does not do: write text.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from averment.errors import ContextOverflow, MissingExtraError, ModelError, ModelFileError
from averment.models.closing import Closing
from averment.models.token_texts import join_bytes, require_joined
from averment.types import Capability, ModelInfo, Prompt, Token

_TOKENS_A_STEP = 512
_PIECE_BYTES = 256  # longer than any token of a vocabulary


def open_llama_cpp_python(
    path: Path, *, name: str, n_ctx: int = 4096, n_threads: int | None = None
) -> LlamaCppPython:
    """Load a GGUF file.

    Args:
        path: The file.
        name: Under which results are reported.
        n_ctx: Tokens of prompt and continuation together.
        n_threads: Threads that compute; the runtime chooses if None.

    Raises:
        MissingExtraError: The runtime is not installed.
        ModelFileError: There is no such file, or the runtime cannot load it.
    """
    try:
        import llama_cpp
    except ImportError as error:
        raise MissingExtraError("Scorings in one pass", "rescore") from error
    logging.getLogger("llama-cpp-python").setLevel(logging.CRITICAL)  # it prints to stderr
    llama_cpp.llama_backend_init()
    parameters = llama_cpp.llama_model_default_params()
    parameters.n_gpu_layers = 0
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
    if not model:
        raise ModelFileError(
            f"The model file {path} cannot be loaded: it is missing, damaged, truncated, or of a"
            " kind that llama.cpp does not know.",
            hint="Compare its size and hash with: averment models list",
        )
    context = llama_cpp.llama_init_from_model(model, _context(llama_cpp, n_ctx, n_threads))
    if not context:
        llama_cpp.llama_model_free(model)
        raise ModelError(f"There is no memory for a context of {n_ctx} tokens of {name!r}.")
    info = ModelInfo(name, str(path), frozenset({Capability.SCORING}))
    return LlamaCppPython(llama_cpp, model, context, info=info)


def _context(llama_cpp: Any, n_ctx: int, n_threads: int | None) -> Any:
    parameters = llama_cpp.llama_context_default_params()
    parameters.n_ctx = n_ctx
    parameters.n_batch = parameters.n_ubatch = _TOKENS_A_STEP
    if n_threads is not None:
        parameters.n_threads = parameters.n_threads_batch = n_threads
    return parameters


class LlamaCppPython(Closing):
    """A loaded local model; a `ScoringModel`. Safe to call from threads, one text at a time.

    Made by `open_llama_cpp_python`. Close it to give the memory back.
    """

    def __init__(self, llama_cpp: Any, model: Any, context: Any, *, info: ModelInfo) -> None:
        self._llama_cpp = llama_cpp
        self._model = model
        self._context = context
        self._info = info
        self._vocabulary = llama_cpp.llama_model_get_vocab(model)
        self._n_vocabulary: int = llama_cpp.llama_vocab_n_tokens(self._vocabulary)
        self._lock = threading.Lock()

    @property
    def info(self) -> ModelInfo:
        """Which model this is; the source is its file."""
        return self._info

    def close(self) -> None:
        """Give the memory back; the model cannot be used any more. Harmless when repeated."""
        with self._lock:
            if self._context is not None:
                self._llama_cpp.llama_free(self._context)
                self._llama_cpp.llama_model_free(self._model)
                self._context = None

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        """The tokens of each continuation, each with the log-probability the model gives it.

        Exact, in one pass over prompt and continuation, which are tokenised apart.

        Returns:
            Tokens that join to the continuation. Where a character is split over tokens, its text
            is that of the last of them. A token that nothing stands before has no log-probability.

        Raises:
            ContextOverflow: Prompt and continuation are longer than the context.
        """
        with self._lock:
            if self._context is None:
                raise ValueError(f"the model {self._info.name!r} is closed")
            return [self._score(*pair) for pair in continuations]

    def _score(self, prompt: Prompt, continuation: str) -> list[Token]:
        before = self._tokenize(prompt.text + prompt.answer, first=True)
        written = self._tokenize(continuation, first=False)
        texts = join_bytes([self._bytes_of(token_id) for token_id in written])
        require_joined(texts, continuation, model=self._info.name)
        # Nothing tells how likely a text begins so, where nothing stands before it.
        unknown = [] if before or not written else [None]
        known = self._logprobs(before + written, first=len(before) + len(unknown))
        return [Token(*pair) for pair in zip(texts, [*unknown, *known], strict=True)]

    def _logprobs(self, ids: list[int], *, first: int) -> list[float]:
        """The log-probability of each token from the first one on, given all before it."""
        n_ctx = self._llama_cpp.llama_n_ctx(self._context)
        if len(ids) > n_ctx:
            raise ContextOverflow(
                f"Prompt and continuation have {len(ids)} tokens; the context of the model holds"
                f" {n_ctx}.",
                hint="Give fewer or shorter passages, or open the model with a larger context.",
            )
        memory = self._llama_cpp.llama_get_memory(self._context)
        self._llama_cpp.llama_memory_clear(memory, True)
        found: list[float] = []
        if first < len(ids):
            for start in range(0, len(ids) - 1, _TOKENS_A_STEP):
                found += self._step(ids, start, first=first)
        return found

    def _step(self, ids: list[int], start: int, *, first: int) -> list[float]:
        """Read some tokens; each tells the log-probability of the one after it."""
        stop = min(start + _TOKENS_A_STEP, len(ids) - 1)
        asked = [at for at in range(start, stop) if at + 1 >= first]
        batch = self._llama_cpp.llama_batch_init(stop - start, 0, 1)
        try:
            batch.n_tokens = stop - start
            for row, at in enumerate(range(start, stop)):
                batch.token[row], batch.pos[row] = ids[at], at
                batch.n_seq_id[row], batch.seq_id[row][0] = 1, 0
                batch.logits[row] = at + 1 >= first
            failed = self._llama_cpp.llama_decode(self._context, batch)
        finally:
            self._llama_cpp.llama_batch_free(batch)
        if failed:
            raise ModelError(f"The local runtime failed to read {stop - start} tokens ({failed}).")
        return [self._logprob(at - start, ids[at + 1]) for at in asked]

    def _logprob(self, row: int, token_id: int) -> float:
        import numpy as np

        pointer = self._llama_cpp.llama_get_logits_ith(self._context, row)
        logits = np.ctypeslib.as_array(pointer, shape=(self._n_vocabulary,))
        above = logits - logits.max()
        return float(above[token_id] - np.log(np.exp(above).sum(dtype=np.float64)))

    def _tokenize(self, text: str, *, first: bool) -> list[int]:
        raw = text.encode()
        n_most = len(raw) + 2  # a token has a byte at least, and text may get a mark at each end
        ids = (self._llama_cpp.llama_token * n_most)()
        n_ids = self._llama_cpp.llama_tokenize(
            self._vocabulary, raw, len(raw), ids, n_most, first, True
        )
        return list(ids[:n_ids])

    def _bytes_of(self, token_id: int) -> bytes:
        import ctypes

        buffer = ctypes.create_string_buffer(_PIECE_BYTES)
        n_bytes = self._llama_cpp.llama_token_to_piece(
            self._vocabulary, token_id, buffer, _PIECE_BYTES, 0, True
        )
        return buffer.raw[: max(n_bytes, 0)]
