"""What aliases do to counts: false alarms on true pairs, missed false ones, coverage of a table.

    python bench/aliases.py --index DIR               # builds the index of corpus/ there, once
    python bench/aliases.py --index DIR --split train # the split on which the rules were chosen
    python bench/aliases.py --index DIR2 --titles     # of texts that begin with their titles

True pairs are the gold `evidences` of 2WikiMultihopQA questions; one that never stands within 1,000
words in the corpus is a *false alarm*. Questions that came without passages are told apart: the
corpus was made of passages, so it knows nothing of them, and no alias can help. False pairs have
the tail of another triple of the same relation, drawn at random; one that never stands there is
*caught*. Pairs in which one name holds the other are left out, as policies leave them out.
Intervals are over resamples of heads. Coverage is the share of (title, alias) pairs of Wikidata
that rules find from the title, without a table.

Takes a minute once the index is there. One JSON row a variant goes to `bench/runs/`.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import datetime
import json
import pathlib
import platform
import random
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from packed import records

import averment
from averment.claims.aliases.acronyms import acronym_rows
from averment.claims.aliases.book import AliasBook, AliasRow
from averment.claims.aliases.countries import country_rows
from averment.claims.aliases.openings import opening_rows
from averment.claims.aliases.rules import RULES, rewritings
from averment.claims.aliases.widened import WidenedIndex
from averment.corpus.files import list_files
from averment.corpus.readers import read_files
from averment.index.embedded import EmbeddedIndex
from averment.text import TextForm, one_holds_other
from averment.types import Document

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data"
FILES = {
    "train": "qa_multihop/2wiki_train_ctx_triples_migres.jsonl.gz",
    "dev": "qa_multihop/2wiki_dev_ctx_migres.jsonl.gz",
}
ALIASES = "aliases/wikidata_aliases_popqa.jsonl.gz"
WINDOW_WORDS, RESAMPLES, SEED = 1000, 2000, 20261130
WORDS = TextForm().words
Row = dict[str, Any]


class Pair(NamedTuple):
    """A triple whose ends are looked for, true or made false."""

    head: str
    relation: str
    tail: str


def main() -> None:
    """Measure every variant and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--index", type=pathlib.Path, required=True)
    parser.add_argument("--split", choices=FILES, default="dev")
    parser.add_argument("--titles", action="store_true", help="count titles as text")
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    options = parser.parse_args()
    index = opened(options.index, options.data / "corpus", titles=options.titles)
    true = true_pairs(options.data / FILES[options.split], with_passages=True)
    bare = true_pairs(options.data / FILES[options.split], with_passages=False)
    bare = [pair for pair in bare if pair not in set(true)]
    false = false_pairs(true)
    rows = []
    before: list[bool] = []
    for name, book in books(index):
        row, absent = measured(name, index, book, true, false, bare)
        before = before or absent
        rows.append({**row, "fewer_false_alarms": reduction(true, before, absent)})
    rows.append(coverage(options.data / ALIASES))
    stamp = {
        "bench": "aliases",
        "split": options.split,
        "titles": options.titles,
        "index": index.info.digest[:12],
        "documents": index.info.n_documents,
        "python": platform.python_version(),
        "measured_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    out = HERE / "runs" / f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}-aliases.jsonl"
    with out.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({**stamp, **row}, ensure_ascii=False) + "\n" for row in rows)
    for row in rows:
        sys.stdout.write(table_line(row) + "\n")


# --- what is measured on ------------------------------------------------------------------------


def opened(path: pathlib.Path, corpus: pathlib.Path, *, titles: bool) -> EmbeddedIndex:
    """The index of all files of the corpus, built if it is not there."""
    if not (path / "MANIFEST.json").exists():
        bad: list[object] = []
        files = list_files([corpus])
        documents = read_files(files, on_bad=bad.append, on_bytes=lambda *_: None)
        averment.build_index(map(titled, documents) if titles else documents, path)
        sys.stderr.write(f"built {path}; {len(bad)} records skipped\n")
    return averment.open_index(path)


