"""What all baselines share: presets, and that one that never searches is the model alone."""

from __future__ import annotations

import pytest

from averment.engine import Answered, Edges, Engine, replay
from averment.errors import CapabilityError
from averment.models.scripted import ScriptedModel
from averment.policies.dragin import Dragin
from averment.policies.etc_trend import Etc
from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.fixed_length import FixedLength
from averment.policies.flare import Flare, FlareSimplified
from averment.policies.loop import SentenceLoop, Trigger
from averment.policies.seakr import Seakr
from averment.ports import IntrospectiveModel, LanguageModel
from averment.trace import Trace
from averment.types import Document, Sentence
from averment.wiring import make_policy
from doubles import ListIndex, ListRetriever, LookedInto, NameExtractor

SAID = " Oslo is a city. Oslo is in Norway. So the answer is Norway."
DOCUMENTS = [Document("a", "Oslo is a city in Norway."), Document("b", "Bergen is in Norway.")]
QUESTION = "In which country is Oslo?"
WHITE_BOX = ["dragin", "etc", "seakr"]


def engine(policy: SentenceLoop, model: LanguageModel | None = None) -> Engine:
    edges = Edges(
        ListIndex(DOCUMENTS),
        ListRetriever(DOCUMENTS),
        model or LookedInto({"Oslo?": SAID}),
        NameExtractor(),
    )
    return Engine(policy, edges)


def sentences(answered: Answered) -> tuple[Sentence, ...]:
    assert answered.trace.draft is not None
    return answered.trace.draft.sentences


@pytest.mark.parametrize(
    ("silent", "same"),
    [
        pytest.param(Flare(0.0, 0.0), SingleRetrieval(), id="flare, which opens with a search"),
        pytest.param(FixedLength(10**6), SingleRetrieval(), id="fixed-length, which opens so too"),
        pytest.param(FlareSimplified(1.0), NoRetrieval(), id="flare-simplified"),
        pytest.param(Dragin(float("inf")), NoRetrieval(), id="dragin"),
        pytest.param(Etc(float("inf")), NoRetrieval(), id="etc"),
        pytest.param(Seakr(float("inf")), NoRetrieval(), id="seakr"),
    ],
)
def test_a_trigger_that_never_fires_is_the_baseline_below_it(
    silent: Trigger, same: Trigger
) -> None:
    found, below = (engine(SentenceLoop(trigger)).ask(QUESTION) for trigger in (silent, same))

    assert sentences(found) == sentences(below)


@pytest.mark.parametrize(
    ("trigger", "code"),
    [
        pytest.param(Dragin(0.5), "uncertain_word", id="dragin"),
        pytest.param(Seakr(-10.0), "spread_continuations", id="seakr"),
    ],
)
def test_what_was_read_inside_a_model_is_in_the_trace_and_replays(
    trigger: Trigger, code: str
) -> None:
    policy = SentenceLoop(trigger)

    made = engine(policy).ask(QUESTION)
    again = replay(Trace.loads(made.trace.dumps()), policy)

    assert {found.trigger for found in made.answer.retrievals} == {code}
    assert again.claims == made.answer.claims
    assert again.cost == made.answer.cost


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("fixed", "fixed(k=3, "),
        ("fixed-length", "fixed-length(stride_tokens=32, k=3, "),
        ("flare", "flare(probability_threshold=0.8, mask_threshold=0.4, k=2, "),
        ("flare-simplified", "flare-simplified(doubt_threshold=0.1, k=3, "),
        (
            "dragin",
            "dragin(hallucination_threshold=1.0, top_k=25, content_words=no_function_words, k=3, ",
        ),
        (
            "etc",
            "etc(hallucination_threshold=1.3, absolute=False, top_k=35, "
            "content_words=no_function_words, k=3, ",
        ),
        (
            "seakr",
            "seakr(spread_threshold=-6.0, doubt_threshold=0.1, n_samples=20, max_tokens=100, "
            "top_k=50, top_p=0.9, seed=42, content_words=no_function_words, k=3, ",
        ),
    ],
)
def test_a_preset_has_the_constants_of_its_paper(name: str, described: str) -> None:
    policy = make_policy(name, ListIndex(DOCUMENTS).info)

    assert policy.name == name
    assert repr(policy).startswith(described)


@pytest.mark.parametrize("name", WHITE_BOX)
def test_a_model_that_cannot_be_looked_into_is_refused_with_the_way_out(name: str) -> None:
    policy = make_policy(name, ListIndex(DOCUMENTS).info)

    with pytest.raises(CapabilityError, match=f"'{name}' needs .*'scripted'") as refused:
        engine(policy, ScriptedModel({"Oslo?": SAID}))

    assert "--runtime transformers" in refused.value.hint


@pytest.mark.parametrize("name", ["flare", "flare-simplified"])
def test_a_model_without_log_probabilities_is_refused(name: str) -> None:
    policy = make_policy(name, ListIndex(DOCUMENTS).info)
    silent = ScriptedModel({"Oslo?": SAID}, capabilities=frozenset())

    with pytest.raises(CapabilityError, match=f"'{name}' needs logprobs; model 'scripted'"):
        engine(policy, silent)


def test_a_scripted_model_does_not_say_what_is_inside_it() -> None:
    assert not isinstance(ScriptedModel({}), IntrospectiveModel)
