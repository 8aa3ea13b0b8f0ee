"""Policies that look into the model, from the settings on, with a tiny model of random weights."""

from __future__ import annotations

from pathlib import Path

import pytest

import averment
from averment.errors import CapabilityError
from averment.models.scripted import ScriptedModel
from models.tiny_lm import write_tiny_lm

DOCUMENTS = [
    averment.Document("a", "Oslo is the capital of Norway.", title="Oslo"),
    averment.Document("b", "Bergen lies in Norway.", title="Bergen"),
]
QUESTION = "In which country lies Oslo?"
WHITE_BOX = pytest.mark.parametrize("policy", ["dragin", "etc", "seakr"])


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("accelerate", "gguf", "torch", "transformers"):
        pytest.importorskip(module, reason="the extra [transformers] is not installed")
    return write_tiny_lm(tmp_path_factory.mktemp("tiny") / "llama", "llama")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "idx"
    averment.build_index(DOCUMENTS, path)
    return path


@WHITE_BOX
def test_a_checkpoint_in_a_folder_answers_under_every_policy(
    policy: str, index: Path, tiny: Path
) -> None:
    settings = {"runtime": "transformers", "scores": False, "threads": 1}

    with averment.open_engine(index, str(tiny), policy, **settings) as engine:
        made = engine.ask(QUESTION)

    kinds = {type(record.step).__name__ for record in made.trace.records}
    assert kinds & {"ReadAttention", "MeasureSpread"}
    assert made.verdict in ("warned", "abstained")


@WHITE_BOX
def test_another_model_is_refused_before_anything_is_asked(policy: str, index: Path) -> None:
    with pytest.raises(CapabilityError, match=f"'{policy}' needs") as refused:
        averment.open_engine(index, ScriptedModel([]), policy, scores=False)

    assert refused.value.exit_code == 2
    assert "--runtime transformers" in refused.value.hint
