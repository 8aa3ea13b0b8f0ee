"""What averment's index is measured beside, in its best case: FTS5, tantivy, infini-gram.

Each rival is built by `build` and opened by `opener`, which prepares what is not the rival's work
(such as spelling out a vocabulary) and returns the act of opening. Then it is asked in the same
shape as the index. What one cannot answer, it lacks as a method:

    fts5         documents of phrases and of windows (from the end of one to the start of the other)
    tantivy      documents of phrases; of pairs it knows no window: documents that hold both
    infini-gram  occurrences of phrases and of windows, the latter sampled above a cap
"""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from bench_corpus import BenchCorpus, Pair

BUILD_THREADS = 2


class Rival(Protocol):
    """An index of another maker, open."""

    name: ClassVar[str]

    @staticmethod
    def version() -> str:
        """Of the library."""
        ...

    @staticmethod
    def build(corpus: BenchCorpus, target: pathlib.Path) -> None:
        """From the documents, all work included."""
        ...

    @classmethod
    def opener(cls, corpus: BenchCorpus, path: pathlib.Path) -> Callable[[], Rival]:
        """The act of opening it."""
        ...

    def count(self, phrases: Sequence[str]) -> list[int]:
        """How often each phrase occurs, in the rival's unit."""
        ...

    def exists(self, pairs: Sequence[Pair]) -> list[bool]:
        """Whether each pair meets, as far as the rival can tell."""
        ...


class Fts5:
    """A table with positions and without the text: no journal, no sync, one merged tree."""

    name = "fts5"

    def __init__(self, file: pathlib.Path, window_words: int) -> None:
        connection = sqlite3.connect(file)
        connection.execute("pragma cache_size=-2000000")
        connection.execute("pragma mmap_size=8000000000")
        self._ask, self._window_words = connection.execute, window_words

    @staticmethod
    def version() -> str:
        """Of SQLite."""
        return sqlite3.sqlite_version

    @staticmethod
    def build(corpus: BenchCorpus, target: pathlib.Path) -> None:
        """One thread; it has no more."""
        # The nearest to the words of averment: for ASCII the fastest, else the same categories.
        cut = "ascii" if corpus.is_plain else "unicode61 remove_diacritics 0 categories 'L* M* N*'"
        cut = cut.replace("'", "''")
        connection = sqlite3.connect(target, isolation_level=None)
        for statement in (
            "pragma journal_mode=off",
            "pragma synchronous=off",
            "pragma cache_size=-1000000",
            f"create virtual table t using fts5(text, content='', detail=full, tokenize='{cut}')",
            "insert into t(t, rank) values('automerge', 0)",
            "begin",
        ):
            connection.execute(statement)
        rows = ((document.text,) for document in corpus.documents())
        connection.executemany("insert into t(text) values(?)", rows)
        connection.execute("commit")
        connection.execute("insert into t(t) values('optimize')")
        connection.close()

    @classmethod
    def opener(cls, corpus: BenchCorpus, path: pathlib.Path) -> Callable[[], Fts5]:
        """Open the file, or so SQLite says: it reads it at the first question."""
        return lambda: cls(path, corpus.window_words)

    @staticmethod
    def add(path: pathlib.Path, texts: Sequence[str]) -> None:
        """New documents, durable by SQLite's defaults."""
        connection = sqlite3.connect(path)
        connection.executemany("insert into t(text) values(?)", ((text,) for text in texts))
        connection.commit()
        connection.close()

    def _matches(self, what: str, match: str) -> Any:
        found = self._ask(f"select {what} where t match ? limit 1", (match,)).fetchone()
        return found[0] if found else 0

    def _near(self, pair: Pair, window_words: int) -> str:
        return f'NEAR("{pair[0]}" "{pair[1]}", {window_words})'

    def count(self, phrases: Sequence[str]) -> list[int]:
        """Documents of each phrase."""
        return [self._matches("count(*) from t", f'"{phrase}"') for phrase in phrases]

    def documents(self, pairs: Sequence[Pair], window_words: int | None = None) -> list[int]:
        """Documents that hold each pair within the window."""
        window = self._window_words if window_words is None else window_words
        return [self._matches("count(*) from t", self._near(pair, window)) for pair in pairs]

    def exists(self, pairs: Sequence[Pair]) -> list[bool]:
        """Whether there is such a document, stopping at the first."""
        window = self._window_words
        return [bool(self._matches("1 from t", self._near(pair, window))) for pair in pairs]


