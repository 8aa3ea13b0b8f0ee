"""Errors: what each says, what can be done about it, and how a command ends."""

from __future__ import annotations

import pickle
import re

import pytest

from averment import errors
from averment.errors import (
    AvermentError,
    ExtractionError,
    MissingExtraError,
    UnknownNameError,
    UsageError,
    restore,
)
from doubles import EVERY_ERROR


def test_the_tree_in_the_module_docstring_is_the_tree_of_the_classes() -> None:
    tree = (errors.__doc__ or "").split("\n\n")[1]

    drawn = re.findall(r"^\W*(\w+)", tree, re.MULTILINE)

    assert drawn == [kind.__name__ for kind in EVERY_ERROR]


@pytest.mark.parametrize("kind", EVERY_ERROR, ids=lambda kind: kind.__name__)
def test_what_the_caller_named_exits_with_2_and_everything_else_with_3(
    kind: type[AvermentError],
) -> None:
    named_by_the_caller = issubclass(kind, (UsageError, errors.QueryError, errors.DatasetError))

    assert kind.exit_code == (2 if named_by_the_caller else 3)


@pytest.mark.parametrize("kind", EVERY_ERROR, ids=lambda kind: kind.__name__)
def test_only_an_unreachable_service_is_worth_retrying(kind: type[AvermentError]) -> None:
    assert kind.transient == kind.__name__.endswith("Unavailable")


def test_an_error_reads_as_message_then_hint() -> None:
    error = UsageError("The path is empty.", hint="Type: averment index build PATHS")

    assert str(error) == "The path is empty. Type: averment index build PATHS"


def test_an_error_without_a_hint_ends_without_a_blank() -> None:
    assert str(AvermentError("It failed.")) == "It failed."


def test_an_unknown_name_lists_close_matches_before_all_that_are_known() -> None:
    error = UnknownNameError("policy", "quko", ["single", "quco", "none"])

    assert error.message == "There is no policy named 'quko'."
    assert error.hint == "Did you mean quco? Known: none, quco, single."


def test_an_unknown_name_like_no_other_suggests_nothing() -> None:
    error = UnknownNameError("policy", "zzz", ["quco", "none"])

    assert error.hint == "Known: none, quco."


def test_an_unknown_name_where_none_is_known_says_so() -> None:
    assert UnknownNameError("policy", "quco", []).hint == "Known: none."


def test_a_missing_extra_gives_the_line_to_type() -> None:
    error = MissingExtraError("Local models", "local")

    assert error.extra == "local"
    assert error.hint == "Type: pip install 'averment[local]'"


def test_an_extraction_error_keeps_what_came_instead() -> None:
    error = ExtractionError("Expected a list of triplets.", raw="{oops", hint="Try again.")

    assert (error.raw, error.hint) == ("{oops", "Try again.")


@pytest.mark.parametrize(
    "error",
    [
        AvermentError("It failed.", hint="Try again."),
        UnknownNameError("policy", "quko", ["quco"]),
        MissingExtraError("Local models", "local"),
        ExtractionError("Expected a list of triplets.", raw="{oops"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_reaches_another_process_as_it_was(error: AvermentError) -> None:
    copy = pickle.loads(pickle.dumps(error))

    assert type(copy) is type(error)
    assert (str(copy), copy.args, vars(copy)) == (str(error), error.args, vars(error))


@pytest.mark.parametrize("kind", EVERY_ERROR, ids=lambda kind: kind.__name__)
def test_an_error_of_any_class_can_be_restored_from_its_words(kind: type[AvermentError]) -> None:
    error = restore(kind, "It was found.", "Type this.")

    assert type(error) is kind
    assert (error.message, error.hint) == ("It was found.", "Type this.")
