"""Rows are read one by one; what cannot be read is told and the next one comes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from averment.corpus.records import Unusable
from averment.errors import UsageError
from averment.filtering import reading
from averment.filtering.fields import choose_fields
from averment.filtering.reading import open_source


def test_a_line_without_end_is_told_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_LONGEST_LINE_BYTES", 40)
    long = json.dumps({"text": "x" * 500})
    (tmp_path / "a.jsonl").write_text(f'{long}\n{{"text": "a"}}\n', encoding="utf-8")

    first, second = open_source(tmp_path / "a.jsonl").rows(())

    assert str(first.row) == "longer than 64 MiB"
    assert (second.line, second.row) == (2, {"text": "a"})


def test_a_file_that_is_cut_short_ends_with_a_row_that_says_so(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"text": f"row {at * 7919}"}) + "\n" for at in range(5000))
    whole = gzip.compress(lines.encode())
    (tmp_path / "a.jsonl.gz").write_bytes(whole[: len(whole) // 2])

    *rows, last = open_source(tmp_path / "a.jsonl.gz").rows(())

    assert len(rows) > 100
    assert isinstance(last.row, Unusable)
    assert "damaged or cut short" in str(last.row)


def test_the_digest_is_of_the_rows_that_were_given(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-8")
    short = open_source(path)
    assert len(list(short.rows(()))) == 1
    path.write_text('{"a": 1}\n\n\n{"a": 2}\n', encoding="utf-8")
    longer = open_source(path)
    rows = longer.rows(())

    next(rows)
    assert longer.digest == short.digest
    next(rows)
    assert longer.digest != short.digest
    assert longer.share_read == 1.0


def test_contexts_are_texts_or_objects_with_a_text() -> None:
    fields = choose_fields(["answer", "documents"])

    read = fields.read({"answer": "a", "documents": [{"text": "b"}, "c", " "]})

    assert read.contexts == ("b", "c")
    assert fields.read({"answer": "a"}).contexts == ()
    with pytest.raises(Unusable, match="'documents' is not a string but int"):
        fields.read({"answer": "a", "documents": [1]})


def test_a_chat_of_parts_is_read_and_a_question_of_its_own_wins() -> None:
    chat = [
        {"from": "human", "value": "Why?"},
        {"from": "gpt", "value": [{"type": "text", "text": "So."}, {"type": "image"}]},
        {"from": "human", "value": "And now?"},
    ]

    alone = choose_fields(["conversations"]).read({"conversations": chat})
    named = choose_fields(["conversations", "question"], question="question")

    assert (alone.text, alone.question) == ("So.", "Why?")
    assert named.read({"conversations": chat, "question": "How?"}).question == "How?"


def test_the_column_of_an_earlier_run_is_no_field() -> None:
    with pytest.raises(UsageError, match="No row has the field 'averment'"):
        choose_fields(["text", "averment"], text="averment")