class Tantivy:
    """Positions indexed, nothing stored, two threads, segments as its own policy merges them."""

    name = "tantivy"

    def __init__(self, path: pathlib.Path, is_plain: bool) -> None:
        import tantivy

        self._query, self._must = tantivy.Query, tantivy.Occur.Must
        self._schema = self._made_schema()
        index = self._made(path, is_plain)
        index.reload()
        self._searcher = index.searcher()

    @staticmethod
    def _made_schema() -> Any:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", False, tokenizer_name="words", index_option="position")
        return builder.build()

    @classmethod
    def _made(cls, path: pathlib.Path, is_plain: bool) -> Any:
        import tantivy

        cut = tantivy.Tokenizer.whitespace() if is_plain else tantivy.Tokenizer.simple()
        analyzer = tantivy.TextAnalyzerBuilder(cut)
        if not is_plain:
            analyzer = analyzer.filter(tantivy.Filter.lowercase())
        index = tantivy.Index(cls._made_schema(), path=str(path))
        index.register_tokenizer("words", analyzer.build())
        return index

    @staticmethod
    def version() -> str:
        """Of the Python package."""
        return importlib.metadata.version("tantivy")

    @classmethod
    def build(cls, corpus: BenchCorpus, target: pathlib.Path) -> None:
        """Two threads and a gigabyte; merges are waited for."""
        target.mkdir()
        texts = (document.text for document in corpus.documents())
        cls._write(cls._made(target, corpus.is_plain), texts, 1_000_000_000)

    @staticmethod
    def _write(index: Any, texts: Any, heap_bytes: int) -> None:
        import tantivy

        writer = index.writer(heap_size=heap_bytes, num_threads=BUILD_THREADS)
        for text in texts:
            document = tantivy.Document()
            document.add_text("text", text)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()

    @classmethod
    def opener(cls, corpus: BenchCorpus, path: pathlib.Path) -> Callable[[], Tantivy]:
        """Open the directory and a searcher."""
        import tantivy  # noqa: F401  (not the rival's work)

        return lambda: cls(path, corpus.is_plain)

    @classmethod
    def add(cls, path: pathlib.Path, texts: Sequence[str], is_plain: bool = True) -> None:
        """New documents, committed; also what merges this sets off."""
        cls._write(cls._made(path, is_plain), texts, 100_000_000)

    def _phrase(self, phrase: str) -> Any:
        words: list[Any] = phrase.split()
        if len(words) == 1:
            return self._query.term_query(self._schema, "text", words[0])
        return self._query.phrase_query(self._schema, "text", words)

    def _both(self, pair: Pair) -> Any:
        return self._query.boolean_query([(self._must, self._phrase(each)) for each in pair])

    def count(self, phrases: Sequence[str]) -> list[int]:
        """Documents of each phrase."""
        search = self._searcher.search
        return [search(self._phrase(each), limit=1, count=True).count for each in phrases]

    def documents(self, pairs: Sequence[Pair], window_words: int | None = None) -> list[int]:
        """Documents that hold both, however far apart."""
        search = self._searcher.search
        return [search(self._both(pair), limit=1, count=True).count for pair in pairs]

    def exists(self, pairs: Sequence[Pair]) -> list[bool]:
        """Whether a document holds both, however far apart."""
        search = self._searcher.search
        return [bool(search(self._both(pair), limit=1, count=False).hits) for pair in pairs]


