"""What every `ports.LanguageModel` keeps to; a backend inherits the class and opens a model.

    class TestMyModel(LanguageModelContract):
        @pytest.fixture
        def model(self):
            return MyModel()

The model has to copy a line, which real ones do from one example; a fake is given `copied`.
"""

from __future__ import annotations

import pytest

from averment.ports import LanguageModel
from averment.types import FinishReason, Generation, GenerationOptions, Prompt

_EXAMPLE = "Line: Tom was in Rome. Tom ate.\nCopy: Tom was in Rome. Tom ate.\n\n"
GREEDY = GenerationOptions(max_tokens=24, stop=("\n",))


def copying(line: str, *, begun: str = "") -> Prompt:
    """A prompt whose continuation is the line, after what is begun of it."""
    return Prompt(f"{_EXAMPLE}Line: {line}\nCopy:", begun)


def copied(text: str) -> str:
    """What a model writes after the text of such a prompt, with or without something begun."""
    line, _, begun = text.rpartition("\nLine: ")[2].partition("\nCopy:")
    return f" {line}"[len(begun) :] + "\n\nLine: And so on."


def assert_best_others(written: Generation, n_alternatives: int) -> None:
    """Every token comes with so many others, the best first, none better than a greedy choice."""
    for token in written.tokens:
        texts, logprobs = zip(*token.alternatives, strict=True)
        assert len(texts) == n_alternatives
        assert token.text not in texts
        assert sorted(logprobs, reverse=True) == list(logprobs)
        assert token.logprob is not None
        assert logprobs[0] <= token.logprob


class LanguageModelContract:
    def test_no_prompts_give_no_generations(self, model: LanguageModel) -> None:
        assert model.generate([], GREEDY) == []

    def test_generations_come_in_the_order_of_the_prompts(self, model: LanguageModel) -> None:
        cities = ["Oslo", "Lima", "Cairo", "Paris", "Madrid"]

        written = model.generate(
            [copying(f"She was in {city}. She ate.") for city in cities], GREEDY
        )

        assert [[city for city in cities if city in each.text] for each in written] == [
            [city] for city in cities
        ]

    def test_text_ends_before_a_stop_string(self, model: LanguageModel) -> None:
        options = GenerationOptions(max_tokens=24, stop=(" Lima",))

        (written,) = model.generate([copying("She was in Lima. She ate.")], options)

        assert written.text == " She was in"
        assert written.finish is FinishReason.STOP

    def test_at_most_max_tokens_are_generated(self, model: LanguageModel) -> None:
        options = GenerationOptions(max_tokens=3)

        (written,) = model.generate([copying("She was in Lima. She ate.")], options)

        assert written.text == " She was in"
        assert written.finish is FinishReason.LENGTH
        assert written.usage.generated_tokens == 3

    def test_one_sentence_ends_behind_its_period_and_not_at_an_abbreviation(
        self, model: LanguageModel
    ) -> None:
        options = GenerationOptions(max_tokens=24, until_sentence_end=True)

        (written,) = model.generate([copying("She was in St. Louis. She ate.")], options)

        assert written.text == " She was in St. Louis."
        assert written.finish is FinishReason.SENTENCE

    def test_an_answer_that_is_begun_is_continued(self, model: LanguageModel) -> None:
        options = GenerationOptions(max_tokens=24, until_sentence_end=True)

        (written,) = model.generate(
            [copying("She was in Lima. She ate.", begun=" She was")], options
        )

        assert written.text == " in Lima."

    @pytest.mark.parametrize("sentence", [False, True], ids=["to the stop string", "a sentence"])
    def test_tokens_join_to_the_text(self, model: LanguageModel, sentence: bool) -> None:
        options = GenerationOptions(max_tokens=24, stop=(" ate",), until_sentence_end=sentence)

        (written,) = model.generate([copying("She was in St. Louis. She ate.")], options)

        assert "".join(token.text for token in written.tokens) in ("", written.text)

    def test_usage_counts_prompt_and_answer(self, model: LanguageModel) -> None:
        (written,) = model.generate([copying("She was in Lima. She ate.")], GREEDY)

        assert written.usage.prompt_tokens > 0
        assert written.usage.generated_tokens > 0

    def test_greedy_text_is_the_same_twice(self, model: LanguageModel) -> None:
        prompts = [copying("She was in Lima. She ate.")]

        first, second = model.generate(prompts, GREEDY), model.generate(prompts, GREEDY)

        assert [each.text for each in first] == [each.text for each in second]

    def test_each_prompt_gets_its_samples(self, model: LanguageModel) -> None:
        prompts = [copying("She was in Lima. She ate."), copying("She was in Oslo. She ate.")]
        options = GenerationOptions(max_tokens=3, temperature=0.01)

        samples = model.sample(prompts, 5, options)

        assert [[sample.text for sample in group] for group in samples] == [
            [" She was in"] * 5,
            [" She was in"] * 5,
        ]

    def test_no_prompts_have_no_samples(self, model: LanguageModel) -> None:
        assert model.sample([], 3, GREEDY) == []
