"""averment in LlamaIndex: a retriever, and a filter that keeps the nodes a statement stands on.

Importing this module needs the extra [llamaindex].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

try:
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
except ImportError as error:
    from averment.errors import MissingExtraError

    raise MissingExtraError("Adapters for LlamaIndex", "llamaindex") from error

from averment.errors import UsageError
from averment.integrations.verifier import Verifier, document, metadata_of
from averment.types import Claim, ClaimVerdict, Retrieval

_FOUND = "averment"
_FOR_PROGRAMS = ["document_id", "start", "end", "rank", "score", "retriever"]
_DECIDED = (ClaimVerdict.SUPPORTED, ClaimVerdict.CONTRADICTED)


class AvermentRetriever(BaseRetriever):
    """Finds passages of an index; nodes say whence they are (document, offsets, score).

    Args:
        index: The directory of an index.
        similarity_top_k: How many passages are found at most.
        **settings: averment's, such as ``retriever="fusion"``; errors are those of `Verifier`.
    """

    def __init__(self, index: str, *, similarity_top_k: int = 4, **settings: Any) -> None:
        super().__init__()
        self._verifier = Verifier(index, **settings)
        self._k = similarity_top_k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._verifier.search(query_bundle.query_str, self._k))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(await self._verifier.asearch(query_bundle.query_str, self._k))


class EvidenceFilter(BaseNodePostprocessor):
    """Keeps the nodes that are evidence for or against a statement, in their order.

    The statement is the query: an answer that has been written, or a claim that is looked into. A
    question states nothing, and is refused rather than taken for support of every node. A node
    stays if it entails one claim of the statement or speaks against one; what it says of each is
    under ``averment`` in the metadata of the node, which is kept from models. Scores stay those of
    the retrieval.

    Args:
        settings: averment's, such as ``{"faithfulness": "lexical"}``; errors are those of
            `Verifier`.
    """

    settings: dict[str, Any] = Field(default_factory=dict)
    _verifier: Verifier = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Open the judge."""
        super().model_post_init(context)
        self._verifier = Verifier(**self.settings)

    @classmethod
    def class_name(cls) -> str:
        """What LlamaIndex calls it."""
        return "AvermentEvidenceFilter"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        statement = query_bundle.query_str if query_bundle else ""
        kept = []
        for number, each in enumerate(nodes, start=1):
            claims = self._claims(statement, each, number)
            if any(claim.verdict in _DECIDED for claim in claims):
                kept.append(_with_verdicts(each, claims))
        return kept

    def _claims(self, statement: str, node: NodeWithScore, number: int) -> Sequence[Claim]:
        given = document(node.text, node.metadata, node.node_id, number=number)
        report = self._verifier.check(statement, None, [given]).report
        if report is None or not report.claims:
            raise UsageError(
                f"An evidence filter needs a statement as its query, and {statement[:80]!r} states "
                "nothing.",
                hint="Filter the nodes of a response by its text: query_str=str(response).",
            )
        return report.claims


def _with_verdicts(node: NodeWithScore, claims: Sequence[Claim]) -> NodeWithScore:
    """A copy, since nodes are shared with the index that they come from."""
    found = [
        {"text": each.text, "verdict": each.verdict.value, "p_faithful": each.p_faithful}
        for each in claims
    ]
    copy = node.node.model_copy(deep=True)
    copy.metadata[_FOUND] = found
    copy.excluded_llm_metadata_keys.append(_FOUND)
    copy.excluded_embed_metadata_keys.append(_FOUND)
    return NodeWithScore(node=copy, score=node.score)


def _nodes(found: Retrieval) -> list[NodeWithScore]:
    return [
        NodeWithScore(
            node=TextNode(
                id_=hit.passage.passage_id,
                text=hit.passage.text,
                metadata=metadata_of(hit, found.retriever),
                excluded_llm_metadata_keys=list(_FOR_PROGRAMS),
                excluded_embed_metadata_keys=list(_FOR_PROGRAMS),
                start_char_idx=hit.passage.start,
                end_char_idx=hit.passage.end,
                relationships={
                    NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.passage.document_id)
                },
            ),
            score=hit.score,
        )
        for hit in found.hits
    ]
