"""From files to documents: what is read, in which order, and how each bad record is told."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from averment.corpus.files import BadRecord
from averment.corpus.readers import read_documents
from averment.errors import UsageError
from averment.types import Document
from contracts.disk import users_folder
from corpus.reading import read, write

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


# --- what is read -------------------------------------------------------------------------------


def test_text_file_is_one_document_with_its_name(tmp_path: Path) -> None:
    path = write(tmp_path / "My notes.txt", "# no heading\r\nline\n")

    documents, bad = read(path)

    assert documents == [Document("My notes.txt", "# no heading\r\nline\n", title="My notes")]
    assert bad == []


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("intro\n\n## The *title* ##\n\n# Second", "The *title*", id="first heading"),
        pytest.param("# Title\r\ntext", "Title", id="carriage return"),
        pytest.param("#hashtag and text", "page", id="no heading"),
        pytest.param("#  \n# Real", "page", id="empty heading"),
    ],
)
def test_markdown_is_titled_by_its_first_heading(tmp_path: Path, text: str, title: str) -> None:
    (document,), _ = read(write(tmp_path / "page.md", text))

    assert (document.title, document.text) == (title, text)


def test_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", b"\xef\xbb\xbftext")
    write(tmp_path / "b.jsonl", b"\xef\xbb\xbf" + lines({"id": "b", "text": "x"}).encode())

    documents, bad = read(tmp_path)

    assert [(d.document_id, d.text) for d in documents] == [("a.txt", "text"), ("b", "x")]
    assert bad == []


def test_record_becomes_a_document_and_the_rest_metadata(tmp_path: Path) -> None:
    record = {
        "id": "a",
        "text": " x ",
        "title": "T",
        "date": "2024-05-01",
        "language": "de",
        "source": "s",
        "url": "u",
        "n": [1],
    }

    (document,), _ = read(write(tmp_path / "a.jsonl", lines(record)))

    metadata = {"url": "u", "n": [1]}
    assert document == Document("a", "T\n\n x ", "T", "s", "2024-05-01", "de", metadata)


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        pytest.param("Ada Lovelace", "She wrote.", "Ada Lovelace\n\nShe wrote.", id="not in it"),
        pytest.param("Ada", "\nADA wrote.", "\nADA wrote.", id="begins with it"),
        pytest.param("Ada (film)", "Ada is a film.", "Ada (film)\n\nAda is a film.", id="bracket"),
        pytest.param("", "She wrote.", "She wrote.", id="no title"),
    ],
)
def test_title_of_a_record_is_the_first_line_of_its_text(
    tmp_path: Path, title: str, text: str, expected: str
) -> None:
    (document,), _ = read(write(tmp_path / "a.jsonl", lines({"title": title, "text": text})))

    assert (document.title, document.text) == (title, expected)


@pytest.mark.parametrize(
    ("record", "document_id"),
    [
        pytest.param({"_id": "a"}, "a", id="_id"),
        pytest.param({"id": 17}, "17", id="whole number"),
        pytest.param({}, "r.jsonl:1", id="none"),
    ],
)
def test_record_is_named_by_its_id_or_its_line(
    tmp_path: Path, record: dict[str, object], document_id: str
) -> None:
    (document,), bad = read(write(tmp_path / "r.jsonl", lines({**record, "text": "x"})))

    assert (document.document_id, document.metadata, bad) == (document_id, {}, [])


def test_id_wins_over_underscore_id(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "r.jsonl", lines({"id": "a", "_id": "b", "text": "x"})))

    assert (document.document_id, document.metadata) == ("a", {"_id": "b"})


@pytest.mark.parametrize(
    "date", ["2024", "2024-05", "2024-05-01", "20240501", "2024-05-01T10:00:00Z", None]
)
def test_iso_dates_are_kept_as_they_are(tmp_path: Path, date: str | None) -> None:
    (document,), bad = read(write(tmp_path / "r.jsonl", lines({"text": "x", "date": date})))

    assert (document.date, bad) == (date, [])


def test_blank_lines_are_no_records(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", "\n" + lines({"text": "x"}) + " \r\n" + '{"text": "y"}')

    documents, bad = read(path)

    assert [d.document_id for d in documents] == ["r.jsonl:2", "r.jsonl:4"]
    assert bad == []


@pytest.mark.parametrize(
    ("name", "compress"),
    [
        pytest.param("r.jsonl", bytes, id="plain"),
        pytest.param("r.jsonl.gz", gzip.compress, id="gz"),
        pytest.param("r.jsonl.zst", zstd.compress, id="zst"),
        pytest.param("R.JSONL.GZ", gzip.compress, id="capitals"),
    ],
)
def test_compressed_records_are_read_alike(
    tmp_path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    records = [{"id": str(n), "text": "long " * 1000} for n in range(50)]
    path = write(tmp_path / name, compress(lines(*records).encode()))

    documents, bad = read(path)

    assert [d.document_id for d in documents] == [str(n) for n in range(50)]
    assert bad == []


def test_directories_are_walked_in_order_and_hidden_files_are_not_seen(tmp_path: Path) -> None:
    for name in ("b/z.txt", "b.txt", "a/c/x.md", "a/b.txt", ".hidden.txt", ".git/y.txt"):
        write(tmp_path / "root" / name, name)

    documents, bad = read(tmp_path / "root")

    assert [d.document_id for d in documents] == ["a/b.txt", "a/c/x.md", "b/z.txt", "b.txt"]
    assert bad == []


def test_paths_are_read_in_the_order_given(tmp_path: Path) -> None:
    write(tmp_path / "dir" / "a.txt", "a")
    write(tmp_path / "z.txt", "z")

    documents, _ = read(tmp_path / "z.txt", tmp_path / "dir")

    assert [d.document_id for d in documents] == ["z.txt", "a.txt"]


def test_hidden_file_is_read_when_it_is_named(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / ".notes.txt", "x"))

    assert document.document_id == ".notes.txt"


@pytest.mark.data
def test_real_corpora_have_no_bad_records(shared_data: Path) -> None:
    names = ("pubmedqa_abstracts", "timeqa_pages", "world_factbook")
    paths = [shared_data / "corpus" / f"{name}.jsonl.gz" for name in names]

    documents, bad = read(*paths)

    assert (len(documents), bad) == (1000 + 318 + 2893, [])


# --- progress -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
def test_progress_rises_to_the_size_of_all_files(tmp_path: Path, name: str) -> None:
    content = lines(*({"text": f"{n} " * 50} for n in range(2000))).encode()
    write(tmp_path / name, gzip.compress(content) if name.endswith(".gz") else content)
    write(tmp_path / "z.txt", "z" * 100)
    write(tmp_path / "empty.jsonl", "")
    told: list[tuple[int, int]] = []

    paths = [tmp_path]
    for _ in read_documents(paths, on_bad=lambda bad: None, on_bytes=lambda *n: told.append(n)):
        pass

    total = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert {n_total for _, n_total in told} == {total}
    assert [n for n, _ in told] == sorted(n for n, _ in told)
    assert told[-1][0] == total
    assert len({n for n, _ in told}) > 3


def test_records_are_read_one_by_one(tmp_path: Path) -> None:
    content = lines(*({"id": str(n), "text": "x" * 1000} for n in range(2000)))
    path = write(tmp_path / "r.jsonl", content)
    told: list[int] = []

    documents = read_documents(
        [path], on_bad=lambda bad: None, on_bytes=lambda n_read, _: told.append(n_read)
    )
    next(documents)

    assert told[-1] < path.stat().st_size // 2


# --- bad records --------------------------------------------------------------------------------

GOOD = b'{"id": "good", "text": "x"}\n'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(b'{"text": "\xe9"}', "not UTF-8: 0xe9 at byte 10", id="not UTF-8"),
        pytest.param(b'{"text": ', "invalid JSON: Expecting value at column 10", id="half"),
        pytest.param(b'{"text": NaN}', "invalid JSON: NaN is not JSON", id="NaN"),
        pytest.param(b"[" * 100_000, "invalid JSON: nested too deeply", id="nested"),
        pytest.param(
            b'{"text": "x", "m": {"k": "\\uD83d"}}',
            "invalid JSON: an escape that is half of a surrogate pair",
            id="half a surrogate pair",
        ),
        pytest.param(b'["text"]', "not a JSON object but list", id="list"),
        pytest.param(b'{"body": 1, "id": 2}', "no field 'text' (found: body, id)", id="no text"),
        pytest.param(b"{}", "no field 'text' (found: nothing)", id="nothing"),
        pytest.param(b'{"text": 5}', "'text' is not a string but int", id="text a number"),
        pytest.param(b'{"text": null}', "'text' is not a string but NoneType", id="text null"),
        pytest.param(b'{"text": " \\n"}', "empty text", id="empty text"),
        pytest.param(
            b'{"text": "x", "id": 1.5}', "'id' is neither a string nor a whole number", id="float"
        ),
        pytest.param(
            b'{"text": "x", "id": true}', "'id' is neither a string nor a whole number", id="true"
        ),
        pytest.param(
            b'{"text": "x", "_id": null}', "'_id' is neither a string nor a whole number", id="null"
        ),
        pytest.param(b'{"text": "x", "id": ""}', "'id' is empty", id="empty id"),
        pytest.param(
            b'{"text": "x", "date": "1 May"}', "'date' is not ISO 8601: '1 May'", id="date"
        ),
        pytest.param(
            b'{"text": "x", "date": "2024-13"}', "'date' is not ISO 8601: '2024-13'", id="month"
        ),
        pytest.param(b'{"text": "x", "title": 5}', "'title' is not a string but int", id="title"),
    ],
)
def test_bad_line_is_told_and_the_next_one_read(tmp_path: Path, line: bytes, reason: str) -> None:
    path = write(tmp_path / "r.jsonl", GOOD.replace(b"good", b"one") + line + b"\n" + GOOD)

    documents, bad = read(path)

    assert [d.document_id for d in documents] == ["one", "good"]
    assert bad == [f"r.jsonl:2: {reason}"]


def test_good_pair_of_surrogate_escapes_is_a_character(tmp_path: Path) -> None:
    (document,), bad = read(write(tmp_path / "r.jsonl", b'{"text": "\\ud83d\\ude00"}'))

    assert (document.text, bad) == ("\U0001f600", [])


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param("a.txt", b"ab\xff", "not UTF-8: 0xff at byte 2", id="not UTF-8"),
        pytest.param(
            "a.txt",
            b"\xef\xbb\xbfab\xff",
            "not UTF-8: 0xff at byte 5",
            id="the byte order mark counts",
        ),
        pytest.param("a.md", b"ab\0cd", "binary, not text: a NUL byte at byte 2", id="binary"),
        pytest.param("a.txt", b"", "empty text", id="empty"),
        pytest.param("a.txt", b" \n", "empty text", id="blank"),
        pytest.param("a.odt", b"PK", "not a type that is read: .odt", id="odt"),
        pytest.param("a.json.gz", b"", "not a type that is read: .json.gz", id="json.gz"),
        pytest.param("LICENSE", b"", "not a type that is read: no suffix", id="no suffix"),
    ],
)
@pytest.mark.parametrize("named", [True, False], ids=["named", "in a directory"])
def test_bad_file_is_told_and_the_next_one_read(
    tmp_path: Path, name: str, content: bytes, reason: str, named: bool
) -> None:
    bad_file = write(tmp_path / "d" / name, content)
    good = write(tmp_path / "d" / "z.txt", "good")

    documents, bad = read(bad_file, good) if named else read(tmp_path / "d")

    assert [d.document_id for d in documents] == ["z.txt"]
    assert bad == [f"{name}: {reason}"]


def test_binary_file_named_jsonl_is_told_once(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", GOOD + b"\x00\x01\n\x02\x00\n" * 50)

    documents, bad = read(path)

    assert [d.document_id for d in documents] == ["good"]
    assert bad == ["r.jsonl:2: binary, not text: a NUL byte at byte 0"]


@pytest.mark.parametrize(
    ("name", "compress"),
    [
        pytest.param("r.jsonl.gz", gzip.compress, id="gz"),
        pytest.param("r.jsonl.zst", zstd.compress, id="zst"),
    ],
)
def test_truncated_compressed_file_keeps_what_came_before(
    tmp_path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    chance = [os.urandom(500).hex() for _ in range(400)]
    content = compress(lines(*({"id": str(n), "text": c} for n, c in enumerate(chance))).encode())
    path = write(tmp_path / name, content[: len(content) // 2])

    documents, (bad,) = read(path)

    assert 10 < len(documents) < 300
    assert documents[-1].text == chance[len(documents) - 1]
    assert bad.startswith(f"{name}:{len(documents) + 1}: damaged or cut short: ")


@pytest.mark.parametrize("name", ["r.jsonl.gz", "r.jsonl.zst"])
def test_file_that_is_not_compressed_is_told(tmp_path: Path, name: str) -> None:
    documents, (bad,) = read(write(tmp_path / name, GOOD * 5))

    assert documents == []
    assert bad.startswith(f"{name}:1: damaged or cut short: ")


def test_duplicate_id_keeps_the_first_and_says_where_it_is(tmp_path: Path) -> None:
    first = write(tmp_path / "a.jsonl", lines({"id": "x", "text": "1"}, {"id": "y", "text": "2"}))
    second = write(tmp_path / "b.jsonl", lines({"id": "y", "text": "3"}))

    documents, bad = read(first, second)

    assert [(d.document_id, d.text) for d in documents] == [("x", "1"), ("y", "2")]
    assert bad == [f"b.jsonl:1: duplicate id 'y', first at {first}:2"]


def test_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "x")

    documents, bad = read(path, path)

    assert len(documents) == 1
    assert bad == ["a.txt: duplicate id 'a.txt', first at a.txt"]


def test_link_that_leads_nowhere_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("nowhere")

    documents, bad = read(tmp_path)

    assert (documents, bad) == ([], ["a.txt: cannot be read: No such file or directory"])


def test_link_to_a_directory_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "d" / "a.txt", "x")
    (tmp_path / "d" / "loop").symlink_to(tmp_path / "d")

    documents, bad = read(tmp_path / "d")

    assert len(documents) == 1
    assert bad == ["loop: a link to a directory, which is not followed"]


def test_name_that_is_not_text_is_told_in_escapes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    bad: list[BadRecord] = []

    documents = list(read_documents([tmp_path], on_bad=bad.append))

    assert documents == []
    assert [str(one) for one in bad] == [f"{tmp_path}/caf\\udce9.txt: its name is not UTF-8"]


def test_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")

    assert read(tmp_path) == ([], ["a.txt: not a regular file"])


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.jsonl.gz"])
def test_file_that_vanishes_meanwhile_cannot_be_read(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, "x")
    bad: list[BadRecord] = []

    documents = read_documents([tmp_path], on_bad=bad.append)
    path.unlink()

    assert list(documents) == []
    assert [str(one) for one in bad] == [f"{path}: cannot be read: No such file or directory"]


@pytest.mark.parametrize("name", ["a.txt", "d"])
def test_what_permissions_forbid_cannot_be_read(name: str) -> None:
    with users_folder() as folder:
        write(folder / "a.txt", "x")
        write(folder / "d" / "b.txt", "x")
        (folder / name).chmod(0)

        documents, bad = read(folder)

        (folder / name).chmod(0o700)
    assert len(documents) == 1
    assert bad == [f"{name}: cannot be read: Permission denied"]


def test_path_where_nobody_may_look_is_refused() -> None:
    with users_folder() as folder:
        path = write(folder / "d" / "b.txt", "x")
        path.parent.chmod(0)

        with pytest.raises(UsageError, match="Permission denied"):
            read_documents([path], on_bad=lambda bad: None)

        path.parent.chmod(0o700)


def test_missing_path_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    good = write(tmp_path / "a.txt", "x")

    with pytest.raises(UsageError, match=r"nowhere.txt: does not exist"):
        read_documents([good, tmp_path / "nowhere.txt"], on_bad=lambda bad: None)


def test_caller_may_stop_at_the_first_bad_record(tmp_path: Path) -> None:
    write(tmp_path / "a.odt", "x")

    def strict(bad: BadRecord) -> None:
        raise UsageError(str(bad))

    with pytest.raises(UsageError, match=r"a\.odt: not a type that is read"):
        list(read_documents([tmp_path], on_bad=strict))
