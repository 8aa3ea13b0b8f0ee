"""What recording costs: appends a second beside plain inserts into SQLite, and verifying.

    python bench/ledger.py

A real answer, a real check, and one with a calibrator of 37 kB are recorded once; events like
theirs are then appended again and again, every record on disk before the next (`synchronous=FULL`).
Beside them stand plain inserts of the very rows that the ledger wrote, into tables without triggers
and index, with the same journal and the same number of rows a commit. The ways take turns within
one run, so that what else the machine does disturbs all alike; the ratio is the median over the
turns of that within each turn. A disk is as fast as it is at that moment, so processor time a
record stands beside each rate. Targets: at least 0.5 of plain inserts; verifying at least 20 times
as fast as appending alone. Prints a table and writes one JSON row a size to `bench/runs/`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import averment
from averment.audit.chain import Event, Kind
from averment.audit.contents import Contents
from averment.audit.reading import LedgerReader
from averment.audit.store import Ledger
from averment.audit.verifying import Verification, verify
from averment.calibrating import calibrate
from averment.franq.calibrator import Mode
from averment.franq.calibrator_json import to_json
from averment.labels import LabelledClaim
from averment.models.scripted import ScriptedModel
from averment.types import Prompt

HERE = pathlib.Path(__file__).parent
SAID = " The Vltava flows through Prague. So the answer is Vltava."
TEXTS = {
    "prague": "Prague is the capital of Bohemia. The Vltava flows through Prague.",
    "vienna": "Vienna is the capital of Austria. The Danube flows through Vienna.",
    "brno": "Brno is a city east of Prague. Prague and Brno are linked by a railway.",
}
CALIBRATED_CLAIMS = 1500
"""Half of them held out, as `--target-error` needs it: their scores are most of the 37 kB."""
Rows = list[tuple[tuple[Any, ...], list[tuple[Any, ...]]]]
"""Of each record its row, and those of its contents."""


def calibrated(folder: pathlib.Path) -> pathlib.Path:
    """A calibrator of labelled claims."""
    draw = random.Random(0)
    made_with = {"uf": "constant", "uu": "constant", "model": ""}
    labels = [
        LabelledClaim(
            claim_id=f"c{number}",
            question_id=f"q{number // 2}",
            question="?",
            claim=".",
            label=draw.random() < 0.6,
            faithful=draw.random() < 0.6,
            scores={"p_faithful": draw.random(), "uf": None, "uu": None, "features": {}},
            made_by={"made_with": {**made_with, "faithfulness": "lexical-alignment"}},
        )
        for number in range(CALIBRATED_CLAIMS)
    ]
    made = calibrate(labels, mode=Mode.CONDITION, created_by="bench/ledger.py", hold_out=0.5)
    calibrator = folder / "calibrator.json"
    calibrator.write_text(to_json(made.calibrator) + "\n")
    return calibrator


def recorded(folder: pathlib.Path) -> dict[str, Event]:
    """An answer and checks as they are really recorded, to be appended again."""
    index, path = folder / "idx", folder / "real.sqlite"
    averment.build_index([averment.Document(*each) for each in TEXTS.items()], index)

    def go_on(prompt: Prompt) -> str:
        return SAID.removeprefix(prompt.answer) if SAID.startswith(prompt.answer) else ""

    told: dict[str, Any] = {"audit": str(path), "faithfulness": "lexical"}
    with averment.open_engine(index, ScriptedModel(go_on), policy="single", **told) as engine:
        engine.ask("Which river flows through Prague?")
    claim = "Vienna lies on the Vltava."
    averment.check(claim, index=index, **told)
    averment.check(claim, index=index, calibrator=str(calibrated(folder)), **told)
    with LedgerReader(path) as reader:
        events = [
            Event(
                Kind(record.kind),
                "ann",
                record.facts,
                Contents(reader.contents(record)),
                record.versions,
            )
            for record in reader.records()
        ]
    return dict(zip(("answer", "check", "calibrated check"), events, strict=True))


def again(event: Event, number: int) -> Event:
    """An event like another: its own salt, its own trace."""
    facts = {**event.facts, "trace_id": f"{number:016x}"}
    return Event(event.kind, event.by, facts, Contents(event.contents.texts), event.versions)


def timed(n_records: int, work: Callable[[], object]) -> tuple[float, float]:
    """Records a second, and microseconds of processor time a record."""
    started, cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu_s = time.perf_counter() - started, time.process_time() - cpu
    return n_records / seconds, 1e6 * cpu_s / n_records


def appended(path: pathlib.Path, events: Sequence[Event], n_threads: int) -> tuple[float, float]:
    """By the ledger, one record a call."""
    with Ledger(path) as ledger, ThreadPoolExecutor(n_threads) as pool:
        way = map if n_threads == 1 else pool.map
        return timed(len(events), lambda: list(way(ledger.append, events)))


def rows_of(path: pathlib.Path) -> Rows:
    """What a ledger wrote, as it stands in its tables."""
    with closing(sqlite3.connect(path)) as connection:
        contents: dict[int, list[tuple[Any, ...]]] = {}
        for row in connection.execute("SELECT * FROM contents ORDER BY seq, name"):
            contents.setdefault(row[0], []).append(row)
        records = connection.execute("SELECT * FROM records ORDER BY seq").fetchall()
    return [(record, contents.get(record[0], [])) for record in records]


def inserted(path: pathlib.Path, rows: Rows, rows_a_commit: int) -> tuple[float, float]:
    """By plain inserts of the same rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, body TEXT, hash TEXT)")
        connection.execute(
            "CREATE TABLE contents (seq INTEGER, name TEXT, salt BLOB, data TEXT, "
            "PRIMARY KEY (seq, name))"
        )

        def insert() -> None:
            for first in range(0, len(rows), rows_a_commit):
                connection.execute("BEGIN IMMEDIATE")
                for record, contents in rows[first : first + rows_a_commit]:
                    connection.execute("INSERT INTO records VALUES (?, ?, ?)", record)
                    connection.executemany("INSERT INTO contents VALUES (?, ?, ?, ?)", contents)
                connection.execute("COMMIT")

        return timed(len(rows), insert)


