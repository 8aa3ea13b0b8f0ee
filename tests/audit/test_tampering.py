"""Whatever is altered, dropped, moved or cut off: the first bad record is named."""

from __future__ import annotations

import json
import random
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.ledgers_by_hand import behind_its_back, event, verified, written
from averment.audit.canonical import canonical
from averment.audit.chain import Event, Head, Kind, Prepared, digest_of, read_record
from averment.audit.contents import Contents
from averment.audit.store import Ledger


def test_an_untouched_ledger_is_as_it_was_written(tmp_path: Path) -> None:
    heads = written(tmp_path / "l.sqlite")

    found = verified(tmp_path / "l.sqlite", anchor=heads[-1])

    assert found.bad is None
    assert found.head == heads[-1]


def test_an_empty_ledger_verifies(tmp_path: Path) -> None:
    Ledger(tmp_path / "l.sqlite").close()

    assert verified(tmp_path / "l.sqlite").bad is None


@pytest.mark.parametrize("seed", range(20))
def test_a_flipped_bit_of_a_record_is_found(tmp_path: Path, seed: int) -> None:
    written(tmp_path / "l.sqlite")
    draw = random.Random(seed)
    seq = draw.randint(1, 5)
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        query = "SELECT CAST(body AS BLOB) FROM records WHERE seq = ?"
        body = bytearray(connection.execute(query, (seq,)).fetchone()[0])
        body[draw.randrange(len(body))] ^= 1 << draw.randrange(8)
        connection.execute(
            "UPDATE records SET body = CAST(? AS TEXT) WHERE seq = ?", (bytes(body), seq)
        )

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert bad.seq == seq


