"""Bad input: one clear message with the remedy, the right exit code, nothing half-written."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from averment.cli.app import run

FERRY = "The ferry Sorlandia sails from Hirtshals to Kristiansand. It was built in 1993."


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A small index in the default place."""
    (tmp_path / "ferry.txt").write_text(FERRY, encoding="utf-8")
    assert run(["index", "build", "ferry.txt"]) == 0
    return tmp_path / ".averment" / "index"


def _says(capsys: pytest.CaptureFixture[str], *parts: str) -> None:
    said = capsys.readouterr().err
    assert "Traceback" not in said
    for part in parts:
        assert part in said, said


def test_no_index_says_how_to_build_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "Who built it?"]) == 2
    _says(capsys, "averment index build")


def test_an_empty_question_is_refused_before_anything_is_opened(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["ask", "   "]) == 2
    _says(capsys, "The question is empty")


def test_a_question_of_10_000_words_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "why " * 10_000]) == 2
    _says(capsys, "40,000 characters", "index build")


def test_a_path_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["index", "build", "nowhere"]) == 2
    _says(capsys, "nowhere")


def test_an_empty_folder_is_refused_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()

    assert run(["index", "build", "empty"]) == 2
    _says(capsys, "no document")
    assert not (tmp_path / ".averment" / "index").exists()


def test_broken_files_are_listed_and_the_rest_is_indexed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "good.txt").write_text(FERRY, encoding="utf-8")
    (folder / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (folder / "latin.txt").write_bytes("Malmö".encode("latin-1"))
    (folder / "rows.jsonl").write_text('{"text": "Hirtshals"}\n{"txt": 1}\n{broken\n')
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"text": "Malmo"}\n' * 99)[:-20])
    (folder / "slides.pptx").write_bytes(b"PK")

    assert run(["index", "build", "handbook", "--json"]) == 0
    skipped = json.loads(capsys.readouterr().out)["skipped"]
    named = " | ".join(skipped)
    for part in (
        "picture.txt",
        "latin.txt",
        "rows.jsonl:2",
        "rows.jsonl:3",
        "cut.jsonl.gz",
        "pptx",
    ):
        assert part in named, named


def test_damaged_documents_and_rows_are_listed_without_noise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pypdf", reason="needs the extra [docs]")
    pytest.importorskip("pyarrow", reason="needs the extra [parquet]")
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "good.csv").write_text(f'id,text\na,"{FERRY}"\nb\n', encoding="utf-8")
    (folder / "page.html").write_text("<title>Port</title><p>Hirtshals", encoding="utf-8")
    damaged = {"a.pdf": "PDF", "b.docx": "Word", "c.parquet": "Parquet"}
    for name in damaged:
        (folder / name).write_bytes(b"%PDF-1.7 PK PAR1 \x00\xff and then nothing")

    assert run(["index", "build", "handbook"]) == 0
    said = capsys.readouterr()
    assert "2 documents" in said.out
    listed = said.err.splitlines()
    assert listed[0] == "4 records or files were skipped:"
    for line, (name, kind) in zip(listed[1:4], damaged.items(), strict=True):
        assert line.startswith(f"  handbook/{name}: cannot be read as {kind}: "), line
    assert listed[4:] == ["  handbook/good.csv:3: cells: 1, columns: 2"]


def test_documents_that_need_an_extra_say_the_line_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.7")

    assert run(["index", "build", "paper.pdf"]) == 2
    _says(capsys, "PDF files need the extra [docs]", "pip install 'averment[docs]'")
    assert not (tmp_path / ".averment" / "index").exists()


def test_strict_stops_at_the_first_bad_record_and_leaves_the_old_index(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (built / "MANIFEST.json").read_bytes()
    (tmp_path / "rows.jsonl").write_text('{"text": "Hirtshals"}\n{broken\n')

    assert run(["index", "build", "rows.jsonl", "--strict"]) == 2
    _says(capsys, "rows.jsonl:2")
    assert (built / "MANIFEST.json").read_bytes() == before
    assert run(["index", "verify"]) == 0


def test_a_foreign_folder_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ferry.txt").write_text(FERRY)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")

    assert run(["index", "build", "ferry.txt", "-o", "mine"]) == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    _says(capsys, "mine")


