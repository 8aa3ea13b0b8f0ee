"""Records of our own in the format of every data set, and files made of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

Record: TypeAlias = Mapping[str, object]

HOTPOT: Record = {
    "_id": "h1",
    "question": "Which harbour is older, Tarn or Ulve?",
    "answer": "Tarn",
    "type": "comparison",
    "supporting_facts": [["Tarn", 0], ["Ulve", 1], ["Tarn", 1]],
    "context": [
        ["Ulve", ["Ulve is a harbour.", " It opened in 1911."]],
        ["Moss", ["Moss grows."]],
        ["Tarn", ["Tarn opened in 1702."]],
    ],
}
MUSIQUE: Record = {
    "id": "2hop__1_2",
    "question": "Where was the founder of Tarn born?",
    "answer": "Ulve",
    "answer_aliases": ["Ulve Town", "Ulve"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Moss", "paragraph_text": "Moss grows.", "is_supporting": False},
        {"idx": 1, "title": "Tarn", "paragraph_text": "Ada founded Tarn.", "is_supporting": True},
    ],
}
STRATEGY: Record = {
    "qid": "s1",
    "question": "Could Ada see Tarn from Ulve?",
    "answer": False,
    "evidence": [[[["Tarn-3", "Ulve-1"]], ["no_evidence", "operation"]], [[["Tarn-9"]]]],
}
PUBMED: Record = {
    "PMID": "77",
    "QUESTION": "Does moss help?",
    "CONTEXTS": ["Moss was given.", "It helped some."],
    "LABELS": ["METHODS", "RESULTS"],
    "final_decision": "maybe",
    "LONG_ANSWER": "It may.",
}
POPQA: Record = {
    "id": 12,
    "subj": "Ada",
    "question": "What is Ada's occupation?",
    "possible_answers": '["engineer", "builder"]',
}
TRIVIA: Record = {
    "QuestionId": "tc_1",
    "Question": "Which harbour did Ada found?",
    "Answer": {
        "Value": "Tarn",
        "Aliases": ["Port of Tarn", "Tarn"],
        "NormalizedAliases": ["port of tarn"],
    },
}
NQ: Record = {"question": "who founded tarn", "answer": ["Ada", "Ada Lunde"]}
SIMPLE: Record = {"metadata": "{'topic': 'x'}", "problem": "Who founded Tarn?", "answer": "Ada"}
BAMBOOGLE: Record = {"Question": "Who founded the older harbour?", "Answer": "Ada"}
CLAP: Record = {
    "id": "c1",
    "input": "what is tarn",
    "passages": [{"title": "Tarn", "text": "Tarn is a harbour. It is old.", "sentences": []}],
    "output": [
        {"answer": "Tarn is an old harbour.", "selected_sentences": []},
        {"answer": "An old harbour."},
    ],
}
TIME: Record = {
    "idx": "/wiki/Tarn_Harbour#P1#0",
    "question": "Who owned Tarn Harbour in 1911?",
    "targets": ["Ada"],
    "from": [3],
    "end": [6],
    "page": "/wiki/Tarn_Harbour",
}
TIME_PAGE: Record = {
    "index": "/wiki/Tarn_Harbour#P1",
    "link": "/wiki/Tarn_Harbour",
    "questions": [
        ["Who owned it in 1911?", [{"para": 1, "from": 0, "end": 3, "answer": "Ada"}]],
        ["Who owned it in 1700?", [{"para": 0, "from": 0, "end": 0, "answer": ""}]],
    ],
    "paras": ["Tarn Harbour", "Ada owned it."],
}

ONE_OF_EACH: Mapping[str, Record] = {
    "2wiki": HOTPOT,
    "hotpotqa": HOTPOT,
    "musique": MUSIQUE,
    "bamboogle": BAMBOOGLE,
    "strategyqa": STRATEGY,
    "pubmedqa": PUBMED,
    "popqa": POPQA,
    "triviaqa": TRIVIA,
    "nq": NQ,
    "simpleqa": SIMPLE,
    "clapnq": CLAP,
    "timeqa": TIME,
}


def lines(records: Sequence[object]) -> str:
    """JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def write(path: Path, text: str) -> Path:
    """A file with a text, packed where its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = text.encode()
    path.write_bytes(
        gzip.compress(content, mtime=0) if path.suffix in (".gz", ".gzip") else content
    )
    return path
