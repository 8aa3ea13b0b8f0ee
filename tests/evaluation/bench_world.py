"""A bench of our own making: towns that exist nowhere, their rivers, and a model that half knows.

Of every five towns the model knows one river by heart; of the others it says a wrong one, unless
the right passage stands before it. Every tenth town is in no document, so that nothing helps there.
"""

from __future__ import annotations

import json
from pathlib import Path

from averment.types import Document, Prompt

_FIRST = "Arl Bren Cost Durn Elm Fars Gorl Holm Irn Jast".split()
_LAST = ("wick", "stead", "mere", "ford", "haven")
_RIVERS = "Vell Orra Tisk Nuin Sarn".split()


def towns(n: int) -> list[str]:
    """So many towns, at most 50."""
    return [f"{_FIRST[at % 10]}{_LAST[at // 10]}" for at in range(n)]


def river(at: int) -> str:
    """The river of the town with this number."""
    return _RIVERS[at % 5]


def is_written_about(at: int) -> bool:
    """Whether a document is about the town with this number."""
    return at % 10 != 9


def documents(n: int) -> list[Document]:
    """What is written about so many towns."""
    return [
        Document(
            f"town-{at}",
            f"{town} is a market town. The {river(at)} flows through {town}. "
            f"{town} has a school and a mill.",
            title=town,
        )
        for at, town in enumerate(towns(n))
        if is_written_about(at)
    ]


def write_questions(path: Path, n: int) -> None:
    """A file of questions in the format of HotpotQA."""
    records = [
        {
            "_id": f"q{at:02}",
            "question": f"Which river flows through {town}?",
            "answer": river(at),
            "context": [[town, [f"The {river(at)} flows through {town}."]]],
            "supporting_facts": [[town, 0]],
        }
        for at, town in enumerate(towns(n))
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")


def said(text: str) -> str:
    """What the model writes after a prompt and what it has answered so far."""
    before, _, asked = text.rpartition("Question:")
    every = towns(50)
    town = next((each for each in every if each in asked), None)
    if town is None:  # somebody finds out what the model can do
        return " nothing."
    at = every.index(town)
    knows = at % 5 == 0 or f"The {river(at)} flows through {town}" in before
    told = river(at) if knows else river(at + 1)
    if "flows through" in asked.partition("?")[2]:
        return f" So the answer is {told}."
    return f" The {told} flows through {town}. So the answer is {told}."


def scripted(prompt: Prompt) -> str:
    """The same, as a script."""
    return said(prompt.text + prompt.answer)


def write_bench(folder: Path, n: int, *, policies: str = '"none", "single", "quco"') -> Path:
    """A bench file beside its questions and its corpus."""
    write_questions(folder / "towns.jsonl", n)
    corpus = "".join(
        json.dumps({"id": each.document_id, "title": each.title, "text": each.text}) + "\n"
        for each in documents(n)
    )
    (folder / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    bench = folder / "towns.toml"
    bench.write_text(
        f"""about = "Rivers of towns that exist nowhere."
model = "tiny"
policies = [{policies}]
prompt = "answer-f34abe79"
expect = ["single > none in f1"]

[corpus]
files = ["corpus.jsonl"]

[settings]
scores = false

[[sets]]
data = "hotpotqa"
name = "towns"
file = "towns.jsonl"
seed = 7
""",
        encoding="utf-8",
    )
    return bench
