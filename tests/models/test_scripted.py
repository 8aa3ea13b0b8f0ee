from __future__ import annotations

import pytest

from averment.models.scripted import ScriptedModel
from averment.types import Capability, GenerationOptions, Prompt, Token

OPTIONS = GenerationOptions()
SENTENCE = GenerationOptions(until_sentence_end=True)


def test_a_sequence_is_used_up_in_the_order_of_the_prompts() -> None:
    model = ScriptedModel([" One.", " Two.", " Three."])

    first = model.generate([Prompt("a"), Prompt("b")], OPTIONS)
    second = model.generate([Prompt("c")], OPTIONS)

    assert [each.text for each in first + second] == [" One.", " Two.", " Three."]


def test_a_mapping_answers_by_the_longest_text_in_the_prompt() -> None:
    model = ScriptedModel({"Who": " Nobody.", "Who sings": " Ada."})

    (written,) = model.generate([Prompt("Question: Who sings?")], OPTIONS)

    assert written.text == " Ada."


def test_a_mapping_goes_on_behind_what_is_already_said() -> None:
    model = ScriptedModel({"Who": " It is Ada. She sings."})

    (written,) = model.generate([Prompt("Who?", "It is Ada. ")], SENTENCE)

    assert written.text == " She sings."


@pytest.mark.parametrize(
    ("model", "prompt"),
    [
        (ScriptedModel([]), Prompt("Who?")),
        (ScriptedModel({"When": "Now."}), Prompt("Who?")),
        (ScriptedModel({"Who": "Ada."}), Prompt("Who?", "Bob")),
    ],
    ids=["used up", "no key fits", "another beginning"],
)
def test_a_prompt_without_an_answer_is_an_error_of_the_test(
    model: ScriptedModel, prompt: Prompt
) -> None:
    with pytest.raises(ValueError, match="script"):
        model.generate([prompt], OPTIONS)


def test_a_bare_string_is_no_script() -> None:
    with pytest.raises(TypeError, match="sequence of answers"):
        ScriptedModel("Ada.")


def test_logprobs_may_depend_on_the_token() -> None:
    model = ScriptedModel([" It is Ada."], logprob=lambda text: -4.0 if "Ada" in text else -0.1)

    (written,) = model.generate([Prompt("Who?")], OPTIONS)

    assert written.tokens == (Token(" It", -0.1), Token(" is", -0.1), Token(" Ada.", -4.0))


def test_without_the_capability_there_are_no_tokens() -> None:
    model = ScriptedModel([" Ada."], capabilities=frozenset({Capability.SAMPLES}))

    (written,) = model.generate([Prompt("Who?")], OPTIONS)

    assert written.tokens == ()
    assert model.info.capabilities == {Capability.SAMPLES}


def test_scored_tokens_join_to_the_continuation() -> None:
    (tokens,) = ScriptedModel([]).score([(Prompt("Who?"), " It is\tAda. ")])

    assert "".join(token.text for token in tokens) == " It is\tAda. "
    assert {token.logprob for token in tokens} == {-0.5}
