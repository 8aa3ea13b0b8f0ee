"""The shipped model, where this checkout has one."""

from __future__ import annotations

import pytest

from averment.errors import MissingExtraError, ModelFileError
from averment.models.nli import OnnxNli, open_shipped_nli


@pytest.fixture(scope="session")
def shipped_nli() -> OnnxNli:
    try:
        return open_shipped_nli()
    except (MissingExtraError, ModelFileError) as error:
        pytest.skip(f"no shipped faithfulness model: {error}")
