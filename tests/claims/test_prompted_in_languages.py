"""What a language model is asked with, by the language of a text."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from averment.claims.prompted import PromptedExtractor
from averment.models.scripted import ScriptedModel
from averment.prompts import load
from averment.types import Prompt, Triplet


class _Asked:
    """Answers every prompt with the same JSON and keeps what it was asked."""

    def __init__(self, reply: object) -> None:
        self.prompts: list[str] = []
        self._reply = json.dumps(reply, ensure_ascii=False)

    def __call__(self, prompt: Prompt) -> str:
        self.prompts.append(prompt.text)
        return " " + self._reply


@pytest.mark.parametrize(
    ("template", "sentence", "triplet"),
    [
        (
            "triplets_de",
            "Kumbasaram wurde von Haneef gedreht.",
            ["Kumbasaram", "gedreht von", "Haneef"],
        ),
        (
            "triplets_es",
            "Kumbasaram fue dirigida por Haneef.",
            ["Kumbasaram", "dirigida por", "Haneef"],
        ),
        ("triplets_zh", "鲁迅出生于绍兴。", ["鲁迅", "出生于", "绍兴"]),
        ("triplets", "Kumbasaram was directed by Haneef.", ["Kumbasaram", "directed by", "Haneef"]),
        ("triplets", "東京は日本の首都です。", ["東京", "首都", "日本"]),
    ],
)
def test_the_examples_are_those_of_the_language(
    template: str, sentence: str, triplet: list[str]
) -> None:
    asked = _Asked([triplet])

    [found] = PromptedExtractor(ScriptedModel(asked)).triplets([sentence])

    assert found.triplets == (Triplet(*triplet),)
    assert asked.prompts == [load(template).fill(sentence=sentence).rstrip("\n")]


def test_sentences_that_claim_nothing_are_not_sent_in_any_of_the_languages() -> None:
    asked = _Asked([])
    sentences = ["Die Antwort ist also Haneef.", "¿Quién dirigió Kumbasaram?", "谁执导了《英雄》？"]

    found = PromptedExtractor(ScriptedModel(asked)).triplets(sentences)

    assert [each.silent for each in found] == ["conclusion", "question", "question"]
    assert asked.prompts == []


def test_a_name_between_han_is_found_where_it_stands() -> None:
    text = "谁在北京执导了《英雄》？"

    [found] = PromptedExtractor(ScriptedModel(_Asked(["北京", "英雄", "南京"]))).entities([text])

    assert [(each.text, each.kind) for each in found] == [("北京", "name"), ("英雄", "title")]
    assert all(text[each.start : each.end] == each.text for each in found)


def test_a_language_that_is_named_is_not_guessed() -> None:
    asked = _Asked([])
    PromptedExtractor(ScriptedModel(asked), language="es").triplets(["Haneef filmó Vetham."])

    assert asked.prompts[0].startswith(load("triplets_es").text.split("{sentence}")[0])


@pytest.mark.parametrize("code", ["de", "es", "zh"])
def test_the_examples_of_a_prompt_are_words_of_their_sentences(code: str) -> None:
    lines = load(f"triplets_{code}").text.splitlines()
    pairs = [(one, two) for one, two in pairwise(lines) if "[[" in two]
    assert len(pairs) >= 3
    for sentence, facts in pairs:
        start = facts.index("[[")
        if sentence.startswith(("Schreibe", "Escribe", "用")):
            continue
        for head, _, tail in json.loads(facts[start:]):
            assert head in sentence
            assert tail in sentence
