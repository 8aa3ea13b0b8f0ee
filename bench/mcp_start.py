"""How soon `averment mcp` answers: the handshake, the list of tools, the first and second check.

    python bench/mcp_start.py [--runs 20] [--index DIR]

Speaks the protocol itself over the pipes of a process, so that no client's start is in the times.
Appends one JSON row to `runs/`. Linux only, for the CPU seconds of the process: on a machine that
does other things, they say more than wall time. Target: handshake and list in under a second.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

import averment

RUNS = pathlib.Path(__file__).parent / "runs"
COMMAND = [sys.executable, "-c", "from averment.cli import main; main()", "mcp", "--index"]
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}
CHECK = {"name": "verify_claims", "arguments": {"claims": ["The Vltava flows through Prague."]}}


def main() -> None:
    """Start it often and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--index", type=pathlib.Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        index = asked.index or pathlib.Path(directory) / "rivers"
        if asked.index is None:
            text = "Prague is the capital of Bohemia. The Vltava flows through Prague."
            averment.build_index([averment.Document("prague", text)], index)
        started(index)  # warms the files up
        load = os.getloadavg()[0]
        times = [started(index) for _ in range(asked.runs)]
    row = {
        "bench": "mcp_start",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "mcp": metadata.version("mcp"),
        "load": round(load, 2),
        "runs": asked.runs,
        **{
            name: {
                "median": round(statistics.median(each), 3),
                "least": round(min(each), 3),
                "most": round(max(each), 3),
            }
            for name in times[0]
            for each in [[one[name] for one in times]]
        },
    }
    line = json.dumps(row)
    sys.stdout.write(line + "\n")
    with (RUNS / f"{row['at'][:10]}-mcp-start.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def started(index: pathlib.Path) -> dict[str, float]:
    """Seconds of one start, and CPU seconds up to the list of tools."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, str(index)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        ask(process, 1, "initialize", HELLO)
        greeted = time.perf_counter()
        tell(process, {"method": "notifications/initialized"})
        ask(process, 2, "tools/list", {})
        listed = time.perf_counter()
        cpu = cpu_s(process.pid)
        ask(process, 3, "tools/call", CHECK)
        first = time.perf_counter()
        ask(process, 4, "tools/call", CHECK)
        second = time.perf_counter()
    finally:
        process.communicate()
    return {
        "handshake_s": greeted - began,
        "listed_s": listed - began,
        "listed_cpu_s": cpu,
        "first_check_s": first - listed,
        "second_check_s": second - first,
    }


def tell(process: subprocess.Popen[str], message: dict[str, Any]) -> None:
    """Send a message."""
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def ask(process: subprocess.Popen[str], number: int, method: str, params: Any) -> Any:
    """The result of a request."""
    tell(process, {"id": number, "method": method, "params": params})
    assert process.stdout is not None
    answered = json.loads(process.stdout.readline())
    assert answered["id"] == number, answered
    assert not answered["result"].get("isError"), answered
    return answered["result"]


def cpu_s(pid: int) -> float:
    """What a process has used of the processors so far, as Linux tells it."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
