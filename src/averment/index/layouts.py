"""The layout of a document as it stands in its line of JSON: lists, since there are many sections.

What this module does not do: say where the lines are (`averment.index.documents`).
"""

from __future__ import annotations

from typing import Any

from averment.places import Layout, Role, Section, Unit


def plain_layout(layout: Layout) -> dict[str, Any]:
    """A layout as JSON: a section is its start, that of its body, its end, its role, its path."""
    return {
        "sections": [
            [s.start, s.body_start, s.end, s.role.value, *s.heading] for s in layout.sections
        ],
        "page_starts": list(layout.page_starts),
        "unit": layout.unit.value,
    }


def layout_of_plain(plain: Any) -> Layout:
    """The layout of `plain_layout`.

    Raises:
        KeyError, TypeError, ValueError: It is damaged.
    """
    sections = (
        Section(tuple(heading), start, body_start, end, Role(role))
        for start, body_start, end, role, *heading in plain["sections"]
    )
    return Layout(tuple(sections), tuple(plain["page_starts"]), Unit(plain["unit"]))
