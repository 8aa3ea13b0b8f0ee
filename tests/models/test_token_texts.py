from __future__ import annotations

import pytest

from averment.errors import ModelError
from averment.models.token_texts import cut_at_offsets, join_bytes, require_joined


def test_a_character_belongs_to_the_token_that_completes_it() -> None:
    pieces = [b" \xf0\x9f", b"\xa6", b"\x84.", b" \xc5", b"\xbb"]

    assert join_bytes(pieces) == [" ", "", "🦄.", " ", "Ż"]


@pytest.mark.parametrize(
    ("offsets", "texts"),
    [
        ([(0, 1), (1, 3)], ["a", " 🦄"]),
        ([(0, 1), (1, 3), (2, 3), (2, 3)], ["a", " ", "", "🦄"]),
        ([(0, 1), (2, 3)], ["a", " 🦄"]),
        ([], []),
    ],
    ids=["whole characters", "a shared character", "an unlisted blank", "nothing"],
)
def test_offsets_cut_like_bytes(offsets: list[tuple[int, int]], texts: list[str]) -> None:
    assert cut_at_offsets("a 🦄", offsets) == texts


def test_tokens_of_another_text_are_refused() -> None:
    with pytest.raises(ModelError, match="'tiny' do not join"):
        require_joined(["a", "b"], "a b", model="tiny")
