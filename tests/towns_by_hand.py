"""Three towns, and a model that says one thing."""

from __future__ import annotations

from pathlib import Path

import averment
from averment.models.scripted import ScriptedModel
from averment.types import Prompt

TEXTS = {
    "prague": "Prague is the capital of Bohemia. The Vltava flows through Prague.",
    "vienna": "Vienna is the capital of Austria. The Danube flows through Vienna.",
    "brno": "Brno is a city east of Prague. Prague and Brno are linked by a railway.",
}
QUESTION = "Which river flows through Prague?"
GOOD = " The Vltava flows through Prague. So the answer is Vltava."


def build_rivers(path: Path) -> Path:
    """An index of three towns."""
    averment.build_index([averment.Document(key, text) for key, text in TEXTS.items()], path)
    return path


def scripted(answer: str = GOOD, name: str = "tiny") -> ScriptedModel:
    """A model that says one thing, whatever it is asked, and then nothing more."""

    def go_on(prompt: Prompt) -> str:
        return answer.removeprefix(prompt.answer) if answer.startswith(prompt.answer) else ""

    return ScriptedModel(go_on, name=name, capabilities=frozenset())
