"""Settings: what nobody declared is refused by name."""

from __future__ import annotations

import pytest

from averment.errors import UnknownNameError
from averment.settings import resolve_settings


def test_a_misspelt_setting_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(UnknownNameError) as refused:
        resolve_settings(faithfullness="lexical")

    assert "Did you mean faithfulness?" in refused.value.hint
