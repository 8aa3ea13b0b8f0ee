"""What was found and decided, in words for a reader: the same on the page and in the terminal.

What this module does not do: count, judge, or style. A reader is told what was found and where,
and never that it is so. A code without words here is shown as it is.
"""

from __future__ import annotations

from averment.findings import ENTAILED
from averment.places import cited
from averment.types import Check, ClaimVerdict, Count, RelationOutcome, Support, Verdict

VERDICT_WORDS = {
    Verdict.ANSWERED: "Answered",
    Verdict.WARNED: "Answered with a warning",
    Verdict.ABSTAINED: "Not answered",
}
REASON_WORDS = {
    "no_evidence": "nothing in the corpus supports an answer",
    "unsupported_claim": "a claim on the way has no support in the corpus",
    "not_checked": "the answer could not be checked against the corpus",
    "no_final_answer": "the model came to no final answer",
    "empty_answer": "the model wrote nothing",
    "contradicted_claim": "the corpus says something else of a claim",
    "by_a_bridge": "the answer is linked to the question only through a passage",
    "skipped_step": "the answer names nobody whom the question goes by",
    "low_coverage": "the corpus does not know every name of the question",
    "weak_evidence": "the answer is too improbable",
    "claims_hedged": "claims that are too improbable are hedged",
    "claims_withheld": "claims that are too improbable are left out",
}
CLAIM_MARKS = {
    ClaimVerdict.SUPPORTED: "✓",
    ClaimVerdict.CONTRADICTED: "✕",
    ClaimVerdict.UNSUPPORTED: "!",
    ClaimVerdict.UNVERIFIED: "?",
}
CLAIM_VERDICT_WORDS = {
    ClaimVerdict.SUPPORTED: "a passage says it, and the passage may be wrong",
    ClaimVerdict.CONTRADICTED: "a passage or the corpus says otherwise",
    ClaimVerdict.UNSUPPORTED: "somebody looked, and nothing says it",
    ClaimVerdict.UNVERIFIED: "nothing speaks for or against it",
}
SUPPORT_WORDS = {
    Support.PRESENT: "its names stand near each other, which proves nothing",
    Support.ABSENT: "its names never stand near each other",
    Support.NOT_COVERED: "the corpus hardly knows what it is about",
    Support.UNKNOWN: "not known",
}
FLAG_WORDS = {
    "no_claims": "nothing is claimed",
    "not_covered": "a pair of which the corpus does not know an end",
    "rare_name": "a name that few documents have",
}
QUALITY_WORDS = {
    "precision": "of the rejected rows, how many are wrong",
    "recall": "of the wrong rows, how many are rejected",
    "F1": "the harmonic mean of both",
}
_REJECTIONS = {
    "absent_pair": "both ends are in the corpus, never near each other",
    "contradicted_claim": "a passage speaks against a claim",
    "withheld_claim": "a claim is not probable enough for --target-error",
    "unknown_counts": "a pair could not be counted",
    "keep_expression": "--keep is false",
    "malformed": "the row could not be read",
}
_CODES = {
    "passage_entails": f"a passage says it; faithfulness is {ENTAILED:.2f} or more, and no rule "
    "found anything missing",
    "passage_contradicts": f"a passage says otherwise; the judge is {ENTAILED:.2f} sure or more",
    "passages_do_not_entail": "passages were read and none says it; faithfulness is below "
    f"{ENTAILED:.2f}",
    "corpus_states_another": "the corpus states the relation of something else",
    "absent_in_corpus": "its names never stand near each other in the corpus, so that no passage "
    "of it counts as support",
    "not_covered_in_corpus": "the corpus hardly knows what it is about, so that no passage of it "
    "counts as support",
    "mention_only": "its names stand near each other in the corpus; a mention is no support",
    "number_differs": "a passage has another number",
    "date_differs": "a passage has another date",
    "negation_differs": "a passage denies it",
    "opposite_stated": "a passage states the opposite",
    "number_missing": "no passage has its number",
    "name_missing": "no passage has all of its names",
    "relation_missing": "no passage states its relation",
    "not_checked": "nobody checked it",
    "no_claim": "no two names of it make a pair",
    "below_threshold": "it is too improbable for the promised error",
    "by_expected_cost": "giving it is expected to cost more",
    "unknown_probability": "nobody knows how probable it is",
    "answer_withheld": "another claim of the answer is too improbable for the promised error",
    "extraction_failed": "what it claims could not be read out of it",
    "corpus_unavailable": "the corpus could not be asked",
    "in_passage": "the answer stands in a passage that was retrieved",
    "not_in_passages": "the answer stands in no passage that was retrieved",
    "by_its_claims": "it stands or falls with the claims before it",
    "by_a_bridge": "it is linked to the question only through a passage",
    "skipped_step": "it names nobody whom the question goes by",
    "echoed_question": "it repeats the question",
    "not_among_choices": "it is none of the choices of the question",
    "not_yes_or_no": "it is neither yes nor no, and that was asked",
    "unknown_answer": "what it answers could not be found out",
    "uncalibrated": "no calibrator was given, so that no score here is a probability of being true",
    "no_evidence": "no passage was retrieved",
    "not_judged": "nobody could judge it",
    "empty_claim": "it claims nothing",
    "no_estimator": "the claims of this answer were not scored",
    "not_rescored": "the model was not asked to read it again",
    "rescoring_failed": "the model could not read it again",
    "missing_input": "the model gave no log-probabilities",
    "empty_span": "its words were not found among the tokens of the model",
    "unaligned": "its words were not found among the tokens of the model",
    "base_rate": "the share of true claims stands in for it",
}
_SHOWN_FORMS = 3
_CONTRADICTED = {
    "other_kind": "“{tail}” is no such thing",
    "states_another": "{window} says it of something else{rivals}",
    "rival_stronger": "{window} says it of something else more often{rivals}",
    "judged_contradicted": "{window} says otherwise",
}
_OUTCOMES = {
    RelationOutcome.SUPPORTED: "{window} says so",
    RelationOutcome.NOT_FOUND: "nothing near them says so{rivals}",
    RelationOutcome.UNKNOWN: "nobody could tell whether it says so",
}


