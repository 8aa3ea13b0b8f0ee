"""Writes the corpus of the bench: records with their title as the first line of the text.

    python bench/signal/corpus.py --out /tmp/signal.jsonl
    averment index build /tmp/signal.jsonl --index /tmp/full

What is counted is the text; an article whose text does not repeat its title ("Edward F. Cline":
"Edward Francis Cline was …") would not be known by its own name.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

_FILES = ("wiki_passages", "timeqa_pages", "world_factbook")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    with asked.out.open("w", encoding="utf-8") as out:
        for name in _FILES:
            with gzip.open(asked.data / f"corpus/{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
                for line in lines:
                    row = json.loads(line)
                    record = {key: row[key] for key in ("id", "title")}
                    record["text"] = f"{row['title']}\n{row['text']}"
                    out.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
