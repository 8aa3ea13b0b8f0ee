"""The language of each passage, so that retrieval reads it as it is written.

It is that which the record of its document says, else that of the index, which may be "auto". Only
then is the text of documents looked at again. What this module does not do: keep it anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat

import numpy as np

from averment.index.parts import Part
from averment.languages import AUTO, document_language


def passage_languages(parts: Iterable[Part], setting: str) -> Iterator[str]:
    """The languages of all passages of some parts, which keep their text, by their numbers.

    Args:
        parts: In the order of their passages.
        setting: Of documents that do not say theirs: a code, or "auto".
    """
    for part in parts:
        assert part.store is not None
        of_passages = part.store.passage_documents()
        n_passages = np.bincount(of_passages, minlength=part.store.n_documents).tolist()
        for number in np.flatnonzero(n_passages).tolist():
            text = part.store.document(number).text if setting == AUTO else ""
            (_, written), _ = part.metadata.row(number)
            yield from repeat(document_language(written, text, setting), n_passages[number])