def verified(path: pathlib.Path, n_records: int) -> tuple[float, float]:
    """Every hash, link and content."""
    with LedgerReader(path) as reader:
        found: list[Verification] = []
        rate = timed(n_records, lambda: found.append(verify(reader)))
    assert found[0].bad is None
    assert found[0].head.seq == n_records
    return rate


def measured(
    name: str, event: Event, folder: pathlib.Path, arguments: argparse.Namespace
) -> dict[str, Any]:
    """All ways in turns, for events of one size."""
    rates: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}
    for turn in range(arguments.turns + 1):
        events = [again(event, number) for number in range(arguments.records)]
        files = {way: folder / f"{name}-{turn}-{way}.sqlite" for way in "agij"}
        found = {"append_alone": appended(files["a"], events, 1)}
        rows = rows_of(files["a"])
        found["insert_alone"] = inserted(files["i"], rows, 1)
        found["append_together"] = appended(files["g"], events, arguments.threads)
        found["insert_together"] = inserted(files["j"], rows, arguments.threads)
        found["verify"] = verified(files["a"], arguments.records)
        n_bytes = files["a"].stat().st_size / arguments.records
        for file in files.values():
            file.unlink()
        if turn:  # the first warms up
            for way, (rate, cpu_us) in found.items():
                rates.setdefault(way, []).append(rate)
                cpu.setdefault(way, []).append(cpu_us)

    def ratio(a: str, b: str) -> float:
        pairs = zip(rates[a], rates[b], strict=True)
        return round(statistics.median(x / y for x, y in pairs), 3)

    return {
        "bench": "ledger",
        "kind": name,
        "bytes_a_record": round(n_bytes),
        "records": arguments.records,
        "turns": arguments.turns,
        "threads": arguments.threads,
        "per_s": {way: round(statistics.median(each)) for way, each in rates.items()},
        "spread_per_s": {way: [round(min(each)), round(max(each))] for way, each in rates.items()},
        "cpu_us_a_record": {way: round(statistics.median(each)) for way, each in cpu.items()},
        "append_to_insert_alone": ratio("append_alone", "insert_alone"),
        "append_to_insert_together": ratio("append_together", "insert_together"),
        "verify_to_append_alone": ratio("verify", "append_alone"),
        "verify_to_append_together": ratio("verify", "append_together"),
        "sqlite": sqlite3.sqlite_version,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }


def main() -> None:
    """Measure all sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--work", type=pathlib.Path, help="a folder on the disk to be measured")
    parser.add_argument("--rows", type=pathlib.Path, help="where the rows go")
    arguments = parser.parse_args()
    default = HERE / "runs" / f"{datetime.date.today().isoformat()}-ledger.jsonl"
    rows = []
    with tempfile.TemporaryDirectory(dir=arguments.work) as made:
        folder = pathlib.Path(made)
        for name, event in recorded(folder).items():
            row = measured(name, event, folder, arguments)
            rows.append(row)
            sys.stdout.write(json.dumps(row, indent=1) + "\n")
    (arguments.rows or default).write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
