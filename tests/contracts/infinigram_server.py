"""A server on loopback that speaks infini-gram's API and counts as infini-gram does, with faults.

Requests, fields, limits and error strings are those of the API's documentation and of its
server's code (`tests/index/infinigram_replies.json` holds examples); the real API was never asked.
Its tokens are words and marks with the blank before them, so that case and blanks matter here, too.
"""

from __future__ import annotations

import json
import re
import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, TypeAlias

from averment.types import Document
from contracts.loopback import Loopback

Ids: TypeAlias = tuple[int, ...]
_TOKENS = re.compile(r" ?\w+| ?[^\w\s]|\s")
_SEPARATOR = 65535
_MOST_CHARACTERS, _MOST_TOKENS, _MOST_CLAUSES, _MOST_TERMS = 1000, 500, 4, 4
_MOST_CLAUSE_FREQ, _MOST_DIFF_TOKENS, _MOST_SHOWN = 500_000, 1000, 10_000
Wrong: TypeAlias = tuple[int, str]


class Corpus:
    """Documents as tokens, and the order of their suffixes."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = list(documents)
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self.samples_at = _MOST_CLAUSE_FREQ
        self.ids: list[int] = []
        self.starts: list[int] = []
        for document in documents:
            self.starts.append(len(self.ids))
            self.ids += [_SEPARATOR, *self.encode(document.text)]
        self.ids.append(_SEPARATOR)
        keys = [tuple(self.ids[at : at + 12]) for at in range(len(self.ids))]
        self.order = sorted(range(len(self.ids)), key=keys.__getitem__)
        self._keys = [keys[at] for at in self.order]

    def encode(self, text: str) -> Ids:
        """The tokens of a text, a blank put before it."""
        tokens = _TOKENS.findall(f" {text}") if text else []
        for token in tokens:
            if token not in self._numbers:
                self._numbers[token] = len(self.texts)
                self.texts.append(token)
        return tuple(self._numbers[token] for token in tokens)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens, without the blank before it."""
        return "".join(self.texts[token] for token in ids).removeprefix(" ")

    def find(self, ids: Ids) -> tuple[int, int]:
        """The ranks of the suffixes that begin with some tokens."""
        low = bisect_left(self._keys, ids, key=lambda key: key[: len(ids)])
        high = bisect_right(self._keys, ids, key=lambda key: key[: len(ids)])
        return low, high

    def document_at(self, rank: int) -> int:
        """The number of the document of a suffix."""
        return bisect_right(self.starts, self.order[rank]) - 1

    def count_cnf(
        self, cnf: Sequence[Sequence[Ids]], max_freq: int, max_diff: int
    ) -> tuple[int, bool]:
        """Of two clauses, as infini-gram does it, faults included.

        For each occurrence of the rarer one, the nearest of the other on both sides are taken; if
        both are near enough they make one range, and a range with a separator in it is dropped.
        """
        approx, factor = False, 1
        max_freq = min(max_freq, self.samples_at)
        sides = []
        for clause in cnf:
            order = [self.order[rank] for ids in clause for rank in range(*self.find(ids))]
            if len(order) > max_freq:  # one run of ranks, and a factor without its fraction
                factor *= len(order) // max_freq
                order = order[:max_freq]
                approx = factor != 1
            sides.append(sorted(order))
        if len(sides) == 1:
            return len(sides[0]) * factor, approx
        rarer, other = sorted(sides, key=len)
        n = 0
        for at in rarer:
            near = bisect_left(other, at)
            around = [other[i] for i in (near - 1, near) if 0 <= i < len(other)]
            inside = [each for each in around if abs(each - at) <= max_diff]
            if inside:
                low, high = min(at, *inside), max(at, *inside)
                n += _SEPARATOR not in self.ids[low : high + 1]
        return n * factor, approx


