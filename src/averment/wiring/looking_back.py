"""An index as it would have been asked on a day: only documents up to then are there.

Counts, windows, passages and evidence are exactly those of such an index. What is made of all
documents stays so, and says nothing of any of them: how rare a word is to BM25, from which number
of documents on a name counts as rare, and the table of names.
"""

from __future__ import annotations

from averment.dating import AsOf, Dates, Undated
from averment.errors import UsageError
from averment.index.times import as_of
from averment.settings import Settings
from averment.wiring.foreign import AnyIndex


def looked_back(index: AnyIndex, settings: Settings) -> tuple[AnyIndex, AsOf | None]:
    """The index as of the day of the settings, and what that leaves; all of it if there is none.

    Raises:
        UsageError: No document is left.
        QueryError: The day is not a date.
        CapabilityError: The index is infini-gram's, which knows no dates.
    """
    if settings.as_of is None:
        return index, None
    told = as_of(index, settings.as_of, settings.undated)
    if not told.n_documents:
        raise UsageError(
            f"No document of the index {index.info.name!r} is known to be from {told.day} or "
            f"earlier: {told.n_later:,} are later, {told.n_vague:,} have a date that is too vague, "
            f"{told.n_undated:,} have none.",
            hint="Name a later day, or take documents without a date along: --undated include"
            if settings.undated is Undated.EXCLUDE and told.n_undated
            else "Name a later day.",
        )
    return index.dated(Dates(until=told.day, undated=settings.undated)), told