def reason_in_words(reason: str | None) -> str:
    """Why an answer was warned of or not given; empty where there is no reason to give."""
    return "" if reason is None else REASON_WORDS.get(reason, reason.replace("_", " "))


def rejection_in_words(reason: str) -> str:
    """Why a row of a data set was rejected."""
    return _REJECTIONS.get(reason, "what --keep asks for is not known")


def interval_in_words(value: float | None, low: float | None, high: float | None) -> str:
    """A value with its interval; undefined where there was nothing to divide by."""
    return "undefined" if value is None else f"{value:.3f} ({low:.3f} to {high:.3f})"


def code_in_words(code: str) -> str:
    """By which rule a claim got its verdict, or why a number is missing."""
    return _CODES.get(code, code.replace("_", " "))


def relation_in_words(check: Check) -> str:
    """What the windows of a pair say of its relation; empty where nobody looked."""
    found = check.relation
    if found is None:
        return ""
    template = _OUTCOMES.get(found.outcome) or _CONTRADICTED[found.reason]
    window = found.window
    names = [rival.text for rival in found.rivals or ()]
    return template.format(
        tail=check.triplet.tail,
        window=f"“{cited(window)}”" if window else "the corpus",
        rivals=f" ({', '.join(names)})" if names else "",
    )


def forms_in_words(check: Check) -> str:
    """How else the names of a pair were counted; empty where they were counted as written."""
    told = (
        _also(check.triplet.head, check.head_count),
        _also(check.triplet.tail, check.tail_count),
    )
    return "; ".join(part for part in told if part)


def _also(name: str, count: Count) -> str:
    others = [form.text for form in count.forms if form.text != name]
    if not others:
        return ""
    more = f" and {len(others) - _SHOWN_FORMS} more" if len(others) > _SHOWN_FORMS else ""
    return f"{name}, also as {', '.join(others[:_SHOWN_FORMS])}{more}"
