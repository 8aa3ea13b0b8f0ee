"""The Ray cluster: joined, or started on this machine, and left again; its errors in our words.

Ray finds its cluster as it always does: `RAY_ADDRESS`, else one that runs on this machine, else it
starts one with all processors of this machine, which ends with the process. Nothing is reported to
anybody: usage statistics, the dashboard and the collection of metrics are off in what is started
here. What this module does not do: install anything on other machines; averment has to be there, in
one version.

Needs the extra [ray]; Ray is imported when a cluster is joined.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from averment.errors import AvermentError, ClusterUnavailable, MissingExtraError

MOST_RETRIES = 3
"""How often work is done again that was lost with its worker."""


@contextmanager
def joined() -> Iterator[Any]:
    """Be in a cluster; yields the module `ray`. A process that is in one already stays in it.

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterUnavailable: The cluster cannot be reached, or none be started.
    """
    # Before the import: Ray reads it then, and so do the processes that it starts.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
    except ModuleNotFoundError as error:
        raise MissingExtraError("Work on a Ray cluster", "ray") from error
    if ray.is_initialized():
        yield ray
        return
    try:
        ray.init(
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            **_of_a_new_cluster(),
        )
    except Exception as error:  # of many kinds, by what is wrong with the address or the machine
        raise ClusterUnavailable(
            f"There is no Ray cluster to work on: {error}.",
            hint="Start one: ray start --head. If one is gone: ray stop, and unset RAY_ADDRESS.",
        ) from error
    _keep_stdout_clean()
    try:
        yield ray
    finally:
        ray.shutdown()


def _keep_stdout_clean() -> None:
    """What Ray says of dead machines goes to stderr: stdout is for results, which programs read.

    Ray 2.60 has no switch for it.
    """
    from ray._private import worker

    said = worker.print_to_stdstream
    if getattr(said, "func", None) is not _on_stderr:
        worker.print_to_stdstream = partial(_on_stderr, said)


def _on_stderr(say: Callable[..., None], data: dict[str, Any], *args: Any, **options: Any) -> None:
    say({**data, "is_err": True}, *args, **options)


def _of_a_new_cluster() -> dict[str, Any]:
    """What may only be said where a cluster is started."""
    from ray._private.services import find_bootstrap_address

    exists = os.environ.get("RAY_ADDRESS") or find_bootstrap_address(None)
    if exists:
        return {}
    # Nobody else on the network is to reach it.
    return {
        "_node_ip_address": "127.0.0.1",
        "_system_config": {"enable_metrics_collection": False},
    }


@contextmanager
def errors_told(doing: str) -> Iterator[None]:
    """Translate what Ray raises.

    Args:
        doing: What was being done, for the message: "reading a.jsonl".

    Raises:
        AvermentError: What the work itself has raised.
        ClusterUnavailable: Workers died with the work, more often than it was tried again.
    """
    from ray.exceptions import RayError, RayTaskError

    try:
        yield
    except RayTaskError as error:
        if isinstance(error.cause, AvermentError):
            raise error.cause from None
        raise ClusterUnavailable(f"{doing}: {error.cause!r}", hint="Please report this.") from error
    except RayError as error:
        raise ClusterUnavailable(
            f"{doing}: its worker died {MOST_RETRIES + 1} times ({type(error).__name__}).",
            hint="Often that is too little memory. What is done stays: run the command again.",
        ) from error
