"""averment in LlamaIndex itself; skipped where it is absent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from averment.errors import NotAnIndexError, UsageError
from integrations.ferries import FERRY, PORT, TRUE, WRONG, ferries  # noqa: F401

pytestmark = pytest.mark.filterwarnings("ignore")
LEXICAL = {"faithfulness": "lexical"}


@pytest.fixture
def adapters() -> Any:
    reason = "LlamaIndex is absent; type: pip install 'averment[llamaindex]'"
    pytest.importorskip("llama_index.core", reason=reason)
    from averment.integrations import llamaindex

    return llamaindex


def nodes(*texts: str) -> list[Any]:
    from llama_index.core.schema import NodeWithScore, TextNode

    made = [TextNode(id_=f"n{number}", text=text) for number, text in enumerate(texts, start=1)]
    return [NodeWithScore(node=each, score=0.5) for each in made]


def test_nodes_say_whence_they_are(adapters: Any, ferries: str) -> None:
    from llama_index.core.schema import MetadataMode

    retriever = adapters.AvermentRetriever(ferries, similarity_top_k=1, **LEXICAL)

    [found] = retriever.retrieve("ferry Sørlandia")

    assert found.text == FERRY
    assert found.score == found.metadata["score"] > 0
    assert found.node.ref_doc_id == "https://ferries.example/sorlandia"
    assert (found.node.start_char_idx, found.node.end_char_idx) == (
        found.metadata["start"],
        found.metadata["end"],
    )
    assert found.node.get_content(MetadataMode.LLM) == f"title: Sørlandia\n\n{FERRY}"
    assert asyncio.run(retriever.aretrieve("ferry Sørlandia")) == [found]


def test_nodes_that_are_evidence_stay_in_their_order(adapters: Any) -> None:
    built = "The ferry Sørlandia was built in 1993."
    given = nodes(PORT, "The ferry Sørlandia was built in 2003.", "Cod is a fish.", built)
    keep = adapters.EvidenceFilter(settings=LEXICAL)

    kept = keep.postprocess_nodes(given, query_str=built)

    assert [each.node_id for each in kept] == ["n2", "n4"]
    assert [each.metadata["averment"][0]["verdict"] for each in kept] == [
        "contradicted",
        "supported",
    ]
    assert [each.score for each in kept] == [0.5, 0.5]
    assert given[3].metadata == {}
    assert asyncio.run(keep.apostprocess_nodes(given, query_str=built)) == kept


def test_verdicts_are_kept_from_models(adapters: Any) -> None:
    from llama_index.core.schema import MetadataMode

    [kept] = adapters.EvidenceFilter(settings=LEXICAL).postprocess_nodes(
        nodes(FERRY), query_str=f"{TRUE} {WRONG}"
    )

    assert [each["verdict"] for each in kept.metadata["averment"]] == ["supported", "unsupported"]
    assert kept.node.get_content(MetadataMode.LLM) == FERRY
    assert kept.node.get_content(MetadataMode.EMBED) == FERRY


@pytest.mark.parametrize("query", ["Where does the ferry sail to?", " "])
def test_what_states_nothing_is_refused_and_not_taken_for_support(
    adapters: Any, query: str
) -> None:
    with pytest.raises(UsageError, match="query_str=str"):
        adapters.EvidenceFilter(settings=LEXICAL).postprocess_nodes(nodes(FERRY), query_str=query)


def test_a_filter_without_a_query_is_refused(adapters: Any) -> None:
    with pytest.raises(UsageError, match="needs a statement"):
        adapters.EvidenceFilter(settings=LEXICAL).postprocess_nodes(nodes(FERRY))


def test_errors_of_averment_come_through(adapters: Any) -> None:
    with pytest.raises(NotAnIndexError, match="averment index build"):
        adapters.AvermentRetriever("nowhere")
    with pytest.raises(UsageError, match="averment calibrate"):
        adapters.EvidenceFilter(settings={"calibrator": "none.json"})


def test_a_query_engine_answers_from_the_index_and_its_sources_are_pruned(
    adapters: Any, ferries: str
) -> None:
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    class Scripted(MockLLM):
        def _generate_text(self, length: int) -> str:
            return TRUE

    engine = RetrieverQueryEngine.from_args(
        adapters.AvermentRetriever(ferries, **LEXICAL), llm=Scripted(max_tokens=9)
    )

    response = engine.query("Where does the ferry from Hirtshals sail to?")
    kept = adapters.EvidenceFilter(settings=LEXICAL).postprocess_nodes(
        response.source_nodes, query_str=str(response)
    )

    assert str(response) == TRUE
    assert len(response.source_nodes) == 2
    assert [each.text for each in kept] == [FERRY]
