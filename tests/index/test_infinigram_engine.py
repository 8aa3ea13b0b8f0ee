"""infini-gram's own engine behind the port: where it counts wrong, nothing wrong is called exact.

The four faults are those of infini-gram 2.6.0 as they were measured, each isolated; what its engine
says is asserted, too, so that a version without a fault is noticed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("infini_gram", reason="infini-gram is not installed")

from averment.errors import IndexFormatError, UsageError
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.index.infinigram.encodings import N_DIRECT, WordEncoding, tokens_of
from averment.index.infinigram.export import export_infinigram
from averment.index.infinigram.index import InfiniGramIndex
from averment.index.infinigram.local import LocalEngine, is_infinigram, open_local
from averment.text import TextForm
from averment.types import Cooccurrence, Count, CountKind, Document, Support
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_contract import FORTH, HARDY, corpus

EXACT, LOWER, ESTIMATE = CountKind.EXACT, CountKind.LOWER_BOUND, CountKind.ESTIMATE
A, B, FILLER = "alba", "bern", "x"


def own_index(path: Path, documents: Sequence[Document], **options: Any) -> EmbeddedIndex:
    with IndexWriter(path, **options) as writer:
        for document in documents:
            writer.add(document)
        writer.publish()
    return open_embedded(path)


def filled(n_words: int, **at: int) -> str:
    """Words that mean nothing, and the two names at some places."""
    words = [f"{FILLER}{number % 997}" for number in range(n_words)]
    for name, place in at.items():
        words[place] = name
    return " ".join(words)


def both(tmp_path: Path, texts: Sequence[str]) -> tuple[EmbeddedIndex, InfiniGramIndex]:
    """The same documents in an index of ours and in infini-gram's."""
    own = own_index(tmp_path / "own", corpus(*texts))
    export_infinigram(own, tmp_path / "theirs")
    return own, open_local(tmp_path / "theirs")


def engine_says(index: InfiniGramIndex, **options: int) -> dict[str, Any]:
    """What infini-gram itself counts for the two names."""
    source = index._source
    assert isinstance(source, LocalEngine)
    cnf = [[list(source._encoding.encode(name) or ())] for name in (A, B)]
    reply: dict[str, Any] = source._engine.count_cnf(cnf=cnf, **options)
    return reply


# --- fault 1: the border of a document ------------------------------------------------------------


@pytest.fixture(scope="module")
def at_borders(tmp_path_factory: pytest.TempPathFactory) -> tuple[EmbeddedIndex, InfiniGramIndex]:
    """B stands 10 words before A, and again in the next document within 1,000 words."""
    texts = [filled(300, alba=250, bern=240), filled(300, bern=50), filled(300)] * 40
    return both(tmp_path_factory.mktemp("borders"), texts)


def test_pairs_that_infini_gram_loses_at_borders_are_read(
    at_borders: tuple[EmbeddedIndex, InfiniGramIndex],
) -> None:
    own, theirs = at_borders
    [truth] = own.cooccurrence([(A, B)], window_words=200)

    assert engine_says(theirs, max_diff_tokens=200) == {"count": 0, "approx": False}
    assert truth == Cooccurrence(True, 40, 40, 10, EXACT)
    assert theirs.cooccurrence([(A, B)], window_words=200) == [truth]
    assert theirs.exists([(A, B)], window_words=200) == [True]


