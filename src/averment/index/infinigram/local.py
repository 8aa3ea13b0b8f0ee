"""An index in infini-gram's format on this machine, asked through infini-gram's Python engine.

The engine ends the process where a file is missing or too short, and its indexing leaves suffixes
out of small corpora without a word; so files are looked at before they are opened. Clauses are
never sampled here: the engine is told a limit that none exceeds.

What this module does not do: build such an index (`averment.index.infinigram.export`).

Source: the package infini-gram 2.6.0, index version 4.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from averment.errors import IndexFormatError, MissingExtraError, UsageError
from averment.index.infinigram.encodings import (
    ByteEncoding,
    Encoding,
    TokenizerEncoding,
    WordEncoding,
    document_of,
    read_tokenizer,
)
from averment.index.infinigram.index import InfiniGramIndex
from averment.index.infinigram.source import ForeignDocument, Found, Rank, Refused, TokenIds
from averment.text import TextForm
from averment.types import CorpusInfo

DESCRIPTION = "averment.json"
"""The file that says how an index was exported; only exports of averment have it."""
VOCABULARY = "vocabulary.txt"
WORDS, TOKENIZER = "words", "tokenizer"
_FORMAT_VERSION = 4
_DTYPES = {1: "u8", 2: "u16", 4: "u32"}
_NO_LIMIT = 10**12
_LONGEST_READ_TOKENS = 1_000_000
_SMALL_BYTES = 64 * 100_000
"""Below it the indexing of infini-gram may have left suffixes out, given many processors."""
_SAMPLE = 20  # documents by which a tokenizer is recognised
_REBUILD = "Build it again: python -m infini_gram.indexing … --cpus 1"


def is_infinigram(path: Path) -> bool:
    """Whether a directory holds an index in infini-gram's format."""
    return all((path / f"{part}.0").is_file() for part in ("tokenized", "table", "offset"))


def open_local(path: Path, *, tokenizer: Path | None = None) -> InfiniGramIndex:
    """Open a directory in infini-gram's format.

    Args:
        path: The directory.
        tokenizer: A `tokenizer.json`; None: the one in the directory. Not needed where tokens are
            words (exports of averment) or bytes.

    Raises:
        MissingExtraError: The engine is not installed.
        IndexFormatError: A file is missing, of another length than it should be, or was built
            without all suffixes.
        UsageError: The index has tokens of a tokenizer, and none is named, or another one.
    """
    try:
        from infini_gram.engine import InfiniGramEngine
    except ImportError as error:
        raise MissingExtraError("Indexes in infini-gram's format", "infinigram") from error
    n_shards = _check_files(path)
    width = _token_bytes(path)
    told = _description(path)
    encoding = _encoding(path, told, width, tokenizer)
    engine = InfiniGramEngine(
        index_dir=str(path),
        eos_token_id=0,
        vocab_size=2 ** (8 * width) - 1,
        version=_FORMAT_VERSION,
        token_dtype=_DTYPES[width],
    )
    if isinstance(encoding, TokenizerEncoding):
        _check_tokenizer(path, engine, encoding)
    info = CorpusInfo(
        name=path.absolute().name,
        format_version=_FORMAT_VERSION,
        engine="infini-gram",
        text_form=encoding.matching.identity,
        n_documents=int(engine.get_total_doc_cnt()),
        n_words=told.get("n_words"),
        n_terms=told.get("n_terms"),
        n_segments=n_shards,
        n_passages=0,
        n_deleted_documents=0,
        counts_bytes=sum(file.stat().st_size for file in path.iterdir() if file.is_file()),
        passages_bytes=0,
        generation=1,
        digest=told.get("digest") or _digest(path),
        built_at=_written_at(path),
        entity_threshold_documents=None,
        tells_documents=False,
    )
    return InfiniGramIndex(LocalEngine(engine, encoding), info)


