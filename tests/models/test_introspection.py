"""Attention and hidden states of tiny random models, against numbers computed by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tiny_lm import write_tiny_lm

from averment.errors import CapabilityError, ContextOverflow
from averment.models import introspection
from averment.models.cache import cached
from averment.models.transformers_lm import TransformersLM, open_transformers
from averment.ports import IntrospectiveModel
from averment.readings import Sampling
from averment.types import GenerationOptions, Prompt

for _module in ("torch", "transformers", "accelerate", "gguf"):
    pytest.importorskip(_module, reason="the extra [transformers] is not installed")
import torch  # noqa: E402

BEFORE, SAID = "In which country lies Oslo", " Oslo is the capital of Norway ."
GREEDY = Sampling(3, 4, ("\n",), 1.0, 1, 1.0, 42)


@pytest.fixture(scope="module", params=["llama", "gpt2"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = write_tiny_lm(tmp_path_factory.mktemp("tiny") / request.param, request.param)
    return open_transformers(folder, name=request.param, n_ctx=64, n_threads=1)


def read_whole(model: TransformersLM, *texts: str) -> tuple[list[int], Any]:
    """The tokens of texts in a row, and all that transformers says of them."""
    ids = [token for text in texts for token in model._tokenizer(text).input_ids]
    with torch.inference_mode():
        output = model._model(
            torch.tensor([ids]), output_attentions=True, output_hidden_states=True
        )
    return ids, output


def feed_forward(model: TransformersLM, ids: list[int]) -> Any:
    """What the middle one of three layers adds by its feed-forward branch at the last token."""
    layers = introspection.layers_of(model._model)
    inputs: list[Any] = []
    part = layers[1].mlp
    handle = part.register_forward_pre_hook(lambda _, given: inputs.append(given[0]))
    with torch.inference_mode():
        model._model(torch.tensor([ids]))
        handle.remove()
        x = inputs[0][0, -1]
        if hasattr(part, "down_proj"):
            gate = torch.nn.functional.silu(part.gate_proj(x))
            return part.down_proj(gate * part.up_proj(x))
        inner = x @ part.c_fc.weight + part.c_fc.bias
        inner = torch.nn.functional.gelu(inner, approximate="tanh")
        return inner @ part.c_proj.weight + part.c_proj.bias


# --- reductions ---------------------------------------------------------------------------------


def test_a_token_is_attended_to_as_much_as_the_most_attentive_later_one() -> None:
    first = [[1.0, 0.0, 0.0], [0.4, 0.6, 0.0], [0.2, 0.7, 0.1]]
    second = [[1.0, 0.0, 0.0], [0.1, 0.9, 0.0], [0.8, 0.1, 0.1]]

    # Head by head: (0.4, 0.7), (0.8, 0.1); what a token pays to itself does not count.
    assert introspection.received(torch.tensor([first, second])) == pytest.approx([0.6, 0.4, 0.0])


def test_rows_are_means_over_heads_up_to_their_token() -> None:
    weights = torch.tensor([[[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.1, 0.9]]])

    assert introspection.mean_rows(weights, 1) == [pytest.approx((0.3, 0.7))]
    assert introspection.mean_rows(weights, 2) == []


def test_the_volume_of_two_states_is_that_of_their_gram_matrix() -> None:
    states = [torch.tensor([3.0, 1.0]), torch.tensor([5.0, 5.0])]  # (1, -1) and (0, 0) when centred

    volume = introspection.log_volume(torch, states)

    assert volume == pytest.approx((math.log(2.001) + math.log(0.001)) / 2)


def test_equal_states_have_less_volume_than_different_ones() -> None:
    same = [torch.tensor([1.0, 0.0, 0.0])] * 2
    apart = [torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0])]

    closer, farther = (introspection.log_volume(torch, states) for states in (same, apart))

    assert closer is not None
    assert farther is not None
    assert closer < farther


def test_no_state_has_no_volume() -> None:
    assert introspection.log_volume(torch, []) is None


@pytest.mark.parametrize(
    ("top_k", "top_p", "kept"),
    [
        pytest.param(0, 1.0, [0.5, 0.3, 0.2], id="all"),
        pytest.param(2, 1.0, [0.625, 0.375, 0], id="the two best"),
        pytest.param(0, 0.5, [1, 0, 0], id="half of the mass"),
        pytest.param(0, 0.6, [0.625, 0.375, 0], id="just past the best"),
    ],
)
def test_only_probable_tokens_are_drawn(top_k: int, top_p: float, kept: list[float]) -> None:
    logits = torch.tensor([[0.5, 0.3, 0.2]]).log()
    sampling = Sampling(1, 1, (), 1.0, top_k, top_p, 0)

    probabilities = introspection.keep_probable(torch, logits, sampling)

    assert probabilities[0].tolist() == pytest.approx(kept, abs=1e-6)


def test_a_model_whose_layers_cannot_be_told_is_refused() -> None:
    strange = torch.nn.Linear(2, 2)
    strange.config = object()  # type: ignore[assignment]

    with pytest.raises(CapabilityError, match="layers of a Linear"):
        introspection.layers_of(strange)
    with pytest.raises(CapabilityError, match="no part named after attention"):
        introspection.part_of(strange, "attention")


# --- the model ----------------------------------------------------------------------------------


def test_it_can_be_looked_into_also_where_its_calls_are_remembered(
    model: TransformersLM, tmp_path: Path
) -> None:
    remembered = cached(model, identity="tiny", directory=tmp_path)

    assert isinstance(model, IntrospectiveModel)
    assert isinstance(remembered, IntrospectiveModel)
    assert remembered.attention([("", SAID, 0)]) == model.attention([("", SAID, 0)])


def test_a_model_forgets_what_it_read_when_it_is_closed(model: TransformersLM) -> None:
    model.generate([Prompt(BEFORE)], GenerationOptions(max_tokens=1))

    model.close()
    (written,) = model.generate([Prompt(BEFORE)], GenerationOptions(max_tokens=1))

    assert written.usage.cached_tokens == 0


def test_attention_is_that_of_the_last_layer_reduced_by_hand(model: TransformersLM) -> None:
    (found,) = model.attention([("", SAID, 0)])

    _, whole = read_whole(model, SAID)
    one, other = whole.attentions[-1][0].tolist()
    n = len(one)
    most = [
        [max((head[j][i] for j in range(i + 1, n)), default=0.0) for i in range(n)]
        for head in (one, other)
    ]
    assert found.received == pytest.approx(
        [(a + b) / 2 for a, b in zip(*most, strict=True)], abs=1e-5
    )
    assert [list(row) for row in found.rows] == [
        pytest.approx([(one[i][j] + other[i][j]) / 2 for j in range(i + 1)], abs=1e-5)
        for i in range(n)
    ]
    assert "".join(SAID[start:end] for start, end in found.spans) == SAID


def test_what_is_read_before_gets_its_part_and_is_not_reported(model: TransformersLM) -> None:
    (found,) = model.attention([(BEFORE, SAID, 0)])

    before, whole = read_whole(model, BEFORE)[0], read_whole(model, BEFORE, SAID)[1]
    mean = whole.attentions[-1][0].mean(0)[len(before) :, len(before) :]
    assert found.rows[-1] == pytest.approx(mean[-1].tolist(), abs=1e-5)
    assert sum(found.rows[-1]) < 0.999


def test_rows_are_given_from_a_place_on(model: TransformersLM) -> None:
    (whole,), (part,) = model.attention([("", SAID, 0)]), model.attention([("", SAID, 20)])

    n_rows = sum(end > 20 for _, end in whole.spans)
    assert part.rows == whole.rows[-n_rows:]


@pytest.mark.parametrize("text", ["", " "], ids=["nothing", "a blank"])
def test_next_to_nothing_can_be_read(model: TransformersLM, text: str) -> None:
    (found,) = model.attention([("", text, 0)])

    assert len(found.received) == len(found.rows) == len(text)


def test_entropies_are_those_of_the_whole_distribution(model: TransformersLM) -> None:
    (written,) = model.generate([Prompt(BEFORE)], GenerationOptions(max_tokens=1))

    logprobs = read_whole(model, BEFORE)[1].logits[0, -1].log_softmax(0)
    by_hand = -sum(math.exp(p) * p for p in logprobs.tolist())
    assert [token.entropy for token in written.tokens] == [pytest.approx(by_hand, abs=1e-4)]


def test_a_beginning_that_was_read_before_changes_no_number(model: TransformersLM) -> None:
    options = GenerationOptions(max_tokens=5)
    prompts = [Prompt(BEFORE), Prompt(BEFORE, SAID), Prompt(BEFORE + " in"), Prompt("So")]
    fresh = []
    for prompt in prompts:
        model._cache, model._read_ids = None, []
        fresh += model.generate([prompt], options)

    again = model.generate(prompts, options)

    assert [made.text for made in again] == [made.text for made in fresh]
    assert [token.logprob for made in again for token in made.tokens] == pytest.approx(
        [token.logprob for made in fresh for token in made.tokens], abs=1e-4
    )
    assert again[1].usage.cached_tokens >= len(read_whole(model, BEFORE)[0])


def test_the_spread_is_that_of_the_feed_forward_branch_of_the_middle_layer(
    model: TransformersLM,
) -> None:
    (spread,) = model.spread([Prompt(BEFORE)], GREEDY)

    # Of one best token a draw is greedy: three times the state of the token before the last.
    (written,) = model.generate([Prompt(BEFORE)], GenerationOptions(max_tokens=4))
    ids = read_whole(model, BEFORE)[0]
    for _ in range(3):
        ids = [*ids, int(read_after(model, ids))]
    state = feed_forward(model, ids).double()
    length = float(((state - state.mean()) ** 2).sum())
    assert spread.n_used == 3
    assert spread.log_volume == pytest.approx(
        (math.log(3 * length + 1e-3) + 2 * math.log(1e-3)) / 3, abs=1e-2
    )
    assert spread.usage.generated_tokens == 3 * written.usage.generated_tokens


def read_after(model: TransformersLM, ids: list[int]) -> Any:
    with torch.inference_mode():
        return model._model(torch.tensor([ids])).logits[0, -1].argmax()


def test_a_spread_can_be_repeated_and_depends_on_its_seed(model: TransformersLM) -> None:
    free = Sampling(4, 6, (". ", "\n"), 1.0, 50, 0.9, 42)
    other = Sampling(4, 6, (". ", "\n"), 1.0, 50, 0.9, 43)

    first, second, third = (
        model.spread([Prompt(BEFORE)], sampling)[0].log_volume for sampling in (free, free, other)
    )

    assert first == pytest.approx(second, abs=1e-3)
    assert first != pytest.approx(third, abs=1e-3)


def test_continuations_that_end_apart_keep_each_its_own_state(
    model: TransformersLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    draw = TransformersLM._draw

    def watched(self: TransformersLM, each: Any, *more: Any) -> None:
        if not any(each is known for known in drawn):
            drawn.append(each)
        draw(self, each, *more)

    monkeypatch.setattr(TransformersLM, "_draw", watched)
    vowels = Sampling(6, 12, ("a", "e", "i", "o", "u"), 1.0, 50, 0.99, 42)

    (spread,) = model.spread([Prompt(BEFORE)], vowels)

    before = read_whole(model, BEFORE)[0]
    assert len({len(each.ids) for each in drawn}) > 2
    assert spread.usage.generated_tokens == sum(len(each.ids) for each in drawn)
    for each in drawn:
        by_hand = feed_forward(model, [*before, *each.ids[:-1]])
        assert each.state.tolist() == pytest.approx(by_hand.tolist(), abs=1e-4)


def test_continuations_that_are_empty_have_no_spread(model: TransformersLM) -> None:
    whole_alphabet = tuple(model._tokenizer.decode([token]) for token in range(1, 300))

    (spread,) = model.spread([Prompt(BEFORE)], Sampling(2, 4, whole_alphabet, 1.0, 50, 0.9, 0))

    assert (spread.log_volume, spread.n_used) == (None, 0)


def test_what_does_not_fit_is_not_read(model: TransformersLM) -> None:
    with pytest.raises(ContextOverflow):
        model.attention([("", "word " * 100, 0)])
    with pytest.raises(ContextOverflow):
        model.spread([Prompt("word " * 100)], GREEDY)
