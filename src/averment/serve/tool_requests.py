"""What each tool for agents takes, and the most that it takes.

Nothing here names a file, an index or an address: what is opened is the server's business. A tool
takes no field that it does not know.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from averment.serve.requests import LookingBack

_MOST_CLAIMS = 20
_MOST_CLAIM = 2_000
_MOST_TEXT = 20_000
_MOST_DOCUMENTS = 20
_MOST_DOCUMENT = 100_000
_MOST_QUESTION = 4_000
_MOST_PHRASE = 300
_MOST_PHRASES = 50
_MOST_WINDOW = 1_000_000
_MOST_PASSAGES = 20

_Phrase = Annotated[str, Field(min_length=1, max_length=_MOST_PHRASE)]
_Claim = Annotated[str, Field(min_length=1, max_length=_MOST_CLAIM)]
_Detail = Annotated[
    bool, Field(description="Everything, as the command line prints it with --json; long.")
]


class ToolRequest(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(extra="forbid")


class DatedRequest(ToolRequest, LookingBack):
    """The arguments of a tool that may look at the corpus as of a day."""


class ToolDocument(ToolRequest):
    """A document that an agent brings as evidence."""

    id: Annotated[str, Field(max_length=200)] | None = None
    title: Annotated[str, Field(max_length=_MOST_PHRASE)] | None = None
    text: Annotated[str, Field(max_length=_MOST_DOCUMENT)]


_Documents = Annotated[
    list[ToolDocument],
    Field(
        max_length=_MOST_DOCUMENTS,
        description="What to check against. Without any, passages of the corpus are looked up.",
    ),
]
_Question = Annotated[
    str | None, Field(max_length=_MOST_QUESTION, description="What the text answers, if known.")
]


class VerifyClaims(DatedRequest):
    """Arguments of ``verify_claims``."""

    claims: Annotated[
        list[_Claim],
        Field(
            min_length=1,
            max_length=_MOST_CLAIMS,
            description="Statements that stand on their own; each is checked apart.",
        ),
    ]
    documents: _Documents = []
    detail: _Detail = False


class CheckAnswer(DatedRequest):
    """Arguments of ``check_answer``."""

    answer: Annotated[
        str, Field(min_length=1, max_length=_MOST_TEXT, description="The text to check.")
    ]
    question: _Question = None
    documents: _Documents = []
    detail: _Detail = False


class CorpusCount(ToolRequest):
    """Arguments of ``corpus_count``."""

    phrases: Annotated[list[_Phrase], Field(min_length=1, max_length=_MOST_PHRASES)]
    aliases: Annotated[bool, Field(description="Count each name by all its known forms.")] = False
    detail: Annotated[bool, Field(description="With snippets, and the forms.")] = False


class CorpusCooccur(ToolRequest):
    """Arguments of ``corpus_cooccur``."""

    pairs: Annotated[
        list[Annotated[list[_Phrase], Field(min_length=2, max_length=2)]],
        Field(min_length=1, max_length=_MOST_PHRASES, description="Pairs of phrases: [[A, B], …]"),
    ]
    window_words: Annotated[
        int,
        Field(ge=0, le=_MOST_WINDOW, description="Largest distance of their first words."),
    ] = 1000
    aliases: Annotated[bool, Field(description="Count each name by all its known forms.")] = False
    detail: Annotated[bool, Field(description="With snippets, and the forms.")] = False


class SearchCorpus(DatedRequest):
    """Arguments of ``search_corpus``."""

    query: Annotated[str, Field(min_length=1, max_length=_MOST_QUESTION)]
    limit: Annotated[int, Field(ge=1, le=_MOST_PASSAGES)] = 5
    detail: Annotated[bool, Field(description="Whole passages instead of their beginnings.")] = (
        False
    )


class ExplainVerdict(DatedRequest):
    """Arguments of ``explain_verdict``: either an id, or a claim."""

    id: Annotated[
        str | None,
        Field(max_length=100, description="Of a claim, or a trace_id, as a tool gave it."),
    ] = None
    claim: Annotated[
        str | None,
        Field(min_length=1, max_length=_MOST_CLAIM, description="A statement, checked anew."),
    ] = None
    documents: _Documents = []
    detail: _Detail = False
