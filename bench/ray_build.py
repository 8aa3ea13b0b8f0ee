r"""What a second worker brings to a build on Ray, beside what a second core is worth meanwhile.

    python bench/ray_build.py --corpus ../shared/data/corpus/wiki_passages.jsonl.gz --work DIR

The corpus is written out as one JSONL file, which is cut into pieces. In each round: two processes
that only spin beside one (the control), a build on a cluster of one processor and one on two, in
turns, each from nothing; and once a local build, whose files must be the same. Clusters are started
before the clock runs. Medians over the rounds; the load of the machine is in the row.

One JSON object a line, in `runs/`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from averment.corpus.files import list_files
from averment.corpus.readers import read_files
from averment.distributed.building import build_on_ray
from averment.wiring import build_index

_RUNS = Path(__file__).parent / "runs"
_SPIN_S = 4.0


def main() -> None:
    """Measure, and append a row."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--megabytes", type=float, default=60.0, help="of JSONL, at most")
    parser.add_argument("--piece-megabytes", type=float, default=4.0)
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    corpus = _written_out(asked.corpus, asked.work / "corpus.jsonl", asked.megabytes)
    began, load, cpu = time.perf_counter(), os.getloadavg(), time.process_time()
    local_s = _local(corpus, asked.work / "local")
    local_cpu_s = time.process_time() - cpu
    rounds = [_round(corpus, asked, turn) for turn in range(asked.rounds)]
    middle = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
    row = {
        "at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "bench": "ray build",
        "corpus": asked.corpus.name,
        "n_bytes": corpus.stat().st_size,
        "piece_megabytes": asked.piece_megabytes,
        "n_cores": os.cpu_count(),
        "load_before": load[0],
        "load_after": os.getloadavg()[0],
        "local_s": local_s,
        "local_cpu_s": local_cpu_s,
        **middle,
        "scales": middle["one_worker_s"] / middle["two_workers_s"],
        "share_of_control": middle["one_worker_s"] / middle["two_workers_s"] / middle["control"],
        "rounds": rounds,
        "bench_s": time.perf_counter() - began,
    }
    with (_RUNS / f"{datetime.now(UTC):%Y-%m-%d}-ray-build.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    sys.stdout.write(json.dumps(row, indent=2) + "\n")


def _written_out(packed: Path, target: Path, megabytes: float) -> Path:
    left = megabytes * 1e6
    opened = gzip.open(packed) if packed.suffix == ".gz" else packed.open("rb")  # noqa: SIM115
    with opened as lines, target.open("wb") as file:
        for line in lines:
            left -= len(line)
            if left < 0:
                break
            file.write(line)
    return target


def _local(corpus: Path, target: Path) -> float:
    shutil.rmtree(target, ignore_errors=True)
    began = time.perf_counter()
    files = list_files([corpus])
    build_index(read_files(files, on_bad=_say, on_bytes=_nothing), target)
    return time.perf_counter() - began


def _round(corpus: Path, asked: argparse.Namespace, turn: int) -> dict[str, float]:
    control = _control()
    order = (1, 2) if turn % 2 == 0 else (2, 1)
    took = {n: _on_ray(corpus, asked, n) for n in order}
    return {
        "control": control,
        "one_worker_s": took[1][0],
        "two_workers_s": took[2][0],
        "driver_cpu_s": took[2][1],
    }


def _on_ray(corpus: Path, asked: argparse.Namespace, n_workers: int) -> tuple[float, float]:
    """Seconds of a build, and processor seconds of this process, which has no worker's part."""
    import ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        address="local",
        num_cpus=n_workers,
        include_dashboard=False,
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
    )
    try:
        warm = ray.remote(num_cpus=1)(_warm)
        ray.get([warm.remote() for _ in range(n_workers)])  # workers are there, with their imports
        target = asked.work / "ray"
        shutil.rmtree(target, ignore_errors=True)
        began, cpu = time.perf_counter(), time.process_time()
        build_on_ray(
            list_files([corpus]), target, piece_bytes=int(asked.piece_megabytes * (1 << 20))
        )
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    finally:
        ray.shutdown()
    told = [_files(each) for each in (target, asked.work / "local")]
    if told[0] != told[1]:
        sys.exit("the files are not those of the local build")
    return seconds, cpu


def _warm() -> None:
    import averment.distributed.blocks  # noqa: F401

    time.sleep(1)


def _files(index: Path) -> list[Any]:
    manifest = json.loads((index / "MANIFEST.json").read_text("utf-8"))
    return [manifest["segments"], manifest["extras"]]


def _control() -> float:
    """How much more two processes do than one in the same time."""
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_spin, [0.1, 0.1]))
        (alone,) = pool.map(_spin, [_SPIN_S])
        return sum(pool.map(_spin, [_SPIN_S, _SPIN_S])) / alone


def _spin(seconds: float) -> int:
    n, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        n += 1
    return n


def _say(record: object) -> None:
    sys.stderr.write(f"{record}\n")


def _nothing(done: int, total: int) -> None:
    """Progress is of no interest here."""


if __name__ == "__main__":
    main()
