"""Threads and processes write one ledger: no record is lost and no chain forks, kills included."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from audit.ledgers_by_hand import event, verified
from averment.audit.reading import LedgerReader
from averment.audit.store import Ledger
from averment.errors import LedgerUnavailable

APPEND_FOREVER = """
import sys
from pathlib import Path
from audit.ledgers_by_hand import event
from averment.audit.store import Ledger
ledger = Ledger(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    (head,) = ledger.append(event(number, text="a longer text " * 400))
    print(head, flush=True)
"""
TESTS = str(Path(__file__).resolve().parents[1])


def appending(path: Path, n_records: int) -> subprocess.Popen[str]:
    """A process that appends and says what was acknowledged."""
    command = [sys.executable, "-c", APPEND_FOREVER, str(path), str(n_records)]
    return subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True)


def heads_in(path: Path) -> list[str]:
    with LedgerReader(path) as reader:
        return [str(record.head) for record in reader.records()]


@pytest.mark.parametrize("n_before", [1, 7, 20])
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, n_before: int) -> None:
    process = appending(tmp_path / "l.sqlite", 100_000)
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip() for _ in range(n_before)]
    process.send_signal(signal.SIGKILL)
    acknowledged += [line.strip() for line in process.stdout.readlines() if line.endswith("\n")]
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL

    found = verified(tmp_path / "l.sqlite")
    there = heads_in(tmp_path / "l.sqlite")

    assert found.bad is None
    assert there[: len(acknowledged)] == acknowledged
    assert len(there) <= len(acknowledged) + 1  # one may be on disk that nobody was told of yet
    with Ledger(tmp_path / "l.sqlite") as ledger:
        assert ledger.append(event())[0].seq == len(there) + 1
    assert verified(tmp_path / "l.sqlite").bad is None


def test_processes_that_make_and_write_one_ledger_lose_nothing(tmp_path: Path) -> None:
    processes = [appending(tmp_path / "l.sqlite", 25) for _ in range(4)]
    acknowledged = [line for process in processes for line in process.communicate()[0].split()]

    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert sorted(heads_in(tmp_path / "l.sqlite")) == sorted(acknowledged)
    assert len(acknowledged) == 100
    assert verified(tmp_path / "l.sqlite").bad is None


def test_threads_share_commits_and_lose_nothing(tmp_path: Path) -> None:
    commits = 0

    def counted(statement: str) -> None:
        nonlocal commits
        commits += statement == "COMMIT"

    with Ledger(tmp_path / "l.sqlite") as ledger, ThreadPoolExecutor(16) as pool:
        ledger._connection.set_trace_callback(counted)
        with ledger._alone():  # while somebody writes, the others queue up
            made = [pool.submit(ledger.append, event(n), event(n)) for n in range(16)]
            while len(ledger._waiting) < 16:
                threading.Event().wait(0.01)
        heads = [future.result() for future in made]

    assert commits == 1
    assert sorted(head.seq for pair in heads for head in pair) == list(range(1, 33))
    assert all(first.seq + 1 == second.seq for first, second in heads)
    assert verified(tmp_path / "l.sqlite").bad is None


def test_a_ledger_that_another_process_holds_is_unavailable_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    with Ledger(tmp_path / "l.sqlite", busy_timeout_s=0.1) as ledger:
        ledger.append(event())
        with closing(sqlite3.connect(tmp_path / "l.sqlite")) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(LedgerUnavailable, match="another process has held it"):
                ledger.append(event())
            with pytest.raises(LedgerUnavailable, match="another process has held it"):
                ledger.erase([1], by="bob", reason="a request")
        assert ledger.append(event())[0].seq == 2


def test_a_full_disk_fails_all_who_wait_and_leaves_the_ledger_whole(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(event())
        (n_pages,) = ledger._connection.execute("PRAGMA page_count").fetchone()
        ledger._connection.execute(f"PRAGMA max_page_count = {n_pages}").fetchone()
        with pytest.raises(LedgerUnavailable, match=r"full.*Nothing was recorded"):
            ledger.append(event(2), event(3, text="long " * 10_000))
        ledger._connection.execute("PRAGMA max_page_count = 100000").fetchone()
        assert ledger.append(event())[0].seq == 2

    assert verified(tmp_path / "l.sqlite").bad is None


def test_an_interrupt_leaves_nobody_waiting_and_the_ledger_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with Ledger(tmp_path / "l.sqlite") as ledger, ThreadPoolExecutor(2) as pool:
        with monkeypatch.context() as patched:
            patched.setattr("averment.audit.chain.Prepared.body", interrupted)
            with ledger._alone():
                made = [pool.submit(ledger.append, event(n)) for n in range(2)]
                while len(ledger._waiting) < 2:
                    threading.Event().wait(0.01)
            for future in made:
                assert isinstance(future.exception(timeout=20), KeyboardInterrupt)
        assert ledger.append(event())[0].seq == 1

    assert verified(tmp_path / "l.sqlite").bad is None


def test_erasing_takes_turns_with_those_who_append(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger, ThreadPoolExecutor(9) as pool:
        ledger.append(*(event(n) for n in range(20)))
        made = [pool.submit(ledger.append, event(n)) for n in range(200)]
        for seq in range(1, 21):
            pool.submit(ledger.erase, [seq], by="bob", reason="a request").result(timeout=60)
        places = sorted(future.result(timeout=60)[0].seq for future in made)

    found = verified(tmp_path / "l.sqlite")

    assert len(set(places)) == 200
    assert found.bad is None
    assert found.head.seq == 240
    assert sorted(found.erased) == list(range(1, 21))


def test_the_journal_is_emptied_while_no_other_thread_writes(tmp_path: Path) -> None:
    is_alone: list[bool] = []

    def watched(statement: str) -> None:
        if "wal_checkpoint" in statement:  # beside it, what another thread writes would fail
            is_alone.append(ledger._is_writing)

    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(event(1), event(2))
        ledger._connection.set_trace_callback(watched)
        ledger.erase([1], by="bob", reason="a request")
        ledger.retain(0)

    assert is_alone == [True, True]


def test_nothing_to_append_is_no_record(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        assert ledger.append() == []

    assert verified(tmp_path / "l.sqlite").head.seq == 0


def test_a_reader_sees_one_moment_while_others_write(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(event())
        with LedgerReader(tmp_path / "l.sqlite") as reader, reader.snapshot():
            assert reader.head().seq == 1
            ledger.append(event())
            assert reader.head().seq == 1
            assert len(list(reader.content_rows())) == 2
        with LedgerReader(tmp_path / "l.sqlite") as reader:
            assert reader.head().seq == 2


def test_a_mistake_of_the_program_is_told_at_once_and_writes_nothing(tmp_path: Path) -> None:
    from averment.audit.chain import Event, Kind

    with Ledger(tmp_path / "l.sqlite") as ledger:
        with pytest.raises(ValueError, match="no number of JSON"):
            ledger.append(Event(Kind.ANSWER, facts={"p_true": float("nan")}))
        assert ledger.append(event())[0].seq == 1
