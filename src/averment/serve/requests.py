"""The bodies that clients send, and the limits of what may be in them.

A chat request takes any further field, since servers differ; the others take none that they do
not know. No field names a file or an address that would be opened.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from averment.dating import Period, Undated

MOST_QUESTIONS = 1000
"""Of one batch to the corpus."""
MOST_DATED = 100
"""Phrases, and pairs, of one question for first and last dates, each of which is many counts."""
_MOST_DOCUMENTS = 100
_MOST_MESSAGES = 1000
_MOST_PASSAGES = 100
_MOST_PHRASE = 1000
_MOST_TEXT = 200_000
_MOST_WINDOW = 2**31 - 1

Day = Annotated[str, Field(min_length=1, max_length=40, description="2024, 2024-05 or 2024-05-31")]
Phrase = Annotated[str, Field(min_length=1, max_length=_MOST_PHRASE)]
Text = Annotated[str, Field(max_length=_MOST_TEXT)]
Mode = Literal["hold-sentence", "hold-answer", "annotate"]


class GivenDocument(BaseModel):
    """A document that a client brings as evidence; its address is cited and never opened."""

    model_config = ConfigDict(extra="allow")
    id: str | int | None = None
    title: str | None = None
    text: Text
    url: str | None = None


class LookingBack(BaseModel):
    """Up to when the index is looked at."""

    model_config = ConfigDict(extra="forbid")
    as_of: Day | None = Field(
        default=None, description="only documents of the index dated up to it"
    )
    undated: Literal[Undated.EXCLUDE, Undated.INCLUDE] = Field(
        default=Undated.EXCLUDE, description="documents without a date, with as_of"
    )

    @property
    def looks_back(self) -> tuple[str, Undated] | None:
        """What `Serving.engine` and `Serving.check` are told."""
        return None if self.as_of is None else (self.as_of, self.undated)


class Dated(BaseModel):
    """By which dates documents are meant; what is not given does not restrict."""

    model_config = ConfigDict(extra="forbid")
    before: Day | None = Field(default=None, description="only documents dated before it")
    after: Day | None = Field(default=None, description="only documents dated after it")
    between: tuple[Day, Day] | None = Field(
        default=None, description="only documents dated within both, these included"
    )
    undated: Undated = Field(
        default=Undated.EXCLUDE, description="documents without a date, where dates restrict"
    )

    @property
    def restricts(self) -> bool:
        """Whether some documents may be left out."""
        is_dated = self.before or self.after or self.between
        return bool(is_dated) or self.undated is Undated.ONLY

    def where(self) -> dict[str, Any]:
        """What `EmbeddedIndex.where` is told."""
        return {name: getattr(self, name) for name in Dated.model_fields}


class Options(LookingBack):
    """What averment is asked beside the chat, under the key ``averment``."""

    mode: Mode | None = Field(default=None, description="when text leaves")


class Message(BaseModel):
    """A message of a chat."""

    model_config = ConfigDict(extra="allow")
    role: str
    content: str | list[dict[str, Any]] | None = None


class ChatRequest(BaseModel):
    """A chat to complete; fields that are not named here go to the model's server as they are."""

    model_config = ConfigDict(extra="allow")
    model: str = Field(description="`policy/model`, or a model for the default policy")
    messages: Annotated[list[Message], Field(min_length=1, max_length=_MOST_MESSAGES)]
    stream: bool | None = None
    stream_options: dict[str, Any] | None = None
    n: Annotated[int, Field(ge=1, le=16)] | None = None
    documents: Annotated[list[GivenDocument | Text], Field(max_length=_MOST_DOCUMENTS)] | None = (
        None
    )
    averment: Options | None = None


class VerifyRequest(LookingBack):
    """A text to check."""

    answer: Text
    question: Annotated[str, Field(max_length=8000)] | None = None
    documents: Annotated[list[GivenDocument], Field(max_length=_MOST_DOCUMENTS)] = []


class CountRequest(Dated):
    """Phrases to count."""

    phrases: Annotated[list[Phrase], Field(max_length=MOST_QUESTIONS)]
    aliases: bool = Field(default=False, description="count each name by all its forms")
    show: Annotated[int, Field(ge=0, le=20)] = Field(
        default=0, description="occurrences to show of each phrase"
    )
    by: Period | None = Field(default=None, description="count in each year or month apart")


class CooccurRequest(Dated):
    """Pairs of phrases to count near each other."""

    pairs: Annotated[list[tuple[Phrase, Phrase]], Field(max_length=MOST_QUESTIONS)]
    window_words: Annotated[int, Field(ge=0, le=_MOST_WINDOW)] = 1000
    aliases: bool = Field(default=False, description="count each name by all its forms")
    show: Annotated[int, Field(ge=0, le=20)] = Field(
        default=0, description="documents to show of each pair"
    )
    by: Period | None = Field(default=None, description="count in each year or month apart")


class FirstSeenRequest(BaseModel):
    """Phrases, and pairs of them, to be dated."""

    model_config = ConfigDict(extra="forbid")
    phrases: Annotated[list[Phrase], Field(max_length=MOST_DATED)] = []
    pairs: Annotated[list[tuple[Phrase, Phrase]], Field(max_length=MOST_DATED)] = []
    window_words: Annotated[int, Field(ge=0, le=_MOST_WINDOW)] = 1000
    aliases: bool = Field(default=False, description="count each name by all its forms")


class SearchRequest(LookingBack):
    """Queries to retrieve passages for."""

    queries: Annotated[list[Phrase], Field(max_length=_MOST_PASSAGES)]
    k: Annotated[int, Field(ge=1, le=_MOST_PASSAGES)] = 5