class LocalEngine:
    """A `Source`: infini-gram's engine in this process."""

    most_read = 100
    most_tokens_apart = 10**9
    most_terms = 1000

    def __init__(self, engine: Any, encoding: Encoding) -> None:
        self._engine = engine
        self._encoding = encoding
        self.matching = encoding.matching
        self.is_exact_text = encoding.is_exact_text
        self.tokens_per_word = encoding.tokens_per_word

    def find(self, spellings: Sequence[str]) -> list[Found | Refused]:
        """The occurrences of each phrase."""
        return [self._find(spelling) for spelling in spellings]

    def _find(self, spelling: str) -> Found | Refused:
        token_ids = self._encoding.encode(spelling)
        if token_ids is None:
            return Found((), 0, ())
        reply = self._engine.find(input_ids=list(token_ids))
        if "error" in reply:
            return Refused(f"infini-gram: {reply['error']}")
        segments = tuple((low, high) for low, high in reply["segment_by_shard"])
        return Found(token_ids, reply["cnt"], segments)

    def count_near(
        self, pairs: Sequence[tuple[Sequence[TokenIds], Sequence[TokenIds]]], *, n_tokens: int
    ) -> list[int | Refused]:
        """How often any form of one name starts within so many tokens of one of another, about."""
        found: list[int | Refused] = []
        for pair in pairs:
            reply = self._engine.count_cnf(
                cnf=[[list(term) for term in clause] for clause in pair],
                max_clause_freq=_NO_LIMIT,
                max_diff_tokens=n_tokens,
            )
            wrong = reply.get("error")
            found.append(Refused(f"infini-gram: {wrong}") if wrong else reply["count"])
        return found

    def documents(self, ranks: Sequence[Rank]) -> list[ForeignDocument | Refused]:
        """The document of each occurrence; each is read once."""
        numbers = self._numbers(ranks)
        read: dict[int, ForeignDocument | Refused] = {
            number: self._document(number) for number in dict.fromkeys(numbers)
        }
        return [read[number] for number in numbers]

    def _document(self, number: int) -> ForeignDocument | Refused:
        reply = self._engine.get_doc_by_ix(doc_ix=number, max_disp_len=_LONGEST_READ_TOKENS)
        if "error" in reply:
            return Refused(f"infini-gram: {reply['error']}")
        document_id, title = document_of(reply["metadata"], number)
        text = self._encoding.decode(reply["token_ids"])
        is_whole = reply["disp_len"] == reply["doc_len"]
        return ForeignDocument(number, document_id, title, text, is_whole)

    def document_numbers(self, found: Sequence[Found]) -> list[int]:
        """The documents of all these occurrences, as numbers."""
        return self._numbers(list(chain.from_iterable(each.ranks(each.n) for each in found)))

    def _numbers(self, ranks: Sequence[Rank]) -> list[int]:
        # One by one: the method for many calls another one that is not there (2.6.0).
        ask = self._engine.get_doc_by_rank
        return [ask(s=shard, rank=rank, max_disp_len=1)["doc_ix"] for shard, rank in ranks]


# --- what is looked at before a file is opened ----------------------------------------------------


def _check_files(path: Path) -> int:
    """The number of shards, all of whose files fit together."""
    parts = {
        part: {
            int(file.suffix[1:])
            for file in path.glob(f"{part}.*")
            if re.fullmatch(r"\.\d+", file.suffix)
        }
        for part in ("tokenized", "table", "offset")
    }
    shards = parts["tokenized"]
    if any(numbers != set(range(len(shards))) for numbers in parts.values()):
        told = ", ".join(f"{part}.* {sorted(numbers)}" for part, numbers in parts.items())
        raise IndexFormatError(f"The shards of {path} are not complete: {told}.", hint=_REBUILD)
    for shard in sorted(shards):
        _check_shard(path, shard)
    return len(shards)


def _check_shard(path: Path, shard: int) -> None:
    tokens, table = (path / f"{part}.{shard}" for part in ("tokenized", "table"))
    n_bytes, n_table_bytes = tokens.stat().st_size, table.stat().st_size
    width = _token_bytes(path, shard)
    pointer = _pointer_bytes(n_bytes)
    starts = path / f"offset.{shard}"
    offsets = np.fromfile(starts, dtype="<u8")
    n_tokens = n_bytes // width
    fits = n_bytes % width == 0 and n_table_bytes == n_tokens * pointer
    fits = fits and starts.stat().st_size == 8 * len(offsets) > 0
    if not fits or offsets[0] != 0 or (np.diff(offsets.astype(np.int64)) <= 0).any():
        raise IndexFormatError(f"Shard {shard} of {path} has files that do not fit.", hint=_REBUILD)
    if offsets[-1] >= n_bytes:
        raise IndexFormatError(f"{tokens} is shorter than its documents.", hint=_REBUILD)
    if n_bytes > _SMALL_BYTES:
        return
    suffixes = np.zeros(n_tokens, dtype=np.int64)
    columns = np.fromfile(table, dtype=np.uint8).reshape(n_tokens, pointer)
    for at in range(pointer):
        suffixes |= columns[:, at].astype(np.int64) << (8 * at)
    n_different = len(np.unique(suffixes))
    if n_different != n_tokens:
        raise IndexFormatError(
            f"{table} has {n_different:,} of {n_tokens:,} suffixes, so that its counts are wrong: "
            "infini-gram's indexing leaves some out where a job has less than 100,000 bytes.",
            hint=_REBUILD,
        )


