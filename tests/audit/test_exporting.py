"""What is exported validates against the published schema, and verifies without averment."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest
import rfc8785

from audit.exported_by_hand import exported, ledger  # noqa: F401
from averment.audit.export import schema_text
from conftest import REPOSITORY
from contracts.disk import disk_without_fsync  # noqa: F401

VALIDATOR = jsonschema.Draft202012Validator(json.loads(schema_text()))


def test_the_schema_is_a_schema_and_the_published_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schema_text()))

    published = REPOSITORY / "docs" / "reference" / "audit-export.schema.json"
    assert published.read_text(encoding="utf-8") == schema_text(), "type: make docs"


@pytest.mark.parametrize("with_contents", [True, False])
def test_every_line_validates(ledger: Path, with_contents: bool) -> None:
    rows = exported(ledger, with_contents=with_contents)

    assert {row["record"]["kind"] for row in rows} == set(
        "ingestion answer verification alias_change calibration override deletion merge "
        "erasure".split()
    )
    for row in rows:
        VALIDATOR.validate(row)


def test_the_schema_refuses_what_is_no_record(ledger: Path) -> None:
    row = exported(ledger)[2]
    for name, value in (("seq", 0), ("time", "yesterday"), ("kind", "rumour"), ("facts", {})):
        spoiled = {**row, "record": {**row["record"], name: value}}
        assert not VALIDATOR.is_valid(spoiled), name


def test_an_export_verifies_with_nothing_but_the_rules(ledger: Path) -> None:
    before = "0" * 64
    for row in exported(ledger):
        record = row["record"]
        assert hashlib.sha256(rfc8785.dumps(record)).hexdigest() == row["sha256"]
        assert record["previous"] == before
        before = row["sha256"]
        for name, digest in record["contents"].items():
            if (kept := row["contents"][name]) is not None:
                sealed = bytes.fromhex(kept["salt"]) + kept["text"].encode()
                assert hashlib.sha256(sealed).hexdigest() == digest


def test_what_was_erased_is_null(ledger: Path) -> None:
    answer = exported(ledger)[1]

    assert answer["record"]["kind"] == "answer"
    assert set(answer["contents"].values()) == {None}
    assert exported(ledger, with_contents=False)[1]["contents"] is None
