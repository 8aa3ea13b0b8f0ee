"""What every `averment.ports.ClaimExtractor` keeps; subclass it and say how one is made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from averment.ports import ClaimExtractor
from averment.text import TextForm, contains_words
from averment.types import (
    Capability,
    FinishReason,
    Generation,
    GenerationOptions,
    ModelInfo,
    Prompt,
    Usage,
)

FACT = "Kumbasaram was directed by Haneef in 2017."
QUESTION = "Who directed Kumbasaram, Haneef or Arjun Nair?"
SILENT = {
    "question": QUESTION,
    "conclusion": "So the answer is Haneef.",
    "comparison": "Haneef is older than Arjun Nair.",
    "negation": "Haneef did not direct Vetham.",
    "refusal": "It is unknown who directed Kumbasaram.",
    "blank": " ",
    "nothing": "",
}
HOSTILE = {
    "quotes": 'The song "Say "Hi" Now" was written by Haneef "The Man" Nair.',
    "newline": "Kumbasaram was\ndirected by\n\nHaneef.",
    "and": "Rock AND Roll was founded by Haneef AND Sons OR Arjun.",
    "long_name": f"Haneef {'Nair ' * 60}directed Vetham in 2017.",
    "other_language": "Kumbasaram wurde von Haneef in Zürich gedreht.",
    "other_script": "《红楼梦》由曹雪芹所著。",
    "braces_and_brackets": 'Haneef wrote {sentence} and [["a", "b", "c"]] in Zurich.',
    "control": "Haneef\x00 directed\x1b[0m Vetham\u200b in\ufeff 2017.",
}


class ExtractorContract:
    """Inherit and give `extractor`; collected through the class that inherits."""

    @pytest.fixture
    def extractor(self) -> ClaimExtractor:
        raise NotImplementedError

    def test_it_has_a_name(self, extractor: ClaimExtractor) -> None:
        assert extractor.name

    def test_nothing_in_is_nothing_out(self, extractor: ClaimExtractor) -> None:
        assert extractor.entities([]) == []
        assert extractor.triplets([]) == []

    def test_each_text_has_its_entities_in_order(self, extractor: ClaimExtractor) -> None:
        found = extractor.entities([QUESTION, "", QUESTION])

        assert [len(entities) for entities in found] == [3, 0, 3]

    def test_entities_stand_where_they_say(self, extractor: ClaimExtractor) -> None:
        [entities] = extractor.entities([QUESTION])

        assert [entity.text for entity in entities] == ["Kumbasaram", "Haneef", "Arjun Nair"]
        assert all(QUESTION[each.start : each.end] == each.text for each in entities)

    def test_each_sentence_has_its_extraction_in_order(self, extractor: ClaimExtractor) -> None:
        found = extractor.triplets([FACT, SILENT["conclusion"], FACT])

        assert found[0] == found[2]
        assert found[0].triplets
        assert not found[1].triplets

    def test_heads_and_tails_are_words_of_the_sentence(self, extractor: ClaimExtractor) -> None:
        [found] = extractor.triplets([FACT])

        words = TextForm().words
        assert [(each.head, each.tail) for each in found.triplets] == [
            ("Kumbasaram", "Haneef"),
            ("Kumbasaram", "2017"),
        ]
        for each in found.triplets:
            assert contains_words(words(FACT), words(each.head))
            assert contains_words(words(FACT), words(each.tail))

    @pytest.mark.parametrize("sentence", SILENT.values(), ids=SILENT.keys())
    def test_some_sentences_claim_nothing(self, extractor: ClaimExtractor, sentence: str) -> None:
        [found] = extractor.triplets([sentence])

        assert found.triplets == ()
        assert found.failed is None

    @pytest.mark.parametrize("sentence", HOSTILE.values(), ids=HOSTILE.keys())
    def test_whatever_a_text_holds_heads_and_tails_are_words_of_it(
        self, extractor: ClaimExtractor, sentence: str
    ) -> None:
        [found] = extractor.triplets([sentence])
        [entities] = extractor.entities([sentence])

        words = TextForm().words
        for each in found.triplets:
            assert contains_words(words(sentence), words(each.head))
            assert contains_words(words(sentence), words(each.tail))
        assert all(sentence[each.start : each.end] == each.text for each in entities)


class FilingModel:
    """A language model that writes what is filed under the text it is asked about.

    Args:
        replies: What to write, by a piece of the last lines of the prompt.
        grammar: Whether it can be held to a grammar.
        finish: How every generation ends.
    """

    def __init__(
        self,
        replies: Mapping[str, object],
        *,
        grammar: bool = True,
        finish: FinishReason = FinishReason.STOP,
    ) -> None:
        self._replies = replies
        self._finish = finish
        capabilities = frozenset({Capability.GRAMMAR} if grammar else ())
        self.info = ModelInfo("filing", "", capabilities)
        self.calls: list[tuple[tuple[Prompt, ...], GenerationOptions]] = []

    def generate(self, prompts: Sequence[Prompt], options: GenerationOptions) -> list[Generation]:
        self.calls.append((tuple(prompts), options))
        return [Generation(self._reply(each), (), self._finish, Usage()) for each in prompts]

    def sample(
        self, prompts: Sequence[Prompt], n_samples: int, options: GenerationOptions
    ) -> list[list[Generation]]:
        return [[each] * n_samples for each in self.generate(prompts, options)]

    def _reply(self, prompt: Prompt) -> str:
        asked = prompt.text.splitlines()[-2]
        reply = next((reply for text, reply in self._replies.items() if text in asked), [])
        return reply if isinstance(reply, str) else " " + json.dumps(reply)
