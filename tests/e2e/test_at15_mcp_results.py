"""AT-15, its part about agents: results fit their output schemas, and are the same JSON as text.

Held against the schemas by `jsonschema` here and by the SDK's client, which refuses what does not
fit; in both ways a connection can begin, over both transports.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import averment
from e2e.strict_json import read_strictly, unexplained
from serve.agent import Agent, listening_server, over_http, over_stdio, text_of

CLAIMS = ["Prague lies on the Vltava.", "Prague lies on the Danube.", "Prague has 40 bridges.", "?"]
NAMES = {
    "verify_claims",
    "check_answer",
    "corpus_count",
    "corpus_cooccur",
    "search_corpus",
    "explain_verdict",
}
GIVEN = [{"id": "guide", "title": "Guide", "text": "Prague lies on the Vltava and has 18 bridges."}]
GOOD: list[tuple[str, dict[str, Any]]] = [
    ("verify_claims", {"claims": CLAIMS}),
    ("verify_claims", {"claims": CLAIMS, "documents": GIVEN}),
    ("check_answer", {"answer": " ".join(CLAIMS)}),
    ("check_answer", {"answer": "The Vltava", "question": "Which river flows through Prague?"}),
    ("check_answer", {"answer": " ".join(CLAIMS), "documents": GIVEN}),
    ("check_answer", {"answer": "…"}),
    ("corpus_count", {"phrases": ["Prague", "U.S.A.", "Zürich 😀"], "aliases": True}),
    ("corpus_cooccur", {"pairs": [["Prague", "Vltava"], ["Prague", "U.S.A."]], "aliases": True}),
    ("search_corpus", {"query": "rivers"}),
    ("search_corpus", {"query": "nothing of the kind"}),
    *(("explain_verdict", {"claim": claim}) for claim in CLAIMS),
    ("explain_verdict", {"claim": CLAIMS[2], "documents": GIVEN}),
]
BAD = [(name, {"nonsense": 1}) for name in sorted(NAMES)]


@pytest.fixture(scope="module", params=["stdio", "stdio handshake", "http", "http handshake"])
def agent(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Agent]:
    home = tmp_path_factory.mktemp("at15") / "home"
    home.mkdir()
    path = home / "index"
    documents = [
        averment.Document("1", "Prague lies on the Vltava. Prague has 18 bridges.", "Prague"),
        averment.Document("2", "Vienna lies on the Danube, a river of Europe. Zürich 😀 does not."),
    ]
    averment.build_index(documents, path)
    arguments = ("--index", str(path), "--faithfulness", "lexical")
    mode = "legacy" if "handshake" in request.param else "auto"
    if "stdio" in request.param:
        with over_stdio(home, *arguments, mode=mode, cwd=home) as connected:
            yield connected
    else:
        with listening_server(home, *arguments) as url, over_http(url, mode) as connected:
            yield connected


def test_the_tools_are_listed_with_schemas_that_stand_alone_and_change_nothing(
    agent: Agent,
) -> None:
    tools = agent.tools()

    assert set(tools) == NAMES
    for tool in tools.values():
        assert tool.description
        assert tool.output_schema is not None
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert (schema["type"], schema["additionalProperties"]) == ("object", False)
            assert "$ref" not in json.dumps(schema)
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False


@pytest.mark.parametrize("detail", [False, True], ids=["brief", "detail"])
@pytest.mark.parametrize(("tool", "arguments"), GOOD, ids=lambda each: str(each)[:40])
def test_a_result_fits_its_schema_and_is_the_same_json_as_text(
    tool: str, arguments: dict[str, Any], detail: bool, agent: Agent
) -> None:
    made = agent.call(tool, **arguments, detail=detail)

    assert not made.is_error
    Draft202012Validator(agent.tools()[tool].output_schema).validate(made.structured_content)
    assert read_strictly(text_of(made)) == made.structured_content
    assert list(unexplained(made.structured_content)) == []
    if not detail:
        assert len(text_of(made).encode()) < 2000


@pytest.mark.parametrize(("tool", "arguments"), BAD, ids=sorted(NAMES))
def test_an_error_of_a_tool_is_a_result_without_structure(
    tool: str, arguments: dict[str, Any], agent: Agent
) -> None:
    error = agent.refused(tool, **arguments)

    assert set(error) == {"kind", "message", "hint"}
    assert all(error.values())


def test_every_claim_that_a_tool_names_can_be_explained(agent: Agent) -> None:
    made = agent.told("check_answer", answer=" ".join(CLAIMS))

    told = [agent.told("explain_verdict", id=row["id"]) for row in made["claims"]]

    assert [(each["verdict"], each["reason"]) for each in told] == [
        (row["verdict"], row["reason"]) for row in made["claims"]
    ]
    assert {each["verdict"] for each in told} >= {"supported", "contradicted"}
