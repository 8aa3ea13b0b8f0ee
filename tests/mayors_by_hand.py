"""Elmstead, a town whose mayor changes; one document has no date, one a vague one."""

from __future__ import annotations

from pathlib import Path

import averment
from averment.index.embedded import EmbeddedIndex

DOCUMENTS = [
    averment.Document(
        "gazette-2015",
        "Ada Thorn was elected mayor of Elmstead. Ada Thorn promised a bridge.",
        title="Elmstead election",
        date="2015-05-07",
    ),
    averment.Document(
        "gazette-2018",
        "The mayor of Elmstead, Ada Thorn, opened the Willow Bridge.",
        title="Willow Bridge",
        date="2018-09",
    ),
    averment.Document(
        "gazette-2021",
        "Bruno Vale became mayor of Elmstead after Ada Thorn retired.",
        title="A new mayor",
        date="2021-03-14",
    ),
    averment.Document(
        "yearbook-2021",
        "Elmstead had a budget of nine million. Bruno Vale signed it.",
        title="Yearbook",
        date="2021",
    ),
    averment.Document(
        "gazette-2024",
        "Carla Finch is the mayor of Elmstead. Bruno Vale wished her luck.",
        title="Carla Finch",
        date="2024-11-02",
    ),
    averment.Document(
        "leaflet", "Walk the Old Quay of Elmstead with Ada Thorn.", title="A leaflet"
    ),
]


def build_elmstead(path: Path) -> EmbeddedIndex:
    """The index of Elmstead."""
    averment.build_index(DOCUMENTS, path)
    return averment.open_index(path)
