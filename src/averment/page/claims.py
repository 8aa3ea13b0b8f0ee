"""The claims of an answer as running text, each of which opens on what stands behind it.

Faithful and true are two marks: how far the passages say it, and how likely it is so. The verdict
is a shape and a word beside its colour. Where nobody calibrated, it says that in words and shows no
probability. What this module does not do: judge, count, or look anything up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from averment.page.html import Child, Html, joined, tag
from averment.page.marking import is_within, with_evidence, with_phrases
from averment.page.snippets import Snippets, key_of
from averment.page.timeline import number
from averment.page.words import (
    CLAIM_MARKS,
    CLAIM_VERDICT_WORDS,
    SUPPORT_WORDS,
    code_in_words,
    forms_in_words,
    relation_in_words,
)
from averment.promises import Remedy
from averment.scoring.withholding import WITHHELD, is_withheld, remedy_of
from averment.text import TextForm, n_of
from averment.types import (
    Check,
    Claim,
    ClaimVerdict,
    Cooccurrence,
    Count,
    CountKind,
    Occurrence,
    Passage,
    RelationOutcome,
    Scores,
    Support,
)

_RELATION_STYLES = {
    RelationOutcome.SUPPORTED: Support.PRESENT,
    RelationOutcome.CONTRADICTED: Support.ABSENT,
    RelationOutcome.NOT_FOUND: Support.NOT_COVERED,
    RelationOutcome.UNKNOWN: Support.UNKNOWN,
}
_BANDS = 5
"""Colours of P(true), from a fifth to a fifth."""
_TWO_THINGS = (
    "Open a claim for what stands behind it. Faithful is how far the passages say it, true how "
    "likely it is so: two things. "
)
_AT_LEAST = {CountKind.LOWER_BOUND: "≥ ", CountKind.ESTIMATE: "about "}


@dataclass(frozen=True, slots=True)
class Behind:
    """What stands behind the claims of one answer.

    Args:
        draft: The text that claims point into.
        passages: All that were retrieved.
        scores: Who made the numbers; None: nobody scored.
        repairs: How often the sentence of each claim was written again.
        snippets: Where pairs stand in the corpus.
        form: How the corpus reads words.
    """

    draft: str
    passages: Sequence[Passage]
    scores: Scores | None
    repairs: Sequence[int] = ()
    snippets: Snippets = field(default_factory=dict)
    form: TextForm = TextForm()  # noqa: RUF009


def claims_flow(claims: Sequence[Claim], behind: Behind) -> Html:
    """The text of an answer, with each claim to be opened; what claims nothing stands between."""
    if not claims:
        return tag("p", behind.draft or "It has no claim.", class_="flow")
    parts: list[Child] = []
    at = 0
    for claim in claims:
        parts += [behind.draft[at : claim.start], _claim(claim, behind), " "]
        at = max(at, claim.end)
    parts.append(behind.draft[at:])
    return joined([tag("div", *parts, class_="flow"), _legend(claims)])


def _claim(claim: Claim, behind: Behind) -> Html:
    colour = claim.verdict.value
    if claim.p_true is not None:
        colour = f"p{min(int(claim.p_true * _BANDS), _BANDS - 1)}"
    said = behind.draft[claim.start : claim.end] or claim.text
    summary = tag("summary", tag("span", said, class_="said"), " ", _marks(claim))
    held = " withheld" if is_withheld(claim) else ""
    kinds = f"claim {claim.verdict} {colour}{held}"
    return tag("details", summary, _panel(claim, behind), class_=kinds)


def _marks(claim: Claim) -> Html:
    """Behind a claim: the shape and word of its verdict, then faithful and true apart."""
    verdict = tag(
        "span",
        tag("span", CLAIM_MARKS[claim.verdict], class_="glyph", aria_hidden="true"),
        claim.verdict.value,
        class_="verdict",
    )
    return tag(
        "span",
        verdict,
        tag("span", " faithful ", _faithful(claim), class_="number"),
        tag("span", " true ", _true(claim), class_="number"),
        tag("span", f" {_gone(claim)}", class_="number not-given") if is_withheld(claim) else "",
        class_="marks",
    )


def _gone(claim: Claim) -> str:
    """What became of a claim that is withheld."""
    return "hedged" if remedy_of(claim) is Remedy.HEDGE else "not given"


def _faithful(claim: Claim) -> Child:
    if claim.p_faithful is None:
        return "not judged"
    if _without_passages(claim):
        return "no passages"
    return tag("b", f"{claim.p_faithful:.2f}")


def _true(claim: Claim) -> Child:
    return "uncalibrated" if claim.p_true is None else tag("b", f"{claim.p_true:.2f}")


def _without_passages(claim: Claim) -> bool:
    return claim.reasons.get("p_faithful") == "no_evidence"


def _legend(claims: Sequence[Claim]) -> Html:
    """What the shapes and colours of these claims mean."""
    items = [
        tag(
            "li",
            tag("span", CLAIM_MARKS[verdict], class_=f"glyph {verdict}", aria_hidden="true"),
            tag("b", verdict.value),
            f": {CLAIM_VERDICT_WORDS[verdict]}",
        )
        for verdict in ClaimVerdict
        if any(claim.verdict is verdict for claim in claims)
    ]
    if any(claim.p_true is not None for claim in claims):
        colours = "Colours go by the probability of being true, from 0 (red) to 1 (green)."
    else:
        colours = (
            "Colours go by the verdict. There is no probability of being true: nobody calibrated "
            "these scores on labelled claims."
        )
    return tag(
        "div",
        tag("ul", *items, class_="legend"),
        tag("p", _TWO_THINGS, colours, class_="note"),
        class_="key",
    )


# --- what a claim opens on ----------------------------------------------------------------------


def _panel(claim: Claim, behind: Behind) -> Html:
    return tag(
        "div",
        _decision(claim, behind),
        _weighed(claim),
        _two_numbers(claim),
        _section("Passages", joined([_evidence(claim, behind), _age(claim)])),
        _section("In the corpus", _corpus(claim, behind)),
        _section("Who made the numbers", _estimators(claim, behind.scores)),
        class_="panel",
    )


def _section(title: str, body: Html) -> Html:
    return joined([tag("h4", title), body])


def _decision(claim: Claim, behind: Behind) -> Html:
    repairs = behind.repairs[claim.sentence] if claim.sentence < len(behind.repairs) else 0
    times = {1: "once", 2: "twice"}.get(repairs, f"{repairs} times")
    again = f" Written again {times} before it was let out." if repairs else ""
    return tag(
        "p",
        tag("b", claim.verdict.value.capitalize(), class_=f"word {claim.verdict}"),
        f": {code_in_words(claim.reasons['verdict'])}.",
        again,
        f" {_gone(claim).capitalize()}: {code_in_words(claim.reasons[WITHHELD])}."
        if is_withheld(claim)
        else "",
        class_="held",
    )


def _weighed(claim: Claim) -> Html:
    """Each draft of it, how it was weighed and what was done with it then."""
    drafts = [tag("li", f"“{each.text}” {each.in_words}.") for each in claim.weighed]
    return _section("Drafts, weighed", tag("ol", *drafts)) if drafts else Html("")


def _two_numbers(claim: Claim) -> Html:
    """Faithful and true, each with its bar, or with the reason why there is no number."""
    p_faithful = None if _without_passages(claim) else claim.p_faithful
    why = code_in_words(claim.reasons.get("p_faithful", "not_judged"))
    if p_faithful is not None and "p_faithful" in claim.reasons:
        why = f"held down by a rule: {code_in_words(claim.reasons['p_faithful'])}"
    elif p_faithful is not None:
        why = "how far the passages say it, as its judge says; not calibrated"
    rows = [
        _number_row("Faithful", p_faithful, why),
        _number_row("True", claim.p_true, _truth_in_words(claim)),
    ]
    return tag("dl", *rows, class_="numbers")


def _number_row(name: str, value: float | None, told: str) -> Html:
    shown: Html = tag("span", "no number", class_="none")
    if value is not None:
        bar = tag("meter", min="0", max="1", value=f"{value:.4f}", aria_label=f"{name} {value:.2f}")
        shown = joined([tag("b", f"{value:.2f}"), " ", bar])
    body = tag("dd", shown, tag("span", told, class_="told"))
    return tag("div", tag("dt", name), body)


def _truth_in_words(claim: Claim) -> str:
    """How P(true) is put together, or why there is none."""
    if claim.p_true is None:
        told = code_in_words(claim.reasons.get("p_true", "uncalibrated"))
        raw = "" if claim.score is None else f"; the raw score is {claim.score:.2f}"
        return told + raw
    parts = (claim.p_faithful, claim.p_true_if_faithful, claim.p_true_if_unfaithful)
    if None in parts:
        return "calibrated"
    faithful, if_so, if_not = (value or 0.0 for value in parts)
    return (
        f"calibrated: {if_so:.2f} if it is faithful (weight {faithful:.2f}), {if_not:.2f} if it is "
        f"not (weight {1 - faithful:.2f})"
    )


def _evidence(claim: Claim, behind: Behind) -> Html:
    """The passages that the evidence was cut out of, with the span marked."""
    if not claim.evidence:
        told = "No span was found in the passages that were retrieved."
        if not behind.passages:
            told = "No passage was retrieved for this answer."
        return tag("p", told, class_="note")
    shown = [
        passage
        for passage in dict.fromkeys(behind.passages)
        if any(is_within(span, passage) for span in claim.evidence)
    ]
    strays = [
        span
        for span in claim.evidence
        if not any(is_within(span, passage) for passage in behind.passages)
    ]
    return joined(
        _quote(passage, with_evidence(passage, claim.evidence)) for passage in [*shown, *strays]
    )


def _age(claim: Claim) -> Html:
    """How old the evidence is, and whether there is newer; nothing where it has no date."""
    told = claim.age and claim.age.in_words
    return tag("p", f"{told[:1].upper()}{told[1:]}.", class_="note") if told else Html("")


def _quote(passage: Passage, text: Html) -> Html:
    return tag(
        "figure",
        tag("figcaption", *passage_name(passage)),
        tag("blockquote", text),
        class_="passage",
    )


def passage_name(passage: Passage) -> list[Child]:
    """The title of a passage, the id of its document, where it stands there, and its date."""
    named: list[Child] = [tag("b", passage.document_id)]
    if passage.title and passage.title != passage.document_id:
        named = [tag("b", passage.title), " ", tag("code", passage.document_id)]
    where = [f", {passage.place.in_words}"] if passage.place else []
    return [*named, *where, *([f", {passage.date}"] if passage.date else [])]


def _corpus(claim: Claim, behind: Behind) -> Html:
    if not claim.checks:
        reason = claim.reasons.get("support")
        why = f"Not counted: {code_in_words(reason)}." if reason else "Not counted."
        if reason is None and claim.support is not Support.UNKNOWN:
            found = claim.support.replace("_", " ")
            why = f"Not counted by itself: {found}, by what was counted for claims before it."
        return tag("p", why, class_="note")
    return joined(_pair(check, behind) for check in claim.checks)


def _pair(check: Check, behind: Behind) -> Html:
    """A pair with its counts, what its windows say, and where it stands."""
    both = check.cooccurrence
    facts = [
        ("documents with the first", _documents(check.head_count)),
        ("documents with the second", _documents(check.tail_count)),
        (f"both, within {check.window_words:,} words", _documents(both)),
        ("nearest, words apart", _nearest(both)),
    ]
    named = joined(
        [
            tag("b", check.triplet.head),
            tag("span", " and ", class_="soft"),
            tag("b", check.triplet.tail),
        ]
    )
    support = tag("span", check.support.replace("_", " "), class_=f"chip {check.support}")
    relation = relation_in_words(check)
    forms = forms_in_words(check)
    return tag(
        "div",
        tag("p", named, " ", support, " ", SUPPORT_WORDS[check.support], class_="pair-name"),
        tag("dl", *(tag("div", tag("dt", k), tag("dd", v)) for k, v in facts), class_="counts"),
        tag("p", "Relation: ", tag("span", relation, class_=_relation_style(check)), class_="note")
        if relation
        else None,
        tag("p", f"Counted: {forms}", class_="note") if forms else None,
        _window(check, behind),
        _seen(check, behind),
        class_="pair",
    )


def _relation_style(check: Check) -> str:
    return _RELATION_STYLES[check.relation.outcome].value if check.relation else ""


def _window(check: Check, behind: Behind) -> Html | None:
    """The text that states the relation, or states it of something else."""
    if check.relation is None or check.relation.window is None:
        return None
    window = check.relation.window
    return _quote(window, with_phrases(window.text, _names(check), behind.form))


def _seen(check: Check, behind: Behind) -> Html | None:
    seen = behind.snippets.get(key_of(check))
    if seen is None:
        return None
    if seen.refusal:
        return tag("p", f"Places cannot be shown: {seen.refusal}", class_="note")
    window = check.relation.window if check.relation else None
    others = [
        place
        for place in seen.occurrences
        if window is None or place.document_id != window.document_id
    ]
    return places(others, _names(check), behind.form) if others else None


def places(found: Sequence[Occurrence], names: Sequence[str], form: TextForm) -> Html:
    """Where something stands in the corpus, the names marked."""
    return tag("ul", *(_place(each, names, form) for each in found), class_="places")


def _place(place: Occurrence, names: Sequence[str], form: TextForm) -> Html:
    text: Child = tag("span", "the index keeps no text of it", class_="soft")
    if place.snippet is not None:
        text = with_phrases(place.snippet, names, form)
    where = f", {place.place.in_words}: " if place.place else " "
    return tag("li", tag("code", place.document_id), where, text)


def _names(check: Check) -> list[str]:
    """The names of a pair in every form that was counted."""
    both = check.cooccurrence
    forms = [form.text for form in (*both.a_forms, *both.b_forms)]
    return [check.triplet.head, check.triplet.tail, *forms]


def _documents(found: Count | Cooccurrence) -> str:
    if found.documents is None:
        return "not counted"
    return _AT_LEAST.get(found.kind, "") + number(found.documents)


def _nearest(found: Cooccurrence) -> str:
    # What was not found where a part of the corpus is missing is unknown, and not absent.
    is_never = found.exists is False and found.documents == 0 and found.nearest_words is None
    if is_never:
        return "never in one document"
    return "not known" if found.nearest_words is None else number(found.nearest_words)


def _estimators(claim: Claim, scores: Scores | None) -> Html:
    if scores is None:
        return tag("p", "Nobody: the claims of this answer were not scored.", class_="note")
    rows: list[tuple[str, str, float | None, str]] = [
        ("faithfulness", scores.faithfulness_scorer, claim.p_faithful, "p_faithful"),
        ("confidence if faithful", scores.uf_estimator, claim.uf, "uf"),
        ("confidence if not", scores.uu_estimator, claim.uu, "uu"),
    ]
    shown = [
        _estimator(part, name, value, claim.reasons.get(field)) for part, name, value, field in rows
    ]
    shown.append(_estimator_row("corpus", "corpus_evidence", _features(claim)))
    return tag("dl", *shown, class_="estimators")


def _estimator(part: str, name: str, value: float | None, reason: str | None) -> Html:
    told = "" if value is None else f"{value:.3g}"
    if value is None:
        told = code_in_words(reason or "not_judged")
    elif reason is not None:
        told += f" ({code_in_words(reason)})"
    return _estimator_row(part, name, told)


def _features(claim: Claim) -> Html:
    """What the corpus gave the score, folded away."""
    if not claim.features:
        return tag("span", "nothing was counted", class_="value")
    listed = ", ".join(f"{name} {value:.2f}" for name, value in claim.features.items())
    summary = tag("summary", f"{n_of(len(claim.features), 'feature')} of counts")
    return tag("details", summary, tag("span", listed, class_="value"), class_="features")


def _estimator_row(part: str, name: str, told: Child) -> Html:
    value = told if isinstance(told, Html) else tag("span", told, class_="value")
    shown = tag("dd", tag("code", name), value)
    return tag("div", tag("dt", part), shown)
