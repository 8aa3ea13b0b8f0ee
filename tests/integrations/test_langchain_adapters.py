"""averment in LangChain itself, with its own fake chat models; skipped where it is absent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from averment.errors import NotAnIndexError, UnknownNameError, UsageError
from integrations.ferries import FERRY, PORT, TRUE, WRONG, calibrator, ferries  # noqa: F401

pytestmark = pytest.mark.filterwarnings("ignore")
QUESTION = "Where does the ferry Sørlandia sail to?"
LEXICAL = {"faithfulness": "lexical"}


@pytest.fixture
def adapters() -> Any:
    reason = "LangChain is absent; type: pip install 'averment[langchain]'"
    pytest.importorskip("langchain", reason=reason)
    from averment.integrations import langchain

    return langchain


@pytest.fixture
def agents(adapters: Any) -> Any:
    from averment.integrations import langchain_agents

    return langchain_agents


def said(*texts: Any) -> Any:
    """A chat model that gives these messages, in order; tools may be bound to it."""
    from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage
    from pydantic import Field

    class Scripted(FakeMessagesListChatModel):
        heard: list[Any] = Field(default_factory=list)

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: Any, *args: Any, **more: Any) -> Any:
            self.heard.append(list(messages))
            return super()._generate(messages, *args, **more)

    made = [each if isinstance(each, AIMessage) else AIMessage(each) for each in texts]
    return Scripted(responses=made)


def looking_up(query: str = "ferry") -> Any:
    from langchain_core.messages import AIMessage

    call = {"name": "look_up", "args": {"query": query}, "id": "call-1", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


def told_by(message: Any) -> dict[str, Any]:
    found: dict[str, Any] = message.response_metadata["averment"]
    return found


def run(agent: Any, *, is_async: bool = False) -> Any:
    asked = {"messages": [{"role": "user", "content": QUESTION}]}
    made = asyncio.run(agent.ainvoke(asked)) if is_async else agent.invoke(asked)
    return made["messages"]


def test_passages_say_whence_they_are(adapters: Any, ferries: str) -> None:
    retriever = adapters.AvermentRetriever(index=ferries, k=1)

    [found] = retriever.invoke("Who lies in Denmark?")

    assert found.page_content == PORT
    assert found.id == "port#0"
    assert found.metadata["document_id"] == "port"
    assert PORT[found.metadata["start"] : found.metadata["end"]] == PORT
    assert found.metadata["score"] > 0
    assert found.metadata["retriever"] == "bm25"
    assert asyncio.run(retriever.ainvoke("Who lies in Denmark?")) == [found]


def test_errors_of_averment_come_through(adapters: Any, agents: Any, ferries: str) -> None:
    with pytest.raises(NotAnIndexError, match="averment index build"):
        adapters.AvermentRetriever(index="nowhere")
    with pytest.raises(UsageError, match="averment index embed"):
        adapters.AvermentRetriever(index=ferries, settings={"retriever": "dense"})
    with pytest.raises(UsageError, match="averment calibrate"):
        adapters.AvermentVerifier(calibrator="none.json")
    with pytest.raises(UnknownNameError, match="annotate"):
        agents.AvermentMiddleware(action="anotate")
    with pytest.raises(UsageError, match="not int"):
        adapters.AvermentVerifier(**LEXICAL).invoke(3)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_chain_gives_an_answer_with_citations(
    adapters: Any, ferries: str, is_async: bool
) -> None:
    chain = said(f"{TRUE} {WRONG}") | adapters.AvermentVerifier(ferries, **LEXICAL)

    message = asyncio.run(chain.ainvoke("Where?")) if is_async else chain.invoke("Where?")

    assert message.text == f"{TRUE} {WRONG}"
    [block] = message.content_blocks
    [citation] = block["annotations"]
    assert citation["type"] == "citation"
    assert block["text"][citation["start_index"] : citation["end_index"]] == TRUE
    assert citation["cited_text"] == FERRY
    assert citation["url"] == "https://ferries.example/sorlandia"
    assert told_by(message)["verdict"] == "warned"
    assert [each["verdict"] for each in told_by(message)["claims"]] == ["supported", "unsupported"]


def test_documents_of_a_retriever_are_what_claims_are_held_against(
    adapters: Any, ferries: str, calibrator: str
) -> None:
    documents = adapters.AvermentRetriever(index=ferries).invoke("ferry Sørlandia")
    verifier = adapters.AvermentVerifier(calibrator=calibrator, **LEXICAL)

    message = verifier.invoke({"answer": TRUE, "question": "Which?", "documents": documents})

    [claim] = told_by(message)["claims"]
    assert 0 < claim["p_true"] < 1
    [citation] = message.content_blocks[0]["annotations"]
    assert citation["url"] == "https://ferries.example/sorlandia"
    assert citation["extras"]["document_id"] == "https://ferries.example/sorlandia#0"


def test_offsets_are_those_of_the_block_and_other_blocks_stay(adapters: Any) -> None:
    from langchain_core.messages import AIMessage

    message = AIMessage(
        content_blocks=[
            {"type": "reasoning", "reasoning": "Let me see."},
            {"type": "text", "text": f"{WRONG} ", "annotations": []},
            {"type": "text", "text": TRUE},
        ]
    )

    made = adapters.AvermentVerifier(**LEXICAL).invoke({"answer": message, "documents": [FERRY]})

    reasoning, first, second = made.content_blocks
    assert reasoning["reasoning"] == "Let me see."
    assert first["annotations"] == []
    [citation] = second["annotations"]
    assert second["text"][citation["start_index"] : citation["end_index"]] == TRUE


@pytest.mark.parametrize("is_async", [False, True])
def test_an_agent_s_answer_is_held_against_what_its_tools_returned(
    agents: Any, is_async: bool
) -> None:
    from langchain.agents import create_agent
    from langchain_core.tools import tool

    @tool
    def look_up(query: str) -> str:
        """Look something up."""
        return FERRY

    model = said(looking_up(), f"{TRUE} {WRONG}")
    agent = create_agent(model, [look_up], middleware=[agents.AvermentMiddleware(**LEXICAL)])

    _, called, _, answer = run(agent, is_async=is_async)

    assert "averment" not in called.response_metadata
    assert [each["verdict"] for each in told_by(answer)["claims"]] == ["supported", "unsupported"]
    [citation] = answer.content_blocks[0]["annotations"]
    assert citation["extras"]["document_id"] == "look_up call-1"


def test_documents_of_a_retriever_tool_are_evidence_one_by_one(
    agents: Any, adapters: Any, ferries: str
) -> None:
    from langchain.agents import create_agent
    from langchain_core.tools import create_retriever_tool

    retriever = adapters.AvermentRetriever(index=ferries)
    tool = create_retriever_tool(
        retriever, "look_up", "Looks up.", response_format="content_and_artifact"
    )
    agent = create_agent(
        said(looking_up("ferry Sørlandia"), TRUE),
        [tool],
        middleware=[agents.AvermentMiddleware(**LEXICAL)],
    )

    *_, answer = run(agent)

    [citation] = answer.content_blocks[0]["annotations"]
    assert citation["url"] == "https://ferries.example/sorlandia"
    assert citation["title"] == "Sørlandia"


def test_a_tool_that_failed_is_no_evidence(agents: Any) -> None:
    from langchain.agents import create_agent
    from langchain_core.tools import ToolException, tool

    @tool
    def look_up(query: str) -> str:
        """Look something up."""
        raise ToolException(FERRY)

    look_up.handle_tool_error = True
    middleware = agents.AvermentMiddleware(**LEXICAL)

    *_, failed, answer = run(
        create_agent(said(looking_up(), TRUE), [look_up], middleware=[middleware])
    )

    assert (failed.text, failed.status) == (FERRY, "error")
    assert [each["verdict"] for each in told_by(answer)["claims"]] == ["unverified"]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_model_answers_once_more_and_the_agent_keeps_the_second_answer(
    agents: Any, ferries: str, is_async: bool
) -> None:
    from langchain.agents import create_agent

    model = said(WRONG, TRUE)
    middleware = agents.AvermentMiddleware(ferries, action="regenerate", **LEXICAL)

    messages = run(create_agent(model, middleware=[middleware]), is_async=is_async)

    assert [each.text for each in messages] == [QUESTION, TRUE]
    assert told_by(messages[-1])["verdict"] == "answered"
    complaint = model.heard[-1][-1].text
    assert WRONG in complaint
    assert TRUE not in complaint


def test_a_second_answer_without_support_is_given_with_its_verdict(
    agents: Any, ferries: str
) -> None:
    from langchain.agents import create_agent

    model = said(WRONG, WRONG, TRUE)
    middleware = agents.AvermentMiddleware(ferries, action="regenerate", **LEXICAL)

    *_, answer = run(create_agent(model, middleware=[middleware]))

    assert answer.text == WRONG
    assert told_by(answer)["verdict"] == "warned"
    assert len(model.heard) == 2


def test_an_answer_with_support_is_not_asked_for_again(agents: Any, ferries: str) -> None:
    from langchain.agents import create_agent

    model = said(TRUE)
    middleware = agents.AvermentMiddleware(ferries, action="regenerate", **LEXICAL)

    run(create_agent(model, middleware=[middleware]))

    assert len(model.heard) == 1


def test_asked_again_a_model_may_look_things_up(agents: Any) -> None:
    from langchain.agents import create_agent
    from langchain_core.tools import tool

    @tool
    def look_up(query: str) -> str:
        """Look something up."""
        return FERRY

    model = said(WRONG, looking_up(), TRUE)
    middleware = agents.AvermentMiddleware(action="regenerate", **LEXICAL)

    for is_async in (False, True):
        *_, answer = run(create_agent(model, [look_up], middleware=[middleware]), is_async=is_async)
        assert told_by(answer)["verdict"] == "answered"


def test_an_agent_abstains_where_a_claim_lacks_support(agents: Any, ferries: str) -> None:
    from langchain.agents import create_agent

    middleware = agents.AvermentMiddleware(ferries, action="abstain", **LEXICAL)

    *_, silent = run(create_agent(said(WRONG), middleware=[middleware]))
    *_, spoken = run(create_agent(said(TRUE), middleware=[middleware]))

    assert silent.text == "I do not know."
    assert told_by(silent)["verdict"] == "abstained"
    assert told_by(silent)["answer"] == WRONG
    assert spoken.text == TRUE
