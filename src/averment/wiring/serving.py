"""What a server keeps open: one index, one judge, and an engine for each policy and model.

Engines share index, retriever and judge, and those of one model share it too; all of these may be
asked from several threads. What this module does not do: HTTP, or deciding who may ask.

The index is the generation that was there when it was opened; documents that are added later are
seen by the next start.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from averment.dating import Undated
from averment.engine import Engine
from averment.errors import UnknownNameError, UsageError
from averment.models.closing import Closing
from averment.policies.loop import Weighing
from averment.ports import FaithfulnessScorer, LanguageModel, Retriever
from averment.settings import Settings
from averment.types import Document
from averment.wiring.audited import Checked
from averment.wiring.auditing import Auditor, open_auditor
from averment.wiring.corpus import open_index
from averment.wiring.engines import engine_of
from averment.wiring.foreign import AnyIndex
from averment.wiring.looking_back import looked_back
from averment.wiring.models import open_model
from averment.wiring.observing import open_spans
from averment.wiring.open_corpus import OpenCorpus
from averment.wiring.policies import (
    counts_by_aliases,
    knows_cutoff,
    make_policy,
    policy_names,
    with_cutoff,
)
from averment.wiring.retrievers import open_retriever
from averment.wiring.scores import open_faithfulness

_MOST_MODELS = 16
"""Models of an upstream that are kept connected; one more lets go of the one asked first."""


class ChatServer(NamedTuple):
    """Where a chat is answered without a policy: the base URL, and its key or an empty string."""

    url: str
    key: str


class Serving(OpenCorpus, Closing):
    """An index with its judge, and engines over it; safe to use from several threads.

    Args:
        settings: Of everything that is opened.
        index: An open index.
        retriever: Over its passages.
        scorer: Who judges faithfulness.
        model: The one model that answers; None: those of the server at `settings.base_url`.
        auditor: Records answers and checks, and is closed with the rest; None: nobody does.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        index: AnyIndex,
        retriever: Retriever,
        scorer: FaithfulnessScorer,
        model: LanguageModel | None = None,
        auditor: Auditor | None = None,
    ) -> None:
        super().__init__(settings, index=index, retriever=retriever, scorer=scorer, auditor=auditor)
        _ = self.counts_by_forms  # so that aliases that cannot be read are found out now
        self.own_model = _served_name(model) if model is not None else None
        self._own = model
        self._models: dict[str, LanguageModel] = {}
        self._engines: dict[tuple[str, str], Engine] = {}
        self._opening = threading.Lock()
        # More would only take turns at the interpreter, and so would whoever moves the streams.
        self._checking = threading.BoundedSemaphore(os.cpu_count() or 1)

    def engine(
        self, policy: str, model: str, looks_back: tuple[str, Undated] | None = None
    ) -> Engine:
        """The engine of a policy and a model; connected to and probed when first asked for.

        Args:
            policy: Its name.
            model: Its name.
            looks_back: The day up to which the index looks back, and what becomes of documents
                without a date; None: as the settings say.

        Raises:
            UsageError, QueryError: The index has no document of up to that day, or it is no date.
            UnknownNameError: No such policy, or not the model that is served.
            ModelUnavailable: The server of the model cannot be reached.
            ModelError: It does not have the model.
        """
        if looks_back is not None:  # a day is asked about once or twice, and opened in no time
            with self._opening:
                return self._open_engine(policy, model, self.looking_back(*looks_back))
        if found := self._engines.get((policy, model)):
            return found
        with self._opening:
            found = self._engines.get((policy, model)) or self._open_engine(policy, model, self)
            self._engines[policy, model] = found
            return found

    def policies(self) -> list[str]:
        """The policies that can be followed here; of a server's models nobody knows what they can.

        Policies that weigh scores need a calibrator.
        """
        rules = {name: make_policy(name, self.index.info) for name in policy_names()}
        can = None if self._own is None else self._own.info.capabilities
        calibrated = self.settings.scores and self.settings.calibrator is not None
        return [
            name
            for name, rule in rules.items()
            if (can is None or rule.needs <= can)
            and (calibrated or not isinstance(rule.trigger, Weighing))
        ]

    def _open_engine(self, policy: str, model: str, corpus: OpenCorpus) -> Engine:
        has_cutoff = policy in policy_names() and knows_cutoff(policy)
        parameters = with_cutoff(policy, self.settings) if has_cutoff else {}
        rule = make_policy(policy, corpus.index.info, parameters)
        settings = corpus.settings.model_copy(update={"policy": policy, "model": model})
        return engine_of(
            rule,
            corpus.index,
            corpus.retriever,
            self._model(model, settings),
            settings,
            by_aliases=settings.aliases and counts_by_aliases(policy),
            scorer=self.scorer,
            auditor=self.auditor,
            as_of=corpus.as_of,
        )

    def _model(self, name: str, settings: Settings) -> LanguageModel:
        if self._own is not None:
            if name != self.own_model:
                raise UnknownNameError("model", name, [self.own_model or ""])
            return self._own
        if name not in self._models:
            opened = open_model(settings)
            while len(self._models) >= _MOST_MODELS:
                self._forget(next(iter(self._models)))
            self._models[name] = opened
        return self._models[name]

    def _forget(self, name: str) -> None:
        """Let go of a model; who is using it keeps it until it is done."""
        del self._models[name]
        self._engines = {key: made for key, made in self._engines.items() if key[1] != name}

    def check(
        self,
        text: str,
        question: str | None = None,
        contexts: Sequence[Document] = (),
        looks_back: tuple[str, Undated] | None = None,
    ) -> Checked:
        """As `OpenCorpus.check`; as many at a time as there are processors, others wait."""
        with self._checking:
            return super().check(text, question, contexts, looks_back)

    def chat_server(self) -> ChatServer | None:
        """Where a chat goes that no policy can answer; None if the model has no chat interface."""
        if self.settings.base_url is not None and self._own is None:
            given = self.settings.api_key
            key = given.get_secret_value() if given else os.environ.get("OPENAI_API_KEY", "")
            return ChatServer(self.settings.base_url, key)
        endpoint = getattr(self._own, "loopback", None)
        return None if endpoint is None else ChatServer(*endpoint)

    def close(self) -> None:
        """Give back the models; may be repeated."""
        for model in (self._own, *self._models.values()):
            if isinstance(model, Closing):
                model.close()
        if self.auditor is not None:
            self.auditor.close()


