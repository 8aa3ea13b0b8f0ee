"""infini-gram's HTTP API, and infini-gram mini's, as sources of counts and documents.

Phrases are made tokens by the server, or by a tokenizer that is named; pairs are asked as tokens,
so that " AND " in a name is part of it. What is longer than the server takes is refused here, with
the reason. infini-gram mini counts characters and knows no pairs: these are read in documents.

What this module does not do: send (`averment.index.infinigram.http`).

Source: the API's documentation and its server's code, https://infini-gram.readthedocs.io and
https://infini-gram-mini.readthedocs.io. It was never asked from here: replies are as documented.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from averment.errors import IndexUnavailable, UnknownNameError, UsageError
from averment.index.infinigram.encodings import TokenizerEncoding, document_of, read_tokenizer
from averment.index.infinigram.http import Body, Reply, Requests
from averment.index.infinigram.index import InfiniGramIndex
from averment.index.infinigram.source import (
    AsWritten,
    ForeignDocument,
    Found,
    Rank,
    Refused,
    TokenIds,
)
from averment.types import CorpusInfo

INFINIGRAM, MINI = "infinigram", "infinigram-mini"
URLS = {INFINIGRAM: "https://api.infini-gram.io/", MINI: "https://api-mini.infini-gram.io/"}
_ADDRESS = re.compile(rf"({INFINIGRAM}|{MINI}):([^@]+)(?:@(.+))?")
_URL = re.compile(r"(https?):/+([^#?]+)[#?](?:index=)?(.+)")
_PROBE = "University of Washington"
"""The documented example, by which a tokenizer is recognised."""
_MOST_CHARACTERS = 1000
_MOST_TOKENS = 500
_MOST_CLAUSE_OCCURRENCES = 500_000
_MOST_SHOWN = 10_000
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Address:
    """An index on a server: ``infinigram:NAME``, with ``@URL`` where it is not the public one."""

    kind: str
    name: str
    url: str


def address_of(named: Path | str) -> Address | None:
    """The address that somebody wrote where a directory may stand; None: it is a directory.

    A URL with the name after ``#`` is one, too. A path has lost one slash of a URL.

    Raises:
        UsageError: What stands behind ``@`` is no URL.
    """
    written = named.as_posix() if isinstance(named, Path) else named
    if found := _URL.fullmatch(written):
        scheme, place, name = found.groups()
        return Address(INFINIGRAM, name, f"{scheme}://{place}")
    if found := _ADDRESS.fullmatch(written):
        kind, name, url = found.groups()
        if url is not None:
            url = re.sub(r"^(https?):/+", r"\1://", url)
            if not urlsplit(url).hostname or not url.startswith("http"):
                raise UsageError(
                    f"{url!r} is not the URL of a server.",
                    hint=f"For example: {kind}:{name}@http://localhost:5000/",
                )
        return Address(kind, name, url or URLS[kind])
    return None


def open_api(
    address: Address, requests: Requests, *, tokenizer: Path | None = None
) -> InfiniGramIndex:
    """Open an index on a server; it is asked once, for what it has.

    Args:
        address: Which one.
        requests: To its server.
        tokenizer: A `tokenizer.json` that makes phrases tokens; None: the server does.

    Raises:
        IndexUnavailable: The server does not answer.
        UnknownNameError: It has no index of that name.
        UsageError: The tokenizer is another one than the index's.
    """
    probe = {"index": address.name, "query_type": "find", "query": _PROBE}
    [reply] = requests.ask([probe])
    if isinstance(reply, Refused):
        if "Invalid index" in reply.reason:
            names = requests.names()
            raise UnknownNameError(f"index on {requests.host}", address.name, names)
        raise IndexUnavailable(
            f"The index {address.name!r} cannot be asked: {reply.reason}.",
            hint="Check the name and the network; what was asked before is answered offline: "
            "AVERMENT_OFFLINE=1",
        )
    encoding = None
    if tokenizer is not None and address.kind == INFINIGRAM:
        encoding = read_tokenizer(tokenizer)
        theirs = tuple(reply.get("token_ids") or ())
        if encoding.encode(_PROBE) != theirs:
            raise UsageError(
                f"{tokenizer} is not the tokenizer of {address.name!r}: {_PROBE!r} is "
                f"{list(encoding.encode(_PROBE))} there, and {list(theirs)} on the server.",
                hint="Leave it out; then the server makes the tokens.",
            )
    source: Api | Mini
    if address.kind == INFINIGRAM:
        source = Api(address.name, requests, encoding)
    else:
        source = Mini(address.name, requests)
    told = f"{address.kind}\n{address.name}\n{requests.url}"
    info = CorpusInfo(
        name=address.name,
        format_version=4,
        engine=f"{address.kind} at {requests.host}",
        text_form=source.matching.identity,
        n_documents=None,
        n_words=None,
        n_terms=None,
        n_segments=len(reply.get("segment_by_shard", ())),
        n_passages=0,
        n_deleted_documents=0,
        counts_bytes=None,
        passages_bytes=0,
        generation=1,
        digest=hashlib.sha256(told.encode()).hexdigest(),
        built_at="unknown",
        entity_threshold_documents=None,
        tells_documents=False,
    )
    return InfiniGramIndex(source, info)


class Api:
    """A `Source`: an index behind infini-gram's API.

    Args:
        name: Of the index.
        requests: To the server.
        encoding: Makes phrases tokens; None: the server does.
    """

    is_exact_text = True
    most_read = 20
    most_tokens_apart = 1000
    most_terms = 4
    tokens_per_word = 4 / 3  # as `QuCo-RAG` has it: 1,000 tokens are about 750 words

    def __init__(self, name: str, requests: Requests, encoding: TokenizerEncoding | None) -> None:
        self._name = name
        self._requests = requests
        self._encoding = encoding
        self.matching = AsWritten(
            f"tokens of the index {name}, case and punctuation as written, after a blank"
        )

    def find(self, spellings: Sequence[str]) -> list[Found | Refused]:
        """The occurrences of each phrase; one request a phrase."""
        if self._encoding is not None:
            encode = self._encoding.encode
            return self._find_ids([encode(spelling) for spelling in spellings])
        # The server reads AND and OR in a text as operators; between two requests they are words.
        pieces = [_pieces(spelling) for spelling in spellings]
        each = list(dict.fromkeys(chain.from_iterable(pieces)))
        known = dict(zip(each, self._find_texts(each), strict=True))
        joined = [_joined([known[piece] for piece in parts]) for parts in pieces]
        several = [at for at, parts in enumerate(pieces) if len(parts) > 1]
        asked = [at for at in several if not isinstance(joined[at], Refused)]
        again = self._find_ids([_ids(joined[at]) for at in asked])
        for at, found in zip(asked, again, strict=True):
            joined[at] = found
        return joined

    def _find_texts(self, texts: Sequence[str]) -> list[Found | Refused]:
        def body(text: str) -> Body | Refused:
            if len(text) > _MOST_CHARACTERS:
                return Refused(
                    f"longer than the {_MOST_CHARACTERS:,} characters that the API takes"
                )
            return self._body("find", query=text)

        return self._ask([body(text) for text in texts], _found)

    def _find_ids(self, each: Sequence[TokenIds]) -> list[Found | Refused]:
        def body(token_ids: TokenIds) -> Body | Refused:
            if len(token_ids) > _MOST_TOKENS:
                return Refused(f"longer than the {_MOST_TOKENS:,} tokens that the API takes")
            return self._body("find", query_ids=list(token_ids))

        return self._ask([body(token_ids) for token_ids in each], _found)

    def count_near(
        self, pairs: Sequence[tuple[Sequence[TokenIds], Sequence[TokenIds]]], *, n_tokens: int
    ) -> list[int | Refused]:
        """How often any form of one name starts within so many tokens of one of another, about."""

        def body(pair: tuple[Sequence[TokenIds], Sequence[TokenIds]]) -> Body | Refused:
            if sum(len(term) for clause in pair for term in clause) > _MOST_TOKENS:
                return Refused(f"longer than the {_MOST_TOKENS:,} tokens that the API takes")
            return self._body(
                "count",
                query_ids=[[list(term) for term in clause] for clause in pair],
                max_clause_freq=_MOST_CLAUSE_OCCURRENCES,
                max_diff_tokens=n_tokens,
            )

        return self._ask([body(pair) for pair in pairs], lambda reply: int(reply["count"]))

    def documents(self, ranks: Sequence[Rank]) -> list[ForeignDocument | Refused]:
        """The document of each occurrence, up to 10,000 tokens of it."""
        # Without a query, the text comes in one piece.
        bodies = [
            self._body(
                "get_doc_by_rank", query_ids=[], s=shard, rank=rank, max_disp_len=_MOST_SHOWN
            )
            for shard, rank in ranks
        ]
        return self._ask(
            bodies, lambda reply: _document(reply, "".join(text for text, _ in reply["spans"]))
        )

    def document_numbers(self, found: Sequence[Found]) -> None:
        """Not asked: that would be a request an occurrence."""
        return

    def _body(self, query_type: str, **fields: Any) -> Body:
        return {"index": self._name, "query_type": query_type, **fields}

    def _ask(
        self, bodies: Sequence[Body | Refused], read: Callable[[Reply], _T]
    ) -> list[_T | Refused]:
        return ask(self._requests, bodies, read)


class Mini:
    """A `Source`: an index behind the API of infini-gram mini, which counts characters.

    Args:
        name: Of the index.
        requests: To the server.
    """

    is_exact_text = True
    most_read = 20
    most_tokens_apart = 0
    most_terms = 1
    tokens_per_word = 6.0

    def __init__(self, name: str, requests: Requests) -> None:
        self._name = name
        self._requests = requests
        self.matching = AsWritten(
            f"characters of the index {name}, case and punctuation as written, after a blank"
        )

    def find(self, spellings: Sequence[str]) -> list[Found | Refused]:
        """The occurrences of the characters of each phrase after a blank."""
        # Without a limit in the documentation, that of infini-gram's.
        bodies: list[Body | Refused] = [
            Refused(f"longer than {_MOST_CHARACTERS:,} characters")
            if len(spelling) > _MOST_CHARACTERS
            else {"index": self._name, "query_type": "find", "query": f" {spelling}"}
            for spelling in spellings
        ]
        return ask(self._requests, bodies, _found)

    def count_near(
        self, pairs: Sequence[tuple[Sequence[TokenIds], Sequence[TokenIds]]], *, n_tokens: int
    ) -> list[int | Refused]:
        """Refused."""
        return [Refused("infini-gram mini counts no pairs") for _ in pairs]

    def documents(self, ranks: Sequence[Rank]) -> list[ForeignDocument | Refused]:
        """The document of each occurrence, up to 10,000 characters on each side."""
        bodies = [
            {
                "index": self._name,
                "query_type": "get_doc_by_rank",
                "query": "",
                "s": shard,
                "rank": rank,
                "max_ctx_len": _MOST_SHOWN,
            }
            for shard, rank in ranks
        ]
        return ask(self._requests, bodies, lambda reply: _document(reply, reply["text"]))

    def document_numbers(self, found: Sequence[Found]) -> None:
        """Not asked: that would be a request an occurrence."""
        return


def ask(
    requests: Requests, bodies: Sequence[Body | Refused], read: Callable[[Reply], _T]
) -> list[_T | Refused]:
    """What is read in the reply to each request; what is refused already is not sent."""
    sent = [body for body in bodies if not isinstance(body, Refused)]
    replies = iter(requests.ask(sent))
    answers: list[_T | Refused] = []
    for body in bodies:
        reply = body if isinstance(body, Refused) else next(replies)
        if isinstance(reply, Refused):
            answers.append(reply)
            continue
        try:
            answers.append(read(dict(reply)))
        except (KeyError, TypeError, ValueError) as error:
            answers.append(Refused(f"{requests.host}: a reply without what was asked: {error!r}"))
    return answers


def _found(reply: Reply) -> Found:
    segments = tuple((int(low), int(high)) for low, high in reply["segment_by_shard"])
    token_ids = tuple(int(token) for token in reply.get("token_ids", ()))
    return Found(token_ids, int(reply["cnt"]), segments, bool(reply.get("approx")))


def _document(reply: Reply, text: str) -> ForeignDocument:
    number = int(reply["doc_ix"])
    document_id, title = document_of(str(reply.get("metadata") or ""), number)
    return ForeignDocument(number, document_id, title, text, reply["disp_len"] == reply["doc_len"])


def _pieces(spelling: str) -> list[str]:
    """The phrase, cut where the server would read an operator."""
    if " AND " not in spelling and " OR " not in spelling:
        return [spelling]
    parts = re.split(r"(?:^| )(AND|OR)(?= |$)", spelling)
    return [part.strip() for part in parts if part.strip()]


def _joined(parts: Sequence[Found | Refused]) -> Found | Refused:
    """The tokens of the pieces of a phrase in a row."""
    tokens: list[int] = []
    for part in parts:
        if isinstance(part, Refused):
            return part
        tokens += part.token_ids
    first = parts[0]
    assert isinstance(first, Found)
    return first if len(parts) == 1 else Found(tuple(tokens), 0, ())


def _ids(found: Found | Refused) -> TokenIds:
    assert isinstance(found, Found)
    return found.token_ids
