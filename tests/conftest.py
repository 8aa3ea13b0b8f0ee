"""What every test gets: no network beyond loopback, a clean environment, real data if present."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

from distributed.ray_nodes import nodes, ray_nodes  # noqa: F401  # one cluster for the session

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED_DATA = REPOSITORY.parent / "shared" / "data"
_REQUIRED = {name for name in os.environ.get("AVERMENT_REQUIRE", "").split(",") if name}
# Model files are large and verified by hash, so they are looked for where the machine keeps them.
_MODEL_HOME = os.environ.get("AVERMENT_HOME")


def _loopback(address: Any) -> bool:
    if not isinstance(address, tuple):  # a Unix socket
        return True
    host = str(address[0])
    return host in ("localhost", "::1", "") or host.startswith("127.")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if not _loopback(address):
            raise AssertionError(f"a test tried to connect to {address!r}; tests stay on loopback")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("AVERMENT_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AVERMENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)


def absent(kind: str, reason: str) -> NoReturn:
    """Skip what cannot be shown here, or fail where it has to be."""
    if kind in _REQUIRED:
        pytest.fail(f"AVERMENT_REQUIRE={kind}, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the checkout."""
    if not SHARED_DATA.is_dir():
        absent("data", "../shared/data is not there")
    return SHARED_DATA


@pytest.fixture(scope="session")
def model_path() -> Path:
    """The verified file of the 0.5B model."""
    from averment.models.registry import Registry

    path = Registry(home=_MODEL_HOME).find("qwen2.5-coder-0.5b")
    if path is None:
        absent("model", "the 0.5B model is absent; type: averment models get qwen2.5-coder-0.5b")
    return path
