"""Counts over time and first dates over HTTP are what the commands print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from averment.dating import Period
from averment.index.times import counts_by_period, seen
from averment.shapes import counts_by_period_object, seen_object
from mayors_by_hand import build_elmstead
from serve.running import client, running, serving_of
from towns_by_hand import scripted


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("corpus") / "elmstead"
    index = build_elmstead(path)
    with serving_of(path, scripted()) as serving, running(serving) as url, client(url) as c:
        yield c, index


def test_counts_by_year_are_those_of_the_command(server: Any) -> None:
    c, index = server
    phrases = ["Ada Thorn", "Bruno Vale"]

    made = c.post("/v1/corpus/count", json={"phrases": phrases, "by": "year"}).json()

    found = counts_by_period(index, phrases, Period.YEAR)
    assert made == counts_by_period_object(phrases, found, Period.YEAR, index.info)


@pytest.mark.parametrize(
    ("dates", "documents"),
    [
        ({"before": "2021"}, 2),
        ({"after": "2018"}, 1),
        ({"between": ["2018-09", "2021"]}, 2),
        ({"between": ["2018-09", "2021"], "undated": "include"}, 3),
        ({"undated": "only", "aliases": True}, 1),
    ],
)
def test_documents_of_some_dates_are_counted(server: Any, dates: Any, documents: int) -> None:
    c, _ = server

    made = c.post("/v1/corpus/count", json={"phrases": ["Ada Thorn"], **dates}).json()

    assert made["counts"][0]["documents"] == documents


def test_pairs_by_month(server: Any) -> None:
    c, _ = server

    body = {"pairs": [["mayor", "Ada Thorn"]], "by": "month", "before": "2019"}
    (made,) = c.post("/v1/corpus/cooccur", json=body).json()["results"]

    assert [(row["period"], row["documents"]) for row in made["periods"]] == [
        ("2015-05", 1),
        ("2018-09", 1),
    ]


def test_first_dates_of_phrases_and_pairs(server: Any) -> None:
    c, index = server

    body = {"phrases": ["Old Quay"], "pairs": [["Ada Thorn", "Bruno Vale"]], "window_words": 50}
    made = c.post("/v1/corpus/first-seen", json=body).json()["results"]

    (old_quay,) = seen(index, ["Old Quay"])
    assert made[0] == seen_object("Old Quay", None, old_quay, window_words=None)
    assert (made[1]["first"], made[1]["window_words"]) == ("2021-03-14", 50)


def test_a_date_that_is_none_is_refused(server: Any) -> None:
    c, _ = server

    refused = c.post("/v1/corpus/count", json={"phrases": ["a"], "before": "soon"})

    assert refused.status_code == 400
    assert "'soon', which is not a date" in refused.json()["error"]["message"]
