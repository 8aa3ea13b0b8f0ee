"""What all baselines share: presets, and that one that never searches is the model alone."""

from __future__ import annotations

import pytest

from averment.engine import Edges, Engine
from averment.models.scripted import ScriptedModel
from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.flare import Flare, FlareSimplified
from averment.policies.loop import SentenceLoop, Trigger
from averment.types import Document, Sentence
from averment.wiring import make_policy
from doubles import ListIndex, ListRetriever, NameExtractor

SAID = " Oslo is a city. Oslo is in Norway. So the answer is Norway."
DOCUMENTS = [Document("a", "Oslo is a city in Norway."), Document("b", "Bergen is in Norway.")]
QUESTION = "In which country is Oslo?"


def sentences(trigger: Trigger) -> tuple[Sentence, ...]:
    """What the same model says under a policy."""
    edges = Edges(
        ListIndex(DOCUMENTS),
        ListRetriever(DOCUMENTS),
        ScriptedModel({"Oslo?": SAID}),
        NameExtractor(),
    )
    answered = Engine(SentenceLoop(trigger), edges).ask(QUESTION)
    assert answered.trace.draft is not None
    return answered.trace.draft.sentences


@pytest.mark.parametrize(
    ("silent", "same"),
    [
        pytest.param(Flare(0.0, 0.0), SingleRetrieval(), id="flare, which opens with a search"),
        pytest.param(FlareSimplified(1.0), NoRetrieval(), id="flare-simplified"),
    ],
)
def test_a_trigger_that_never_fires_is_the_baseline_below_it(
    silent: Trigger, same: Trigger
) -> None:
    assert sentences(silent) == sentences(same)


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("fixed", "fixed(k=3, "),
        ("fixed-length", "fixed-length(stride_tokens=32, k=3, "),
        ("flare", "flare(probability_threshold=0.8, mask_threshold=0.4, k=2, "),
        ("flare-simplified", "flare-simplified(doubt_threshold=0.1, k=3, "),
    ],
)
def test_a_preset_has_the_constants_of_its_paper(name: str, described: str) -> None:
    policy = make_policy(name, ListIndex(DOCUMENTS).info)

    assert policy.name == name
    assert repr(policy).startswith(described)
