"""How a corpus is cut into pieces, and where its segments end: told without a cluster."""

from __future__ import annotations

import json
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.corpus.files import CorpusFile, list_files
from averment.corpus.readers import read_file
from averment.distributed.pieces import cut_into_pieces
from averment.index.cuts import Cuts
from averment.index.engines import REFERENCE, default_engine, segment_writer
from averment.text import TextForm


def lines(n: int, *, seed: int = 0) -> bytes:
    chance = random.Random(seed)
    told = [{"text": "word " * chance.randrange(1, 40)} for _ in range(n)]
    return "".join(json.dumps(each) + "\n" for each in told).encode()


@pytest.mark.parametrize("piece_bytes", [1, 100, 1000, 10**6])
@pytest.mark.parametrize("ending", [b"", b"\n", b'\n{"text": "no line end"}', b"\r\n\nbad\n"])
def test_the_pieces_of_a_file_hold_what_is_in_it(
    tmp_path: Path, piece_bytes: int, ending: bytes
) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines(40) + ending)
    (whole,) = list_files([tmp_path])
    assert isinstance(whole, CorpusFile)

    pieces = cut_into_pieces([whole], piece_bytes=piece_bytes)

    files = [file for piece in pieces for file in piece.files]
    read = [found for file in files for found in read_file(file)]  # type: ignore[arg-type]
    assert [(line, str(found)) for line, found, _ in read] == [
        (line, str(found)) for line, found, _ in read_file(whole)
    ]
    assert sum(piece.n_bytes for piece in pieces) == whole.n_bytes
    assert (len(pieces) > 1) == (piece_bytes < whole.n_bytes)


def test_small_files_share_a_piece_and_others_are_not_cut(tmp_path: Path) -> None:
    for name, n_bytes in (("a.txt", 40), ("b.txt", 40), ("c.txt", 40), ("d.csv", 500)):
        (tmp_path / name).write_text("x" * n_bytes)
    (tmp_path / "b.none").write_text("")

    pieces = cut_into_pieces(list_files([tmp_path]), piece_bytes=100)

    assert [[file.path.name for file in piece.files] for piece in pieces] == [
        ["a.txt", "b.none", "b.txt"],
        ["c.txt"],
        ["d.csv"],
    ]
    assert str(pieces[0]) == f"{tmp_path}/a.txt and 2 more"


def test_a_file_with_a_nul_byte_is_not_cut(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines(10) + b"\0\n" + lines(10))

    assert len(cut_into_pieces(list_files([tmp_path]), piece_bytes=50)) == 1


def test_the_key_tells_content_and_options_apart(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines(10))
    (piece, other, *_) = cut_into_pieces(list_files([tmp_path]), piece_bytes=100)
    (again, *_) = cut_into_pieces(list_files([tmp_path]), piece_bytes=100)
    (tmp_path / "x.jsonl").write_bytes(lines(11))
    (changed, *_) = cut_into_pieces(list_files([tmp_path]), piece_bytes=100)

    assert piece.key("a") == again.key("a")
    assert len({each.key("a") for each in (piece, other, changed)} | {piece.key("b")}) == 4


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 30), max_size=25),
    st.integers(0, 120),
    st.sampled_from(sorted({default_engine(), REFERENCE})),
)
def test_segments_end_where_a_writer_would_end_them(
    lengths: list[int], most_words: int, engine: str
) -> None:
    cuts = Cuts(engine, most_words)
    writer = segment_writer(engine, TextForm(), most_words)
    with TemporaryDirectory() as folder:
        for at, n_words in enumerate(lengths):
            text = "ab " * n_words
            writer.add(text)
            ends = writer.n_words >= most_words
            assert cuts.is_after(len(text), n_words) == ends
            if ends:
                (Path(folder) / str(at)).mkdir()
                writer.write(Path(folder) / str(at))
                writer = segment_writer(engine, TextForm(), most_words)
        writer.close()