def titled(document: Document) -> Document:
    """A document whose title is a line of its text."""
    return dataclasses.replace(document, text=f"{document.title}\n\n{document.text}")


def true_pairs(path: pathlib.Path, *, with_passages: bool) -> list[Pair]:
    """The gold triples of a file, each once, whose ends can be asked about.

    Args:
        path: The file.
        with_passages: Of the questions that came with passages, or of the others.
    """
    rows = [row for row in records(path) if bool(row.get("context")) is with_passages]
    triples = {Pair(*triple) for row in rows for triple in row["evidences"]}
    return sorted(pair for pair in triples if can_be_asked(pair.head, pair.tail))


def false_pairs(true: Sequence[Pair]) -> list[Pair]:
    """Each head with the tail of another triple of its relation, where there is one."""
    tails, told = collections.defaultdict(set), collections.defaultdict(set)
    for pair in true:
        tails[pair.relation].add(pair.tail)
        told[pair.head, pair.relation].add(pair.tail)
    draw = random.Random(SEED)
    false = []
    for pair in true:
        others = sorted(tails[pair.relation] - told[pair.head, pair.relation])
        others = [tail for tail in others if can_be_asked(pair.head, tail)]
        if others:
            false.append(Pair(pair.head, pair.relation, draw.choice(others)))
    return false


def can_be_asked(head: str, tail: str) -> bool:
    """Whether both have a word and neither holds the other."""
    one, other = WORDS(head), WORDS(tail)
    return bool(one and other) and not one_holds_other(one, other)


def books(index: EmbeddedIndex) -> Iterator[tuple[str, AliasBook | None]]:
    """The variants: nothing, all rules, each rule left out, and what there is besides rules."""
    passages = index.passages()
    found: list[AliasRow] = [*opening_rows(passages), *acronym_rows(passages, least_documents=2)]
    countries = country_rows()
    yield "no aliases", None
    yield "rules", AliasBook()
    yield "rules, documents", AliasBook(found)
    yield "rules, countries", AliasBook(countries)
    yield "all", AliasBook([*found, *countries])
    for rule in RULES:
        rest = [other for other in RULES if other is not rule]
        yield f"all but {rule.rule_id}", AliasBook([*found, *countries], rules=rest)


# --- measuring ----------------------------------------------------------------------------------


def measured(
    name: str,
    index: EmbeddedIndex,
    book: AliasBook | None,
    true: Sequence[Pair],
    false: Sequence[Pair],
    bare: Sequence[Pair],
) -> tuple[Row, list[bool]]:
    """One variant: shares with intervals, by relation, and what it costs a pair.

    `bare` are true pairs that the corpus was not made for. Also which true pairs are false alarms.
    """
    asked = index if book is None else WidenedIndex(index, book)
    started = time.perf_counter()
    absent = [
        [not found.exists for found in asked.cooccurrence(ends(pairs), window_words=WINDOW_WORDS)]
        for pairs in (true, false)
    ]
    seconds = time.perf_counter() - started
    row: Row = {"variant": name, "us_a_pair": round(seconds / (len(true) + len(false)) * 1e6)}
    for what, pairs, missing in zip(("false_alarms", "caught"), (true, false), absent, strict=True):
        row[what] = share(pairs, missing)
        for kind, of_kind in (("dates", True), ("others", False)):
            some = [(p, m) for p, m in zip(pairs, missing, strict=True) if is_date(p) is of_kind]
            row[f"{what}_{kind}"] = share([p for p, _ in some], [m for _, m in some])
    row["false_alarms_by_relation"] = by_relation(true, absent[0])
    if bare:
        found = asked.exists(ends(bare), window_words=WINDOW_WORDS)
        row["false_alarms_without_passages"] = share(bare, [not one for one in found])
    return row, absent[0]