class InfiniGram:
    """A suffix array over one 16-bit token a word, its best case; two jobs.

    Its own tokenisers need the network and more tokens a word, and 32 bits take 34 GB whatever the
    corpus. So it gets the words as numbers, without the work of cutting text. The words of the
    truth and the most frequent ones have a number of their own; the rest share some, and phrases
    with these are not asked (`knows`).
    """

    name = "infini-gram"
    SHARED, FIRST_SHARED = 1_000, 64_000  # below 0xFF00, where a token can look like a separator
    SEPARATOR = 0xFFFF
    CAPS: ClassVar[tuple[int, ...]] = (50_000, 500_000)  # the default, and the most its API allows

    def __init__(self, path: pathlib.Path, words: dict[str, int], window_words: int) -> None:
        from infini_gram.engine import InfiniGramEngine

        self._engine: Any = InfiniGramEngine(
            str(path), eos_token_id=0, vocab_size=65_535, version=4, token_dtype="u16"
        )
        self._words, self._window_words = words, window_words

    @staticmethod
    def version() -> str:
        """Of the Python package."""
        return importlib.metadata.version("infini-gram")

    @classmethod
    def folded(cls, corpus: BenchCorpus) -> tuple[np.ndarray, dict[str, int]]:
        """The 16-bit number of each word, and those that a word has for itself."""
        n_types = len(corpus.vocabulary)
        of_truth = sorted({n for phrase in corpus.phrases for n in corpus.numbers(phrase)})
        by_frequency = np.argsort(-corpus.frequencies, kind="stable")
        others = by_frequency[~np.isin(by_frequency, of_truth)]
        own = np.concatenate((np.array(of_truth, np.int64), others))[: cls.FIRST_SHARED - 1]
        numbers = (cls.FIRST_SHARED + np.arange(n_types) % cls.SHARED).astype(np.uint16)
        numbers[own] = np.arange(1, len(own) + 1)
        spelled = {corpus.vocabulary[word]: int(numbers[word]) for word in own.tolist()}
        return numbers, spelled

    @classmethod
    def build(cls, corpus: BenchCorpus, target: pathlib.Path) -> None:
        """Write its tokens, which it then takes as step 1, and let it sort the suffixes."""
        (target / "empty").mkdir(parents=True)
        numbers, spelled = cls.folded(corpus)
        starts = np.concatenate(([0], np.cumsum(corpus.lengths, dtype=np.int64)[:-1]))
        tokens = np.insert(numbers[corpus.ids], starts, np.uint16(cls.SEPARATOR))
        tokens.tofile(target / "tokenized.0")
        ((starts + np.arange(len(starts))) * 2).astype("<u8").tofile(target / "offset.0")
        cls._words_file(target).write_text(json.dumps(spelled))
        options = {"data_dir": target / "empty", "save_dir": target, "token_dtype": "u16"}
        options |= {"cpus": BUILD_THREADS, "mem": 4, "ulimit": 20_000}
        command = [sys.executable, "-m", "infini_gram.indexing"]
        command += [str(each) for name, value in options.items() for each in (f"--{name}", value)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not (target / "table.0").exists():
            raise RuntimeError(
                f"infini-gram built nothing: {done.stdout[-500:]}{done.stderr[-500:]}"
            )

    @staticmethod
    def _words_file(target: pathlib.Path) -> pathlib.Path:
        return target.with_name(f"{target.name}-words.json")

    @classmethod
    def opener(cls, corpus: BenchCorpus, path: pathlib.Path) -> Callable[[], InfiniGram]:
        """Open the engine; the vocabulary is read before."""
        import infini_gram.engine  # noqa: F401

        words = json.loads(cls._words_file(path).read_text())
        return lambda: cls(path, words, corpus.window_words)

    def knows(self, *phrases: str) -> bool:
        """Whether all words have a number of their own."""
        return all(word in self._words for phrase in phrases for word in phrase.split())

    def _tokens(self, phrase: str) -> list[int]:
        return [self._words[word] for word in phrase.split()]

    def count(self, phrases: Sequence[str]) -> list[int]:
        """Occurrences of each phrase."""
        ask = self._engine.count
        return [ask(input_ids=self._tokens(phrase))["count"] for phrase in phrases]

    def near(
        self, pairs: Sequence[Pair], window_words: int | None = None, cap: int = CAPS[0]
    ) -> list[int]:
        """Of the rarer phrase of each pair, the occurrences near the other."""
        window = self._window_words if window_words is None else window_words
        limits = {"max_clause_freq": cap, "max_diff_tokens": window}
        asked = [[[self._tokens(phrase)] for phrase in pair] for pair in pairs]
        return [self._engine.count_cnf(cnf=cnf, **limits)["count"] for cnf in asked]

    def exists(self, pairs: Sequence[Pair]) -> list[bool]:
        """Whether that count is above zero: it has no early exit."""
        return [n > 0 for n in self.near(pairs)]


RIVALS: dict[str, type[Fts5] | type[Tantivy] | type[InfiniGram]] = {
    rival.name: rival for rival in (Fts5, Tantivy, InfiniGram)
}
