"""The final answer of a draft held against the corpus, the question and the passages.

A claim on the way says what it is about; a final answer in short does not. It must be one of the
choices where there are any, and is none where yes or no was asked for; else it must stand near a
name of the question, end a claim that was found, or, in a question without names, stand in a
retrieved passage. A question may go by somebody whom it does not name: an answer to it that names
nobody else is not told by what stands near the names of the question.

What this module does not do: claims on the way, "yes" and "no" (`averment.policies.quco`), or what
follows for the whole answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from averment import steps
from averment.places import headed
from averment.policies.loop import Inspection, Progress, Query, is_unknown, worst
from averment.policies.pairs import PairCheck, forms_of, one_contains_other
from averment.policies.several_steps import goes_by_somebody
from averment.steps import Flow
from averment.text import TextForm, contains_words
from averment.types import Check, Passage, Question, Sentence, Support, Triplet

# Kinds of entities that say nothing about how well known a question's subject is.
NOT_NAMED = frozenset({"date", "generic", "number"})
_NO_RELATION = ""
_OPENERS = frozenset("is are was were does did do can could has have had will".split())
"""How questions begin that are answered by yes or no."""
BRIDGED = "by_a_bridge"
"""Why an answer that is near no name of the question is present all the same."""
SKIPPED_STEP = "skipped_step"
"""Why an answer is unknown that names nobody whom the question goes by."""
NO_ANSWERS = frozenset({"echoed_question", "not_among_choices", "not_yes_or_no"})


@dataclass(frozen=True, slots=True)
class FinalAnswerCheck:
    """How a final answer is held against the corpus.

    Args:
        pair_check: Counts the answer with the names of the question.
        allow_bridges: The title of a passage with the answer may link it to a name.
        require_steps: An answer that names nobody whom the question goes by is unknown.
    """

    pair_check: PairCheck
    allow_bridges: bool
    require_steps: bool

    def run(
        self, progress: Progress, said: Sequence[Sentence | Inspection], answer: str
    ) -> Flow[Inspection]:
        """Check an answer.

        Args:
            progress: The question and what was retrieved.
            said: What was claimed on the way.
            answer: Of a few words; not yes or no.
        """
        question = progress.question
        if is_unknown(answer):
            detail = "the model says that it does not know"
            return _failed(Support.UNKNOWN, "unknown_answer", question, detail)
        names = yield from names_of(question.text)
        if names is None:
            return Inspection(reason="extraction_failed")
        is_in_it = contains_words(TextForm().words(question.text), TextForm().words(answer))
        if _offers_a_choice(question.text, names):
            if is_in_it or _names_one(answer, names):
                return as_claimed(said)  # "Which is older, A or B?": the claims decide
            detail = f"{answer} is none of those that the question names"
            return _failed(Support.UNKNOWN, "not_among_choices", question, detail)
        if _asks_yes_or_no(question.text):
            detail = f"{answer} is neither yes nor no"
            return _failed(Support.UNKNOWN, "not_yes_or_no", question, detail)
        if is_in_it:
            detail = f"{answer} stands in the question and is no answer to it"
            return _failed(Support.UNKNOWN, "echoed_question", question, detail)
        if self.require_steps and _skips_a_step(question.text, answer, names, said):
            return (yield from self._inspect_skipped(progress, names, answer))
        if _ends_a_found_claim(answer, said):
            return Inspection(Support.PRESENT)
        pairs = [name for name in names if not one_contains_other(name, answer)]
        if not pairs:
            return (yield from self._inspect_against_passages(progress, answer))
        links = [Triplet(name, _NO_RELATION, answer) for name in pairs]
        checks = yield from self.pair_check.run(links)
        present = tuple(check for check in checks if check.support is Support.PRESENT)
        if present:  # one link suffices: the other names lead to it
            return Inspection(Support.PRESENT, checks=present)
        bridge = yield from self._bridge(progress, pairs, answer)
        if bridge:
            return Inspection(Support.PRESENT, BRIDGED, bridge)
        support = worst([check.support for check in checks])
        detail = f"{answer} and {', '.join(pairs)}: {self.pair_check.why(support)}"
        return _failed(support, reason_for(support), question, detail, checks)

    def _inspect_skipped(
        self, progress: Progress, names: Sequence[str], answer: str
    ) -> Flow[Inspection]:
        """An answer that names nobody between: the article that it stands in may be the one."""
        bridge = yield from self._bridge(progress, names, answer)
        if bridge:
            return Inspection(Support.PRESENT, BRIDGED, bridge)
        detail = f"{answer} skips whom the question goes by"
        return _failed(Support.UNKNOWN, SKIPPED_STEP, progress.question, detail)

    def _bridge(
        self, progress: Progress, names: Sequence[str], answer: str
    ) -> Flow[tuple[Check, ...]]:
        """The first title of a passage with the answer that is near a name of the question.

        Who asks for the birthplace of a film's director names the film; the answer stands in the
        article of the director, whom the question does not name.
        """
        if not self.allow_bridges:
            return ()
        holding = yield from _passages_with(progress, answer)
        for title in dict.fromkeys(passage.title for passage in holding):
            if not TextForm().words(title) or one_contains_other(title, answer):
                continue
            ends = [Triplet(name, _NO_RELATION, title) for name in names]
            checks = yield from self.pair_check.run([*ends, Triplet(title, _NO_RELATION, answer)])
            linked = [check for check in checks if check.support is Support.PRESENT]
            if len(linked) > 1 and linked[-1].triplet.head == title:
                return tuple(linked)
        return ()

    def _inspect_against_passages(self, progress: Progress, answer: str) -> Flow[Inspection]:
        """The check for answers without a name to pair them with."""
        if (yield from _passages_with(progress, answer, headings=True)):
            return Inspection(Support.PRESENT, "in_passage")
        detail = f"{answer} stands in none of the passages"
        return _failed(Support.UNKNOWN, "not_in_passages", progress.question, detail)


def _passages_with(
    progress: Progress, answer: str, *, headings: bool = False
) -> Flow[list[Passage]]:
    """The passages at hand that an answer stands in, by any of its forms ("Skien, Norway")."""
    passages = progress.ledger.passages
    if not passages:
        return []
    [counted] = yield from steps.count([answer])
    forms = [words for form in forms_of(counted, answer) if (words := TextForm().words(form))]
    holding = []
    for passage in passages:
        heading = f"{headed(passage.title, passage.place)} " if headings else ""
        words = TextForm().words(heading + passage.text)
        if any(contains_words(words, form) for form in forms):
            holding.append(passage)
    return holding


def _failed(
    support: Support,
    reason: str | None,
    question: Question,
    detail: str,
    checks: tuple[Check, ...] = (),
) -> Inspection:
    query = Query(question.text, reason or f"{support}_answer", detail)
    return Inspection(support, reason, checks, queries=(query,))


def reason_for(support: Support) -> str | None:
    """Why a support is unknown: the corpus could not be asked."""
    return "corpus_unavailable" if support is Support.UNKNOWN else None


def as_claimed(said: Sequence[Sentence | Inspection]) -> Inspection:
    """An answer that stands or falls with what was claimed on the way to it."""
    return Inspection(worst([part.support for part in said if part.checks]), "by_its_claims")


def names_of(text: str) -> Flow[list[str] | None]:
    """The names of a text; None where they could not be found."""
    found = yield from steps.entities(text)
    if found is None:
        return None
    named = [entity.text for entity in found if entity.kind not in NOT_NAMED]
    return [name for name in named if TextForm().words(name)]


def _asks_yes_or_no(question: str) -> bool:
    """Whether only "yes" and "no" answer it; of 115 such training questions one wanted a year."""
    words = TextForm().words(question)
    return bool(words) and words[0] in _OPENERS and "or" not in words


def _offers_a_choice(question: str, names: Sequence[str]) -> bool:
    """Whether "or" stands between two names of a question ("…, Oslo or the city of Bergen?")."""
    words = TextForm().words(question)
    if "or" not in words:
        return False
    before, after = (words[: words.index("or")], words[words.index("or") + 1 :])
    held = [TextForm().words(name) for name in names]
    return any(contains_words(before, name) for name in held) and any(
        contains_words(after, name) for name in held
    )


def _names_one(answer: str, names: Sequence[str]) -> bool:
    """Whether an answer says more than the one choice that it takes ("Oslo is older")."""
    words = TextForm().words(answer)
    return sum(contains_words(words, TextForm().words(name)) for name in names) == 1


def _same(answer: str, names: Sequence[str]) -> bool:
    words = TextForm().words(answer)
    return any(TextForm().words(name) == words for name in names)


def _skips_a_step(
    question: str, answer: str, names: Sequence[str], said: Sequence[Sentence | Inspection]
) -> bool:
    """Whether a question goes by somebody, and no claim that was found names anybody else."""
    if not goes_by_somebody(question):
        return False
    known = [*names, answer]
    ends = [
        end
        for part in said
        for check in part.checks
        if check.support is Support.PRESENT
        for end in (check.triplet.head, check.triplet.tail)
    ]
    return all(any(one_contains_other(end, one) for one in known) for end in ends)


def _ends_a_found_claim(answer: str, said: Sequence[Sentence | Inspection]) -> bool:
    found = [
        check.triplet for part in said for check in part.checks if check.support is Support.PRESENT
    ]
    return _same(answer, [end for triplet in found for end in (triplet.head, triplet.tail)])
