"""averment in Haystack itself, with its own mock generator; skipped where it is absent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from averment.errors import NotAnIndexError, UsageError
from integrations.ferries import FERRY, PORT, TRUE, WRONG, ferries  # noqa: F401

pytestmark = pytest.mark.filterwarnings("ignore")
LEXICAL = {"faithfulness": "lexical"}


@pytest.fixture
def component(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")  # it would ask a server elsewhere
    reason = "Haystack is absent; type: pip install 'averment[haystack]'"
    pytest.importorskip("haystack", reason=reason)
    from averment.integrations import haystack

    return haystack.AvermentVerifier


def ran(component: Any, *, is_async: bool, **inputs: Any) -> Any:
    if is_async:
        return asyncio.run(component.run_async(**inputs))
    component.warm_up()
    return component.run(**inputs)


@pytest.mark.parametrize("is_async", [False, True])
def test_replies_are_held_against_the_documents_that_came_with_them(
    component: Any, is_async: bool
) -> None:
    from haystack import Document
    from haystack.dataclasses import ChatMessage

    documents = [Document(content=PORT), Document(content=FERRY, meta={"title": "Ferries"})]
    replies = [ChatMessage.from_assistant(f"{TRUE} {WRONG}")]

    made = ran(
        component(settings=LEXICAL),
        is_async=is_async,
        replies=replies,
        query="Where?",
        documents=documents,
    )

    assert made["verdicts"] == ["warned"]
    [answer] = made["answers"]
    assert (answer.data, answer.query) == (f"{TRUE} {WRONG}", "Where?")
    claims = answer.meta["averment"]["claims"]
    assert [each["verdict"] for each in claims] == ["supported", "unsupported"]
    assert [(each.id, each.meta["source_index"]) for each in answer.documents] == [
        (each.id, number) for number, each in enumerate(documents, start=1)
    ]
    assert [each.meta["referenced"] for each in answer.documents] == [False, True]
    assert documents[0].meta == {}


def test_without_documents_passages_of_the_index_are_read(component: Any, ferries: str) -> None:
    made = ran(component(ferries, LEXICAL), is_async=False, replies=[TRUE, WRONG])

    assert made["verdicts"] == ["answered", "warned"]
    found = {each.meta["document_id"]: each for each in made["answers"][0].documents}
    assert found["https://ferries.example/sorlandia"].meta["referenced"] is True
    assert found["https://ferries.example/sorlandia"].content == FERRY
    assert found["port"].meta["referenced"] is False


def test_a_reply_without_text_is_not_checked(component: Any) -> None:
    made = ran(component(settings=LEXICAL), is_async=False, replies=[""])

    assert made["verdicts"] == ["answered"]
    assert made["answers"][0].meta["averment"]["reason"] == "no_text"
    assert made["answers"][0].documents == []


def test_errors_of_averment_come_through_when_a_pipeline_warms_up(component: Any) -> None:
    from haystack import Pipeline

    pipeline = Pipeline()
    pipeline.add_component("verifier", component("nowhere"))

    with pytest.raises(NotAnIndexError, match="averment index build"):
        pipeline.warm_up()
    with pytest.raises(UsageError, match="averment calibrate"):
        component(settings={"calibrator": "none.json"}).warm_up()


@pytest.mark.parametrize("is_async", [False, True])
def test_a_pipeline_is_written_down_read_again_and_run(
    component: Any, ferries: str, is_async: bool
) -> None:
    from haystack import Pipeline
    from haystack.components.generators.chat import MockChatGenerator
    from haystack.dataclasses import ChatMessage

    pipeline = Pipeline()
    pipeline.add_component("model", MockChatGenerator(TRUE))
    pipeline.add_component("verifier", component(ferries, LEXICAL))
    pipeline.connect("model.replies", "verifier.replies")
    read = Pipeline.loads(pipeline.dumps(), allowed_modules=["averment.integrations.haystack"])
    asked = {"model": {"messages": [ChatMessage.from_user("Where?")]}}

    made = asyncio.run(read.run_async(asked)) if is_async else read.run(asked)

    assert made["verifier"]["verdicts"] == ["answered"]
    assert made["verifier"]["answers"][0].data == TRUE
