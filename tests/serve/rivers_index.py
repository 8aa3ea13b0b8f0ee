"""The index of three towns as a fixture, for tests to import."""

from __future__ import annotations

from pathlib import Path

import pytest

from towns_by_hand import build_rivers


@pytest.fixture(scope="session")
def rivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the index of three towns."""
    return build_rivers(tmp_path_factory.mktemp("rivers") / "rivers")
