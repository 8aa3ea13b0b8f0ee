"""Local models through transformers and torch: checkpoints in folders, and the same GGUF files.

For research: it scores given texts in one pass, writes with any number of alternatives a token,
tells entropies, attention and hidden states (`averment.models.introspection`), and is a second
opinion on what llama.cpp computes. Quantised weights are expanded to 32 bits when they are loaded,
which takes a minute and four bytes a parameter; activations are not rounded, as llama.cpp does, so
that log-probabilities differ by some hundredths of a nat a token.

What was read and written last is kept, so that a prompt pays only for what follows the beginning
that it shares with it; the last bits of its numbers then depend on what was read before.

What this module does not do: fetch models, run code that comes with them, grammars, decode several
texts at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from averment.errors import (
    CapabilityError,
    ContextOverflow,
    MissingExtraError,
    ModelError,
    ModelFileError,
)
from averment.models import introspection
from averment.models.closing import Closing
from averment.models.token_texts import cut_at_offsets, require_joined
from averment.models.writing import Writing
from averment.readings import Attention, Sampling, Spread
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

_CAPABILITIES = frozenset(Capability) - {Capability.GRAMMAR}
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
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(
            folder,
            local_files_only=True,
            dtype=torch.float32,
            attn_implementation="eager",  # the others do not give what they attend to
            **where,
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


class TransformersLM(Closing):
    """A loaded `LanguageModel`, `ScoringModel` and `IntrospectiveModel`. One text at a time.

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
        self._read_ids: list[int] = []
        self._cache: Any = None

    def close(self) -> None:
        """Forget what was read; the weights go when nobody names the model any more."""
        self._cache, self._read_ids = None, []

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
        n_known = self._n_known(before)
        random = torch.Generator().manual_seed(options.seed)
        with torch.inference_mode():
            while len(written) < options.max_tokens and not writing.has_ended:
                logprobs = self._read(before + written).log_softmax(0)
                written.append(_pick(torch, logprobs, options.temperature, random))
                if written[-1] in self._tokenizer.all_special_ids:
                    finish = FinishReason.STOP
                    break
                longer = self._decode(before, written)
                writing.add(self._token(longer[len(text) :], written[-1], logprobs, options))
                text = longer
        return writing.generation(finish, Usage(len(before), len(written), n_known))

    def _read(self, ids: list[int]) -> Any:
        """The logits behind these tokens; what was read before is not read again."""
        n_known = self._n_known(ids)
        cache = self._cache if n_known else None
        if cache is not None and n_known < len(self._read_ids):
            cache.crop(n_known - len(self._read_ids))
        self._cache, self._read_ids = None, []  # should what follows be interrupted
        read = self._torch.tensor([ids[n_known:]])
        output = self._model(read, cache=cache, use_cache=True, logits_to_keep=1)
        self._cache, self._read_ids = output.cache, ids
        return output.logits[0, -1]

    def _n_known(self, ids: list[int]) -> int:
        """How many tokens at the beginning need not be read; the last always is."""
        if self._cache is None or not all(
            type(layer).__name__ == "DynamicLayer" for layer in self._cache.layers
        ):
            return 0  # other kinds cannot be cut back to any length
        pairs = zip(self._read_ids, ids[:-1], strict=False)
        return next(
            (at for at, (a, b) in enumerate(pairs) if a != b),
            min(len(self._read_ids), len(ids) - 1),
        )

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
        entropy = float(-(logprobs.exp() * logprobs).nansum())  # 0 log 0 is 0
        logprob = float(logprobs[token_id])
        return Token(text, logprob, tuple(others[: options.n_alternatives]), entropy)

    # --- looking in -----------------------------------------------------------------------------

    def attention(self, texts: Sequence[tuple[str, str, int]]) -> list[Attention]:
        """How the last layer attends while each (before, text, rows_from) is read, in one pass.

        Returns:
            Of the tokens of the text, which is tokenised apart from what stands before it; where
            nothing does, it is read without a token for the beginning of a text.

        Raises:
            ContextOverflow: Both are longer than the context.
            CapabilityError: The attention of this architecture is not found.
        """
        return [self._attend(*each) for each in texts]

    def _attend(self, before: str, text: str, rows_from: int) -> Attention:
        ids = self._tokenizer(before).input_ids if before else []
        found = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        spans = tuple((int(start), int(end)) for start, end in found.offset_mapping)
        read = ids + found.input_ids
        self._require_room(len(read))
        usage = Usage(prompt_tokens=len(read))
        if not spans:
            return Attention((), (), (), usage)
        module = introspection.attention_module(self._model)
        with self._torch.inference_mode(), introspection.listening(module) as heard:
            self._model(self._torch.tensor([read]), use_cache=False, logits_to_keep=1)
            weights = heard[0][1][0, :, len(ids) :, len(ids) :]
        first_row = next((at for at, (_, end) in enumerate(spans) if end > rows_from), len(spans))
        return Attention(
            spans,
            tuple(introspection.received(weights)),
            tuple(introspection.mean_rows(weights, first_row)),
            usage,
        )

    def spread(self, prompts: Sequence[Prompt], sampling: Sampling) -> list[Spread]:
        """How far apart continuations of each prompt are inside the model; drawn side by side.

        Raises:
            ContextOverflow: A prompt is longer than the context.
            CapabilityError: The feed-forward branch of this architecture is not found.
        """
        return [self._spread(prompt, sampling) for prompt in prompts]

    def _spread(self, prompt: Prompt, sampling: Sampling) -> Spread:
        before = self._tokenizer(prompt.text + prompt.answer).input_ids
        self._require_room(len(before) + sampling.max_tokens)
        n_known = self._n_known(before)
        torch = self._torch
        random = torch.Generator().manual_seed(sampling.seed)
        module = introspection.feed_forward_module(self._model)
        drawn = [_Drawn() for _ in range(sampling.n_samples)]
        with torch.inference_mode(), introspection.listening(module) as heard:
            logits = self._read(before).expand(sampling.n_samples, -1)
            cache, going_on = introspection.repeated(self._cache, sampling.n_samples), drawn
            for _ in range(sampling.max_tokens):
                probabilities = introspection.keep_probable(torch, logits, sampling)
                chosen = torch.multinomial(probabilities, 1, generator=random)
                states = heard[-1][:, -1].expand(len(going_on), -1)
                for each, token, state in zip(going_on, chosen[:, 0].tolist(), states, strict=True):
                    self._draw(each, token, state, sampling)
                left = [at for at, each in enumerate(going_on) if not each.has_ended]
                if not left:
                    break
                if len(left) < len(going_on):  # what has ended is not computed any further
                    going_on, chosen = [going_on[at] for at in left], chosen[left]
                    cache.batch_select_indices(torch.tensor(left))
                heard.clear()
                output = self._model(chosen, cache=cache, use_cache=True, logits_to_keep=1)
                cache, logits = output.cache, output.logits[:, -1]
        used = [each.state for each in drawn if each.text.strip()]
        n_written = sum(len(each.ids) for each in drawn)
        volume = introspection.log_volume(torch, used)
        return Spread(volume, len(used), Usage(len(before), n_written, n_known))

    def _draw(self, drawn: _Drawn, token: int, state: Any, sampling: Sampling) -> None:
        if drawn.has_ended:
            return
        drawn.ids.append(token)
        drawn.state = state
        if token in self._tokenizer.all_special_ids:
            drawn.has_ended = True
            return
        text = self._tokenizer.decode(drawn.ids)
        ends = [at for stop in sampling.stop if (at := text.find(stop)) >= 0]
        drawn.has_ended = bool(ends)
        drawn.text = text[: min(ends)] if ends else text


@dataclass(slots=True)
class _Drawn:
    """A continuation while it is drawn; `state` is that of the last token read for it."""

    ids: list[int] = field(default_factory=list)
    text: str = ""
    state: Any = None
    has_ended: bool = False


def _pick(torch: Any, logprobs: Any, temperature: float, random: Any) -> int:
    if temperature <= 0:
        return int(logprobs.argmax())
    return int(torch.multinomial((logprobs / temperature).softmax(0), 1, generator=random))