def _pointer_bytes(n_bytes: int) -> int:
    return math.ceil(math.log2(n_bytes) / 8) if n_bytes > 1 else 1


def _token_bytes(path: Path, shard: int = 0) -> int:
    """Bytes of a token, which no file says but the sizes of two do."""
    n_bytes = (path / f"tokenized.{shard}").stat().st_size
    n_table_bytes = (path / f"table.{shard}").stat().st_size
    pointer = _pointer_bytes(n_bytes)
    width = n_bytes * pointer / n_table_bytes if n_table_bytes else 0
    if width not in _DTYPES:
        raise IndexFormatError(
            f"table.{shard} and tokenized.{shard} of {path} do not fit: {n_table_bytes:,} and "
            f"{n_bytes:,} bytes.",
            hint=_REBUILD,
        )
    return int(width)


def _description(path: Path) -> dict[str, Any]:
    file = path / DESCRIPTION
    if not file.exists():
        return {}
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        if told["tokens"] not in (WORDS, TOKENIZER):
            raise ValueError(f"tokens are {told['tokens']!r}")
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise IndexFormatError(f"{file} is damaged: {error!r}.", hint="Export it again.") from error
    found: dict[str, Any] = told
    return found


def _encoding(path: Path, told: dict[str, Any], width: int, tokenizer: Path | None) -> Encoding:
    if told.get("tokens") == WORDS:
        form = TextForm(fold_accents=bool(told.get("fold_accents")))
        if told.get("text_form") != form.identity:
            raise IndexFormatError(
                f"{path} has words of the text form {told.get('text_form')!r}; this Python has "
                f"{form.identity!r}.",
                hint="Export it again.",
            )
        content = (path / VOCABULARY).read_bytes() if (path / VOCABULARY).exists() else b""
        if hashlib.sha256(content).hexdigest() != told.get("vocabulary_sha256"):
            raise IndexFormatError(
                f"{path / VOCABULARY} is not the one of this index.", hint="Export it again."
            )
        return WordEncoding(content.decode().split("\n"), form)
    if width == 1:
        return ByteEncoding()
    own = path / "tokenizer.json"
    if tokenizer is None and not own.exists():
        raise UsageError(
            f"The index {path} has tokens of a tokenizer, which it does not say.",
            hint="Put the tokenizer.json of its model there, or name it: "
            "AVERMENT_INFINIGRAM_TOKENIZER=FILE",
        )
    found = read_tokenizer(tokenizer or own)
    if told.get("tokenizer_sha256") not in (None, found.digest):
        raise UsageError(
            f"{tokenizer or own} is not the tokenizer that {path} was built with.",
            hint="Leave it out: the index has its own.",
        )
    return found


def _check_tokenizer(path: Path, engine: Any, encoding: TokenizerEncoding) -> None:
    """Documents of the index must come out of the tokenizer as they went in.

    Raises:
        UsageError: They do not, so that counts would be of other words.
    """
    n = int(engine.get_total_doc_cnt())
    n_same = n_read = 0
    for number in dict.fromkeys(np.linspace(0, n - 1, num=min(n, _SAMPLE), dtype=int).tolist()):
        tokens = engine.get_doc_by_ix(doc_ix=number, max_disp_len=1000)["token_ids"]
        if not tokens:
            continue
        n_read += 1
        if max(tokens) < encoding.n_tokens:
            # What is cut off in the middle of a word may end otherwise.
            again = encoding.tokens(encoding.decode(tokens))
            n_same += again[: len(tokens) * 9 // 10] == tokens[: len(tokens) * 9 // 10]
    if 2 * n_same < n_read:
        raise UsageError(
            f"The tokens of {path} are not those of the tokenizer {encoding.digest[:12]}: of "
            f"{n_read} documents, {n_same} come out as they are.",
            hint="Name the tokenizer.json of the model that the index was built for: "
            "AVERMENT_INFINIGRAM_TOKENIZER=FILE",
        )


def _digest(path: Path) -> str:
    """Of the sizes of all files and the ends of those of tokens; to read all would take long."""
    told = hashlib.sha256()
    for file in sorted(path.glob("*.*")):
        told.update(f"{file.name} {file.stat().st_size}\n".encode())
    for file in sorted(path.glob("tokenized.*")):
        with file.open("rb") as stream:
            told.update(stream.read(1 << 20))
            stream.seek(max(0, file.stat().st_size - (1 << 20)))
            told.update(stream.read())
    return told.hexdigest()


def _written_at(path: Path) -> str:
    written = (path / "table.0").stat().st_mtime
    return datetime.datetime.fromtimestamp(written, tz=datetime.UTC).isoformat()
