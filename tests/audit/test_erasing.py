"""Texts go on request, the chain stays, and a verification says what went."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from audit.ledgers_by_hand import event, verified, written
from averment.audit.contents import is_sealed, sealed
from averment.audit.reading import LedgerReader
from averment.audit.store import Ledger
from averment.errors import UsageError

SECRET = "Does Jane Roe have diabetes?"


def test_an_erased_text_is_gone_from_every_file_and_the_chain_still_verifies(
    tmp_path: Path,
) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger(path) as ledger:
        ledger.append(event(1), event(2, text=SECRET), event(3))
        assert any(SECRET.encode() in file.read_bytes() for file in tmp_path.iterdir())
        erased = ledger.erase([2], by="bob", reason="her request")
        assert not any(SECRET.encode() in file.read_bytes() for file in tmp_path.iterdir())

    found = verified(path)

    assert erased.records == (2,)
    assert erased.is_overwritten
    assert found.bad is None
    assert found.erased == {2: 4}


def test_the_record_of_an_erasure_says_who_and_why(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite")
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.erase([1, 2], by="bob", reason="a request")

    with LedgerReader(tmp_path / "l.sqlite") as reader:
        (record,) = reader.find("6")
        assert (record.kind, record.by) == ("erasure", "bob")
        assert record.facts == {"erased": [1, 2], "reason": "a request"}
        assert reader.contents(reader.find("1")[0]) == {}
        assert [each.seq for each in reader.later(reader.find("2")[0])] == [6]


def test_without_the_salt_a_short_text_cannot_be_found_by_trying(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(event(1, text="yes"), event(2, text="yes"))
    with LedgerReader(tmp_path / "l.sqlite") as reader:
        first, second = reader.records()
        salt = reader.salt(first)
    assert salt is not None

    assert first.contents["result"] != second.contents["result"]
    assert is_sealed(first.contents["result"], salt, b"yes")
    assert first.contents["result"] != sealed(b"", b"yes")

    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.erase([1], by="bob", reason="a request")
    with LedgerReader(tmp_path / "l.sqlite") as reader:
        assert reader.salt(first) is None
        assert salt not in (tmp_path / "l.sqlite").read_bytes()


def test_erasing_again_is_no_second_record(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite", 2)
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.erase([1], by="bob", reason="a request")
        again = ledger.erase([1], by="bob", reason="a request")

    assert (again.records, again.written) == ((), ())
    assert verified(tmp_path / "l.sqlite").head.seq == 3


@pytest.mark.parametrize("seq", [0, 3])
def test_a_record_that_is_not_there_is_refused_and_nothing_erased(tmp_path: Path, seq: int) -> None:
    written(tmp_path / "l.sqlite", 2)
    with Ledger(tmp_path / "l.sqlite") as ledger:
        with pytest.raises(UsageError, match=f"no record {seq}; it has 2"):
            ledger.erase([1, seq], by="bob", reason="a request")
        assert ledger.append(event())[0].seq == 3

    assert verified(tmp_path / "l.sqlite").erased == {}


def test_retention_erases_what_is_older_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger(path) as ledger:
        ledger.append(*(event(number) for number in range(1, 1203)))
        kept = ledger.retain(30)
        gone = ledger.retain(30, now=datetime.now(UTC) + timedelta(days=31))
        again = ledger.retain(30, now=datetime.now(UTC) + timedelta(days=31))

    found = verified(path)

    assert kept.records == ()
    assert len(gone.records) == 1202
    assert len(gone.written) == 3  # one record names no more than 500
    assert again.records == ()
    assert found.bad is None
    assert len(found.erased) == 1202
    with LedgerReader(path) as reader:
        (record,) = reader.find("1203")
        assert record.facts["reason"] == "retention: contents are kept for 30 days"


def test_while_somebody_reads_it_says_that_the_journal_still_has_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger(path, busy_timeout_s=0.1) as ledger:
        ledger.append(event(1, text=SECRET))
        with LedgerReader(path) as reader, reader.snapshot():
            reader.head()
            erased = ledger.erase([1], by="bob", reason="a request")

    assert erased.records == (1,)
    assert not erased.is_overwritten
    assert not any(SECRET.encode() in file.read_bytes() for file in tmp_path.iterdir())
