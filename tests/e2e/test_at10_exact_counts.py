"""AT-10: counts are exact; what is missing makes them lower bounds, never silence."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import averment
from averment.cli.app import run
from averment.errors import IndexFormatError
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex
from averment.models.scripted import ScriptedModel
from averment.text import TextForm
from averment.types import Cooccurrence, Count, CountKind, Document
from contracts.disk import disk_without_fsync  # noqa: F401
from contracts.index_engines import EACH_ENGINE

WINDOW = 1000


@pytest.fixture(scope="module", params=EACH_ENGINE)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def build(path: Path, documents: Sequence[Document], **options: object) -> EmbeddedIndex:
    with IndexWriter(path, **options) as writer:  # type: ignore[arg-type]
        for document in documents:
            writer.add(document)
        writer.publish()
    return averment.open_index(path)


def test_two_frequent_names_that_meet_once_meet_once(tmp_path: Path, engine: str) -> None:
    """Each of 60,000 occurrences, where a sampling engine finds nothing."""
    documents = [
        Document(f"{name}{n}", f"{name} x y " * 2000)
        for name in ("alba", "bern")
        for n in range(30)
    ]
    filler = " z" * (WINDOW - 1)
    documents.append(Document("together", f"alba{filler} bern"))
    documents.append(Document("too far apart", f"alba z{filler} bern"))
    index = build(tmp_path / "i", documents, engine=engine)

    (found,) = index.cooccurrence([("alba", "bern")], window_words=WINDOW)

    assert [count.value for count in index.count(["alba", "bern"])] == [60_002, 60_002]
    assert found == Cooccurrence(True, 1, 1, WINDOW, CountKind.EXACT)
    assert index.exists([("alba", "bern")], window_words=WINDOW - 1) == [False]


# --- ten thousand random questions ----------------------------------------------------------------

VOCABULARY = [f"w{n}" for n in range(40)]


class BruteForce:
    """Looks at every word of every document, with no thought of speed but dictionaries."""

    def __init__(self, texts: Sequence[list[str]]) -> None:
        self._texts = texts

    def starts(self, phrase: str) -> list[list[int]]:
        """By document, where the phrase starts."""
        wanted = phrase.split()
        n = len(wanted)
        return [
            [
                i
                for i in range(len(words) - n + 1)
                if words[i] == wanted[0] and words[i : i + n] == wanted
            ]
            for words in self._texts
        ]


def questions(chance: random.Random, texts: Sequence[list[str]]) -> Iterator[str]:
    """Phrases of the text and of any words, half and half; some at the ends of documents."""
    while True:
        n_words = chance.choice([1, 1, 2, 2, 3])
        if chance.random() < 0.5:
            words = chance.choice(texts)
            at = chance.choice([0, len(words) - n_words, chance.randrange(len(words))])
            yield " ".join(words[max(at, 0) : max(at, 0) + n_words])
        else:
            yield " ".join(chance.choices(VOCABULARY, k=n_words))


def test_ten_thousand_random_questions_equal_brute_force(tmp_path: Path, engine: str) -> None:
    chance = random.Random(10)
    texts = [
        chance.choices(VOCABULARY, [1 / (n + 1) for n in range(40)], k=chance.randrange(3, 90))
        for _ in range(60)
    ]
    documents = [Document(str(n), " ".join(words)) for n, words in enumerate(texts)]
    index = build(tmp_path / "i", documents, engine=engine, words_per_segment=1000)
    brute = BruteForce(texts)
    asked = questions(chance, texts)
    known = [next(asked) for _ in range(300)]
    starts = {phrase: brute.starts(phrase) for phrase in known}
    phrases = chance.choices(known, k=5000)
    pairs = [(chance.choice(known), chance.choice(known)) for _ in range(5000)]

    counts = index.count(phrases)
    for window in (0, 1, 7, 30, WINDOW):
        found = index.cooccurrence(pairs, window_words=window)
        assert index.exists(pairs, window_words=window) == [each.exists for each in found]
        expected = [
            [
                sum(abs(i - j) <= window for i in in_a for j in in_b)
                for in_a, in_b in zip(starts[a], starts[b], strict=True)
                if in_a and in_b
            ]
            for a, b in pairs[:1000]
        ]
        assert [each.pairs for each in found[:1000]] == [sum(each) for each in expected]
        assert [each.documents for each in found[:1000]] == [
            sum(n > 0 for n in each) for each in expected
        ]

    assert index.info.n_segments > 1
    assert counts == [
        Count(sum(map(len, starts[p])), sum(map(bool, starts[p])), CountKind.EXACT) for p in phrases
    ]


# --- a part of the index is gone ------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path: Path, engine: str) -> Path:
    """An index of two segments, one of which cannot be read."""
    documents = [
        Document("reno", "Silas Hardy came to Reno in 1867."),
        Document("wells", "Silas Hardy left for Wells Fargo."),
    ]
    averment.build_index(documents, tmp_path / "i")  # with passages to retrieve
    with IndexWriter(tmp_path / "i", engine=engine, words_per_segment=0) as writer:
        from averment.corpus.passages import cut_passages
        from averment.retrieval.bm25 import build_bm25

        for document in documents:
            writer.add(document, cut_passages(document))
        build_bm25(writer.passages(), writer.extra_directory("bm25"))
        writer.publish()
    manifest = json.loads((tmp_path / "i" / "MANIFEST.json").read_text())
    name = manifest["segments"][0]["name"]
    for file in (tmp_path / "i" / "counts" / name).iterdir():
        os.truncate(file, 3)
    return tmp_path / "i"


def test_an_unreadable_segment_is_refused_unless_lower_bounds_are_asked_for(damaged: Path) -> None:
    with pytest.raises(IndexFormatError, match="shorter"):
        averment.open_index(damaged)

    index = averment.open_index(damaged, damaged_segments="lower_bound")

    assert index.count(["Silas Hardy"]) == [Count(1, 1, CountKind.LOWER_BOUND)]
    assert index.exists(
        [("Silas Hardy", "Reno"), ("Silas Hardy", "Wells Fargo")], window_words=9
    ) == [
        None,
        True,
    ]


def test_the_command_line_says_lower_bound(
    damaged: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = run(["index", "cooccur", "Silas Hardy", "Reno", "--index", str(damaged)])
    capsys.readouterr()
    monkeypatch.setenv("AVERMENT_DAMAGED_SEGMENTS", "lower_bound")

    done = run(["index", "cooccur", "Silas Hardy", "Reno", "--index", str(damaged)])
    told = capsys.readouterr()
    run(["index", "count", "Silas Hardy", "--show", "0", "--index", str(damaged)])
    counted = capsys.readouterr().out

    assert (refused, done) == (3, 0)
    assert counted == "Silas Hardy: at least 1 time in at least 1 document (lower_bound)\n"
    assert "a part of the index is missing or was not read (lower_bound)" in told.out
    assert "left out, so counts are lower bounds" in caplog.text


def test_a_claim_that_only_the_missing_part_could_deny_is_not_passed_in_silence(
    damaged: Path,
) -> None:
    model = ScriptedModel(["Silas Hardy came to Reno.", "So the answer is: Reno."] * 4)
    with averment.open_engine(
        index=damaged, model=model, policy="quco", damaged_segments="lower_bound"
    ) as engine:
        answer = engine.ask("Where did Silas Hardy come to?")

    assert answer.verdict != "answered"
    assert all(claim.support != "present" for claim in answer.claims)


# --- names are data -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "Simon AND Garfunkel",
        'the "Iron" Duke',
        "Ann\nHardy",
        "O'Brien OR not",
        "x NEAR/3 y",
        "a* -b",
    ],
)
def test_operators_quotes_and_newlines_in_names_are_data(
    tmp_path: Path, engine: str, name: str
) -> None:
    words = TextForm().words(name)
    documents = [
        Document("whole", f"It was {name} who sang."),
        Document("apart", " ".join(f"{word} and so on" for word in reversed(words))),
    ]
    index = build(tmp_path / "i", documents, engine=engine)

    assert index.count([name]) == [Count(1, 1, CountKind.EXACT)]
    assert index.exists([(name, "sang"), (name, "so on")], window_words=20) == [True, False]
