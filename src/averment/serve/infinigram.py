"""The request shape of infini-gram's HTTP API, over an averment index: the query type ``count``.

``approx`` is always false and true to its word: nothing is sampled, and where a count is not
exact (a part of the index is missing) there is an error and no number. What differs from
infini-gram, on purpose: a unit is a word, not a token of some model; ``A AND B`` counts pairs of
start positions at most ``max_diff_tokens`` words apart in one document, and of ``A OR B``
overlapping occurrences count once. ``max_clause_freq`` is taken and has nothing to do.

As there, what is missing or unknown is HTTP 400, and a value that cannot be used is HTTP 200 with
``error`` alone.

Source: infini-gram's API documentation, "count" and "CNF queries".
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from averment.errors import AvermentError
from averment.ports import CorpusIndex
from averment.serve.refusals import Refused
from averment.text import TextForm
from averment.types import Cooccurrence, Count, CountKind, Phrase

_AND, _OR = " AND ", " OR "
_MOST_CHARACTERS, _MOST_TERMS = 1000, 4
_LIMITS = {"max_clause_freq": (1, 500_000, 50_000), "max_diff_tokens": (1, 1000, 100)}


class _Unusable(Exception):
    """A value that cannot be used."""


def answer(index: CorpusIndex, form: TextForm, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a request.

    Args:
        index: Who counts.
        form: Its text form.
        asked: The body of the request.

    Raises:
        Refused: A field is missing, or names nothing that is here.
    """
    query = _query(index, asked)
    started = time.perf_counter()
    try:
        clauses = _clauses(query)
        found = _counted(index, clauses, window_words=_number(asked, "max_diff_tokens"))
        _number(asked, "max_clause_freq")
    except _Unusable as error:
        return {"error": str(error)}
    except AvermentError as error:
        return {"error": error.message}
    words = [[form.words(term) for term in clause] for clause in clauses]
    return {
        "count": found,
        "approx": False,
        "latency": (time.perf_counter() - started) * 1000.0,
        "token_ids": [],
        "tokens": words[0][0] if len(words) == len(words[0]) == 1 else words,
    }


def _query(index: CorpusIndex, asked: Mapping[str, Any]) -> str:
    name = asked.get("index", asked.get("corpus"))
    for field, value in (("index", name), ("query_type", asked.get("query_type"))):
        if value is None:
            raise _missing(f"Missing required field: {field}")
    if name != index.info.name:
        raise _missing(f"Invalid index: {str(name)[:100]}", hint=f"It is {index.info.name!r}.")
    if asked["query_type"] != "count":
        raise _missing(f"Invalid query_type: {str(asked['query_type'])[:100]}", hint="Use count.")
    if "query_ids" in asked or not isinstance(asked.get("query"), str):
        raise _missing("Give a query as text; an index of words has no query_ids")
    return str(asked["query"])


def _missing(message: str, hint: str = "") -> Refused:
    said = f"[averment] {message}"
    return Refused(400, "QueryError", said, body={"error": f"{said} {hint}".strip()})


def _clauses(query: str) -> list[list[str]]:
    if len(query) > _MOST_CHARACTERS:
        raise _Unusable(f"Please limit your input to <= {_MOST_CHARACTERS} characters!")
    clauses = [clause.split(_OR) for clause in query.split(_AND)]
    if len(clauses) > 2:
        raise _Unusable("At most two clauses can be counted exactly: A AND B.")
    if any(len(clause) > _MOST_TERMS for clause in clauses):
        raise _Unusable(f"A clause has at most {_MOST_TERMS} terms.")
    return clauses


def _number(asked: Mapping[str, Any], name: str) -> int:
    least, most, default = _LIMITS[name]
    value = asked.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _Unusable(f"{name} must be an integer in [{least}, {most}]!")
    return value


def _counted(index: CorpusIndex, clauses: list[list[str]], *, window_words: int) -> int:
    phrases: list[Phrase] = [frozenset(terms) if len(terms) > 1 else terms[0] for terms in clauses]
    found: Count | Cooccurrence
    if len(phrases) == 1:
        (found,) = index.count(phrases)
        number = found.value
    else:
        (found,) = index.cooccurrence([(phrases[0], phrases[1])], window_words=window_words)
        number = found.pairs
    if found.kind is not CountKind.EXACT or number is None:
        raise _Unusable("A part of the index is missing, so that no exact count can be given.")
    return number