def test_a_zero_for_frequent_names_is_looked_into(
    at_borders: tuple[EmbeddedIndex, InfiniGramIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, theirs = at_borders
    monkeypatch.setattr(LocalEngine, "most_read", 5)

    [found] = theirs.cooccurrence([(A, B)], window_words=200)

    assert found == Cooccurrence(True, 5, 5, 10, LOWER)
    assert found.support() is Support.PRESENT


# --- faults 2 and 3: samples ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> tuple[EmbeddedIndex, InfiniGramIndex]:
    """120 times A, of which 3 meet a B; A's meetings sort last by what follows."""
    texts = []
    for number in range(120):
        meets = number in (3, 77, 110)
        words = filled(200, alba=100, bern=110 if meets else 190).split()
        words[101] = "zz" if meets else f"a{number % 7}"
        texts.append(" ".join(words))
    return both(tmp_path_factory.mktemp("sampled"), texts)


def test_samples_that_infini_gram_does_not_speak_of_are_not_taken(
    sampled: tuple[EmbeddedIndex, InfiniGramIndex],
) -> None:
    own, theirs = sampled
    [truth] = own.cooccurrence([(A, B)], window_words=20)

    found = [engine_says(theirs, max_diff_tokens=20, max_clause_freq=cap) for cap in (120, 100, 61)]
    [ours] = theirs.cooccurrence([(A, B)], window_words=20)

    assert (truth.pairs, found[0]) == (3, {"count": 3, "approx": False})
    assert found[1]["count"] < 3  # without a word
    assert not found[1]["approx"]
    assert found[2]["count"] != 3
    assert (ours.exists, ours.pairs, ours.kind) == (True, 3, ESTIMATE)  # 120 are not read


def test_a_sorted_sample_without_a_meeting_is_not_taken_for_absence(
    sampled: tuple[EmbeddedIndex, InfiniGramIndex],
) -> None:
    _, theirs = sampled

    assert engine_says(theirs, max_diff_tokens=20, max_clause_freq=12)["count"] in (0, 30)
    assert theirs.exists([(A, B)], window_words=20) == [True]


# --- fault 4: a small corpus ----------------------------------------------------------------------


def test_an_index_that_was_built_without_all_suffixes_is_refused(tmp_path: Path) -> None:
    tokens = np.random.default_rng(1).integers(100, 60_000, 60_000).astype(np.uint16)
    tokens[::300], tokens[7::300] = 0xFFFF, 1
    tokens.tofile(tmp_path / "tokenized.0")
    (np.arange(0, len(tokens), 300) * 2).astype(np.uint64).tofile(tmp_path / "offset.0")
    (tmp_path / "empty").mkdir()
    command = [sys.executable, "-m", "infini_gram.indexing", "--data_dir", str(tmp_path / "empty")]
    command += ["--save_dir", str(tmp_path), "--cpus", "2", "--mem", "4", "--ulimit", "1024"]
    subprocess.run(command, check=True, capture_output=True)  # with 2 processors it exits with 0

    with pytest.raises(IndexFormatError, match=r"of 60,000 suffixes.*--cpus 1"):
        open_local(tmp_path)


# --- exports --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("exported")
    own = own_index(directory / "own", corpus(HARDY, FORTH, "!!!"))
    export_infinigram(own, directory / "theirs")
    return directory / "theirs"


def test_an_export_knows_what_it_was_made_of(exported: Path) -> None:
    own = open_embedded(exported.parent / "own").info
    info = open_local(exported).info

    assert (info.n_documents, info.n_words, info.n_terms) == (3, own.n_words, own.n_terms)
    assert (info.digest, info.text_form) == (own.digest, own.text_form)
    assert (info.entity_threshold_documents, info.tells_documents) == (None, False)
    assert is_infinigram(exported)


def test_counts_of_words_that_are_two_tokens_are_exact() -> None:
    words = [f"w{number}" for number in range(N_DIRECT + 3000)]
    encoding = WordEncoding(words, TextForm())
    phrase = f"w1 w{N_DIRECT} w{N_DIRECT + 2999}"

    tokens = encoding.encode(phrase)

    assert tokens is not None
    assert len(tokens) == 5
    assert encoding.decode(tokens) == phrase
    assert encoding.encode("w1 nowhere") is None
    every = tokens_of(range(0, len(words), 100))
    assert max(every) < 0xFF00
    assert encoding.decode(every).split() == words[::100]


def changed(exported: Path, target: Path, change: Callable[[Path], object]) -> Path:
    shutil.copytree(exported, target)
    change(target)
    return target


def cut(name: str) -> Callable[[Path], object]:
    return lambda path: (path / name).write_bytes((path / name).read_bytes()[:-2])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(cut("table.0"), "do not fit", id="a shorter table"),
        pytest.param(cut("tokenized.0"), "do not fit", id="fewer tokens"),
        pytest.param(cut("offset.0"), "do not fit", id="offsets cut off"),
        pytest.param(lambda p: (p / "tokenized.1").touch(), "not complete", id="half a shard"),
        pytest.param(cut("vocabulary.txt"), "not the one of this index", id="another vocabulary"),
        pytest.param(
            lambda p: (p / "averment.json").write_text("{}"), "damaged", id="no description"
        ),
        pytest.param(
            lambda p: (p / "averment.json").write_text('{"tokens": "words", "text_form": "x"}'),
            "text form 'x'",
            id="another text form",
        ),
    ],
)
def test_a_damaged_index_is_refused_and_does_not_end_the_process(
    exported: Path, tmp_path: Path, change: Callable[[Path], object], told: str
) -> None:
    with pytest.raises(IndexFormatError, match=told):
        open_local(changed(exported, tmp_path / "changed", change))