@dataclass
class InfiniGramServer(Loopback):
    """What the server has and how it fails. Fields may be changed while it runs.

    Each of `faults` spoils one request, in order: ``500``, ``429``, ``html`` (no JSON), ``hang``
    (no reply), ``timed out`` (status 200 with an error that may pass), ``empty`` (a reply without
    the fields that were asked for), ``approx`` (a plain count that says it is approximate).
    `mini` makes it infini-gram mini. More than `samples_at` occurrences of a clause are sampled.
    """

    corpora: Mapping[str, Sequence[Document]]
    mini: bool = False
    latency_s: float = 0.0
    samples_at: int = _MOST_CLAUSE_FREQ
    faults: list[str] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    most_at_once: int = 0
    released: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.opened = {name: Corpus(documents) for name, documents in self.corpora.items()}
        for corpus in self.opened.values():
            corpus.samples_at = self.samples_at
        self._at_once = 0
        self._lock = threading.Lock()

    def begins(self) -> None:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)

    def ends(self) -> None:
        with self._lock:
            self._at_once -= 1

    def next_fault(self) -> str:
        with self._lock:
            return self.faults.pop(0) if self.faults else ""


class _Handler(BaseHTTPRequestHandler):
    stub: InfiniGramServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self._send(200, json.dumps(list(self.stub.opened)))

    def do_POST(self) -> None:
        stub = self.stub
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stub.begins()
        stub.requests.append(body)
        fault = stub.next_fault()
        time.sleep(stub.latency_s)
        try:
            if fault == "hang":
                stub.released.wait(30)
                self.close_connection = True
            elif fault == "html":
                self._send(200, "<html>proxy error</html>")
            elif fault in ("500", "429"):
                self._send(int(fault), json.dumps({"error": "[Flask] Internal server error: x"}))
            elif fault == "timed out":
                told = "[Flask] Web request timed out. Please try again later."
                self._send(200, json.dumps({"error": told}))
            elif fault == "empty":
                self._send(200, json.dumps({"latency": 0.1}))
            else:
                status, reply = _answer(stub, dict(body))
                if fault == "approx":
                    reply["approx"] = True
                self._send(status, json.dumps(reply))
        finally:
            stub.ends()

    def _send(self, status: int, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())


