"""infini-gram's API as an index: what it says is typed by what it can know, names are data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from averment.dating import Dates
from averment.errors import (
    CapabilityError,
    IndexUnavailable,
    QueryError,
    UnknownNameError,
    UsageError,
)
from averment.index.infinigram.api import INFINIGRAM, MINI, Address, Api, Mini, address_of, open_api
from averment.index.infinigram.http import Requests
from averment.index.infinigram.index import InfiniGramIndex
from averment.index.infinigram.source import ForeignDocument, Found, Rank, Refused
from averment.settings import resolve_settings
from averment.types import Cooccurrence, Count, CountKind, Document, Support
from averment.wiring.looking_back import looked_back
from contracts.index_contract import corpus
from contracts.infinigram_server import InfiniGramServer

EXACT, LOWER, ESTIMATE = CountKind.EXACT, CountKind.LOWER_BOUND, CountKind.ESTIMATE
REPLIES = json.loads((Path(__file__).parent / "infinigram_replies.json").read_text())

Serve = Callable[..., tuple[InfiniGramServer, InfiniGramIndex]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as servers:

        def serve(
            documents: Sequence[Document], **options: Any
        ) -> tuple[InfiniGramServer, InfiniGramIndex]:
            server = servers.enter_context(InfiniGramServer({"ours": documents}, **options))
            kind = MINI if server.mini else INFINIGRAM
            requests = Requests(server.url, cache=None, sleep=lambda seconds: None)
            return server, open_api(Address(kind, "ours", server.url), requests)

        yield serve


def many(text: str, n: int) -> list[Document]:
    """More documents of a text than are read."""
    return corpus(*[text] * n)


# --- phrases ------------------------------------------------------------------------------------


def test_names_with_and_and_or_in_them_are_names(serve: Serve) -> None:
    _, index = serve(corpus("Sturm AND Drang was a movement.", "Sturm came. Drang OR Sturm OR x."))

    counts = index.count(["Sturm AND Drang", "Drang OR Sturm OR x", "Sturm", "Sturm AND x"])

    assert [count.value for count in counts] == [1, 1, 3, 0]


def test_a_phrase_is_what_stands_after_a_blank_as_it_is_written(serve: Serve) -> None:
    _, index = serve(corpus("Reno (Reno) RENO renoir Renoir, Reno"))

    assert [count.value for count in index.count(["Reno", "RENO", "reno"])] == [2, 1, 0]


def test_documents_of_a_count_are_unknown_and_not_zero(serve: Serve) -> None:
    _, index = serve(corpus("a", "a", "b"))

    assert index.count(["a", "b", "c"]) == [
        Count(2, None, EXACT),
        Count(1, 1, EXACT),
        Count(0, 0, EXACT),
    ]


def test_what_the_api_calls_approximate_is_an_estimate(serve: Serve) -> None:
    server, index = serve(corpus("a", "a"))
    server.faults = ["approx"]

    assert index.count(["a"]) == [Count(2, None, ESTIMATE)]


def test_forms_that_cannot_overlap_add_up_and_others_are_read(serve: Serve) -> None:
    _, index = serve(corpus("Silas Hardy met Hardy. NYC", "NYC or New York City"))

    apart, overlapping = index.count([{"NYC", "New York City"}, {"Hardy", "Silas Hardy"}])

    assert (apart.value, apart.kind) == (3, EXACT)
    assert overlapping == Count(2, 1, EXACT)


def test_forms_that_overlap_too_often_to_be_read_are_a_lower_bound(serve: Serve) -> None:
    _, index = serve(many("Silas Hardy met Hardy.", 30))

    assert index.count([{"Hardy", "Silas Hardy"}]) == [Count(60, None, LOWER)]


@pytest.mark.parametrize(
    ("phrase", "reason"),
    [
        pytest.param("x" * 1001, "1,000 characters", id="characters"),
        pytest.param("x" + "!" * 501, "<= 500 tokens", id="tokens, as the server says"),
    ],
)
def test_what_is_too_long_for_the_api_is_unavailable_with_the_reason(
    serve: Serve, phrase: str, reason: str
) -> None:
    _, index = serve(corpus("a b"))

    count, there = index.count([phrase, "a"])
    pair, absent = index.cooccurrence([(phrase, "a"), (phrase, "c")], window_words=5)

    assert count.value is None
    assert count.kind is CountKind.UNAVAILABLE
    assert reason in (count.reason or "")
    assert there.value == 1
    assert (pair.exists, pair.kind, pair.reason) == (None, CountKind.UNAVAILABLE, count.reason)
    assert absent == Cooccurrence(False, 0, 0, None, EXACT)  # "c" is nowhere, whatever stands there


def test_an_alias_that_is_too_long_leaves_a_lower_bound(serve: Serve) -> None:
    _, index = serve(corpus("a", "a b"))

    [count] = index.count([{"a", "y" * 2000}])
    [pair] = index.cooccurrence([({"a", "y" * 2000}, "b")], window_words=5)

    assert (count.value, count.kind) == (2, LOWER)
    assert (pair.exists, pair.pairs, pair.kind) == (True, 1, LOWER)


# --- pairs --------------------------------------------------------------------------------------


def test_pairs_of_a_rare_phrase_are_read_and_exact(serve: Serve) -> None:
    server, index = serve([*many("b", 50), Document("d", "a x x b")])

    [found] = index.cooccurrence([("a", "b")], window_words=3)

    assert found == Cooccurrence(True, 1, 1, 3, EXACT)
    assert all("max_diff_tokens" not in asked for asked in server.requests)


def test_pairs_of_frequent_phrases_are_an_estimate_that_knows_that_there_are_some(
    serve: Serve,
) -> None:
    _, index = serve(many("a b " + "x " * 40, 30))

    [found] = index.cooccurrence([("a", "b")], window_words=20)

    assert (found.exists, found.pairs, found.kind) == (True, 30, ESTIMATE)
    assert found.support() is Support.PRESENT
    assert found.support(at_least=2) is Support.UNKNOWN


def test_a_window_in_words_is_asked_as_a_third_more_tokens_and_no_more_than_the_limit(
    serve: Serve,
) -> None:
    server, index = serve(many("a b " + "x " * 40, 30))

    index.cooccurrence_by_window([("a", "b")], windows_words=[30, 5000])

    windows = [body["max_diff_tokens"] for body in server.requests if "max_diff_tokens" in body]
    assert windows == [40, 30, 1000]  # 30: to know that it is within 30 words


def test_what_is_found_in_more_tokens_than_words_is_not_known_to_be_near(serve: Serve) -> None:
    # The distance is 12 tokens: within 10 words as the words go, yet who knows.
    _, index = serve(many("a . . . x x x x x x x x b " + "y " * 30, 30))

    [found] = index.cooccurrence([("a", "b")], window_words=10)

    assert (found.exists, found.kind) == (True, LOWER)  # some documents were read
    assert found.pairs == 20


def test_a_zero_of_the_api_is_never_believed(serve: Serve) -> None:
    # The nearest b after each a is of the next document: infini-gram drops the one before it, too.
    texts = ["x " * 30 + "b x x a", "x x b " + "x " * 30] * 30
    server, index = serve(corpus(*texts))

    [found] = index.cooccurrence([("a", "b")], window_words=50)

    asked = next(body for body in server.requests if "max_diff_tokens" in body)
    corpus_ = server.opened["ours"]
    cnf = [[tuple(term) for term in clause] for clause in asked["query_ids"]]
    assert corpus_.count_cnf(cnf, 500_000, asked["max_diff_tokens"]) == (0, False)
    assert (found.exists, found.pairs, found.kind) == (True, 20, LOWER)


def test_a_zero_that_reading_does_not_settle_is_unknown(serve: Serve) -> None:
    _, index = serve([*many("a x", 30), *many("b x", 30)])

    [found] = index.cooccurrence([("a", "b")], window_words=50)
    [exists] = index.exists([("a", "b")], window_words=50)

    assert found == Cooccurrence(None, 0, 0, None, LOWER)
    assert found.support() is Support.UNKNOWN
    assert exists is None


def test_silent_sampling_gives_an_estimate_and_not_a_count(serve: Serve) -> None:
    # 30 occurrences with a sample of 20: the scale is 1, and the API says that nothing is sampled.
    documents = many("a b " + "x " * 40, 30)
    _, index = serve(documents, samples_at=20)

    [found] = index.cooccurrence([("a", "b")], window_words=20)

    assert (found.exists, found.kind) == (True, ESTIMATE)
    assert found.pairs == 20


def test_a_sample_that_misses_all_pairs_does_not_prove_absence(serve: Serve) -> None:
    # The sample is one run of what follows the phrase: here, of those without a pair.
    documents = [*many("x a c " + "x " * 40, 40), *many("b a z " + "x " * 40, 30)]
    _, index = serve(documents, samples_at=15)

    [found] = index.cooccurrence([("a", "b")], window_words=5)

    assert found.exists is not False
    assert found.support() is not Support.ABSENT


def test_exists_asks_one_question_where_a_pair_is_found(serve: Serve) -> None:
    server, index = serve(many("a b " + "x " * 40, 30))

    assert index.exists([("a", "b"), ("a", "c")], window_words=1000) == [True, False]
    assert not [body for body in server.requests if body["query_type"] == "get_doc_by_rank"]


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda index: index.dates(), id="dates"),
        pytest.param(lambda index: index.dated(Dates(until="2020")), id="up to a date"),
        pytest.param(lambda index: index.where(before="2020"), id="where"),
        pytest.param(
            lambda index: looked_back(index, resolve_settings(as_of="2020")), id="as of a day"
        ),
    ],
)
def test_it_knows_no_dates_and_says_so(
    serve: Serve, ask: Callable[[InfiniGramIndex], object]
) -> None:
    _, index = serve(many("a b", 3))

    with pytest.raises(CapabilityError, match=r"cannot be restricted to .*infini-gram's"):
        ask(index)


def test_four_forms_of_a_name_are_asked_together(serve: Serve) -> None:
    server, index = serve(many("a c d e f g b " + "x " * 40, 30))

    [found] = index.cooccurrence([({"a", "c", "d", "e", "f", "zz"}, "b")], window_words=50)

    asked = next(body for body in server.requests if "max_diff_tokens" in body)
    assert [len(clause) for clause in asked["query_ids"]] == [4, 1]
    assert (found.exists, found.kind) == (True, ESTIMATE)


def test_documents_that_are_longer_than_the_api_shows_leave_a_lower_bound(serve: Serve) -> None:
    _, index = serve(corpus("a " + "x " * 12_000 + "b"))

    [found] = index.cooccurrence([("a", "b")], window_words=100)

    assert (found.exists, found.kind) == (None, LOWER)


# --- failures -----------------------------------------------------------------------------------


def test_a_failure_is_unavailable_and_not_zero(serve: Serve) -> None:
    server, index = serve(corpus("a b"))
    server.faults = ["500"] * 8

    [count] = index.count(["a"])

    assert (count.value, count.kind) == (None, CountKind.UNAVAILABLE)
    assert "HTTP 500" in (count.reason or "")


def test_documents_that_cannot_be_read_leave_a_lower_bound(serve: Serve) -> None:
    server, index = serve(corpus("a b", "a x b", "a c"))
    index.count(["a", "b"])
    asked = len(server.requests)
    server.faults = ["", "", *["html"] * 12]  # two finds, then three documents, four tries each

    [found] = index.cooccurrence([("a", "b")], window_words=5)

    assert len(server.requests) > asked
    assert (found.exists, found.pairs, found.kind) == (None, 0, LOWER)


def test_a_reply_without_its_fields_is_unavailable(serve: Serve) -> None:
    server, index = serve(corpus("a"))
    server.faults = ["empty"]

    [count] = index.count(["a"])

    assert count.kind is CountKind.UNAVAILABLE
    assert "cnt" in (count.reason or "") or "segment_by_shard" in (count.reason or "")


def test_windows_that_were_not_found_among_some_documents_are_no_proof(serve: Serve) -> None:
    _, index = serve([*many("a x", 30), *many("b x", 30)])

    with pytest.raises(IndexUnavailable, match="not all"):
        index.nearest_windows([("a", "b")], window_words=5, context_words=5, limit=3)


def test_an_index_that_the_server_does_not_have_is_told_with_those_that_it_has(
    serve: Serve,
) -> None:
    server, _ = serve(corpus("a"))

    with pytest.raises(UnknownNameError, match=r"v4_nothing.*Known: ours"):
        open_api(Address(INFINIGRAM, "v4_nothing", server.url), Requests(server.url, cache=None))


def test_documents_cannot_be_chosen_by_language(serve: Serve) -> None:
    _, index = serve(corpus("a"))

    with pytest.raises(CapabilityError, match="language"):
        index.where(language="en")


def test_an_empty_set_of_forms_is_refused(serve: Serve) -> None:
    _, index = serve(corpus("a"))

    with pytest.raises(QueryError, match="empty"):
        index.count([frozenset()])


# --- infini-gram mini ---------------------------------------------------------------------------


def test_mini_counts_characters_and_reads_pairs(serve: Serve) -> None:
    _, index = serve(corpus("Silas Hardy came to Reno.", "Reno and Renoir"), mini=True)

    [reno, hardy] = index.count(["Reno", "Silas Hardy"])
    [near, far] = index.cooccurrence([("Hardy", "Reno"), ("Hardy", "Renoir")], window_words=5)

    assert (reno.value, hardy.value) == (3, 1)  # Renoir, too: characters
    assert near == Cooccurrence(True, 1, 1, 3, EXACT)
    assert far == Cooccurrence(False, 0, 0, None, EXACT)
    assert "characters" in index.info.text_form


def test_mini_says_nothing_of_pairs_that_are_too_many_to_read(serve: Serve) -> None:
    _, index = serve([*many("a x", 30), *many("b x", 30)], mini=True)

    [found] = index.cooccurrence([("a", "b")], window_words=5)

    assert found.kind is CountKind.UNAVAILABLE
    assert "mini" in (found.reason or "")


# --- the documented replies ---------------------------------------------------------------------


class Canned(Requests):
    """Replies as they are in the file."""

    def __init__(self, reply: dict[str, Any]) -> None:
        super().__init__("https://api.invalid/", cache=None)
        self._reply = reply

    def ask(self, bodies: Sequence[Any]) -> list[dict[str, Any] | Refused]:
        return [self._reply for _ in bodies]


def canned(name: str) -> Canned:
    return Canned(REPLIES[name]["reply"])


def test_documented_replies_are_read() -> None:
    [found] = Api("x", canned("find"), None).find(["natural language processing"])
    [n] = Api("x", canned("count"), None).count_near([([(1,)], [(2,)])], n_tokens=10)

    segments = ((13693395, 13693397), (14029590, 14029591))
    assert found == Found((5613, 4086, 9068), 3, segments)
    assert n == 2349754


def test_documented_documents_are_read() -> None:
    [document] = Api("x", canned("get_doc_by_rank"), None).documents([Rank(0, 13693395)])
    [mini] = Mini("x", canned("mini get_doc_by_rank")).documents([Rank(0, 7)])
    [found] = Mini("x", canned("mini find")).find(["natural language processing"])

    text = "of an article on natural language processing"
    assert document == ForeignDocument(47865, "arxiv.jsonl.gz:47865", "", text, False)
    assert isinstance(mini, ForeignDocument)
    assert (mini.document_id, mini.is_whole) == ("document 5", True)
    assert found == Found((), 2, ((7, 8), (70, 71)))


# --- addresses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("infinigram:v4_pileval_llama", ("v4_pileval_llama", "https://api.infini-gram.io/")),
        ("infinigram:a@http://127.0.0.1:80/x", ("a", "http://127.0.0.1:80/x")),
        ("https://host/api#a_b", ("a_b", "https://host/api")),
        ("http://host:8000/?index=a", ("a", "http://host:8000/")),
        ("infinigram-mini:v2_pileval", ("v2_pileval", "https://api-mini.infini-gram.io/")),
    ],
)
def test_an_address_is_read_from_a_text_and_from_a_path(
    written: str, address: tuple[str, str]
) -> None:
    for named in (written, Path(written)):
        found = address_of(named)
        assert found is not None
        assert (found.name, found.url) == address


@pytest.mark.parametrize("url", ["localhost:5000", "ftp://host/"])
def test_an_address_with_something_else_than_a_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="not the URL of a server"):
        address_of(f"infinigram:a@{url}")


@pytest.mark.parametrize("written", ["idx", "./infinigram", "a/infinigram:b", "/x/y"])
def test_a_directory_is_no_address(written: str) -> None:
    assert address_of(Path(written)) is None
