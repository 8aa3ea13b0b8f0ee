"""Local models through transformers and torch: checkpoints in folders, and the same GGUF files.

For research: it scores given texts in one pass, writes with any number of alternatives a token, and
is a second opinion on what llama.cpp computes. Quantised weights are expanded to 32 bits when they
are loaded, which takes a minute and four bytes a parameter; activations are not rounded, as
llama.cpp does, so that log-probabilities differ by some hundredths of a nat a token.

What this module does not do: fetch models, run code that comes with them, grammars, decode several
texts at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from averment.errors import (
    CapabilityError,
    ContextOverflow,
    MissingExtraError,
    ModelError,
    ModelFileError,
)
from averment.models.token_texts import cut_at_offsets, require_joined
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

_CAPABILITIES = frozenset({Capability.LOGPROBS, Capability.SAMPLES, Capability.SCORING})
_INCOMPLETE = "\ufffd"  # what a decoder gives for the beginning of a character


def open_transformers(
    path: Path, *, name: str, n_ctx: int = 4096, n_threads: int | None = None
) -> TransformersLM:
    """Load a causal language model.

    Args:
        path: A GGUF file, or the folder of a checkpoint with its tokenizer.
        name: Under which results are reported.
        n_ctx: Tokens of prompt and continuation together.
        n_threads: Threads that compute, of everything in this process that uses torch; torch
            chooses if None.

    Raises:
        MissingExtraError: Something of the extra is not installed.
        ModelFileError: There is nothing, or nothing that transformers can load.
        ModelError: The tokenizer cannot say which characters a token stands for.
    """
    if not path.exists():
        raise ModelFileError(f"There is no model {path}.")
    is_file = path.is_file()
    where = {"gguf_file": path.name} if is_file else {}
    folder = str(path.parent if is_file else path)
    try:
        import torch
        import transformers

        tokenizer = transformers.AutoTokenizer.from_pretrained(
            folder, local_files_only=True, **where
        )
        model = transformers.AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32, **where
        )
    except ImportError as error:
        raise MissingExtraError("Models in transformers", "transformers") from error
    except (OSError, ValueError, LookupError, RuntimeError) as error:
        raise ModelFileError(f"The model {path} cannot be loaded: {error}") from error
    if not tokenizer.is_fast:
        raise ModelError(f"The tokenizer of {path} does not say which characters a token covers.")
    if n_threads is not None:
        torch.set_num_threads(n_threads)
    info = ModelInfo(name, str(path), _CAPABILITIES)
    return TransformersLM(torch, model.eval(), tokenizer, info=info, n_ctx=n_ctx)


class TransformersLM:
    """A loaded model; a `LanguageModel` and a `ScoringModel`. One text at a time.

    Made by `open_transformers`.
    """

    def __init__(
        self, torch: Any, model: Any, tokenizer: Any, *, info: ModelInfo, n_ctx: int
    ) -> None:
        self._torch = torch
        self._model = model
        self._tokenizer = tokenizer
        self._info = info
        self._n_ctx = n_ctx

    @property
    def info(self) -> ModelInfo:
        """Which model this is; the source is its file or folder."""
        return self._info

    # --- scoring --------------------------------------------------------------------------------

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        """The tokens of each continuation, each with the log-probability the model gives it.

        Exact, in one pass over prompt and continuation, which are tokenised apart.

        Returns:
            Tokens that join to the continuation. Where a character is split over tokens, its text
            is that of the last of them. A token that nothing stands before has no log-probability.

        Raises:
            ContextOverflow: Prompt and continuation are longer than the context.
        """
        return [self._score(*pair) for pair in continuations]

    def _score(self, prompt: Prompt, continuation: str) -> list[Token]:
        before = self._tokenizer(prompt.text + prompt.answer).input_ids
        found = self._tokenizer(continuation, add_special_tokens=False, return_offsets_mapping=True)
        written = found.input_ids
        texts = cut_at_offsets(continuation, found.offset_mapping)
        require_joined(texts, continuation, model=self._info.name)
        # Nothing tells how likely a text begins so, where nothing stands before it.
        unknown = [] if before or not written else [None]
        known = self._logprobs(before + written, n_last=len(written) - len(unknown))
        return [Token(*pair) for pair in zip(texts, [*unknown, *known], strict=True)]

    def _logprobs(self, ids: list[int], *, n_last: int) -> list[float]:
        """The log-probability of each of the last tokens, given all before it."""
        self._require_room(len(ids))
        if not n_last:
            return []
        torch = self._torch
        with torch.inference_mode():
            read = torch.tensor([ids[:-1]])
            logits = self._model(read, logits_to_keep=n_last, use_cache=False).logits[0]
            chosen = logits.gather(1, torch.tensor(ids[-n_last:])[:, None])[:, 0]
            logprobs: list[float] = (chosen - logits.logsumexp(1)).tolist()
        return logprobs

    def _require_room(self, n_tokens: int) -> None:
        if n_tokens > self._n_ctx:
            raise ContextOverflow(
                f"Prompt and continuation have {n_tokens} tokens; the context of the model holds"
                f" {self._n_ctx}.",
                hint="Give fewer or shorter passages, or open the model with a larger context.",
            )

    # --- writing --------------------------------------------------------------------------------

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        """One continuation for each prompt.

        Raises:
            ContextOverflow: A prompt is longer than the context.
            CapabilityError: A grammar was asked for.
        """
        return [self._write(prompt, options) for prompt in prompts]

    def sample(
        self, prompts: Sequence[Prompt], n_samples: int, options: GenerationOptions
    ) -> list[list[Generation]]:
        """Several continuations for each prompt, from the whole distribution at a temperature.

        Raises:
            ContextOverflow: A prompt is longer than the context.
            CapabilityError: A grammar was asked for.
        """
        draws = [replace(options, seed=options.seed + at) for at in range(n_samples)]
        return [[self._write(prompt, draw) for draw in draws] for prompt in prompts]

    def _write(self, prompt: Prompt, options: GenerationOptions) -> Generation:
        if options.grammar is not None:
            raise CapabilityError(
                "A grammar was asked for; transformers has none.",
                hint="Use the default local runtime, or leave the grammar out.",
            )
        torch = self._torch
        before = self._tokenizer(prompt.text + prompt.answer).input_ids
        self._require_room(len(before) + options.max_tokens)
        writing, finish = Writing(options), FinishReason.LENGTH
        written: list[int] = []
        text = ""
        cache = None
        random = torch.Generator().manual_seed(options.seed)
        with torch.inference_mode():
            while len(written) < options.max_tokens and not writing.has_ended:
                read = torch.tensor([written[-1:] or before])
                output = self._model(read, cache=cache, use_cache=True, logits_to_keep=1)
                cache = output.cache
                logprobs = output.logits[0, -1].log_softmax(0)
                written.append(_pick(torch, logprobs, options.temperature, random))
                if written[-1] in self._tokenizer.all_special_ids:
                    finish = FinishReason.STOP
                    break
                longer = self._decode(before, written)
                writing.add(self._token(longer[len(text) :], written[-1], logprobs, options))
                text = longer
        return writing.generation(finish, Usage(len(before), len(written)))

    def _decode(self, before: list[int], written: list[int]) -> str:
        """The whole characters that were written; some decoders drop a blank at the beginning."""
        begun = self._tokenizer.decode(before)
        longer: str = self._tokenizer.decode(before + written)
        return longer[len(begun) :].rstrip(_INCOMPLETE)

    def _token(self, text: str, token_id: int, logprobs: Any, options: GenerationOptions) -> Token:
        best = logprobs.topk(options.n_alternatives + 1)
        others = [
            (self._tokenizer.decode([other]), logprob)
            for logprob, other in zip(best.values.tolist(), best.indices.tolist(), strict=True)
            if other != token_id
        ]
        return Token(text, float(logprobs[token_id]), tuple(others[: options.n_alternatives]))


def _pick(torch: Any, logprobs: Any, temperature: float, random: Any) -> int:
    if temperature <= 0:
        return int(logprobs.argmax())
    return int(torch.multinomial((logprobs / temperature).softmax(0), 1, generator=random))
