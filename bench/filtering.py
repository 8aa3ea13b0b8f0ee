r"""What `averment filter` does on labelled rows and on many: rates, memory, precision and recall.

    python bench/filtering.py --data ../shared/data/faithfulness \
        --corpus ../shared/data/corpus --work DIR

- *rate*: rows a second of counting alone, beside an index that is asked for the counts of the same
  pairs in the same batches, in one process. Both in CPU seconds, since the machine is not quiet.
- *memory*: peak of the process at the end and at a tenth of the rows, over rows made of a corpus.
- *quality*: precision and recall of the rejection against the labels of RefChecker, HaluEval and
  Factcheck-GPT, counted over two corpora (an encyclopaedia; for HaluEval also the rows' own
  knowledge) and judged against the rows' contexts.

One JSON object a line, in `runs/`.
"""

from __future__ import annotations

import argparse
import functools
import gc
import gzip
import json
import random
import resource
import shutil
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import averment
from averment.filtering.claimed import Counting
from averment.filtering.running import Pace
from averment.wiring.filters import OpenFilter, open_filter

Row = dict[str, Any]
_RUNS = Path(__file__).parent / "runs"


def main() -> None:
    """Measure what was asked for, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--parts", default="quality,rate,memory")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rate-rows", type=int, default=2_000)
    parser.add_argument("--judged-rows", type=int, default=300)
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    index = asked.work / "wiki"
    if not index.exists():
        averment.build_index(_documents(asked.corpus / "wiki_passages.jsonl.gz"), index)
    parts = {"quality": _qualities, "rate": _rates, "memory": _memory}
    target = _RUNS / f"{datetime.now(UTC):%Y-%m-%d}-filtering.jsonl"
    for part in asked.parts.split(","):
        for row in parts[part](asked, index):
            line = json.dumps({"at": f"{datetime.now(UTC):%FT%TZ}", **row}, ensure_ascii=False)
            sys.stdout.write(line + "\n")
            with target.open("a", encoding="utf-8") as stream:
                stream.write(line + "\n")


def _read(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _documents(path: Path) -> Iterator[averment.Document]:
    for record in _read(path):
        text = f"{record['title']}\n\n{record['text']}"
        yield averment.Document(record["id"], text, title=record["title"])


def _written(path: Path, rows: Iterator[Row]) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


# --- quality ------------------------------------------------------------------------------------


def _halueval(data: Path) -> Iterator[Row]:
    for record in _read(data / "halueval_qa_one_turn500.jsonl.gz"):
        for name in ("right_answer", "hallucinated_answer"):
            yield {
                "question": record["question"],
                "answer": record[name],
                "context": record["knowledge"],
                "right": name == "right_answer",
            }


def _factcheckgpt(data: Path) -> Iterator[Row]:
    for record in _read(data / "factcheckgpt_claim_factuality.jsonl.gz"):
        if str(record["label"]) in ("true", "false"):
            yield {"text": record["claim"], "right": record["label"]}


def _stances(data: Path) -> Iterator[Row]:
    for record in _read(data / "factcheckgpt_claim_evidence_stance.jsonl.gz"):
        if record["stance"] != "partially-support":
            right = record["stance"] == "completely-support"
            yield {"text": record["claim"], "context": record["evidence"], "right": right}


def _refchecker(data: Path) -> Iterator[Row]:
    """Whole answers; wrong where people found a triplet of theirs contradicted."""
    for record in _read(data / "refchecker_triplets.jsonl.gz"):
        labels = [each["human_label"] for each in record["claude2_response_kg"]]
        if labels and record["response"]:
            yield {"response": record["response"], "right": "Contradiction" not in labels}


def _qualities(asked: argparse.Namespace, index: Path) -> Iterator[Row]:
    files = {
        name: _written(asked.work / f"{name}.jsonl", make(asked.data))
        for name, make in (
            ("halueval", _halueval),
            ("factcheckgpt", _factcheckgpt),
            ("refchecker", _refchecker),
            ("factcheckgpt_stance", _stances),
        )
    }
    own = asked.work / "halueval-knowledge"
    if not own.exists():
        known = dict.fromkeys(row["context"] for row in _halueval(asked.data))
        averment.build_index((averment.Document(str(n), t) for n, t in enumerate(known)), own)
    for name in ("halueval", "factcheckgpt", "refchecker"):
        yield _quality(asked, files[name], index)
    yield _quality(asked, files["halueval"], own)
    for name in ("halueval", "factcheckgpt_stance"):
        rows = files[name].read_text("utf-8").splitlines()
        random.Random(0).shuffle(rows)
        sample = asked.work / f"{name}-sample.jsonl"
        sample.write_text("\n".join(rows[: asked.judged_rows]), encoding="utf-8")
        for judge in ("lexical", "minilm"):
            yield _quality(asked, sample, None, full=True, faithfulness=judge)


def _quality(asked: argparse.Namespace, data: Path, index: Path | None, **options: Any) -> Row:
    output = asked.work / "out"
    shutil.rmtree(output, ignore_errors=True)
    cpu = time.process_time()
    if index is None:
        options["index"] = None
    report = averment.filter_rows(
        data, output, **{"index": index, **options}, labels="right"
    ).to_json()
    return {
        "bench": "filter quality",
        "rows_of": data.stem,
        "index": index and index.name,
        "judge": options.get("faithfulness"),
        **{name: report[name] for name in ("n_rows", "n_kept", "reasons", "flags", "labels")},
        "cpu_s": time.process_time() - cpu,
    }


# --- rate and memory ----------------------------------------------------------------------------


def _generated(asked: argparse.Namespace, n_rows: int) -> Path:
    """Rows of the first three hundred characters of passages, half of them of two passages."""
    draw = random.Random(0)
    texts = [record["text"] for record in _read(asked.corpus / "wiki_passages.jsonl.gz")]
    rows = (
        {"id": at, "text": draw.choice(texts)[:150] + " " + draw.choice(texts)[:150]}
        for at in range(n_rows)
    )
    return _written(asked.work / f"generated-{n_rows}.jsonl", rows)


class _Timed:
    """An index that remembers what it was asked, so that it can be asked again, and timed."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.asked: list[tuple[str, Any, dict[str, Any]]] = []

    @property
    def info(self) -> Any:
        return self._index.info

    def count(self, phrases: Any) -> Any:
        self.asked.append(("count", phrases, {}))
        return self._index.count(phrases)

    def cooccurrence(self, pairs: Any, *, window_words: int) -> Any:
        self.asked.append(("cooccurrence", pairs, {"window_words": window_words}))
        return self._index.cooccurrence(pairs, window_words=window_words)

    def nearest_windows(self, pairs: Any, **options: Any) -> Any:  # no count: not asked again
        return self._index.nearest_windows(pairs, **options)

    def cpu_s(self) -> float:
        """Of asking all of it again."""
        _forget()
        began = time.process_time()
        for name, what, options in self.asked:
            getattr(self._index, name)(what, **options)
        return time.process_time() - began


