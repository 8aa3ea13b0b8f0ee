"""Sessions of browsers: begun for a key, ended by time, by hand, or by too many others."""

from __future__ import annotations

import pytest

from averment.serve.sessions import LIFE_S, Sessions


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.mark.parametrize(
    ("shown", "is_admitted"),
    [("k-one", True), ("k-two", True), ("k-three", False), ("", False), ("k-on", False)],
)
def test_one_of_the_keys_is_admitted(shown: str, is_admitted: bool) -> None:
    assert Sessions(["k-one", "k-two"]).admit_key(shown) is is_admitted


def test_without_keys_none_is_needed_and_none_fits() -> None:
    sessions = Sessions()

    assert not sessions.are_needed
    assert not sessions.admit_key("")


def test_a_token_is_admitted_until_its_time_is_over() -> None:
    clock = Clock()
    sessions = Sessions(["k"], clock=clock)
    token = sessions.begin()

    clock.now_s = LIFE_S - 1
    before = sessions.admit_token(token)
    clock.now_s = LIFE_S
    after = sessions.admit_token(token)

    assert (before, after) == (True, False)


def test_a_token_that_was_ended_or_made_up_is_not_admitted() -> None:
    sessions = Sessions(["k"])
    token = sessions.begin()

    sessions.end(token)

    assert [sessions.admit_token(each) for each in (token, "", "made up", "k")] == [False] * 4


def test_sessions_are_bounded_and_the_oldest_ends_first() -> None:
    sessions = Sessions(["k"])
    first = sessions.begin()

    tokens = [sessions.begin() for _ in range(1000)]

    assert not sessions.admit_token(first)
    assert sessions.admit_token(tokens[0])
    assert sessions.admit_token(tokens[-1])
