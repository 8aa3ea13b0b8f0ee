"""A server answers, checks and finds as of a day."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.models.scripted import ScriptedModel
from averment.types import Prompt
from mayors_by_hand import build_elmstead
from serve.running import ask, client, running, serving_of

SAID = " Carla Finch is the mayor of Elmstead. So the answer is Carla Finch."
QUESTION = "Who is the mayor of Elmstead?"


def write(prompt: Prompt) -> str:
    """A model that believes in one mayor."""
    return SAID.removeprefix(prompt.answer) if SAID.startswith(prompt.answer) else ""


@pytest.fixture(scope="module")
def elmstead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "elmstead"
    build_elmstead(path)
    return path


@pytest.fixture(scope="module")
def server(elmstead: Path) -> Iterator[Any]:
    model = ScriptedModel(write, name="tiny", capabilities=frozenset())
    with serving_of(elmstead, model) as serving, running(serving) as url, client(url) as c:
        yield c


def supports(details: Any) -> list[str]:
    """What the corpus says of each claim."""
    return [claim["support"] for claim in details["claims"]]


def test_a_text_is_checked_as_of_a_day(server: Any) -> None:
    body = {"answer": "Carla Finch is the mayor of Elmstead."}

    now = server.post("/v1/verify", json=body).json()
    then = server.post("/v1/verify", json={**body, "as_of": "2021-05-01"}).json()
    again = server.post("/v1/verify", json=body).json()

    assert (supports(now), now["as_of"]) == (["present"], None)
    assert supports(then) != ["present"]
    assert (then["as_of"]["day"], then["as_of"]["n_later"]) == ("2021-05-01", 1)
    assert again["as_of"] is None


def test_a_policy_answers_as_of_a_day(server: Any) -> None:
    now = server.post("/v1/chat/completions", json=ask(QUESTION)).json()["averment"]
    looking_back = ask(QUESTION, averment={"as_of": "2021", "undated": "include"})
    then = server.post("/v1/chat/completions", json=looking_back).json()["averment"]

    assert (now["verdict"], now["as_of"]) != ("abstained", then["as_of"])
    assert (then["verdict"], then["as_of"]["n_documents"]) == ("abstained", 5)
    found = {p["date"] for made in then["retrievals"] for p in made["passages"]}
    assert "2024-11-02" not in found


def test_passages_are_found_as_of_a_day(server: Any) -> None:
    body = {"queries": ["mayor Carla Finch"], "k": 6}

    now = server.post("/v1/corpus/search", json=body).json()
    then = server.post("/v1/corpus/search", json={**body, "as_of": "2018"}).json()

    dates = {passage["date"] for passage in then["results"][0]["passages"]}
    assert now["results"][0]["passages"][0]["date"] == "2024-11-02"
    assert now["as_of"] is None
    assert dates == {"2015-05-07", "2018-09"}
    assert then["as_of"]["day"] == "2018"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"as_of": "soon"}, "'soon', which is not a date"),
        ({"as_of": "1999"}, "No document of the index"),
        ({"as_of": "2020", "undated": "only"}, "undated"),
    ],
)
def test_a_day_that_cannot_be_looked_back_to_is_refused(server: Any, body: Any, said: str) -> None:
    refused = server.post("/v1/verify", json={"answer": "Elmstead is old.", **body})

    assert refused.status_code == 400
    assert said in refused.json()["error"]["message"]


def test_a_server_that_looks_back_itself_shows_nothing_later(elmstead: Path) -> None:
    model = ScriptedModel(write, name="tiny", capabilities=frozenset())
    with (
        serving_of(elmstead, model, as_of="2018") as serving,
        running(serving) as url,
        client(url) as c,
    ):
        counted = c.post("/v1/corpus/count", json={"phrases": ["Carla Finch"]}).json()
        later = c.post("/v1/verify", json={"answer": "Elmstead is old.", "as_of": "2024"}).json()

    assert counted["counts"][0]["count"] == 0
    assert later["as_of"]["n_documents"] == 2


def test_days_that_were_asked_long_ago_are_let_go_of(elmstead: Path) -> None:
    with serving_of(elmstead, ScriptedModel(write, name="tiny")) as serving:
        first = serving.looking_back("2016")
        assert serving.looking_back("2016") is first
        for month in range(1, 13):
            serving.looking_back(f"2019-{month:02}")
            serving.looking_back(f"2020-{month:02}")

        assert serving.looking_back("2016") is not first
