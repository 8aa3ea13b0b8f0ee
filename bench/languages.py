"""Languages: what is found, counted and named in the same questions and paragraphs in six of them.

    python bench/languages.py --work /tmp/languages

XQuAD: 1,190 questions on 240 paragraphs of 48 articles, translated by people. Articles in
alphabetical order of their titles: what was chosen (the terms of Chinese, no parts of German
compounds) was chosen on the questions of the first, third, … article; what is reported are those
of the others. Paragraphs of all articles are in the index. Intervals: 95 % over resamples of
paragraphs.

- *retrieval*: the paragraph of a question is among the first k paragraphs, with the English
  analyser (`--language` unset) and with that of the language; once in an index of the language,
  once with the paragraphs of all six in one index.
- *names*: English questions that name a country, over the paragraphs of another language, with and
  without the country table as an alias table with languages.
- *counts*: random phrases and pairs held against a scan that shares no code with the index, the
  cutting of words included.
- *entities*: the share of questions with a name. Of the names in German and Spanish questions, the
  share that the English question or paragraph holds letter by letter: no less are names.

Appends JSON rows to `bench/runs/`.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import pathlib
import platform
import random
import shutil
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from brute_force import BruteForce

import averment
from averment.claims.aliases.book import AliasRow
from averment.claims.rules import RulesExtractor
from averment.errors import ExtractionError
from averment.metrics.resampling import bootstrap_difference, bootstrap_interval
from averment.metrics.rows import BoolArray, FloatArray, MetricValue
from averment.settings import resolve_settings
from averment.wiring import open_retriever

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data"
LANGUAGES = ("en", "de", "es", "ru", "ar", "zh")
COUNTRY_CODES = {"de": "deu", "es": "spa", "ru": "rus", "ar": "ara", "zh": "zho"}
KS = (1, 5, 10)
MOST_PASSAGES = 100
SEED = 1
N_PHRASES, N_PAIRS = 2000, 1000
WINDOWS = (5, 50, 1000)
UNSPACED = ("CJK ", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER")


class Question(NamedTuple):
    """A question, its paragraph by number, and whether it is reported."""

    text: str
    paragraph: int
    is_reported: bool


class Set(NamedTuple):
    """The questions and paragraphs of a language."""

    language: str
    questions: list[Question]
    paragraphs: list[str]

    @property
    def reported(self) -> list[Question]:
        """The questions of every second article."""
        return [question for question in self.questions if question.is_reported]

    def documents(self, *, said: bool = False) -> Iterator[averment.Document]:
        """Its paragraphs; `said`: with their language."""
        for number, text in enumerate(self.paragraphs):
            language = self.language if said else None
            yield averment.Document(f"{self.language}-{number}", text, language=language)


def read(language: str) -> Set:
    """The set of a language."""
    path = DATA / "multilingual" / f"xquad_{language}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    paragraphs = list(dict.fromkeys(row["context"] for row in rows))
    number = {text: at for at, text in enumerate(paragraphs)}
    titles = sorted({row["title"] for row in rows})
    reported = {title for at, title in enumerate(titles) if at % 2}
    questions = [
        Question(row["question"], number[row["context"]], row["title"] in reported) for row in rows
    ]
    return Set(language, questions, paragraphs)


def built(path: pathlib.Path, documents: Iterator[averment.Document], **options: Any) -> Any:
    """A new index."""
    shutil.rmtree(path, ignore_errors=True)
    averment.build_index(documents, path, **options)
    return averment.open_index(path)


def ranks(index: Any, path: pathlib.Path, asked: Sequence[tuple[str, str]]) -> FloatArray:
    """Where the paragraph of each (question, document id) stands among paragraphs, from 1."""
    retriever = open_retriever(index, resolve_settings(index=path))
    found = []
    for question, wanted in asked:
        (retrieval,) = retriever.search([question], k=MOST_PASSAGES)
        ids = list(dict.fromkeys(hit.passage.document_id for hit in retrieval.hits))
        found.append(ids.index(wanted) + 1 if wanted in ids else np.inf)
    return np.array(found)


def mean(values: FloatArray, unused: BoolArray) -> MetricValue:
    """A metric in the sense of `averment.metrics`, of numbers that need no label."""
    return MetricValue(float(values.mean()))


def hits(found: FloatArray, before: FloatArray, paragraphs: Sequence[int]) -> dict[str, Any]:
    """Hit rates with intervals, and their differences to what was before."""
    row: dict[str, Any] = {"questions": len(found)}
    same = {"is_true": np.zeros(len(found), dtype=np.bool_), "question_ids": list(paragraphs)}
    for k in KS:
        now, then = (np.asarray(each <= k, dtype=np.float64) for each in (found, before))
        over = bootstrap_difference(mean, now, baseline=then, **same)
        row[f"hit_{k}"] = told(bootstrap_interval(mean, now, **same))
        row[f"hit_{k}_over_english"] = told(over)
    return row


def told(interval: Any) -> list[float | None]:
    """Value, low, high."""
    values = (interval.value, interval.low, interval.high)
    return [None if value is None else round(value, 4) for value in values]


def retrieval_rows(sets: Sequence[Set], work: pathlib.Path) -> Iterator[dict[str, Any]]:
    """In an index of each language, and in one of all."""
    for each in sets:
        asked = [(q.text, f"{each.language}-{q.paragraph}") for q in each.reported]
        paragraphs = [q.paragraph for q in each.reported]
        found = {}
        for analyser in ("en", each.language):
            path = work / f"{each.language}-as-{analyser}"
            index = built(path, each.documents(), language=analyser)
            started = time.process_time()
            found[analyser] = ranks(index, path, asked)
            ms = (time.process_time() - started) * 1000 / len(asked)
            yield {
                "part": "retrieval",
                "language": each.language,
                "analyser": analyser,
                **hits(found[analyser], found["en"], paragraphs),
                "cpu_ms_a_query": round(ms, 2),
                "passages": index.info.n_passages,
            }
    mixed = {
        "en": built(work / "mixed-en", (d for each in sets for d in each.documents())),
        "each its own": built(
            work / "mixed", (d for each in sets for d in each.documents(said=True))
        ),
    }
    for each in sets:
        asked = [(q.text, f"{each.language}-{q.paragraph}") for q in each.reported]
        found = {name: ranks(index, work / "x", asked) for name, index in mixed.items()}
        for name, ranked in found.items():
            paragraphs = [q.paragraph for q in each.reported]
            row = hits(ranked, found["en"], paragraphs)
            yield {"part": "mixed", "language": each.language, "analyser": name, **row}


# --- names --------------------------------------------------------------------------------------


def country_rows(language: str) -> list[AliasRow]:
    """The names of countries in a language, each with the English one."""
    with gzip.open(DATA / "aliases" / "countries.jsonl.gz", "rt", encoding="utf-8") as lines:
        countries = [json.loads(line) for line in lines]
    rows = []
    for country in countries:
        name = country["name"]["common"]
        form = country["translations"].get(COUNTRY_CODES[language], {}).get("common")
        if form and form != name:
            rows.append(AliasRow(name, form, "table:countries", language))
    return rows


def names_rows(sets: Sequence[Set], work: pathlib.Path) -> Iterator[dict[str, Any]]:
    """English questions that name a country over the paragraphs of another language."""
    english = next(each for each in sets if each.language == "en")
    for each in sets:
        if each.language == "en":
            continue
        rows = country_rows(each.language)
        names = {f" {row.canonical.casefold()} " for row in rows}
        asked = []
        for question in english.questions:  # nothing was chosen on any of them
            words = "".join(c if c.isalnum() else " " for c in question.text.casefold())
            if any(name in f" {words} " for name in names):
                asked.append((question.text, f"{each.language}-{question.paragraph}"))
        path = work / f"names-{each.language}"
        plain = built(path, each.documents(), language=each.language)
        before = ranks(plain, path, asked)
        after = ranks(
            built(path, each.documents(), language=each.language, aliases=rows), path, asked
        )
        paragraphs = [int(wanted.rpartition("-")[2]) for _, wanted in asked]
        for table, found in (("none", before), ("countries", after)):
            row = hits(found, before, paragraphs)
            yield {"part": "names", "language": each.language, "aliases": table, **row}


# --- counts -------------------------------------------------------------------------------------


def cut(text: str) -> list[str]:
    """The words of a text, character by character; shares no code with the package."""
    words, run = [], ""
    for character in [*unicodedata.normalize("NFC", text), " "]:
        is_letter = unicodedata.category(character)[0] in "LMN"
        alone = is_letter and unicodedata.name(character, "").startswith(UNSPACED)
        if is_letter and not alone:
            run += character
            continue
        words += [run] if run else []
        words += [character] if alone else []
        run = ""
    return [unicodedata.normalize("NFC", word.casefold()) for word in words]


def counts_row(each: Set, work: pathlib.Path) -> dict[str, Any]:
    """How many random phrases and pairs an index counts otherwise than the scan."""
    cuts = [cut(text) for text in each.paragraphs]
    numbers: dict[str, int] = {}
    ids = np.array([numbers.setdefault(word, len(numbers)) for words in cuts for word in words])
    lengths = np.array([len(words) for words in cuts])
    draw = random.Random(SEED)

    def phrase() -> list[str]:
        words = draw.choice(cuts)
        n_words = draw.randint(1, 4)
        start = draw.randrange(max(1, len(words) - n_words))
        return words[start : start + n_words]

    phrases = [phrase() for _ in range(N_PHRASES)]
    phrases += [[*phrase(), *phrase()] for _ in range(N_PHRASES // 10)]  # mostly absent
    pairs = [(phrase(), phrase(), draw.choice(WINDOWS)) for _ in range(N_PAIRS)]
    coded = [tuple(numbers[word] for word in words) for words in phrases]
    coded_pairs = [
        (tuple(numbers[w] for w in a), tuple(numbers[w] for w in b), window)
        for a, b, window in pairs
    ]
    announced = [*coded, *(p for a, b, _ in coded_pairs for p in (a, b))]
    slow = BruteForce(ids.astype(np.uint32), lengths, announced)
    index = built(work / f"counts-{each.language}", each.documents(), counts_only=True)
    asked = index.count([" ".join(words) for words in phrases])
    wrong = sum(
        (count.value, count.documents) != slow.count(words)
        for count, words in zip(asked, coded, strict=True)
    )
    wrong_pairs = 0
    for (a, b, window), each_pair in zip(pairs, coded_pairs, strict=True):
        (found,) = index.cooccurrence([(" ".join(a), " ".join(b))], window_words=window)
        meeting = slow.meeting(*each_pair)
        wrong_pairs += (found.documents, found.pairs) != (meeting.documents, meeting.pairs)
    return {
        "part": "counts",
        "language": each.language,
        "words": int(lengths.sum()),
        "phrases": len(phrases),
        "phrases_counted_otherwise": wrong,
        "pairs": len(pairs),
        "pairs_counted_otherwise": wrong_pairs,
    }


# --- entities -----------------------------------------------------------------------------------


def entities_rows(sets: Sequence[Set]) -> Iterator[dict[str, Any]]:
    """The share of questions with a name, by English rules and by those of the language."""
    english = next(each for each in sets if each.language == "en")
    for each in sets:
        pairs = zip(each.questions, english.questions, strict=True)
        asked = [pair for pair in pairs if pair[0].is_reported]
        for rules in dict.fromkeys(("en", "auto", each.language)):
            extractor = RulesExtractor(language=rules)
            n_named = n_names = n_told = n_unread = 0
            for question, same in asked:
                try:
                    (found,) = extractor.entities([question.text])
                except ExtractionError:
                    n_unread += 1
                    continue
                names = [entity.text for entity in found if entity.kind in ("name", "title")]
                source = f"{same.text}\n{english.paragraphs[same.paragraph]}".casefold()
                n_named += bool(names)
                n_names += len(names)
                n_told += sum(name.casefold() in source for name in names)
            yield {
                "part": "entities",
                "language": each.language,
                "rules": rules,
                "questions": len(asked),
                "share_with_a_name": round(n_named / len(asked), 4),
                "share_not_read": round(n_unread / len(asked), 4),
                "names": n_names,
                "share_of_names_in_english": round(n_told / n_names, 4) if n_names else None,
            }


def main() -> None:
    """Run all parts, write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="for indexes")
    parser.add_argument("--part", action="append", help="retrieval, names, counts or entities")
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    sets = [read(language) for language in LANGUAGES]
    parts = {
        "retrieval": lambda: retrieval_rows(sets, given.work),
        "names": lambda: names_rows(sets, given.work),
        "counts": lambda: (counts_row(each, given.work) for each in sets),
        "entities": lambda: entities_rows(sets),
    }
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    facts = {"bench": "languages", "date": today, "machine": platform.machine()}
    out = given.out or HERE / "runs" / f"{today}-languages.jsonl"
    for name in given.part or parts:
        for row in parts[name]():
            line = json.dumps({**facts, **row}, ensure_ascii=False) + "\n"
            with out.open("a", encoding="utf-8") as file:
                file.write(line)
            sys.stdout.write(line)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
