"""What checks and counts need, opened when it is first asked for: an index, its passages, a judge.

No language model is among it. What cannot be opened is refused each time that it is asked for, with
what to do about it, until it can be.

The index is the generation that was there when it was opened; documents that are added later are
seen by the next start. Another calibrator is seen at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from averment.checking import TextCheck
from averment.claims.aliases.book import AliasBook
from averment.claims.aliases.widened import WidenedIndex
from averment.dating import AsOf, Undated
from averment.ports import FaithfulnessScorer, Retriever
from averment.settings import Settings
from averment.types import Document
from averment.wiring.aliases import open_aliases, widened
from averment.wiring.audited import Checked
from averment.wiring.auditing import Auditor, open_auditor
from averment.wiring.checks import check_opened, is_index_meant, make_check
from averment.wiring.corpus import open_index
from averment.wiring.foreign import AnyIndex
from averment.wiring.looking_back import looked_back
from averment.wiring.retrievers import has_passages, open_retriever
from averment.wiring.scores import open_faithfulness

_MOST_DAYS = 16
"""Days as of which an index is kept open; one more lets go of the one asked first."""


class OpenCorpus:
    """An index with its retriever and a judge; safe to use from several threads.

    Args:
        settings: Of everything that is opened.
        indexed: False: there is no index, whatever the settings say.
        index: An open index; None: the one of the settings, when it is asked for.
        retriever: Over its passages, as of the day of the settings; None: as these say.
        scorer: Who judges faithfulness; None: as the settings say.
        auditor: Who records what is checked; None: as the settings say.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        indexed: bool = True,
        index: AnyIndex | None = None,
        retriever: Retriever | None = None,
        scorer: FaithfulnessScorer | None = None,
        auditor: Auditor | None = None,
    ) -> None:
        self.settings = settings
        self._may_be_indexed = indexed
        given = {"whole": index, "retriever": retriever, "scorer": scorer, "auditor": auditor}
        self._opened = {name: each for name, each in given.items() if each is not None}
        self._made: tuple[object, TextCheck] | None = None
        self._looking_back: dict[tuple[str, Undated], OpenCorpus] = {}
        self._lock = threading.RLock()

    def _once(self, name: str, opened: Callable[[], Any]) -> Any:
        with self._lock:
            if name not in self._opened:
                self._opened[name] = opened()
            return self._opened[name]

    @property
    def index(self) -> AnyIndex:
        """The index, as of the day of the settings.

        Raises:
            NotAnIndexError, IndexFormatError: There is no usable one.
            UsageError, QueryError: It has no document of up to that day, or that is no date.
        """
        return self._index_as_of()[0]

    @property
    def as_of(self) -> AsOf | None:
        """Up to when the index looks back; None: at all of it. Raises as `index`."""
        return self._index_as_of()[1]

    def _index_as_of(self) -> tuple[AnyIndex, AsOf | None]:
        path, damaged = self.settings.index, self.settings.damaged_segments
        whole: AnyIndex = self._once(
            "whole", lambda: open_index(path, damaged_segments=damaged, settings=self.settings)
        )
        found: tuple[AnyIndex, AsOf | None] = self._once(
            "index", lambda: looked_back(whole, self.settings)
        )
        return found

    def looking_back(self, day: str, undated: Undated = Undated.EXCLUDE) -> OpenCorpus:
        """The same about documents up to a day; opened once for each of a few days.

        Raises:
            UsageError, QueryError: As `index`.
        """
        with self._lock:
            if (found := self._looking_back.get((day, undated))) is not None:
                return found
            settings = self.settings.model_copy(update={"as_of": day, "undated": undated})
            made = OpenCorpus(
                settings,
                indexed=self._may_be_indexed,
                index=self.index if self.has_index else None,
                scorer=self.scorer,
                auditor=self.auditor,
            )
            if made.has_index:
                _ = made.index  # so that a day that cannot be used is not kept
            while len(self._looking_back) >= _MOST_DAYS:
                del self._looking_back[next(iter(self._looking_back))]
            self._looking_back[day, undated] = made
            return made

    @property
    def retriever(self) -> Retriever:
        """Who finds passages.

        Raises:
            UsageError: The index has no passages, or not what this retriever needs.
        """
        found: Retriever = self._once(
            "retriever", lambda: open_retriever(self.index, self.settings)
        )
        return found

    @property
    def scorer(self) -> FaithfulnessScorer:
        """Who judges faithfulness.

        Raises:
            MissingExtraError, ModelFileError, CapabilityError: The judge cannot be opened.
        """
        found: FaithfulnessScorer = self._once(
            "scorer", lambda: open_faithfulness(self.settings, None)
        )
        return found

    @property
    def aliases(self) -> AliasBook:
        """What is known of names beside the index, read once: that is most of a check."""
        found: AliasBook = self._once("aliases", lambda: open_aliases(self.settings, self.index))
        return found

    @property
    def counts_by_forms(self) -> WidenedIndex:
        """The index that counts a name by all its forms."""
        found: WidenedIndex = self._once(
            "counts_by_forms", lambda: widened(self.index, self.aliases)
        )
        return found

    @property
    def auditor(self) -> Auditor | None:
        """Who records; None: nobody does.

        Raises:
            NotALedgerError, LedgerFormatError, LedgerUnavailable: The ledger cannot be written.
        """
        found: Auditor | None = self._once("auditor", lambda: open_auditor(self.settings))
        return found

    def check(
        self,
        text: str,
        question: str | None = None,
        contexts: Sequence[Document] = (),
        looks_back: tuple[str, Undated] | None = None,
    ) -> Checked:
        """Check a text claim by claim, against the documents, or without any the index.

        As `averment check` does: an index that was not named and is not there is none. It is not
        recorded: whoever asks knows whether what comes of it is given out. `looks_back` is the day,
        and what becomes of documents without a date, of `looking_back`.
        """
        if looks_back is not None:
            return self.looking_back(*looks_back).check(text, question, contexts)
        index = self.index if self.has_index else None
        return check_opened(
            text,
            question,
            contexts,
            rule=self._rule(index),
            scorer=self.scorer,
            index=index,
            model=None,
            settings=self.settings,
            retriever=self.retriever if index is not None and has_passages(index) else None,
            aliases=self.aliases if index is not None and self.settings.aliases else None,
        )

    def _rule(self, index: AnyIndex | None) -> TextCheck:
        """How texts are checked: made once, and again when the file of the calibrator changes."""
        path = self.settings.calibrator
        found = path.stat() if path is not None and path.exists() else None
        stamp = found and (found.st_ino, found.st_mtime_ns, found.st_size)
        with self._lock:
            if self._made is None or self._made[0] != stamp:
                as_of = None if index is None else self.as_of
                rule = make_check(self.settings, self.scorer, index=index, as_of=as_of)
                self._made = stamp, rule
            return self._made[1]

    @property
    def has_index(self) -> bool:
        """Whether there is one: it was given, named, or is where it is by default."""
        return self._may_be_indexed and ("whole" in self._opened or is_index_meant(self.settings))