def _answer(stub: InfiniGramServer, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    try:
        query_type, index = body.pop("query_type"), body.pop("index")
        if stub.mini:
            query = body.pop("query")
    except KeyError as error:
        return 400, {"error": f"[Flask] Missing required field: {error}"}
    if index not in stub.opened:
        return 400, {"error": f"[Flask] Invalid index: {index}"}
    corpus = stub.opened[index]
    if stub.mini:
        return 200, {**_mini(corpus, query_type, query, body), "latency": 0.5}
    if ("query" in body) == ("query_ids" in body):
        return 400, {"error": "[Flask] Exactly one of query and query_ids must be present!"}
    asked = _query(corpus, body)
    if isinstance(asked, str):
        return 200, {"error": asked}
    verbs = {"count": _count, "find": _find, "get_doc_by_rank": _document}
    if query_type not in verbs:
        return 400, {"error": f"[Flask] Invalid query_type: {query_type}"}
    reply = verbs[query_type](corpus, asked, body)
    return 200, {**reply, "latency": 0.5, "token_ids": asked} | reply


def _query(corpus: Corpus, body: dict[str, Any]) -> list[Any] | str:
    """The tokens of a query or the three levels of a CNF, or what is wrong."""
    query = body.pop("query", None)
    if query is not None:
        if len(query) > _MOST_CHARACTERS:
            return f"Please limit your input to <= {_MOST_CHARACTERS} characters!"
        if " AND " not in query and " OR " not in query:
            asked: list[Any] = list(corpus.encode(query))
        else:
            clauses = [clause.split(" OR ") for clause in query.split(" AND ")]
            asked = [[list(corpus.encode(term)) for term in terms] for terms in clauses]
    else:
        asked = body.pop("query_ids")
    terms = [term for clause in asked for term in clause] if _is_cnf(asked) else [asked]
    if sum(map(len, terms)) > _MOST_TOKENS:
        return f"Please limit your input to <= {_MOST_TOKENS} tokens!"
    if _is_cnf(asked) and len(asked) > _MOST_CLAUSES:
        return f"Please enter at most {_MOST_CLAUSES} disjunctive clauses!"
    if _is_cnf(asked) and any(len(clause) > _MOST_TERMS for clause in asked):
        return f"Please enter at most {_MOST_TERMS} terms in each disjunctive clause!"
    return asked


def _is_cnf(asked: Sequence[Any]) -> bool:
    return bool(asked) and isinstance(asked[0], list)


def _count(corpus: Corpus, asked: list[Any], body: dict[str, Any]) -> dict[str, Any]:
    if not _is_cnf(asked):
        low, high = corpus.find(tuple(asked))
        return {"count": high - low, "approx": False}
    max_freq, max_diff = body.get("max_clause_freq", 50_000), body.get("max_diff_tokens", 100)
    if not 1 <= max_freq <= _MOST_CLAUSE_FREQ:
        return {"error": f"max_clause_freq must be an integer in [1, {_MOST_CLAUSE_FREQ}]!"}
    if not 1 <= max_diff <= _MOST_DIFF_TOKENS:
        return {"error": f"max_diff_tokens must be an integer in [1, {_MOST_DIFF_TOKENS}]!"}
    cnf = [[tuple(term) for term in clause] for clause in asked]
    n, approx = corpus.count_cnf(cnf, max_freq, max_diff)
    return {"count": n, "approx": approx}


def _find(corpus: Corpus, asked: list[Any], body: dict[str, Any]) -> dict[str, Any]:
    if _is_cnf(asked):
        return {"error": "input_ids must be a list of integers in range [0, 65535]"}
    low, high = corpus.find(tuple(asked))
    return {"cnt": high - low, "segment_by_shard": [[low, high]]}


def _document(corpus: Corpus, asked: list[Any], body: dict[str, Any]) -> dict[str, Any]:
    shown = body.get("max_disp_len", 1000)
    if not 1 <= shown <= _MOST_SHOWN:
        return {"error": f"max_disp_len must be an integer in [1, {_MOST_SHOWN}]!"}
    number = corpus.document_at(body["rank"])
    start = corpus.starts[number] + 1
    end = corpus.ids.index(_SEPARATOR, start)
    at = corpus.order[body["rank"]] - start
    first = max(0, min(at - shown // 2, end - start - shown))
    ids = corpus.ids[start + first : min(end, start + first + shown)]
    return {**_told(corpus, number, end - start, len(ids)), "token_ids": ids} | {
        "needle_offset": at - first,
        "spans": [[corpus.decode(ids), None]],
        "blocked": False,
    }


def _told(corpus: Corpus, number: int, n_all: int, n_shown: int) -> dict[str, Any]:
    own = {"id": corpus.documents[number].document_id}
    metadata = json.dumps({"path": "corpus.jsonl", "linenum": number, "metadata": own}) + "\n"
    return {"doc_ix": number, "doc_len": n_all, "disp_len": n_shown, "metadata": metadata}


def _mini(corpus: Corpus, query_type: str, query: str, body: dict[str, Any]) -> dict[str, Any]:
    """infini-gram mini: characters. A blank is before a document, so that all words have one."""
    texts = [f" {document.text}" for document in corpus.documents]
    if query_type == "get_doc_by_rank":
        number, at = divmod(body["rank"], 1_000_000)
        context = body["max_ctx_len"]
        whole = corpus.documents[number].text
        text = whole[max(0, at - context) : at + context]
        return {
            **_told(corpus, number, len(whole), len(text)),
            "text": text,
            "needle_offset": min(at, context),
        }
    starts = [
        (number, match.start())
        for number, text in enumerate(texts)
        for match in re.finditer(f"(?={re.escape(query)})", text)
    ]
    if query_type == "count":
        return {"count": len(starts)}
    # A shard for each occurrence, whose rank says where it is.
    ranks = [number * 1_000_000 + at for number, at in starts]
    return {"cnt": len(starts), "segment_by_shard": [[rank, rank + 1] for rank in ranks]}


InfiniGramServer.handler = _Handler