def _forget() -> None:
    """Empty the bounded caches and collect garbage, so that whoever is timed next begins alike."""
    for each in gc.get_objects():
        is_cache = isinstance(each, functools._lru_cache_wrapper)
        if is_cache and each.__module__.startswith("averment") and _is_bounded(each):
            each.cache_clear()
    gc.collect()


def _is_bounded(cache: Any) -> bool:
    return cache.cache_parameters()["maxsize"] is not None


def _rates(asked: argparse.Namespace, index: Path) -> Iterator[Row]:
    data = _generated(asked, asked.rate_rows)
    for aliases in (True, False):
        opened = open_filter(data, index=index, aliases=aliases)
        counting = opened.filtering.find
        assert isinstance(counting, Counting)
        timed = _Timed(counting._edges.index)
        object.__setattr__(counting._edges, "index", timed)
        output = asked.work / "out"
        shutil.rmtree(output, ignore_errors=True)
        _forget()
        began = time.process_time()
        report = opened.run(output)
        filter_s = time.process_time() - began
        bare = averment.open_index(index)
        by_forms = timed._index
        timed._index = bare
        bare_s = timed.cpu_s()
        timed._index = open_filter(data, index=index, aliases=aliases).filtering.find._edges.index  # type: ignore[attr-defined]
        forms_s = timed.cpu_s() if by_forms is not bare else bare_s
        n = report.n_rows
        yield {
            "bench": "filter rate",
            "aliases": aliases,
            "n_rows": n,
            "n_pairs": report.tally.n_pairs,
            "filter_rows_per_cpu_s": n / filter_s,
            "index_rows_per_cpu_s": n / forms_s,
            "bare_index_rows_per_cpu_s": n / bare_s,
            "ratio": forms_s / filter_s,
            "ratio_to_bare": bare_s / filter_s,
        }


def _memory(asked: argparse.Namespace, index: Path) -> Iterator[Row]:
    opened: OpenFilter = open_filter(_generated(asked, asked.rows), index=index)
    output = asked.work / "out"
    shutil.rmtree(output, ignore_errors=True)
    peaks: list[tuple[int, int]] = []
    cpu = time.process_time()
    opened.run(output, on_pace=lambda pace: peaks.append(_peak(pace)))
    tenth = next(peak for n_rows, peak in peaks if n_rows >= asked.rows / 10)
    yield {
        "bench": "filter memory",
        "n_rows": asked.rows,
        "peak_mb_at_a_tenth": tenth,
        "peak_mb": peaks[-1][1],
        "cpu_s": time.process_time() - cpu,
    }


def _peak(pace: Pace) -> tuple[int, int]:
    scale = 1024 if sys.platform == "darwin" else 1
    return pace.n_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // scale // 1024


if __name__ == "__main__":
    main()