def test_an_export_goes_where_nothing_is(exported: Path) -> None:
    with pytest.raises(UsageError, match="is there already"):
        export_infinigram(open_embedded(exported.parent / "own"), exported)


# --- tokens of a tokenizer, and bytes -------------------------------------------------------------

TEXTS = [
    "Silas Hardy was born in 1842. He came to Reno in 1867; Hardy died there.",
    "The Forth Bridge crosses the Forth. It opened in 1890. Silas Hardy never saw Reno again.",
    "Renoir painted in Paris.\nReno is a town. RENO is not.",
]


def tokenizer_file(path: Path, text: str) -> Path:
    """A small byte-level BPE, as GPT-2's is."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator([text], trainer)
    made.save(str(path))
    return path


@pytest.fixture(scope="module")
def in_tokens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tokens")
    own = own_index(directory / "own", corpus(*TEXTS))
    tokenizer = tokenizer_file(directory / "tokenizer.json", " ".join(TEXTS))
    export_infinigram(own, directory / "theirs", tokenizer=tokenizer)
    return directory / "theirs"


def test_tokens_of_a_tokenizer_count_what_is_written_so(in_tokens: Path) -> None:
    index = open_local(in_tokens)

    counts = index.count(["Silas Hardy", "silas hardy", "RENO", "Kumbasaram"])
    [near, far] = index.cooccurrence([("Silas Hardy", "1867"), ("1890", "1867")], window_words=50)
    [found] = index.locate("Reno", limit=1)

    assert [(count.value, count.kind) for count in counts] == [
        (1, EXACT),  # that at the beginning of a text is not after a blank
        (0, EXACT),
        (1, EXACT),
        (0, EXACT),
    ]
    assert far == Cooccurrence(False, 0, 0, None, EXACT)
    assert near.exists is not True or near.pairs == 1
    assert (found.document_id, TEXTS[0][found.start : found.end]) == ("d0", "Reno")


def test_another_tokenizer_is_refused(in_tokens: Path, tmp_path: Path) -> None:
    other = tokenizer_file(tmp_path / "other.json", "completely other words " * 50)

    with pytest.raises(UsageError, match="is not the tokenizer"):
        open_local(in_tokens, tokenizer=other)


def test_another_tokenizer_is_recognised_by_the_documents(in_tokens: Path, tmp_path: Path) -> None:
    """Indexes of others do not say which tokenizer they were built with."""
    foreign = changed(in_tokens, tmp_path / "f", lambda path: (path / "averment.json").unlink())
    (foreign / "tokenizer.json").rename(tmp_path / "right.json")
    other = tokenizer_file(tmp_path / "other.json", "completely other words " * 50)

    with pytest.raises(UsageError, match="AVERMENT_INFINIGRAM_TOKENIZER"):
        open_local(foreign)
    with pytest.raises(UsageError, match="come out as they are"):
        open_local(foreign, tokenizer=other)
    assert open_local(foreign, tokenizer=tmp_path / "right.json").count(["RENO"])[0].value == 1


def test_bytes_need_no_tokenizer(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    lines = [json.dumps({"text": text}) + "\n" for text in TEXTS]
    (source / "corpus.jsonl").write_text("".join(lines))
    tokens = b"".join(b"\xff" + text.encode() for text in TEXTS)
    starts = [0, 1 + len(TEXTS[0]), 2 + len(TEXTS[0]) + len(TEXTS[1])]
    target = tmp_path / "bytes"
    target.mkdir()
    (target / "tokenized.0").write_bytes(tokens)
    np.array(starts, dtype=np.uint64).tofile(target / "offset.0")
    command = [sys.executable, "-m", "infini_gram.indexing", "--data_dir", str(source)]
    command += ["--save_dir", str(target), "--cpus", "1", "--mem", "4", "--ulimit", "1024"]
    subprocess.run([*command, "--token_dtype", "u8"], check=True, capture_output=True)

    index = open_local(target)

    assert [count.value for count in index.count(["Reno", "Forth Bridge", "reno"])] == [2, 1, 0]
    [pair] = index.cooccurrence([("Hardy", "Reno")], window_words=9)
    assert (pair.exists, pair.kind) == (True, EXACT)
    assert index.count(["Hardy"]) == [Count(3, 2, EXACT)]