def test_a_newer_format_is_refused(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = json.loads((built / "MANIFEST.json").read_text())
    manifest["format_version"] = 99
    (built / "MANIFEST.json").write_text(json.dumps(manifest))

    assert run(["index", "info"]) == 3
    _says(capsys, "99")


def test_another_text_form_is_refused(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (built / "MANIFEST.json").read_text()
    (built / "MANIFEST.json").write_text(text.replace("averment-words-1", "averment-words-0"))

    assert run(["index", "count", "ferry"]) == 3
    _says(capsys, "averment-words-0", "averment-words-1")


def test_a_truncated_index_file_is_refused(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    largest = max((built / "counts").rglob("*.*"), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-1])

    assert run(["index", "count", "ferry"]) == 3
    _says(capsys, largest.name)


def test_an_index_without_passages_cannot_be_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ferry.txt").write_text(FERRY)
    run(["index", "build", "ferry.txt", "--counts-only"])
    capsys.readouterr()

    assert run(["ask", "Who built it?"]) == 2
    _says(capsys, "counts only")


def test_a_missing_model_says_how_to_get_it(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("xllamacpp", reason="without [local] another message comes first")

    assert run(["ask", "Who built the ferry?"]) == 3
    _says(capsys, "averment models get")


def test_an_unknown_policy_lists_the_known_ones(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", "Who?", "--policy", "qucoo"]) == 2
    _says(capsys, "Did you mean", "quco-paper")


def test_a_wrong_model_file_is_refused(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong.gguf").write_bytes(b"GGUF but not really")

    assert run(["ask", "Who built the ferry?", "--model", "wrong.gguf"]) == 3
    _says(capsys, "wrong.gguf")


def test_an_unreachable_server_is_named(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--timeout", "2"]

    assert run(["ask", "Who built the ferry?", *server]) == 3
    _says(capsys, "http://127.0.0.1:9/v1")


def test_a_server_without_a_model_name_is_refused(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", "Who?", "--base-url", "http://127.0.0.1:9/v1"]) == 2
    _says(capsys, "--model")


@pytest.mark.parametrize("phrase", ["", "!!!", "  "], ids=["empty", "no letters", "blanks"])
def test_a_phrase_without_a_word_is_refused(
    built: Path, phrase: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["index", "count", phrase]) == 2


def test_a_negative_window_is_refused(built: Path) -> None:
    assert run(["index", "cooccur", "ferry", "1993", "--window", "-1"]) == 2


def test_a_bad_setting_names_its_origin(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AVERMENT_TIMEOUT_S", "soon")

    assert run(["index", "info"]) == 2
    _says(capsys, "timeout_s", "AVERMENT_TIMEOUT_S")


def test_a_failure_with_json_is_one_object_on_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["index", "info", "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert set(json.loads(said.err)["error"]) == {"kind", "message", "hint"}


def _averment(*arguments: str, **streams: object) -> subprocess.Popen[bytes]:
    code = "from averment.cli.app import main; main()"
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=latin, **streams)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_a_pipe_gets_utf8_whatever_the_encoding_of_the_machine(
    built: Path, as_json: list[str]
) -> None:
    with _averment("index", "count", "東京", *as_json, stdout=subprocess.PIPE) as process:
        written, _ = process.communicate()

    assert process.returncode == 0
    assert "東京" in written.decode("utf-8")


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_a_reader_that_goes_away_is_no_failure(built: Path, as_json: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with _averment(
        "index", "count", "Hirtshals", *as_json, stdout=writer, stderr=subprocess.PIPE
    ) as process:
        os.close(writer)
        _, said = process.communicate()

    assert (process.returncode, said) == (0, b"")


@pytest.mark.parametrize(
    ("written", "remedy"),
    [
        ("Größe".encode("latin-1"), "iconv -f latin1 -t utf-8 'my answer.txt'"),
        (b"PK\x03\x04\x00\xf6", "It is binary; name a file of text."),
    ],
    ids=["latin 1", "binary"],
)
def test_a_text_that_is_not_utf8_has_a_remedy_that_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: bytes, remedy: str
) -> None:
    (tmp_path / "my answer.txt").write_bytes(written)

    assert run(["check", "my answer.txt"]) == 2
    _says(capsys, remedy)


def test_a_file_is_no_index_and_one_skipped_file_is_no_plural(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["index", "count", "Hirtshals", "--index", "ferry.txt"]) == 2
    _says(capsys, "ferry.txt is no averment index: it is a file.")

    Path("photo.jpg").write_bytes(b"\xff\xd8")
    assert run(["index", "build", "photo.jpg", "ferry.txt"]) == 0
    _says(capsys, "1 record or file was skipped:")