def ends(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    """Heads and tails."""
    return [(pair.head, pair.tail) for pair in pairs]


def is_date(pair: Pair) -> bool:
    """Whether the tail is a date or a year."""
    return "date" in pair.relation or pair.relation == "inception"


def share(pairs: Sequence[Pair], hits: Sequence[bool]) -> Row:
    """A share and its 95 % interval over resamples of heads."""
    heads = sorted({pair.head for pair in pairs})
    at = {head: number for number, head in enumerate(heads)}
    n_hits, n_pairs = np.zeros(len(heads)), np.zeros(len(heads))
    for pair, hit in zip(pairs, hits, strict=True):
        n_hits[at[pair.head]] += hit
        n_pairs[at[pair.head]] += 1
    drawn = np.random.default_rng(SEED).integers(len(heads), size=(RESAMPLES, len(heads)))
    shares = n_hits[drawn].sum(axis=1) / n_pairs[drawn].sum(axis=1)
    low, high = np.percentile(shares, [2.5, 97.5])
    value = sum(hits) / len(pairs)
    return {
        "n": sum(hits),
        "of": len(pairs),
        "share": round(value, 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
    }


def reduction(pairs: Sequence[Pair], before: Sequence[bool], after: Sequence[bool]) -> Row:
    """By which share there are fewer, and its 95 % interval over the same resamples of heads.

    Resamples without any are left out.
    """
    if not any(before):
        return {"share": None, "low": None, "high": None}
    heads = sorted({pair.head for pair in pairs})
    at = {head: number for number, head in enumerate(heads)}
    counts = np.zeros((2, len(heads)))
    for pair, *hits in zip(pairs, before, after, strict=True):
        counts[:, at[pair.head]] += hits
    drawn = np.random.default_rng(SEED).integers(len(heads), size=(RESAMPLES, len(heads)))
    n_before, n_after = counts[:, drawn].sum(axis=2)
    some = n_before > 0
    low, high = np.percentile(1 - n_after[some] / n_before[some], [2.5, 97.5])
    share = 1 - sum(after) / sum(before)
    return {"share": round(share, 4), "low": round(float(low), 4), "high": round(float(high), 4)}


def by_relation(pairs: Sequence[Pair], hits: Sequence[bool]) -> dict[str, list[int]]:
    """[false alarms, pairs] of each relation, the frequent ones first."""
    counted: collections.defaultdict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for pair, hit in zip(pairs, hits, strict=True):
        counted[pair.relation][0] += hit
        counted[pair.relation][1] += 1
    return dict(sorted(counted.items(), key=lambda item: -item[1][1]))


def coverage(path: pathlib.Path) -> Row:
    """How many aliases of Wikidata the rules find from the title."""
    pairs = {
        (row["title"], alias)
        for row in records(path)
        for alias in row["aliases"]
        if WORDS(alias) and WORDS(alias) != WORDS(row["title"])
    }
    by_rule: collections.Counter[str] = collections.Counter()
    for title, alias in sorted(pairs):
        for made in rewritings(title):
            if WORDS(made.text) == WORDS(alias):
                by_rule[made.rule_ids] += 1
    n_found = sum(by_rule.values())
    return {
        "variant": "coverage of Wikidata aliases by rules",
        "found": n_found,
        "of": len(pairs),
        "share": round(n_found / len(pairs), 4),
        "by_rule": dict(by_rule.most_common()),
    }


def table_line(row: Row) -> str:
    """A line of the table in README.md."""
    if "found" in row:
        return f"{row['variant']}: {row['found']} of {row['of']} ({row['share']:.1%})"
    cells = [
        f"{cell['n']} of {cell['of']}: {cell['share']:.1%} [{cell['low']:.1%}, {cell['high']:.1%}]"
        for what in ("false_alarms", "caught")
        for cell in (row[what], row[f"{what}_dates"], row[f"{what}_others"])
    ]
    return f"| {row['variant']} | {' | '.join(cells)} | {row['us_a_pair']} |"


if __name__ == "__main__":
    main()
