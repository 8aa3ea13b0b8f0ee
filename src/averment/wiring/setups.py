"""How an answer or a check was made, as JSON and back: what a replay needs beside its inputs.

A setup is the policy with every parameter, how claims were scored, and the calibrator itself, so
that nothing has to be found again later. Policies of other people's classes have no such form; what
they answered can be shown later, but not replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_type_hints

from averment.checking import TextCheck
from averment.costs import Costs
from averment.dating import AsOf
from averment.errors import CalibrationError
from averment.franq.calibrator_json import from_json, to_json
from averment.franq.evidence import CorpusSize
from averment.policies.loop import SentenceLoop, parameters
from averment.policies.quco import QuCo
from averment.promises import Promise
from averment.scoring.flow import Scoring
from averment.steps import ClaimScoring, Policy
from averment.text import TextForm
from averment.trace import from_plain, to_plain
from averment.wiring.policies import trigger_names

_OWN = frozenset({"form", "calibrator", "corpus"})
"""Fields of a scoring that are written otherwise than as they are."""


class OtherSetup(Exception):
    """This version cannot make the policy, the scoring or the calibrator of a setup again.

    Args:
        reason: A code.
        detail: The words for it.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def policy_object(policy: Policy) -> dict[str, Any] | None:
    """A policy with every parameter; None for one that is not ours."""
    if not isinstance(policy, SentenceLoop) or type(policy.trigger) not in trigger_names():
        return None
    loop = {f.name: getattr(policy, f.name) for f in fields(policy) if f.name != "trigger"}
    return {
        "trigger": trigger_names()[type(policy.trigger)],
        "parameters": to_plain(parameters(policy.trigger)),
        "loop": to_plain(loop),
    }


def policy_of(plain: Mapping[str, Any] | None) -> SentenceLoop:
    """The policy of `policy_object`.

    Raises:
        OtherSetup: This version has no such policy, or not with these parameters.
    """
    if plain is None:
        raise OtherSetup("other_policy", "the policy was none of averment's own")
    kinds = {name: kind for kind, name in trigger_names().items()}
    try:
        trigger = _typed(kinds[plain["trigger"]], plain["parameters"])
        return SentenceLoop(trigger, **plain["loop"])
    except (KeyError, TypeError, ValueError) as error:
        raise OtherSetup("other_version", f"this version has no such policy: {error}") from error


def _typed(kind: type[Any], plain: Mapping[str, Any]) -> Any:
    hints = get_type_hints(kind)
    # A number stays the one that was told: 1000 is not 1000.0 in the name of a policy.
    return kind(
        **{
            name: value if hints[name] is float else from_plain(hints[name], value)
            for name, value in plain.items()
        }
    )


def scoring_object(scoring: ClaimScoring | None) -> dict[str, Any] | None:
    """How claims were scored, the calibrator included; None where nobody did."""
    if not isinstance(scoring, Scoring):
        return None
    plain = {f.name: getattr(scoring, f.name) for f in fields(scoring) if f.name not in _OWN}
    return {
        **to_plain(plain),
        "corpus": to_plain(scoring.corpus),
        "fold_accents": scoring.form.fold_accents,
        "text_form": scoring.form.identity,
        "calibrator": None if scoring.calibrator is None else to_json(scoring.calibrator),
    }


def scoring_of(plain: Mapping[str, Any] | None) -> Scoring | None:
    """The scoring of `scoring_object`.

    Raises:
        OtherSetup: This version cannot read it or its calibrator, or has another text form.
    """
    if plain is None:
        return None
    left = dict(plain)
    form = TextForm(fold_accents=left.pop("fold_accents"))
    if (of_then := left.pop("text_form")) != form.identity:
        detail = f"words were cut by {of_then!r} then, and by {form.identity!r} here"
        raise OtherSetup("other_version", detail)
    calibrator = left.pop("calibrator")
    corpus, promise, costs = left.pop("corpus"), left.pop("promise"), left.pop("costs", None)
    try:
        return Scoring(
            **{**left, "notes": tuple(left["notes"])},
            form=form,
            promise=None if promise is None else from_plain(Promise, promise),
            costs=None if costs is None else from_plain(Costs, costs),
            corpus=None if corpus is None else CorpusSize(**corpus),
            calibrator=None if calibrator is None else from_json(calibrator, made_with=None),
        )
    except CalibrationError as error:
        raise OtherSetup("other_calibrator", error.message) from error
    except (KeyError, TypeError, ValueError) as error:
        raise OtherSetup("other_version", f"this version scores otherwise: {error}") from error


def check_object(rule: TextCheck) -> dict[str, Any]:
    """How a text was checked."""
    return {
        "counting": to_plain(rule.counting),
        "n_passages": rule.n_passages,
        "atomic": rule.atomic,
        "as_of": to_plain(rule.as_of),
        "scoring": scoring_object(rule.scoring),
    }


def check_of(plain: Mapping[str, Any]) -> TextCheck:
    """The rule of `check_object`.

    Raises:
        OtherSetup: This version cannot make it again.
    """
    scoring = scoring_of(plain["scoring"])
    if scoring is None:
        raise OtherSetup("other_policy", "claims were scored by none of averment's own")
    try:
        counting = None if plain["counting"] is None else _typed(QuCo, plain["counting"])
        as_of = from_plain(AsOf | None, plain.get("as_of"))
        return TextCheck(scoring, counting, plain["n_passages"], plain["atomic"], as_of)
    except (KeyError, TypeError, ValueError) as error:
        raise OtherSetup("other_version", f"this version checks otherwise: {error}") from error
