"""Model names: the policy before the slash, and the model behind it with all of its own."""

from __future__ import annotations

import pytest

from averment.serve.chat import Asked, named


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        ("quco/tiny", Asked("quco", "tiny")),
        ("none/org/tiny", Asked("none", "org/tiny")),
        ("quco-paper/tiny:7b", Asked("quco-paper", "tiny:7b")),
        ("tiny", Asked("single", "tiny")),
        ("org/tiny", Asked("single", "org/tiny")),
        ("quco/", Asked("single", "quco/")),
        ("quco", Asked("single", "quco")),
    ],
)
def test_a_name_is_a_policy_and_a_model_or_a_model_alone(model: str, asked: Asked) -> None:
    assert named(model, default_policy="single") == asked
