"""The user's own aliases on disk."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from averment.claims.aliases.store import UserAliases
from averment.errors import UsageError


@pytest.fixture
def store(tmp_path: Path) -> UserAliases:
    return UserAliases(tmp_path / "deep" / "aliases.tsv")


def pairs(store: UserAliases) -> list[tuple[str, str]]:
    return [(row.canonical, row.form) for row in store.rows()]


def test_without_a_file_there_are_none(store: UserAliases) -> None:
    assert store.rows() == []
    assert not store.path.exists()


def test_what_was_added_is_there_in_order_and_once(store: UserAliases) -> None:
    store.add("Oslo", ["Kristiania", "Christiania"])
    added = store.add("Oslo", ["kristiania", "Ánslo"])

    assert [row.form for row in added] == ["Ánslo"]
    assert pairs(store) == [("Oslo", "Kristiania"), ("Oslo", "Christiania"), ("Oslo", "Ánslo")]


def test_removing_a_form_leaves_the_others(store: UserAliases) -> None:
    store.add("Oslo", ["Kristiania", "Christiania"])

    removed = store.remove("Oslo", ["KRISTIANIA"])

    assert [row.form for row in removed] == ["Kristiania"]
    assert pairs(store) == [("Oslo", "Christiania")]


def test_removing_a_name_removes_all_its_forms(store: UserAliases) -> None:
    store.add("Oslo", ["Kristiania", "Christiania"])
    store.add("Turku", ["Åbo"])

    store.remove("oslo")

    assert pairs(store) == [("Turku", "Åbo")]


@pytest.mark.parametrize(
    ("canonical", "forms"), [("Bergen", ()), ("Oslo", ("Ánslo",)), ("Oslo", ("Kristiania", "x y"))]
)
def test_what_is_not_there_cannot_be_removed(
    store: UserAliases, canonical: str, forms: tuple[str, ...]
) -> None:
    store.add("Oslo", ["Kristiania"])

    with pytest.raises(UsageError, match="nothing was removed"):
        store.remove(canonical, forms)

    assert pairs(store) == [("Oslo", "Kristiania")]


@pytest.mark.parametrize(
    ("canonical", "forms", "why"),
    [
        ("Oslo", ["OSLO"], "the form is the canonical name"),
        ("Oslo", ["..."], "the form has no word"),
        ("?", ["Oslo"], "the canonical name has no word"),
        ("Kristiania", ["Oslo"], "closes a cycle"),
        ("Oslo", [""], "the column form is empty"),
    ],
)
def test_what_is_no_alias_is_refused_and_nothing_is_written(
    store: UserAliases, canonical: str, forms: list[str], why: str
) -> None:
    store.add("Oslo", ["Kristiania"])

    with pytest.raises(UsageError, match=why):
        store.add(canonical, forms)

    assert pairs(store) == [("Oslo", "Kristiania")]


@pytest.mark.parametrize(
    ("content", "why"), [(b"Oslo\n", ":1: 1 column"), (b"Oslo\tKri\xffstiania\tuser\n", "utf-8")]
)
def test_a_file_that_is_damaged_is_refused_by_name(
    store: UserAliases, content: bytes, why: str
) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(content)

    with pytest.raises(UsageError, match=why) as refused:
        store.rows()

    assert str(store.path) in refused.value.message


def test_nobody_loses_what_others_add_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "aliases.tsv"

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: UserAliases(path).add("New York City", [f"form {n}"]), range(40)))

    assert len(UserAliases(path).rows()) == 40
