"""The one sentence loop: draft a sentence, inspect it, maybe search and redraft, commit it.

Every policy is this loop with another `Trigger`; a paper's file holds its trigger and its query
and nothing else, so that policies can be compared on the same prompt, decoder and budget.

The loop generates sentence by sentence. A sentence that fails is not built upon: it is drafted
again with what was retrieved for it, and the new draft is inspected like the first. It stops at
"the answer is", at the sentence limit, or when the model has nothing more to say or says again
what it has said; then it opens the final sentence itself and lets the model fill it in.

Where a paper's rule is not "inspect, search, draft again", an `Inspection` says so: searches for
the sentence that comes next, a sentence that is only interrupted (`Paced`) and goes on, the
beginning of a sentence that stays, hits that are read one by one, or another draft with the same
evidence. Of drafts that are weighed, the cheapest stays.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

from averment import steps
from averment.costs import Weighed
from averment.policies.ledger import Ledger
from averment.prompts import load
from averment.steps import ClaimScoring, Flow
from averment.text import TextForm
from averment.text import sentences as split_sentences
from averment.tokens import clip, joined, n_tokens
from averment.types import (
    Capability,
    Check,
    Draft,
    DroppedTriplet,
    Generation,
    GenerationOptions,
    Prompt,
    Question,
    Sentence,
    Support,
    Token,
    Verdict,
)

# "…, so the answer is Paris": at the start, after a comma, or after a sentence mark; elsewhere
# ("whether the answer is known") the words are part of a claim.
_FINAL = re.compile(
    r"(?:^|(?<=[,;:.!?])\s)\W*(?:(?:so|thus|therefore|hence|and)\b,?\s+)*"
    r"the (?:final |correct )?answer is\b:?(?!n't)\s*"
    r"|(?:^|(?<=[,;:.!?])\s)(?:(?:also|somit|daher),?\s+)?"
    r"die (?:richtige )?antwort (?:ist|lautet)\b(?: also)?:?\s*"
    r"|(?:^|(?<=[,;:.!?])\s)(?:(?:así que|por (?:lo )?tanto),?\s+)?"
    r"la respuesta (?:final |correcta )?es\b:?\s*"
    r"|(?:^|(?<=[，。；！？]))(?:(?:所以|因此)，?)?(?:最终|正确)?答案(?:是|为)：?",
    re.IGNORECASE,
)
_NOTHING_KNOWN = r"(?:information|evidence|mention|data|answer)\b"
_UNKNOWN = re.compile(
    r"(?:unknown(?!(?-i: [A-Z]))"  # "Unknown Pleasures" is a title
    r"|unclear|not (?:known|clear|mentioned|specified|stated|given|available|provided)"
    rf"|no {_NOTHING_KNOWN}|i (?:do not|don't) know|cannot be (?:known|determined|answered)|n/a"
    r"|unbekannt|nicht (?:bekannt|angegeben)|ich weiß (?:es )?nicht"
    r"|desconocid[oa]|no se (?:sabe|conoce)|no lo sé)\b|未知|不知道|不清楚|无法(?:确定|得知)",
    re.IGNORECASE,
)
# "Paris, because …", "yes both are …": the answer ends where its explanation begins, which is not
# within a title ("Ever Since Darwin", "Yes Minister"); "no one", "no information" are no "no".
_EXPLANATION = re.compile(
    r",?\s+(?:because|since|which)\b"
    rf"|(?:(?<=^(?i:yes))|(?<=^(?i:no))(?!\s+(?:one\b|{_NOTHING_KNOWN})))"
    r"(?:[,;:]|\s+[a-z]|\.\s+[^\W\d]).*"
)
_YES_OR_NO = frozenset({"yes", "no", "ja", "nein", "sí", "是", "是 的", "否", "不 是"})
_AROUND_ANSWERS = " \t.!。…\"'“”‘’*`"
_OPENING = "So the answer is"
_STOP = ("\nQuestion:", "\nContext:", "\n\n")


@dataclass(frozen=True, slots=True)
class Query:
    """A search that a trigger asks for."""

    text: str
    trigger: str
    detail: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a trigger holds of a drafted sentence; queries mean that it failed.

    `next_queries` are searched once the sentence is committed, for those that follow. A sentence
    that is `unfinished` has not failed: it goes on behind what is written, with what the queries
    find. Of a sentence that failed, the beginning `kept` stays. With an `uncertainty` (worse when
    higher), the hits of its query are read one by one, and the one that leaves least of it stays.
    With a `redraft_temperature`, > 0, the sentence is drafted again at it where its queries find
    nothing new. Where drafts are `weighed`, the cheapest of a sentence is committed.
    """

    support: Support = Support.UNKNOWN
    reason: str | None = None
    checks: tuple[Check, ...] = ()
    dropped: tuple[DroppedTriplet, ...] = ()
    queries: tuple[Query, ...] = ()
    next_queries: tuple[Query, ...] = ()
    unfinished: bool = False
    kept: str = ""
    uncertainty: float | None = None
    redraft_temperature: float | None = None
    weighed: Weighed | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """What a trigger may look at: the answer so far and the evidence for it.

    `pieces` is what the model wrote for it, call by call, without what is being inspected;
    `prompt` is what that was written behind, `repairs` how often the sentence at hand was drafted
    before, and `repairs_left` how often it may be drafted again.
    """

    question: Question
    committed: tuple[Sentence, ...]
    ledger: Ledger
    pieces: tuple[Generation, ...] = ()
    repairs: int = 0
    prompt: Prompt = field(default_factory=lambda: Prompt(""))
    repairs_left: int = 0


