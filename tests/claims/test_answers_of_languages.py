"""Short answers, yes and no, refusals and courtesies in German, Spanish and Chinese."""

from __future__ import annotations

import pytest

from averment.claims.short_answers import AnswerForm, answer_claims
from averment.claims.split import PartKind, split_text
from averment.policies.loop import final_answer, is_final, is_unknown, is_yes_or_no


@pytest.mark.parametrize(
    ("question", "answer", "pairs"),
    [
        ("Wer hat Kumbasaram gedreht?", "Haneef", [("Kumbasaram", "gedreht", "Haneef")]),
        ("¿Quién dirigió Kumbasaram?", "Haneef.", [("Kumbasaram", "dirigió", "Haneef")]),
        ("谁执导了《英雄》？", "张艺谋", [("英雄", "谁 执 导 了", "张艺谋")]),
        ("Wer hat Kumbasaram gedreht, Haneef oder Arjun Nair?", "Haneef", []),
    ],
)
def test_a_short_answer_claims_something_of_the_names_of_its_question(
    question: str, answer: str, pairs: list[tuple[str, str, str]]
) -> None:
    found = answer_claims(question, answer)

    assert found.form is AnswerForm.SHORT
    assert [(each.head, each.relation, each.tail) for each in found.pairs] == pairs


@pytest.mark.parametrize(
    ("question", "answer", "form"),
    [
        ("Wurde Kumbasaram von Haneef gedreht?", "Ja.", AnswerForm.YES),
        ("Wurde Kumbasaram von Haneef gedreht?", "Nein", AnswerForm.NO),
        ("Wer hat Kumbasaram gedreht?", "unbekannt", AnswerForm.OPEN),
        ("Wer hat Kumbasaram gedreht?", "", AnswerForm.OPEN),
        (
            "Wer hat Kumbasaram gedreht?",
            "Kumbasaram wurde von Haneef gedreht.",
            AnswerForm.TEXT,
        ),
        ("Wer hat Kumbasaram gedreht?", "Haneef " * 13, AnswerForm.TEXT),
        ("¿Dirigió Haneef Kumbasaram?", "Sí.", AnswerForm.YES),
        ("¿Dirigió Haneef Kumbasaram?", "No.", AnswerForm.NO),
        ("张艺谋执导了《英雄》吗？", "是的。", AnswerForm.YES),
        ("张艺谋执导了《英雄》吗？", "不是", AnswerForm.NO),
        ("谁执导了《英雄》？", "张艺谋执导了《英雄》。", AnswerForm.TEXT),
        ("谁执导了《英雄》？", "未知", AnswerForm.OPEN),
    ],
)
def test_other_answers(question: str, answer: str, form: AnswerForm) -> None:
    found = answer_claims(question, answer)

    assert (found.form, found.pairs, found.statement) == (form, (), "")


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("Die Antwort ist Haneef.", "Haneef"),
        ("Also lautet die Antwort Haneef.", None),
        ("Somit, die Antwort lautet: Haneef.", "Haneef"),
        ("Por lo tanto, la respuesta es Haneef.", "Haneef"),
        ("所以答案是张艺谋。", "张艺谋"),
        ("最终答案：张艺谋", None),
        ("So the answer is Haneef.", "Haneef"),
    ],
)
def test_the_sentence_that_gives_the_answer(sentence: str, answer: str | None) -> None:
    assert is_final(sentence) is (answer is not None)
    assert final_answer(sentence) == (answer or "")


def test_answers_that_are_none_and_those_that_are_yes_or_no() -> None:
    assert all(
        map(is_unknown, ("unbekannt", "desconocido", "no lo sé", "未知", "无法确定", "unknown"))
    )
    assert not any(map(is_unknown, ("Haneef", "Ja", "张艺谋")))
    assert all(map(is_yes_or_no, ("Ja", "nein", "Sí", "No", "是", "是的", "否", "yes")))
    assert not any(map(is_yes_or_no, ("Jakarta", "Haneef", "是否")))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Hallo! Oslo liegt in der Nähe von Bergen.", [PartKind.GREETING, PartKind.CLAIM]),
        ("Das kann ich nicht. Ich weiß es leider nicht.", [PartKind.CLAIM, PartKind.REFUSAL]),
        ("Im Text ist der Regisseur nicht angegeben.", [PartKind.REFUSAL]),
        ("¡Hola! No tengo información sobre eso.", [PartKind.GREETING, PartKind.REFUSAL]),
        (
            "你好！文中没有提到导演。鲁迅出生于绍兴。",
            [PartKind.GREETING, PartKind.REFUSAL, PartKind.CLAIM],
        ),
        ("谁执导了《英雄》？", [PartKind.QUESTION]),
    ],
)
def test_parts_of_a_text(text: str, kinds: list[PartKind]) -> None:
    assert [part.kind for part in split_text(text)] == kinds