def test_a_record_that_was_altered_with_its_hash_breaks_the_next_link(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite")
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        query = "SELECT body FROM records WHERE seq = 2"
        body = connection.execute(query).fetchone()[0].replace('"by":"ann"', '"by":"bob"')
        connection.execute(
            "UPDATE records SET body = ?, hash = ? WHERE seq = 2", (body, digest_of(body.encode()))
        )

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (3, "unlinked")


@pytest.mark.parametrize("seed", range(10))
def test_a_flipped_bit_of_a_text_is_found(tmp_path: Path, seed: int) -> None:
    written(tmp_path / "l.sqlite")
    draw = random.Random(seed)
    seq, column = draw.randint(1, 5), draw.choice(["data", "salt"])
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        query = f"SELECT CAST({column} AS BLOB) FROM contents WHERE seq = ? AND name = 'result'"
        told = bytearray(connection.execute(query, (seq,)).fetchone()[0])
        told[draw.randrange(len(told))] ^= 1 << draw.randrange(8)
        kind = "TEXT" if column == "data" else "BLOB"
        connection.execute(
            f"UPDATE contents SET {column} = CAST(? AS {kind}) WHERE seq = ? AND name = 'result'",
            (bytes(told), seq),
        )

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (seq, "content_altered")


@pytest.mark.parametrize("seq", [1, 3, 4])
def test_a_dropped_record_is_named(tmp_path: Path, seq: int) -> None:
    written(tmp_path / "l.sqlite")
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        connection.execute("DELETE FROM records WHERE seq = ?", (seq,))

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (seq, "record_missing")


def test_a_dropped_record_whose_followers_moved_up_is_found(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite")
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        for table in ("records", "contents"):
            connection.execute(f"DELETE FROM {table} WHERE seq = 3")
            for seq in (4, 5):
                connection.execute(f"UPDATE {table} SET seq = ? WHERE seq = ?", (seq - 1, seq))

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (3, "moved")


def test_two_records_that_changed_places_are_found(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite")
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        for table in ("records", "contents"):
            for old, new in ((2, 99), (4, 2), (99, 4)):
                connection.execute(f"UPDATE {table} SET seq = ? WHERE seq = ?", (new, old))

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (2, "moved")


def test_records_cut_off_at_the_end_are_found_against_a_head_that_was_kept(tmp_path: Path) -> None:
    heads = written(tmp_path / "l.sqlite")
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        for table in ("records", "contents"):
            connection.execute(f"DELETE FROM {table} WHERE seq > 3")

    without, against = (verified(tmp_path / "l.sqlite", anchor=a) for a in (None, heads[-1]))

    assert without.bad is None  # from inside nobody can see it
    assert against.bad is not None
    assert (against.bad.seq, against.bad.reason) == (4, "cut_off")


def test_a_ledger_that_was_written_anew_is_found_against_a_head_that_was_kept(
    tmp_path: Path,
) -> None:
    (*_, kept, _) = written(tmp_path / "a.sqlite")
    written(tmp_path / "b.sqlite")

    found = verified(tmp_path / "b.sqlite", anchor=kept)

    assert verified(tmp_path / "b.sqlite").bad is None
    assert found.bad is not None
    assert (found.bad.seq, found.bad.reason) == (kept.seq, "not_the_head")


def test_a_text_that_is_gone_without_an_erasure_is_found(tmp_path: Path) -> None:
    written(tmp_path / "l.sqlite")
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        connection.execute("DELETE FROM contents WHERE seq = 2 AND name = 'trace'")

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (2, "content_missing")


@pytest.mark.parametrize(("seq", "reason"), [(3, "content_unnamed"), (9, "content_unnamed")])
def test_a_text_that_no_record_speaks_of_is_found(tmp_path: Path, seq: int, reason: str) -> None:
    written(tmp_path / "l.sqlite")
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        connection.execute("INSERT INTO contents VALUES (?, 'more', x'00', 'text')", (seq,))

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (seq, reason)


@pytest.mark.parametrize(
    ("change", "seq", "reason"),
    [
        ("UPDATE contents SET salt = 'text' WHERE seq = 2", 2, "content_altered"),
        ("UPDATE contents SET salt = 99999999999999 WHERE seq = 2", 2, "content_altered"),
        ("INSERT INTO contents VALUES ('two', 'trace', x'00', 'text')", 0, "content_unnamed"),
        ("UPDATE contents SET seq = 'two' WHERE seq = 2", 0, "content_unnamed"),
    ],
)
def test_a_value_of_another_type_is_bad_and_not_an_exception(
    tmp_path: Path, change: str, seq: int, reason: str
) -> None:
    written(tmp_path / "l.sqlite")
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        connection.execute(change)

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (seq, reason)


def test_an_erasure_that_left_the_text_where_it_was_is_found(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(event())
        ledger.append(Event(Kind.ERASURE, None, {"erased": [1], "reason": "a lie"}, Contents()))

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (2, "not_erased")


@pytest.mark.parametrize("erased", [None, 1, [[1]], [True], ["1"], [1, 1], [2], [9]])
def test_an_erasure_that_speaks_of_no_record_that_was_erased_is_found(
    tmp_path: Path, erased: object
) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.append(event())
        ledger.append(Event(Kind.ERASURE, None, {"erased": erased, "reason": "a lie"}, Contents()))

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (2, "not_erased")


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('"seq":1,', '"seq":true,'),
        ('"seq":1,', '"seq":1.0,'),
        ('"by":"ann"', '"by":"\\u0061nn"'),
        ('"by":"ann"', '"by": "ann"'),
        ('"claims":[]', '"claims":' + "[" * 5000 + "]" * 5000),
        ('"claims":[]', '"claims":[],"claims":[]'),
        ('"p_true":0.25', '"p_true":0.250'),
        ('"p_true":0.25', '"p_true":25e-2'),
    ],
)
def test_another_spelling_of_a_record_is_found_although_its_hash_fits(
    tmp_path: Path, was: str, becomes: str
) -> None:
    written(tmp_path / "l.sqlite", 1)
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        (body,) = connection.execute("SELECT body FROM records").fetchone()
        assert was in body
        other = body.replace(was, becomes)
        connection.execute(
            "UPDATE records SET body = ?, hash = ?", (other, digest_of(other.encode()))
        )

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (1, "no_record")


@pytest.mark.parametrize("digest", ["0" * 64, 5, None, ["x"]])
def test_a_record_that_names_no_hash_of_its_text_is_found(tmp_path: Path, digest: object) -> None:
    written(tmp_path / "l.sqlite", 1)
    with behind_its_back(tmp_path / "l.sqlite") as connection:
        (body,) = connection.execute("SELECT body FROM records").fetchone()
        fields = json.loads(body)
        fields["contents"]["trace"] = digest
        other = canonical(fields)
        connection.execute(
            "UPDATE records SET body = ?, hash = ?", (other.decode(), digest_of(other))
        )

    bad = verified(tmp_path / "l.sqlite").bad

    assert bad is not None
    assert (bad.seq, bad.reason) == (1, "content_altered")


def test_a_file_that_was_overwritten_in_the_middle_is_bad_and_not_an_exception(
    tmp_path: Path,
) -> None:
    path = tmp_path / "l.sqlite"
    written(path, 60)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xff" * 9000)

    assert verified(path).bad is not None


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([Kind.ANSWER, Kind.VERIFICATION, Kind.INGESTION]),
            st.none() | st.text(st.characters(exclude_categories=["Cs"])),
            st.dictionaries(st.text("abc"), st.floats(allow_nan=False, allow_infinity=False)),
        ),
        max_size=6,
    )
)
def test_whatever_is_recorded_is_linked_and_read_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    told: list[tuple[Kind, str | None, dict[str, float]]],
) -> None:
    path = tmp_path_factory.mktemp("chain") / "l.sqlite"
    with Ledger(path) as ledger, closing(ledger):
        for kind, by, facts in told:
            ledger.append(Event(kind, by, facts, Contents({"text": by or ""})))

    found = verified(path)

    assert found.bad is None
    assert found.head.seq == len(told)


_BODY = Prepared(event()).body(Head(0, "0" * 64), "now")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"[]", "no record"),
        (b'{"seq":1}', "no record"),
        (b"{", "."),
        (_BODY.replace(b'"seq"', b' "seq"'), "form"),
        (_BODY.replace(b'"by":"ann"', b'"by":7'), "by"),
        (_BODY.replace(b'at":1', b'at":2'), "format"),
    ],
    # Digests are salted: a name of the test with one in it would be another in each process.
    ids=["a list", "without the rest", "half a line", "other form", "nobody", "newer format"],
)
def test_what_is_no_record_is_refused(body: bytes, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_record(body)
