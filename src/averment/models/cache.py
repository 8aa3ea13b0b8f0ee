"""Model calls that are remembered on disk, so that a run that is repeated pays for each once.

A key is the SHA-256 of everything that a reply depends on: the identity of the model, the kind of
call, prompt, options. Only replies that came back whole are kept; an error is raised through and
the call is made again the next time. The seconds that a call took are kept with its reply, so that
what was remembered can still be billed.

What a model can do beyond writing and scoring is handed through to it, and neither remembered nor
metered. What this module does not do: expire what is on disk (delete the file instead).
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from averment.keyed_rows import KeyedRows
from averment.ports import LanguageModel, ScoringModel
from averment.trace import from_plain, to_plain
from averment.types import Generation, GenerationOptions, ModelInfo, Prompt, Token

_FILE_NAME = "calls.sqlite3"
_COLUMNS = {"reply": "TEXT", "seconds": "REAL"}
_SCHEMA = 1
_NOT_OURS = {"close"}
_Asked = TypeVar("_Asked")


@dataclass(frozen=True, slots=True)
class Meter:
    """What went through a model so far: all calls, whoever made them."""

    calls: int = 0
    prompt_tokens: int = 0
    generated_tokens: int = 0
    cached_calls: int = 0
    """Calls that were remembered."""
    cached_seconds: float = 0.0
    """What the remembered calls took when they were made."""

    def since(self, earlier: Meter) -> Meter:
        """What was added after an earlier reading."""
        return Meter(
            self.calls - earlier.calls,
            self.prompt_tokens - earlier.prompt_tokens,
            self.generated_tokens - earlier.generated_tokens,
            self.cached_calls - earlier.cached_calls,
            self.cached_seconds - earlier.cached_seconds,
        )


class CachedModel:
    """A `LanguageModel` that asks another one only for what it has not answered before.

    Args:
        model: Who is asked; stays the caller's, who closes it.
        identity: What replies depend on besides the call: name, digest and runtime of the model.
        directory: Where replies are kept; made if it is not there.
        seed: Added to the seed of every call.

    Raises:
        UsageError: The directory cannot be used.
    """

    def __init__(
        self, model: LanguageModel, *, identity: str, directory: Path, seed: int = 0
    ) -> None:
        self._model = model
        self._identity = identity
        self._seed = seed
        self._disk = KeyedRows(
            directory / _FILE_NAME,
            table="calls",
            columns=_COLUMNS,
            what="model calls",
            hint="Delete the file.",
        )
        self._meter = Meter()

    @property
    def info(self) -> ModelInfo:
        """The model that is asked."""
        return self._model.info

    @property
    def identity(self) -> str:
        """What replies depend on besides the call."""
        return self._identity

    @property
    def meter(self) -> Meter:
        """What went through so far."""
        return self._meter

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        """One continuation for each prompt; what is unknown is asked for in one batch.

        Raises:
            UsageError: The file of the cache cannot be used.
        """
        seeded = replace(options, seed=options.seed + self._seed)
        written: list[Generation] = self._replies(
            prompts,
            ("generate", to_plain(seeded)),
            lambda missing: self._model.generate(missing, seeded),
            kind=Generation,
        )
        self._count(written)
        return written

    def sample(
        self, prompts: Sequence[Prompt], n_samples: int, options: GenerationOptions
    ) -> list[list[Generation]]:
        """Several continuations for each prompt; what is unknown is asked for in one batch.

        Raises:
            UsageError: The file of the cache cannot be used.
        """
        seeded = replace(options, seed=options.seed + self._seed)
        samples: list[list[Generation]] = self._replies(
            prompts,
            ("sample", n_samples, to_plain(seeded)),
            lambda missing: self._model.sample(missing, n_samples, seeded),
            kind=list[Generation],
        )
        self._count([each for some in samples for each in some])
        return samples

    def _count(self, written: Sequence[Generation]) -> None:
        self._meter = replace(
            self._meter,
            calls=self._meter.calls + len(written),
            prompt_tokens=self._meter.prompt_tokens + sum(g.usage.prompt_tokens for g in written),
            generated_tokens=self._meter.generated_tokens
            + sum(g.usage.generated_tokens for g in written),
        )

    def _replies(
        self,
        asked: Sequence[_Asked],
        how: tuple[object, ...],
        ask: Callable[[list[_Asked]], Sequence[Any]],
        *,
        kind: Any,
    ) -> list[Any]:
        keys = [_key(self._identity, how, each) for each in asked]
        rows = self._disk.read(list(dict.fromkeys(keys)))
        known = {key: _Reply(*row) for key, row in rows.items()}
        remembered = [known[key] for key in keys if key in known]
        self._meter = replace(
            self._meter,
            cached_calls=self._meter.cached_calls + len(remembered),
            cached_seconds=self._meter.cached_seconds + sum(each.seconds for each in remembered),
        )
        missing = {key: each for key, each in zip(keys, asked, strict=True) if key not in known}
        fresh = self._made(missing, ask) if missing else {}
        self._disk.write(fresh)
        replies = known | fresh
        return [from_plain(kind, json.loads(replies[key].text)) for key in keys]

    def _made(
        self, missing: dict[bytes, _Asked], ask: Callable[[list[_Asked]], Sequence[Any]]
    ) -> dict[bytes, _Reply]:
        started = time.perf_counter()
        replies = ask(list(missing.values()))
        share = (time.perf_counter() - started) / len(missing)
        return {
            key: _Reply(_canonical(to_plain(reply)), share)
            for key, reply in zip(missing, replies, strict=True)
        }


class CachedScoringModel(CachedModel):
    """A `CachedModel` that is a `ScoringModel` too, as the model that it asks is.

    Args:
        model: Who is asked.
        identity: As of `CachedModel`.
        directory: As of `CachedModel`.
        seed: As of `CachedModel`.
    """

    def score(self, continuations: Sequence[tuple[Prompt, str]]) -> list[list[Token]]:
        """The tokens of each continuation; what is unknown is asked for in one batch."""
        model = self._model
        assert isinstance(model, ScoringModel)
        tokens: list[list[Token]] = self._replies(
            continuations, ("score",), model.score, kind=list[Token]
        )
        return tokens


def cached(model: LanguageModel, *, identity: str, directory: Path, seed: int = 0) -> CachedModel:
    """The model, remembered; it scores texts if the model does, and does whatever else that does.

    Args:
        model: Who is asked; stays the caller's, who closes it.
        identity: As of `CachedModel`.
        directory: As of `CachedModel`.
        seed: As of `CachedModel`.

    Raises:
        UsageError: The directory cannot be used.
    """
    kind = CachedScoringModel if isinstance(model, ScoringModel) else CachedModel
    beyond = {
        name: _handed_through(name)
        for name in dir(type(model))
        if not (name.startswith("_") or name in _NOT_OURS or hasattr(kind, name))
        and callable(getattr(type(model), name))
    }
    # A class of its own, since ports are told by the methods of a class.
    made: CachedModel = type(kind.__name__, (kind,), beyond)(
        model, identity=identity, directory=directory, seed=seed
    )
    return made


def _handed_through(name: str) -> Callable[..., Any]:
    return lambda self, *given, **named: getattr(self._model, name)(*given, **named)


class _Reply(NamedTuple):
    text: str
    seconds: float


def _canonical(plain: object) -> str:
    # Escaped, since a model may write half a character; infinite log-probabilities stay.
    return json.dumps(plain, sort_keys=True)


def _key(identity: str, how: tuple[object, ...], asked: object) -> bytes:
    whole = _canonical([_SCHEMA, identity, list(how), to_plain(asked)])
    return hashlib.sha256(whole.encode("ascii")).digest()
