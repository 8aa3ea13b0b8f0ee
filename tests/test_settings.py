"""Settings: what nobody declared is refused by name."""

from __future__ import annotations

import pytest

from averment.errors import UnknownNameError, UsageError
from averment.settings import resolve_settings


def test_a_misspelt_setting_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(UnknownNameError) as refused:
        resolve_settings(faithfullness="lexical")

    assert "Did you mean faithfulness?" in refused.value.hint


@pytest.mark.parametrize(
    ("setting", "value", "flag"),
    [("serve_mode", "fast", "--mode"), ("timeout_s", "-1", "--timeout"), ("policy", 7, "--policy")],
)
def test_a_flag_is_named_as_it_is_typed(setting: str, value: object, flag: str) -> None:
    with pytest.raises(UsageError, match=f"from flag {flag} cannot be used"):
        resolve_settings(**{setting: value})
