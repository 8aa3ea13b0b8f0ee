"""Merging segments: byte for byte what a builder makes of the kept documents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import IndexFormatError, QueryError

native = pytest.importorskip("averment.index._native", reason="built without a C++ compiler")

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"frequent_min_count": 0, "bitmap_min_share": 0.0},
    "everything": {"frequent_min_count": 1, "frequent_min_share": 0.0, "bitmap_min_share": 0.01},
    "pairs": {"frequent_min_count": 9, "frequent_min_share": 0.01, "bitmap_min_share": 0.3},
    "default": {},
}


def build(path: Path, texts: Sequence[str], **options: Any) -> native.Segment:
    builder = native.SegmentBuilder(**options)
    builder.add_many(texts)
    builder.finish(str(path))
    return native.Segment(str(path))


def bit_set(kept: Sequence[bool]) -> bytes:
    """Bit d % 8 of byte d // 8 for document d."""
    members = bytearray((len(kept) + 7) // 8)
    for document, is_kept in enumerate(kept):
        members[document // 8] |= is_kept << document % 8
    return bytes(members)


def random_texts(seed: int, n_documents: int, n_types: int) -> list[str]:
    draw = random.Random(seed)
    types = [f"w{number}" if number % 7 else f"langeswört{number}" for number in range(n_types)]
    weights = [1 / (rank + 2) for rank in range(n_types)]
    lengths = [draw.choice([0, 1, 7, 30, 100, 400]) for _ in range(n_documents)]
    return [" ".join(draw.choices(types, weights, k=length)) for length in lengths]


def assert_merge_equals_build(
    folder: Path,
    parts: Sequence[Sequence[str]],
    kept: Sequence[Sequence[bool] | None],
    source_options: dict[str, Any],
    options: dict[str, Any],
) -> None:
    sources = [build(folder / f"{i}", part, **source_options) for i, part in enumerate(parts)]
    texts = [
        text
        for part, keeps in zip(parts, kept, strict=True)
        for text, keep in zip(part, keeps or [True] * len(part), strict=True)
        if keep
    ]
    views = [
        source if keeps is None else source.among(bit_set(keeps))
        for source, keeps in zip(sources, kept, strict=True)
    ]

    facts = native.merge(views, str(folder / "merged"), **options)

    expected = build(folder / "built", texts, **options)
    assert facts == expected.facts
    assert (folder / "merged").read_bytes() == (folder / "built").read_bytes()


tiny_texts = st.lists(
    st.lists(st.sampled_from("a b c é straße12345".split()), max_size=12).map(" ".join), max_size=9
)
option_sets = st.sampled_from(list(OPTIONS.values()))


@settings(max_examples=150, deadline=None)
@given(
    parts=st.lists(tiny_texts, min_size=1, max_size=4),
    source_options=option_sets,
    options=option_sets,
    data=st.data(),
)
def test_a_merge_of_tiny_segments_is_the_segment_of_the_kept_documents(
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[list[str]],
    source_options: dict[str, Any],
    options: dict[str, Any],
    data: st.DataObject,
) -> None:
    kept = [
        data.draw(st.none() | st.lists(st.booleans(), min_size=len(part), max_size=len(part)))
        for part in parts
    ]

    folder = tmp_path_factory.mktemp("tiny")
    assert_merge_equals_build(folder, parts, kept, source_options, options)


@pytest.mark.parametrize("share_kept", [1.0, 0.7, 0.0], ids=["all", "most", "none"])
@pytest.mark.parametrize("source_options", OPTIONS.values(), ids=OPTIONS)
def test_a_merge_of_long_lists_is_the_segment_of_the_kept_documents(
    tmp_path: Path, source_options: dict[str, Any], share_kept: float
) -> None:
    draw = random.Random(1)
    parts = [random_texts(seed, n, n_types=90) for seed, n in ((2, 60), (3, 1), (4, 40))]
    kept = [[draw.random() < share_kept for _ in part] for part in parts]

    assert_merge_equals_build(tmp_path, parts, kept, source_options, OPTIONS["pairs"])


def test_words_that_become_frequent_or_stop_being_so_get_the_right_pairs(tmp_path: Path) -> None:
    parts = [["a b " * 30 + "c d " * 4], ["c d " * 30 + "a b " * 4], ["a c " * 40, "e f " * 11]]
    options = {"frequent_min_count": 10, "frequent_min_share": 0.05}

    assert_merge_equals_build(tmp_path, parts, [None] * 3, options, options)


def test_a_merge_does_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    sources = [build(tmp_path / f"{i}", random_texts(i, 50, n_types=3000)) for i in range(3)]

    native.merge(sources, str(tmp_path / "one"), **OPTIONS["pairs"])
    native.merge(sources, str(tmp_path / "three"), n_threads=3, **OPTIONS["pairs"])

    assert (tmp_path / "one").read_bytes() == (tmp_path / "three").read_bytes()


def test_a_merge_folds_accents_as_its_sources_do(tmp_path: Path) -> None:
    sources = [build(tmp_path / name, [name], fold_accents=True) for name in ("für", "über")]

    native.merge(sources, str(tmp_path / "merged"))

    assert native.Segment(str(tmp_path / "merged")).count(["fur", "ÜBER"]) == [(1, 1), (1, 1)]


def test_a_merge_of_merges_equals_one_build(tmp_path: Path) -> None:
    texts = random_texts(5, 40, n_types=50)
    thirds = [build(tmp_path / f"{i}", texts[i : i + 10], **OPTIONS["pairs"]) for i in (0, 10, 20)]
    native.merge(thirds[:2], str(tmp_path / "first"), **OPTIONS["pairs"])

    sources = [native.Segment(str(tmp_path / "first")), thirds[2]]
    native.merge(sources, str(tmp_path / "all"), **OPTIONS["pairs"])

    build(tmp_path / "built", texts[:30], **OPTIONS["pairs"])
    assert (tmp_path / "all").read_bytes() == (tmp_path / "built").read_bytes()


def test_segments_that_fold_accents_differently_are_not_merged(tmp_path: Path) -> None:
    sources = [build(tmp_path / str(fold), ["a"], fold_accents=fold) for fold in (False, True)]

    with pytest.raises(QueryError, match="do not cut text alike"):
        native.merge(sources, str(tmp_path / "merged"))


def test_nothing_is_not_merged(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="no segment"):
        native.merge([], str(tmp_path / "merged"))


def test_a_merge_is_never_written_over_another_file(tmp_path: Path) -> None:
    source = build(tmp_path / "s", ["a"])

    with pytest.raises(FileExistsError):
        native.merge([source], str(tmp_path / "s"))


def test_a_damaged_source_is_refused_wherever_the_damage_is(tmp_path: Path) -> None:
    build(tmp_path / "s", random_texts(6, 30, n_types=40), **OPTIONS["everything"])
    sound, draw = (tmp_path / "s").read_bytes(), random.Random(7)
    for at in draw.sample(range(512, len(sound)), 150):
        damaged = bytearray(sound)
        damaged[at] ^= 1 << draw.randrange(8)
        path = tmp_path / f"damaged{at}"
        path.write_bytes(damaged)

        with pytest.raises(IndexFormatError):
            native.merge([native.Segment(str(path))], str(tmp_path / f"merged{at}"))
