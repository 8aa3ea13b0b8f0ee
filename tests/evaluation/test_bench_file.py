"""Benches are data: what they may say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import averment
from averment.errors import UnknownNameError, UsageError
from averment.evaluation.bench_file import (
    Expectation,
    QuestionSet,
    Variant,
    bench_names,
    read_bench,
)
from averment.evaluation.datasets import DATASETS
from averment.evaluation.examples import Example, GoldPassage
from averment.prompts import load
from averment.settings import Settings
from averment.wiring import make_policy, policy_names
from averment.wiring.policies import counts_by_aliases
from evaluation.bench_world import write_bench

EXAMPLES = [Example(f"q{n}", "Who?", ("A",)) for n in range(20)]


@pytest.mark.parametrize("name", bench_names())
def test_a_bench_that_ships_names_what_there_is(name: str) -> None:
    bench = read_bench(name)

    assert bench.about
    assert {bench.variant(name).preset for name in bench.policies} <= set(policy_names())
    assert {each.data for each in bench.sets} <= set(DATASETS)
    assert all(len(each.sha256) == 64 for each in bench.sets)
    assert set(bench.settings) <= set(Settings.model_fields)
    assert {each.better for each in bench.expect} <= set(bench.policies)
    assert bench.prompt == f"answer-{load('answer').digest[:8]}"


@pytest.mark.parametrize("name", bench_names())
def test_every_policy_of_a_bench_that_ships_can_be_made_and_no_two_are_the_same(
    name: str, tmp_path: Path
) -> None:
    bench = read_bench(name)
    averment.build_index([averment.Document("a", "Oslo is in Norway.")], tmp_path / "idx")
    info = averment.open_index(tmp_path / "idx").info

    made = [
        (
            repr(make_policy(of.preset, info, of.parameters)),
            counts_by_aliases(of.preset, of.parameters),
        )
        for of in map(bench.variant, bench.policies)
    ]

    assert len(set(made)) == len(made)


@pytest.mark.data
@pytest.mark.parametrize("name", bench_names())
def test_the_files_of_a_bench_that_ships_are_those_it_means(name: str, shared_data: Path) -> None:
    from averment.evaluation.datasets import read_dataset

    bench = read_bench(name)
    found = [read_dataset(each.data, shared_data / each.file) for each in bench.sets]

    assert [dataset.digest for dataset in found] == [each.sha256 for each in bench.sets]
    assert all((shared_data / file).is_file() for file in bench.corpus.files)


def test_a_bench_of_ones_own_lies_beside_its_data(tmp_path: Path) -> None:
    bench = read_bench(str(write_bench(tmp_path, 3)))

    assert (bench.name, bench.folder) == ("towns", tmp_path)
    assert bench.expect == (Expectation("single", "none", "f1"),)
    assert bench.settings == {"scores": False}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("about =", "abuot =", "'abuot' means nothing"),
        ("about =", "#", "lacks 'about'"),
        ("seed = 7", 'seed = "7"', "expected int"),
        ("[[sets]]", "[sets]", "is no bench"),
        ('"single > none in f1"', '"single is best"', "no expectation"),
        ("model =", "model ==", "is no bench"),
        ('"none"', '{ preset = "none" }', "lacks 'name'"),
        ('"none"', '{ name = "quco", preset = "quco", k = 1 }', "no name for a variant"),
        ('"none"', '{ name = "single", preset = "quco", k = 1 }', "a name of its own"),
        ("model =", "variants = {}\nmodel =", "written among the policies"),
        ('prompt = "answer-f34abe79"\n', "", "prompt"),
    ],
    ids=[
        "unknown key",
        "no purpose",
        "wrong type",
        "no list",
        "no expectation",
        "no TOML",
        "no name for a variant",
        "a variant named like its preset",
        "two policies of one name",
        "variants apart",
        "missing key",
    ],
)
def test_what_is_no_bench_is_refused_with_the_reason(
    old: str, new: str, why: str, tmp_path: Path
) -> None:
    file = write_bench(tmp_path, 3)
    file.write_text(file.read_text().replace(old, new))

    with pytest.raises(UsageError, match=why):
        read_bench(str(file))


def test_a_variant_is_written_among_the_policies_as_a_preset_with_other_parameters(
    tmp_path: Path,
) -> None:
    written = '"none", { name = "near", preset = "quco-paper", window_words = 50 }'

    bench = read_bench(str(write_bench(tmp_path, 3, policies=written)))

    assert bench.policies == ("none", "near")
    assert bench.variant("near") == Variant("quco-paper", {"window_words": 50})
    assert bench.variant("none") == Variant("none")


def test_two_sets_of_one_name_are_refused(tmp_path: Path) -> None:
    file = write_bench(tmp_path, 3)
    text = file.read_text()
    file.write_text(text + text[text.index("[[sets]]") :])

    with pytest.raises(UsageError, match="a name of its own"):
        read_bench(str(file))


def test_a_name_that_no_bench_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError) as refused:
        read_bench("quco-2wki")

    assert "quco-2wiki" in refused.value.hint


def test_a_smaller_sample_is_the_beginning_of_a_larger_one() -> None:
    few = QuestionSet("2wiki", "f", n=5, seed=1).drawn(EXAMPLES)
    many = QuestionSet("2wiki", "f", n=12, seed=1).drawn(EXAMPLES)

    assert many[:5] == few


def test_another_seed_draws_other_questions_and_no_seed_the_first_ones() -> None:
    one = QuestionSet("2wiki", "f", n=5, seed=1).drawn(EXAMPLES)
    other = QuestionSet("2wiki", "f", n=5, seed=2).drawn(EXAMPLES)
    first = QuestionSet("2wiki", "f", n=5).drawn(EXAMPLES)

    assert one != other
    assert list(first) == EXAMPLES[:5]


def test_a_draw_does_not_depend_on_the_order_of_the_file() -> None:
    drawn = QuestionSet("2wiki", "f", n=5, seed=1)

    assert drawn.drawn(EXAMPLES) == drawn.drawn(EXAMPLES[::-1])


def test_questions_without_passages_can_be_left_out() -> None:
    with_context = Example("c", "Who?", ("A",), context=(GoldPassage("T", "A."),))

    drawn = QuestionSet("2wiki", "f", with_context=True).drawn([*EXAMPLES, with_context])

    assert drawn == (with_context,)


@pytest.mark.parametrize(
    ("text", "expectation"),
    [
        ("quco > single", Expectation("quco", "single")),
        ("quco>single in exact_match", Expectation("quco", "single", "exact_match")),
        ("a@x > a@y in f1 on 2wiki", Expectation("a@x", "a@y", "f1", "2wiki")),
    ],
)
def test_an_expectation_reads_as_it_is_written(text: str, expectation: Expectation) -> None:
    assert Expectation.parse(text) == expectation
    assert Expectation.parse(str(expectation)) == expectation
