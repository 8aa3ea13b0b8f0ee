"""Whether a model's log-probabilities mean anything: two short scorings and a short generation.

Servers drop log-probabilities, send null for them, or send constants, and say nothing; scores made
of those rank at chance. A bad conversion of a model file does the same, so that local models are
asked too: no adapter is exempt, and a scripted model fails unless its log-probabilities were made
to mean something. The unlikely text is the likely one in another order, so that numbers that do not
depend on what stands before come out equal, however they differ from token to token.

What this module does not do: say whether log-probabilities are calibrated, or exact.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from averment.errors import AvermentError
from averment.ports import LanguageModel, ScoringModel
from averment.types import Capability, GenerationOptions, ModelInfo, Prompt, Token

_COUNTING = Prompt("One, two, three, four,")
_LIKELY, _UNLIKELY = " five, six", " six, five"
_MARGIN_NATS = 1.0
_ROUNDING_NATS = 1e-3  # of half precision, above 0
_OPEN = Prompt("People, animals and towns, in no order:")  # where no model is certain
_OPTIONS = GenerationOptions(max_tokens=6)


class Described(Protocol):
    """A `LanguageModel`, a `ScoringModel`, or both."""

    @property
    def info(self) -> ModelInfo:
        """Which model this is and what it declares."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """What a model can be relied on for.

    `disabled` says of every other capability why not, in words to be printed.
    """

    capabilities: frozenset[Capability]
    disabled: Mapping[Capability, str]

    def why_not(self, needs: Iterable[Capability]) -> str | None:
        """Why what needs these capabilities cannot be run; None if it can."""
        reasons = [self.disabled[need] for need in sorted(needs) if need in self.disabled]
        return "; ".join(reasons) or None


class Canary:
    """A model's capabilities, found out when they are first asked for, once.

    Args:
        model: Stays the caller's, who closes it.
    """

    def __init__(self, model: Described) -> None:
        self._model = model
        self._found: Found | None = None
        self._lock = threading.Lock()

    @property
    def found(self) -> Found:
        """What `probe` says of the model.

        Raises:
            ModelUnavailable: The model cannot be reached; it is asked again the next time.
        """
        with self._lock:
            if self._found is None:
                self._found = probe(self._model)
            return self._found


def probe(model: Described) -> Found:
    """Find out what a model can be relied on for, by two short scorings and a short generation.

    Samples and grammars are believed as declared.

    Raises:
        ModelUnavailable: The model cannot be reached.
    """
    name = model.info.name
    faults = {Capability.LOGPROBS: _asked(_fault_of_writing, model)}
    if isinstance(model, ScoringModel):
        faults[Capability.SCORING] = _asked(_fault_of_scoring, model)
    # Read now: the adapter of a server knows whether it can score once it was asked to.
    missing = set(Capability) - model.info.capabilities
    disabled = {one: f"the model {name!r} does not provide {one}" for one in missing}
    disabled |= {one: fault for one, fault in faults.items() if fault is not None}
    return Found(frozenset(set(Capability) - set(disabled)), disabled)


def _asked(ask: Callable[[Any], str | None], model: Described) -> str | None:
    try:
        fault = ask(model)
    except AvermentError as error:
        if error.transient:
            raise
        return str(error)
    return fault and f"the model {model.info.name!r} gives {fault}"


def _fault_of_writing(model: LanguageModel) -> str | None:
    if Capability.LOGPROBS not in model.info.capabilities:
        return None
    (written,) = model.generate([_OPEN], _OPTIONS)
    return _fault(written.tokens, "what it writes")


def _fault_of_scoring(model: ScoringModel) -> str | None:
    likely, unlikely = model.score([(_COUNTING, _LIKELY), (_COUNTING, _UNLIKELY)])
    fault = _fault([*likely, *unlikely], "texts that it is given")
    if fault is not None:
        return fault
    margin_nats = _total(likely) - _total(unlikely)
    if margin_nats >= _MARGIN_NATS:
        return None
    return (
        f"log-probabilities that do not tell a likely text from an unlikely one: {_LIKELY!r} is"
        f" {margin_nats:.2f} nats above {_UNLIKELY!r} after {_COUNTING.text!r}, expected at least"
        f" {_MARGIN_NATS}"
    )


def _fault(tokens: Sequence[Token], of_what: str) -> str | None:
    """What is wrong with these log-probabilities, whatever they are of."""
    numbers = [token.logprob for token in tokens]
    if not numbers or None in numbers:
        return f"no log-probabilities of {of_what}"
    wrong = [
        number
        for number in numbers
        if number is not None and not -math.inf < number <= _ROUNDING_NATS
    ]
    if wrong:
        return f"numbers that are no log-probabilities of {of_what}, such as {wrong[0]}"
    if len(numbers) > 1 and len(set(numbers)) == 1:
        return f"the same log-probability {numbers[0]} to every token of {of_what}"
    return None


def _total(tokens: Sequence[Token]) -> float:
    return sum(token.logprob or 0.0 for token in tokens)
