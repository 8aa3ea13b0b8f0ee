"""A local model also answers chats that no policy can express, by the runtime's own interface."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from serve.running import ask, client, events, running, serving_of
from towns_by_hand import QUESTION, build_rivers

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Any]:
    path: Path = request.getfixturevalue("model_path")
    index = build_rivers(tmp_path_factory.mktemp("local") / "rivers")
    with (
        serving_of(index, scores=False, threads=1, model=str(path)) as serving,
        running(serving) as url,
        client(url, timeout=120) as c,
    ):
        yield c


def test_its_file_is_known_by_its_name_and_not_by_where_it_lies(
    http: Any, model_path: Path
) -> None:
    names = [row["id"] for row in http.get("/v1/models").json()["data"]]

    assert f"quco/{model_path.stem}" in names
    assert str(model_path) not in str(names)


def test_a_policy_answers_with_it(http: Any, model_path: Path) -> None:
    made = http.post("/v1/chat/completions", json=ask(QUESTION, f"quco/{model_path.stem}")).json()

    assert made["averment"]["route"] == "policy"
    assert str(model_path) not in str(made)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_chat_with_documents_is_answered_by_it_and_checked(
    stream: bool, http: Any, model_path: Path
) -> None:
    document = {"id": "r", "title": "Rivers", "text": "The Elbe flows through Dresden."}
    asked = ask("Which river flows through Dresden?", f"quco/{model_path.stem}")
    asked |= {"documents": [document], "max_tokens": 24, "temperature": 0, "stream": stream}

    response = http.post("/v1/chat/completions", json=asked)

    assert response.status_code == 200
    details = (events(response.text)[-2] if stream else response.json())["averment"]
    assert (details["route"], details["evidence_sources"]) == ("checked_afterwards", ["documents"])
    assert "Elbe" in details["answer"]


def test_its_answer_has_a_page_that_does_not_say_where_the_file_lies(
    http: Any, model_path: Path
) -> None:
    form = {"question": QUESTION, "policy": "quco"}

    page = http.post("/answers", data=form, headers={"Accept": "text/html"}, follow_redirects=True)

    assert page.status_code == 200
    assert 'class="claim ' in page.text
    assert model_path.name in page.text
    assert str(model_path.parent) not in page.text
