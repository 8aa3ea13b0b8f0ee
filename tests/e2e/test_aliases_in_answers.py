"""Aliases where they matter: tables that go with an index, checks, answers, traces, replays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import averment
from averment.cli.app import run
from averment.engine import Answered, replay
from averment.trace import Trace
from averment.types import Support, SurfaceForm
from averment.wiring import make_policy, read_alias_table
from contracts.disk import disk_without_fsync  # noqa: F401
from doubles import RecitingModel

CAPRA = averment.Document(
    "capra",
    "Frank Russell Capra (born Francesco Capra; May 18, 1897 – 1991) was a director.",
    title="Frank Capra",
)
OTHERS = [
    averment.Document("oslo", "Kristiania lies on a fjord.", title="Fjords"),
    averment.Document("who", "The Alpine Transport Board (ATB) met in Bern.", title="Boards"),
    averment.Document("acts", "The alpine transport board (ATB) sat in Chur.", title="Acts"),
]
QUESTION = "When was Frank Capra born?"
SAID = ["Frank Capra was born on 18 May 1897.", "So the answer is 18 May 1897."]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    averment.build_index([CAPRA, *OTHERS], tmp_path / "idx")
    return tmp_path / "idx"


def asked(index: Path, **settings: Any) -> Answered:
    model = RecitingModel({QUESTION: SAID})
    with averment.open_engine(index=index, model=model, scores=False, **settings) as engine:
        return engine.ask(QUESTION)


def supports(answer: Answered) -> set[Support]:
    return {check.support for claim in answer.claims for check in claim.checks}


# --- answers ------------------------------------------------------------------------------------


def test_an_answer_is_found_under_other_names_of_its_ends(index: Path) -> None:
    answer = asked(index)

    assert supports(answer) == {Support.PRESENT}
    assert answer.claims[0].checks[0].cooccurrence.a_forms == (
        SurfaceForm("Frank Capra", "name"),
        SurfaceForm("Frank Russell Capra", "document:capra"),
    )


@pytest.mark.parametrize(
    "settings", [{"aliases": False}, {"policy": "quco-paper"}], ids=["off", "quco-paper"]
)
def test_without_aliases_only_the_words_themselves_count(
    index: Path, settings: dict[str, Any]
) -> None:
    answer = asked(index, **settings)

    assert Support.PRESENT not in supports(answer)
    assert all(not check.cooccurrence.a_forms for c in answer.claims for check in c.checks)


def test_a_trace_says_which_forms_were_counted_and_replays_without_them(index: Path) -> None:
    answer = asked(index)
    trace = Trace.loads(answer.trace.dumps())

    replayed = replay(trace, make_policy("quco", averment.open_index(index).info))

    assert trace == answer.trace
    assert replayed == answer.answer
    assert '"source": "document:capra"' in answer.trace.dumps()


# --- checks -------------------------------------------------------------------------------------


def test_a_check_counts_names_by_their_forms(index: Path) -> None:
    text = "Frank Capra was born on 18 May 1897."

    with_them = averment.check(text, index=index, faithfulness="lexical")
    without = averment.check(text, index=index, faithfulness="lexical", aliases=False)

    assert with_them.claims[0].support is Support.PRESENT
    assert without.claims[0].support is not Support.PRESENT


def test_what_leaves_with_a_passage_is_what_its_forms_brought(index: Path) -> None:
    # The only pair stands in the passage that was retrieved for the claim: nothing is left.
    report = averment.check(
        "Frank Capra was born on 18 May 1897.", index=index, faithfulness="lexical"
    )

    assert report.passages[0].document_id == "capra"
    assert report.claims[0].checks[0].cooccurrence.documents == 1
    assert report.claims[0].features["zero_weakest"] == 1.0


def test_a_text_explains_its_own_acronyms(index: Path) -> None:
    text = "The Bern Transport Office (BTO) is old. The BTO met in Bern."
    averment.build_index(
        [averment.Document("a", "The Bern Transport Office sits near the Aare River.")],
        index,
    )

    told = averment.check(f"{text} BTO lies near the Aare River.", index=index)

    assert told.claims[-1].checks[0].support is Support.PRESENT
    assert told.claims[-1].checks[0].head_count.forms[1] == SurfaceForm(
        "Bern Transport Office", "document:text"
    )


# --- tables -------------------------------------------------------------------------------------


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert run([*arguments, "--json"]) == code
    said = capsys.readouterr()
    return json.loads(said.out if code == 0 else said.err)


def test_a_table_goes_with_the_index_and_stays_when_documents_are_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.tsv").write_text("Oslo\tKristiania\tredirects\nOslo\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("Kristiania lies on a fjord.", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Bergen lies on a fjord.", encoding="utf-8")

    built = told(capsys, "index", "build", "a.txt", "-o", "idx", "--aliases", "table.tsv")
    told(capsys, "index", "add", "b.txt", "-o", "idx")
    told(capsys, "index", "merge", "-o", "idx")
    (row,) = told(capsys, "index", "count", "Oslo", "-o", "idx", "--aliases")["counts"]

    assert built["skipped"] == [
        "table.tsv:2: 1 column instead of canonical, form, source and language"
    ]
    assert row["count"] == 1
    assert row["forms"][1] == {"form": "Kristiania", "source": "table:redirects"}
    assert told(capsys, "index", "verify", "-o", "idx")["problems"] == []


def test_what_a_deleted_document_said_goes_when_the_index_is_merged(
    index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "index", "delete", "capra", "-o", "idx")
    told(capsys, "index", "merge", "-o", "idx")

    made = told(capsys, "alias", "test", "Frank Capra", "--index", "idx")

    assert [row["form"] for row in made["forms"]] == ["Frank Capra"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"Oslo\tKri\xffstiania\tx\n", "is not UTF-8"),
        (b"Oslo\n", "has no row that can be used"),
        (b"", "has no row that can be used"),
        (None, "cannot be read"),
    ],
    ids=["latin1", "no row", "empty", "missing"],
)
def test_a_table_that_says_nothing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, why: str
) -> None:
    if content is not None:
        (tmp_path / "table.tsv").write_bytes(content)
    (tmp_path / "a.txt").write_text("Kristiania lies on a fjord.", encoding="utf-8")

    failed = told(capsys, "index", "build", "a.txt", "-o", "idx", "--aliases", "table.tsv", code=2)

    assert why in failed["error"]["message"]
    assert not (tmp_path / "idx").exists()


def test_an_index_of_counts_has_no_place_for_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.tsv").write_text("Oslo\tKristiania\tx\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("Kristiania lies on a fjord.", encoding="utf-8")

    failed = told(
        capsys,
        *("index", "build", "a.txt", "--counts-only", "-o", "idx", "--aliases", "table.tsv"),
        code=2,
    )

    assert failed["error"]["hint"].endswith("averment alias add")


def test_a_table_with_a_byte_order_mark_and_other_line_ends_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_bytes(b"\xef\xbb\xbfOslo\tKristiania\tx\r\nTurku\tAbo\tx\r\n")

    table = read_alias_table(tmp_path / "t.tsv")

    assert [(row.canonical, row.form) for row in table.rows] == [
        ("Oslo", "Kristiania"),
        ("Turku", "Abo"),
    ]
    assert table.skipped == ()


def test_the_same_documents_and_table_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("Oslo\tKristiania\tx\n", encoding="utf-8")
    rows = read_alias_table(tmp_path / "t.tsv").rows

    for name in ("one", "two"):
        averment.build_index([CAPRA, *OTHERS], tmp_path / name, aliases=rows)

    files = [
        {f.relative_to(tmp_path / name): f.read_bytes() for f in (tmp_path / name).rglob("*.tsv")}
        for name in ("one", "two")
    ]
    assert files[0] == files[1]
    assert len(files[0]) == 2


# --- the commands -------------------------------------------------------------------------------


def test_the_commands_say_what_they_did(
    index: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AVERMENT_INDEX", str(index))

    for line in (
        ["alias", "list"],
        ["alias", "add", "Alpine Board", "IT", "The Board"],
        ["alias", "add", "Alpine Board", "IT"],
        ["alias", "list"],
        ["alias", "remove", "Alpine Board", "IT"],
        ["alias", "test", "ATB"],
    ):
        assert run(line) == 0
    said = capsys.readouterr()

    assert said.out.splitlines() == [
        'None. Type: averment alias add "New York City" NYC "New York, N.Y."',
        "Alpine Board: also IT",
        "Alpine Board: also The Board",
        "Nothing new: these were there already.",
        "Alpine Board: IT, The Board",
        "Alpine Board: no longer IT",
        "ATB is Alpine Transport Board",
        "         2 in 2 documents       ATB  (name)",
        "         2 in 2 documents       Alpine Transport Board  (document:who)",
        "         4 in 2 documents       together, overlapping ones once",
    ]
    assert "IT is counted as you say, but it is a word of every text." in said.err


def test_what_was_refused_is_shown_with_who_else_claims_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    averment.build_index(
        [
            averment.Document("p", "Ann Bea Hale (born 1901) flew.", title="Ann Hale (pilot)"),
            averment.Document("q", "Ann Cora Hale (born 1950) wrote.", title="Ann Hale (poet)"),
        ],
        tmp_path / "idx",
    )

    made = told(capsys, "alias", "test", "Ann Hale (pilot)", "--index", "idx")

    assert made["refused"] == [
        {
            "form": "Ann Hale",
            "source": "document:p",
            "reason": "ambiguous",
            "claimed_by": ["Ann Hale (poet)"],
        }
    ]
    assert "Ann Bea Hale" in {row["form"] for row in made["forms"]}