def _served_name(model: LanguageModel) -> str:
    """A model that is a file or folder is known by its name, not by where it lies."""
    name = model.info.name
    return Path(name).name.removesuffix(".gguf") if Path(name).exists() else name


def open_serving(settings: Settings, model: LanguageModel | None = None) -> Serving:
    """Open what a server needs; to be closed by the caller.

    Args:
        settings: With a `base_url`, models are those of that server, connected to when they are
            asked for; else one local model is loaded now.
        model: An open model to serve instead.

    Raises:
        UsageError: A runtime that serves one thread only.
        NotAnIndexError, IndexFormatError: No usable index.
        MissingExtraError, ModelFileError: No usable local model.
        LedgerUnavailable, LedgerFormatError: It is to be recorded, and cannot be.
    """
    opens_model = model is None and settings.base_url is None
    if opens_model and settings.runtime != "llama_cpp":
        raise UsageError(
            f"A server asks its model from several threads, which the runtime "
            f"{settings.runtime!r} is not made for.",
            hint="Use the runtime llama_cpp, or a model server: --upstream URL",
        )
    open_spans(settings)  # so that a missing extra is found out now
    with ExitStack() as opened:
        if (auditor := open_auditor(settings)) is not None:
            opened.enter_context(auditor)
        index = open_index(
            settings.index, damaged_segments=settings.damaged_segments, settings=settings
        )
        retriever = open_retriever(looked_back(index, settings)[0], settings)
        if opens_model:
            own = open_model(settings)
            opened.enter_context(own)
            model = own
        scorer = open_faithfulness(settings, model)
        serving = Serving(
            settings,
            index=index,
            retriever=retriever,
            scorer=scorer,
            model=model,
            auditor=auditor,
        )
        opened.pop_all()  # the caller closes it
    return serving
