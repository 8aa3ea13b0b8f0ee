"""A corpus with everything in it that a build has to get right, and builds without Ray."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from averment.corpus.files import list_files
from averment.corpus.passages import cut_passages
from averment.corpus.readers import read_files
from averment.index.build import IndexWriter
from averment.retrieval.bm25 import build_bm25
from averment.text import TextForm
from averment.types import Document, Passage
from averment.wiring.aliases import write_aliases

TOWNS = ("Reno", "Wells", "Elko", "Ely", "Zürich")
PIECE_BYTES = 16_000


def write_corpus(folder: Path, *, n_files: int = 2, n_records: int = 120) -> Path:
    """Files with duplicates across pieces, bad records, titles, acronyms, and small files."""
    folder.mkdir()
    chance = random.Random(8)
    for at in range(n_files):
        lines = []
        for number in range(at * n_records, (at + 1) * n_records):
            name = chance.randrange(n_records) if number % 13 == 0 else number
            told = f"Person {number} of {chance.choice(TOWNS)} met the World Health "
            told += f"Organization (WHO) near {chance.choice(TOWNS)}. "
            record = {"id": f"d{name}", "text": told * chance.randrange(1, 12)}
            lines.append(json.dumps({**record, "title": f"Person {name}", "date": "2020"}))
            lines += ["no JSON"] if number % 50 == 7 else []
        (folder / f"part-{at}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for number in range(3):
        (folder / f"t{number}.txt").write_text(f"Text {number} speaks of Hardy.", encoding="utf-8")
    german = "Der Ort liegt an der Grenze und wurde im Jahr 1868 von Siedlern gegründet. " * 4
    (folder / "ort.txt").write_text(german, encoding="utf-8")
    entries = "".join(
        f"{at}. Hardy, S. and Forth, J. The towns of Nevada. Journal of Towns, {1990 + at}.\n"
        for at in range(1, 9)
    )
    told = f"# Towns\n\nSilas Hardy came to Reno.\n\n## References\n\n{entries}"
    (folder / "paper.md").write_text(told, encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


def build_here(
    corpus: Path, path: Path, *, words_per_segment: int | None = None, **options: Any
) -> list[str]:
    """Build in this process; what was left out."""
    bad: list[str] = []
    documents = read_files(
        list_files([corpus]), on_bad=lambda b: bad.append(str(b)), on_bytes=lambda *_: None
    )
    with IndexWriter(
        path, form=TextForm(), words_per_segment=words_per_segment, **options
    ) as writer:
        for document in documents:
            writer.add(document, _passages(document, writer))
        if writer.keeps_text:
            passages, languages = writer.passages(), writer.passage_languages()
            build_bm25(passages, writer.extra_directory("bm25"), languages=languages)
            write_aliases(writer, ())
        writer.publish()
    return bad


def _passages(document: Document, writer: IndexWriter) -> list[Passage]:
    return cut_passages(document, language=writer.language) if writer.wants_passages else []


def manifest(path: Path) -> dict[str, Any]:
    """All of it but the times: the names of its files tell their bytes."""
    told = json.loads((path / "MANIFEST.json").read_text("utf-8"))
    return {name: value for name, value in told.items() if name != "built_at"}
