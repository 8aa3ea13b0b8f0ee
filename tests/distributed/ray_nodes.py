"""One Ray cluster of several nodes on this machine, for all tests that need one.

Starting it takes some seconds, so these tests are a group that one process runs (`xdist_group`);
`-m ray` chooses them, `-m 'not ray'` leaves them out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

_STORE_BYTES = 80 << 20
_LOOPBACK = "127.0.0.2"  # Ray takes 127.0.0.1 for the name of an address on the network


class Nodes:
    """A cluster that nodes can be killed in; there are always three, of one processor each."""

    n_processors = 3

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(
            initialize_head=True, head_node_args={"include_dashboard": False, **self._node()}
        )
        self._others = [self.cluster.add_node(**self._node()) for _ in range(2)]

    def _node(self) -> dict[str, Any]:
        return {
            "num_cpus": 1,
            "object_store_memory": _STORE_BYTES,
            "node_ip_address": _LOOPBACK,
        }

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def kill_one(self) -> None:
        """A machine goes without a word, and another one comes."""
        self.cluster.remove_node(self._others.pop(), allow_graceful=False)
        self._others.append(self.cluster.add_node(**self._node()))


@pytest.fixture(scope="session")
def ray_nodes() -> Iterator[Nodes]:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'averment[ray]'")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    nodes = Nodes()
    try:
        yield nodes
    finally:
        nodes.cluster.shutdown()


@pytest.fixture
def nodes(ray_nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    """The cluster, which this process and those that it starts find by its address."""
    import ray

    monkeypatch.setenv("RAY_ADDRESS", ray_nodes.address)
    yield ray_nodes
    ray.shutdown()
