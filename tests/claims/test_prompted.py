from __future__ import annotations

import json
from pathlib import Path

import pytest

from averment.claims.prompted import PromptedExtractor
from averment.errors import ExtractionError
from averment.models.llama_cpp import open_llama_cpp
from averment.prompts import load
from averment.types import FinishReason, Triplet
from contracts.extractor_contract import FilingModel

SENTENCE = "Kumbasaram was directed by Haneef."
TRIPLET = ["Kumbasaram", "was directed by", "Haneef"]


def test_all_sentences_go_to_the_model_in_one_call() -> None:
    model = FilingModel({SENTENCE: [TRIPLET]})

    found = PromptedExtractor(model).triplets([SENTENCE, "Vetham was directed by Arjun."])

    assert [each.triplets for each in found] == [(Triplet(*TRIPLET),), ()]
    assert [len(prompts) for prompts, _ in model.calls] == [2]


def test_sentences_that_claim_nothing_are_not_sent() -> None:
    model = FilingModel({})

    PromptedExtractor(model).triplets(["So the answer is Haneef.", SENTENCE])

    [(prompts, _)] = model.calls
    assert [SENTENCE in each.text for each in prompts] == [True]


def test_without_anything_to_ask_the_model_is_not_called() -> None:
    model = FilingModel({})

    PromptedExtractor(model).triplets(["So the answer is Haneef."])
    PromptedExtractor(model).entities([])

    assert model.calls == []


def test_prompts_share_everything_before_the_sentence() -> None:
    model = FilingModel({})

    PromptedExtractor(model).triplets([SENTENCE, "Vetham was directed by Arjun."])

    prefix = load("triplets").text.split("{sentence}")[0]
    [(prompts, _)] = model.calls
    assert all(each.text.startswith(prefix) for each in prompts)


def test_a_reply_is_one_greedy_line_under_the_grammar() -> None:
    model = FilingModel({})

    PromptedExtractor(model).triplets([SENTENCE])

    [(_, options)] = model.calls
    assert options.temperature == 0
    assert options.stop == ("\n",)
    assert options.grammar is not None
    assert "root ::=" in options.grammar


def test_a_model_without_grammars_is_sent_none() -> None:
    model = FilingModel({SENTENCE: [TRIPLET]}, grammar=False)

    [found] = PromptedExtractor(model).triplets([SENTENCE])

    [(_, options)] = model.calls
    assert options.grammar is None
    assert found.triplets == (Triplet(*TRIPLET),)


def test_what_the_model_invents_is_dropped_with_its_reason() -> None:
    model = FilingModel({SENTENCE: [["Kumbasaram", "was directed by", "Arjun"]]})

    [found] = PromptedExtractor(model).triplets([SENTENCE])

    assert found.triplets == ()
    assert [each.reason for each in found.dropped] == ["tail_not_in_sentence"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no facts",
        "{}",
        '["Kumbasaram"]',
        '[["Kumbasaram", "Haneef"]]',
        '[["Kumbasaram", 1, "Haneef"]]',
        '[["Kumbasaram", "was directed',
        '[["a", "b", "c"]] and more',
        "[" * 100_000,
    ],
    ids=["empty", "prose", "object", "flat", "pair", "number", "cut", "trailing", "nested"],
)
def test_a_reply_that_is_no_list_of_triplets_is_an_error_with_the_raw_text(reply: str) -> None:
    extractor = PromptedExtractor(FilingModel({SENTENCE: reply}))

    with pytest.raises(ExtractionError) as caught:
        extractor.triplets([SENTENCE])

    assert caught.value.raw == reply
    assert caught.value.hint


def test_a_reply_that_ran_out_of_tokens_is_an_error_even_if_it_parses() -> None:
    model = FilingModel({SENTENCE: [TRIPLET]}, finish=FinishReason.LENGTH)

    with pytest.raises(ExtractionError, match="256 tokens"):
        PromptedExtractor(model).triplets([SENTENCE])


NAMES = {
    "quotes": 'Say "Hi" Now',
    "and": "Rock AND Roll",
    "long": "Haneef " + "Nair " * 60 + "Sons",
    "backslash": "AC\\DC",
    "accents": "Jørn Utzon",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_name_of_any_kind_is_kept_if_it_stands_in_the_sentence(name: str) -> None:
    sentence = f"Vetham was directed by {name} in 2017."
    model = FilingModel({"Vetham": [["Vetham", "was directed by", name]]})

    [found] = PromptedExtractor(model).triplets([sentence])

    assert [each.tail for each in found.triplets] == [name]


def test_what_the_model_translates_is_dropped() -> None:
    sentence = "Kumbasaram wurde von Haneef in Köln gedreht."
    model = FilingModel({"Kumbasaram": [["Kumbasaram", "was shot in", "Cologne"]]})

    [found] = PromptedExtractor(model).triplets([sentence])

    assert found.triplets == ()
    assert [each.reason for each in found.dropped] == ["tail_not_in_sentence"]


def test_a_sentence_is_sent_as_one_line() -> None:
    model = FilingModel({})

    PromptedExtractor(model).triplets(["Kumbasaram was\ndirected by\r\n Haneef."])

    [(prompts, _)] = model.calls
    assert "Sentence: Kumbasaram was directed by Haneef.\n" in prompts[0].text


def test_rules_that_are_switched_off_let_sentences_through() -> None:
    model = FilingModel({})

    PromptedExtractor(model, silent_rules=()).triplets(["So the answer is Haneef."])

    assert len(model.calls) == 1


def test_names_are_found_in_the_text_up_to_case_in_order_of_appearance() -> None:
    text = "Did HANEEF direct Vetham in 1962?"
    model = FilingModel({text: ["1962", "vetham", "Haneef", "HANEEF", "Arjun", "Hane", "?"]})

    [found] = PromptedExtractor(model).entities([text])

    assert [(each.text, each.kind) for each in found] == [
        ("HANEEF", "name"),
        ("Vetham", "name"),
        ("1962", "date"),
    ]
    assert all(text[each.start : each.end] == each.text for each in found)


@pytest.mark.parametrize("reply", ['[["Haneef"]]', '"Haneef"', "Haneef"])
def test_a_reply_that_is_no_list_of_strings_is_an_error(reply: str) -> None:
    extractor = PromptedExtractor(FilingModel({"Haneef": reply}))

    with pytest.raises(ExtractionError) as caught:
        extractor.entities(["Who is Haneef?"])

    assert caught.value.raw == reply


@pytest.mark.parametrize("template_id", ["triplets", "entities"])
def test_the_worked_examples_are_replies_that_could_be_read(template_id: str) -> None:
    lines = load(template_id).text.splitlines()

    replies = [line.partition(": ")[2] for line in lines if line.startswith(("Facts: ", "Names: "))]

    assert len(replies) >= 3
    assert all(isinstance(json.loads(reply), list) for reply in replies)


def test_braces_in_a_sentence_are_sent_as_they_are() -> None:
    model = FilingModel({})

    PromptedExtractor(model).triplets(["Haneef wrote {sentence} in Zurich."])

    [(prompts, _)] = model.calls
    assert "Sentence: Haneef wrote {sentence} in Zurich.\n" in prompts[0].text


@pytest.mark.model
def test_a_small_model_finds_a_plain_fact(model_path: Path) -> None:
    extractor = PromptedExtractor(open_llama_cpp(model_path, name="small", n_threads=1))

    [found] = extractor.triplets(["Kumbasaram was directed by Haneef."])

    assert [{each.head, each.tail} for each in found.triplets] == [{"Kumbasaram", "Haneef"}]