class Trigger(Protocol):
    """When to retrieve and with which query: what distinguishes one policy from another."""

    @property
    def name(self) -> str:
        """The policy's name."""
        ...

    @property
    def needs(self) -> frozenset[Capability]:
        """What the model must provide."""
        ...

    def before(self, question: Question) -> Flow[tuple[Query, ...]]:
        """The searches to make before the first sentence."""
        ...

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        """Judge a drafted sentence; `generation` has the tokens that were written for it."""
        ...

    def conclude(self, sentences: tuple[Sentence, ...]) -> tuple[Verdict, str | None]:
        """What to do with the finished answer, and the reason if it is not simply given."""
        ...


@runtime_checkable
class Weighing(Protocol):
    """A trigger that acts by the scores of claims."""

    def scored_by(self, scoring: ClaimScoring | None) -> Trigger:
        """The trigger with whoever scores.

        Raises:
            CapabilityError: Nobody does, or not with probabilities and costs.
        """
        ...


@runtime_checkable
class Paced(Protocol):
    """A trigger that is asked after a number of tokens, be the sentence finished or not."""

    def room_tokens(self, progress: Progress) -> int:
        """How many tokens may be written before it is asked, >= 1."""
        ...


class _Drafted(NamedTuple):
    """A sentence, what the model wrote for it, and what to search behind it."""

    sentence: Sentence
    pieces: tuple[Generation, ...]
    next_queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True, repr=False)
