"""HTML put together so that nothing unescaped gets in: text is escaped unless it is `Html`.

Only `tag` and `joined` make `Html`, and both escape what is not. Jinja2 takes it as it is, by the
convention of ``__html__``. What this module does not do: know any page.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Self, TypeAlias

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()

    def __html__(self) -> Self:
        return self


Child: TypeAlias = str | None
"""Text, which is escaped; `Html`, which is not; or nothing."""


def joined(children: Iterable[Child]) -> Html:
    """Children in a row."""
    return Html("".join(map(_shown, children)))


def tag(name: str, /, *children: Child, **attributes: str | bool | None) -> Html:
    """An element.

    Args:
        name: Of the element.
        *children: What is in it.
        **attributes: Values are escaped; True is an attribute without one, False and None are
            left out. Underscores are hyphens, and one at the end is dropped: ``class_``.
    """
    given = "".join(
        f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{joined(children)}</{name}>")


def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _shown(child: Child) -> str:
    if child is None:
        return ""
    return child if isinstance(child, Html) else escape(child)