class SentenceLoop:
    """A policy: a trigger in the sentence loop.

    Args:
        trigger: When to retrieve.
        k: Passages a search, >= 1.
        ledger_words: Words of evidence that the model may read at once.
        max_sentences: Sentences of an answer, >= 1.
        max_sentence_tokens: Tokens of one sentence; a longer one is cut there.
        max_repairs: How often one sentence may be drafted again, >= 0.
        prompt_id: The template, with placeholders ``context`` and ``question``.
    """

    trigger: Trigger
    k: int = 3
    ledger_words: int = 500
    max_sentences: int = 6
    max_sentence_tokens: int = 64
    max_repairs: int = 2
    prompt_id: str = "answer"

    @property
    def name(self) -> str:
        """The trigger's name."""
        return self.trigger.name

    @property
    def needs(self) -> frozenset[Capability]:
        """What the trigger needs of the model."""
        return self.trigger.needs

    def scored_by(self, scoring: ClaimScoring | None) -> SentenceLoop:
        """This policy with the scores that its trigger weighs; itself where that weighs none.

        Raises:
            CapabilityError: It weighs scores, and these are no probabilities.
        """
        if not isinstance(self.trigger, Weighing):
            return self
        return replace(self, trigger=self.trigger.scored_by(scoring))

    def __repr__(self) -> str:
        """The policy with every parameter: what a results table is identified by."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "trigger"}
        own["prompt_id"] = f"{self.prompt_id}-{load(self.prompt_id).digest[:8]}"
        described = {**parameters(self.trigger), **own}
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in described.items())})"

    def run(self, question: Question) -> Flow[Draft]:
        """Answer one question."""
        ledger = Ledger(self.ledger_words)
        yield from self._search((yield from self.trigger.before(question)), ledger)
        committed: list[Sentence] = []
        pieces: list[Generation] = []
        stuck = False
        while not (committed and is_final(committed[-1].text)):
            opening = _OPENING if stuck or len(committed) >= self.max_sentences - 1 else ""
            progress = Progress(question, tuple(committed), ledger, tuple(pieces))
            drafted = yield from self._next_sentence(progress, opening)
            if drafted is not None:
                committed.append(drafted.sentence)
                pieces.extend(drafted.pieces)
                yield from steps.commit(drafted.sentence)
                if not is_final(drafted.sentence.text):
                    yield from self._search(drafted.next_queries, ledger)
            elif opening:
                break
            stuck = drafted is None
        verdict, reason = self.trigger.conclude(tuple(committed))
        return Draft(
            sentences=tuple(committed),
            final_answer=final_answer(committed[-1].text) if committed else "",
            retrievals=tuple(ledger.retrievals),
            verdict=verdict,
            reason=reason,
        )

    def _next_sentence(self, progress: Progress, opening: str) -> Flow[_Drafted | None]:
        """The next sentence, checked; None if the model has nothing to say, or nothing new."""
        said = {"", opening, *(sentence.text for sentence in progress.committed)}
        begun: tuple[Generation, ...] = ()
        repairs = 0
        temperature = 0.0
        weighed: list[tuple[Weighed, _Drafted]] = []
        while True:
            prompt = self._prompt(progress, opening, begun)
            now = replace(
                progress,
                pieces=progress.pieces + begun,
                repairs=repairs,
                prompt=prompt,
                repairs_left=self.max_repairs - repairs,
            )
            options = self._options(now, begun)
            if temperature:
                options = replace(options, temperature=temperature, seed=repairs)
            piece = yield from steps.generate(prompt, options)
            begun += (piece,)
            written = joined(begun)
            text = _first_sentence(_behind(opening, written))
            if text in said:
                return _cheapest(weighed)
            found = yield from self.trigger.inspect(now, text, piece)
            if found.unfinished and n_tokens(written) < self.max_sentence_tokens:
                yield from self._search(found.queries, progress.ledger)
                continue
            drafted = _drafted(text, found, begun, repairs)
            if found.weighed is not None:
                weighed.append((found.weighed, drafted))
            again = found.queries or found.redraft_temperature
            if found.unfinished or not again or repairs == self.max_repairs:
                return _cheapest(weighed) or drafted
            if found.uncertainty is not None:
                chosen = yield from self._choose(progress, opening, found.queries[0], said)
                return drafted if chosen is None else chosen
            n_new = yield from self._search(found.queries, progress.ledger)
            # Nothing new to read: a greedy model would write the same again.
            temperature = 0.0 if n_new else found.redraft_temperature or 0.0
            if not n_new and not temperature:
                return _cheapest(weighed) or drafted
            repairs += 1
            begun = ()
            opening = found.kept or opening
            said.add(opening)

    def _choose(
        self, progress: Progress, opening: str, query: Query, said: Set[str]
    ) -> Flow[_Drafted | None]:
        """The sentence with the new hit that leaves least uncertainty; None if there is none."""
        ledger = progress.ledger
        if ledger.asked(query.text):
            return None
        why = {"trigger": query.trigger, "detail": query.detail}
        retrieval = yield from steps.search(query.text, self.k, **why)
        drafts: list[tuple[float, int, _Drafted | None]] = []
        for hit in ledger.unread(retrieval):
            trial = ledger.copy()
            trial.add(retrieval, **why, only=hit.passage)
            prompt = self._prompt(replace(progress, ledger=trial), opening, ())
            now = replace(progress, ledger=trial, repairs=1, prompt=prompt)
            written = yield from steps.generate(prompt, self._options(now, ()))
            text = _first_sentence(_behind(opening, written))
            if text in said:
                drafts.append((math.inf, hit.rank, None))
                continue
            found = yield from self.trigger.inspect(now, text, written)
            uncertainty = math.inf if found.uncertainty is None else found.uncertainty
            drafts.append((uncertainty, hit.rank, _drafted(text, found, (written,), 1)))
        _, rank, best = min(drafts, default=(math.inf, 0, None), key=lambda draft: draft[:2])
        kept = next((hit.passage for hit in retrieval.hits if hit.rank == rank), None)
        ledger.add(retrieval, **why, only=kept)
        return best

    def _options(self, progress: Progress, begun: Sequence[Generation]) -> GenerationOptions:
        room = self.max_sentence_tokens - sum(map(n_tokens, begun))
        if isinstance(self.trigger, Paced):
            room = min(room, self.trigger.room_tokens(progress))
        return GenerationOptions(max_tokens=room, stop=_STOP, until_sentence_end=True)

    def _prompt(self, progress: Progress, opening: str, begun: Sequence[Generation]) -> Prompt:
        text = load(self.prompt_id).fill(
            context=progress.ledger.context(), question=progress.question.text
        )
        said = [sentence.text for sentence in progress.committed] + ([opening] if opening else [])
        answer = "".join(f" {sentence}" for sentence in said)
        written = "".join(piece.text for piece in begun)
        blank = " " if written and not written[0].isspace() else ""
        return Prompt(text, answer + blank + written)

    def _search(self, queries: tuple[Query, ...], ledger: Ledger) -> Flow[int]:
        n_new = 0
        for query in queries:
            if ledger.asked(query.text):
                continue
            retrieval = yield from steps.search(
                query.text, self.k, trigger=query.trigger, detail=query.detail
            )
            n_new += ledger.add(retrieval, trigger=query.trigger, detail=query.detail)
        return n_new


def parameters(value: Any) -> dict[str, Any]:
    """The parameters of a trigger, for its description; not who scores for it, nor what is None."""
    told = {own.name: getattr(value, own.name) for own in fields(value) if own.repr}
    return {name: each for name, each in told.items() if each is not None}


def _cheapest(weighed: Sequence[tuple[Weighed, _Drafted]]) -> _Drafted | None:
    """The draft that was weighed as cheapest, with how all were weighed; None: none was weighed."""
    if not weighed:
        return None
    _, best = min(weighed, key=lambda pair: pair[0].expected_cost)
    return best._replace(sentence=replace(best.sentence, weighed=tuple(one for one, _ in weighed)))


def _first_sentence(text: str) -> str:
    """A model that does not stop by itself may have begun another sentence."""
    return next(iter(split_sentences(text)), "")


def _behind(opening: str, written: Generation) -> str:
    """What was written, with the words that it was to go on from, which some models say again."""
    return f"{opening} {written.text.strip().removeprefix(opening).lstrip()}"


def _drafted(
    text: str, found: Inspection, pieces: tuple[Generation, ...], repairs: int
) -> _Drafted:
    behind = found.queries if found.unfinished else found.next_queries
    return _Drafted(sentence_of(text, found, joined(pieces), repairs), pieces, behind)


def sentence_of(text: str, found: Inspection, written: Generation, repairs: int) -> Sentence:
    """A drafted sentence with what is held of it, and the tokens that were written for it."""
    tokens = _own_tokens(text, written)
    return Sentence(text, found.support, found.reason, found.checks, found.dropped, repairs, tokens)


def _own_tokens(sentence: str, generation: Generation) -> tuple[Token, ...]:
    """The tokens that a sentence ends with; none if it was cut shorter than what was written."""
    written = generation.text.strip()
    if not generation.tokens or not written or not sentence.endswith(written):
        return ()
    start = generation.text.index(written)
    return clip(generation.tokens, start, start + len(written))


# --- the final answer ---------------------------------------------------------------------------


def is_final(sentence: str) -> bool:
    """Whether a sentence gives the answer in short."""
    return bool(_FINAL.search(sentence))


def before_final(sentence: str) -> str:
    """What a final sentence claims before it gives the answer; often nothing."""
    found = _FINAL.search(sentence)
    return sentence[: found.start()].strip(" ,;:") if found else sentence


def final_answer(sentence: str) -> str:
    """What stands after "the answer is", without marks around it; empty if nothing does."""
    found = list(_FINAL.finditer(sentence))
    if not found:
        return ""
    rest = next(iter(split_sentences(sentence[found[-1].end() :].strip())), "")
    return _EXPLANATION.split(rest.strip(_AROUND_ANSWERS), maxsplit=1)[0].strip(_AROUND_ANSWERS)


def is_unknown(answer: str) -> bool:
    """Whether a final answer says that there is none, or says nothing."""
    return not TextForm().words(answer) or bool(_UNKNOWN.match(answer))


def is_yes_or_no(answer: str) -> bool:
    """Whether a final answer is yes or no, and not a title that begins so."""
    return TextForm().key(answer) in _YES_OR_NO


def worst(supports: Sequence[Support]) -> Support:
    """The support of the whole: absent beats not covered beats unknown beats present."""
    order = (Support.ABSENT, Support.NOT_COVERED, Support.UNKNOWN)
    if not supports:
        return Support.UNKNOWN
    return next((support for support in order if support in supports), Support.PRESENT)
