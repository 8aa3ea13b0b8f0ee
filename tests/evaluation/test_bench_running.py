"""A run asks what has no row yet, survives what a question does, and writes down what it took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import averment
from averment.engine import Edges, Engine
from averment.errors import IndexUnavailable
from averment.evaluation.examples import AnswerKind, Example, GoldPassage
from averment.evaluation.rows import RowFile, open_rows, read_rows
from averment.evaluation.running import DrawnSet, Entrant, Progress, run_bench, sets_named
from averment.index.embedded import EmbeddedIndex
from averment.models.cache import Meter, cached
from averment.models.scripted import ScriptedModel
from averment.types import Count, Phrase, Prompt
from evaluation.bench_world import documents, river, scripted, towns

EXAMPLES = tuple(
    Example(
        f"q{at}",
        f"Which river flows through {town}?",
        (river(at),),
        gold_passages=(GoldPassage(town),),
    )
    for at, town in enumerate(towns(4))
)
DRAWN = DrawnSet("towns", EXAMPLES, "digest")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedIndex:
    place = tmp_path_factory.mktemp("world") / "idx"
    averment.build_index(documents(4), place)
    return averment.open_index(place)


class Asked:
    """The script of the towns, which keeps what was asked and may fail."""

    def __init__(self, fails_at: str = "nowhere", error: Exception | None = None) -> None:
        self.prompts: list[str] = []
        self._fails_at, self._error = fails_at, error

    def __call__(self, prompt: Prompt) -> str:
        asked = prompt.text.rpartition("Question:")[2]
        self.prompts.append(asked)
        if self._error is not None and self._fails_at in asked:
            raise self._error
        return scripted(prompt)


def entrant(
    index: EmbeddedIndex, folder: Path, script: Asked, policy: str = "single", **settings: object
) -> Entrant:
    model = cached(ScriptedModel(script), identity="towns", directory=folder)
    engine = averment.open_engine(
        index=index, model=model, policy=policy, **{"scores": False, **settings}
    )
    return Entrant(policy, engine, lambda: model.meter)


@contextmanager
def rows_in(folder: Path) -> Iterator[RowFile]:
    with open_rows(folder / "run") as rows:
        yield rows


def test_one_failing_question_is_a_row_and_the_others_are_answered(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    script = Asked(towns(4)[1], KeyError("a mistake of ours"))

    with rows_in(tmp_path) as rows:
        run_bench([DRAWN], [entrant(index, tmp_path, script)], rows)
        made = list(rows.rows.values())

    assert [row.error is None for row in made] == [True, False, True, True]
    assert made[1].error is not None
    assert (made[1].error.kind, made[1].grades) == ("KeyError", None)


def test_a_question_without_a_word_is_a_row_with_its_error(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    drawn = DrawnSet("towns", (Example("q", "…?", ("A",)), *EXAMPLES[:1]), "digest")

    with rows_in(tmp_path) as rows:
        run_bench([drawn], [entrant(index, tmp_path, Asked())], rows)
        made = list(rows.rows.values())

    assert made[0].error is not None
    assert made[0].error.kind == "UsageError"
    assert made[1].error is None


def test_every_policy_answers_a_question_before_the_next_is_asked(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    seen: list[Progress] = []
    entrants = [entrant(index, tmp_path, Asked(), policy) for policy in ("none", "single")]

    with rows_in(tmp_path) as rows:
        run_bench([DRAWN], entrants, rows, limit=2, watch=seen.append)

    assert [(each.row.id, each.row.policy) for each in seen] == [
        ("q0", "none"),
        ("q0", "single"),
        ("q1", "none"),
        ("q1", "single"),
    ]
    assert [(each.n_done, each.n_to_do) for each in seen] == [(n, 4) for n in (1, 2, 3, 4)]
    assert seen[0].seconds_left > 0
    assert seen[-1].seconds_left == 0


def test_a_larger_limit_asks_only_what_is_missing(index: EmbeddedIndex, tmp_path: Path) -> None:
    with rows_in(tmp_path) as rows:
        n_first = run_bench([DRAWN], [entrant(index, tmp_path, Asked())], rows, limit=1)
        n_then = run_bench([DRAWN], [entrant(index, tmp_path, Asked())], rows, limit=3)

    assert (n_first, n_then) == (1, 2)


def test_some_sets_can_be_asked_now_and_the_others_later(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    sets = [DRAWN, DrawnSet("rivers", EXAMPLES[:1], "other digest")]
    one = entrant(index, tmp_path, Asked())

    with rows_in(tmp_path) as rows:
        n_first = run_bench(sets, [one], rows, now=sets_named(sets, ["rivers"]))
        n_then = run_bench(sets, [one], rows)
        order = [name for name, _, _ in rows.rows]

    assert (n_first, n_then) == (1, len(EXAMPLES))
    assert order == ["rivers"] + ["towns"] * len(EXAMPLES)
    kept = [row.set for row in read_rows(tmp_path / "run" / "rows.jsonl")]
    assert kept == ["towns"] * len(EXAMPLES) + ["rivers"]


def test_a_policy_with_other_parameters_is_asked_anew(index: EmbeddedIndex, tmp_path: Path) -> None:
    first = entrant(index, tmp_path, Asked())
    policy = replace(first.engine.policy, k=1)  # type: ignore[type-var]
    changed = Entrant("single", Engine(policy, first.engine.edges), first.meter)

    with rows_in(tmp_path) as rows:
        run_bench([DRAWN], [first], rows)
        n_made = run_bench([DRAWN], [changed], rows)

    assert n_made == len(EXAMPLES)
    assert all("k=1" in row.settings for row in read_rows(tmp_path / "run" / "rows.jsonl"))


def test_a_row_says_what_the_answer_took(index: EmbeddedIndex, tmp_path: Path) -> None:
    with rows_in(tmp_path) as rows:
        run_bench([DRAWN], [entrant(index, tmp_path, Asked())], rows, limit=1)
        (row,) = rows.rows.values()

    assert (row.prediction, row.gold) == (river(0), (river(0),))
    assert row.grades is not None
    assert row.grades.exact_match == 1.0
    assert (row.retrievals, row.triggers, row.model_calls) == (1, {"always": 1}, 2)
    assert row.gold_retrieved == 1.0
    assert row.confidences == {"token_probability": pytest.approx(0.606531)}
    assert row.extractor_tokens == 0
    assert row.timing is not None
    assert row.timing.cached_calls == 0


def test_tokens_of_an_extractor_that_asks_the_model_are_counted_apart(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    script = Asked()
    with rows_in(tmp_path) as rows:
        one = entrant(index, tmp_path, script, "quco", extractor="model")
        run_bench([DRAWN], [one], rows, limit=1)
        (row,) = rows.rows.values()

    assert row.extractor_tokens is not None
    assert row.extractor_tokens > 0
    assert row.model_calls is not None
    assert len(script.prompts) > row.model_calls


def test_calls_that_were_remembered_are_billed_with_what_they_took(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    for run in ("first", "second"):
        with open_rows(tmp_path / run) as rows:
            run_bench([DRAWN], [entrant(index, tmp_path, Asked())], rows, limit=1)
    (first,) = read_rows(tmp_path / "first" / "rows.jsonl")
    (second,) = read_rows(tmp_path / "second" / "rows.jsonl")

    assert first.timing is not None
    assert second.timing is not None
    assert second.timing.cached_calls == second.model_calls == 2
    assert replace(first, timing=None) == replace(second, timing=None)


class Down(EmbeddedIndex):
    """An index that counts nothing."""

    def __init__(self, index: EmbeddedIndex) -> None:
        self.__dict__.update(index.__dict__)

    def count(self, phrases: Sequence[Phrase]) -> list[Count]:
        raise IndexUnavailable("The index is down.")


def test_counts_that_nobody_could_give_are_counted_as_unknown(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    one = entrant(index, tmp_path, Asked(), "quco", aliases=False)
    edges = one.engine.edges
    down = Edges(Down(index), edges.retriever, edges.model, edges.extractor)

    with rows_in(tmp_path) as rows:
        run_bench([DRAWN], [Entrant("quco", Engine(one.engine.policy, down), Meter)], rows, limit=1)
        (row,) = rows.rows.values()

    assert row.unknown_counts
    assert row.counts is not None
    assert 0 < row.unknown_counts <= row.counts


def test_where_sentences_are_asked_for_all_of_the_text_is_graded(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    example = replace(EXAMPLES[0], kind=AnswerKind.LONG)

    with rows_in(tmp_path) as rows:
        drawn = DrawnSet("long", (example,), "digest")
        run_bench([drawn], [entrant(index, tmp_path, Asked())], rows)
        (row,) = rows.rows.values()

    assert row.prediction.startswith("The Vell flows through")
    assert row.grades is not None
    assert row.grades.rouge_l is not None


def test_an_answer_that_abstains_predicts_nothing(index: EmbeddedIndex, tmp_path: Path) -> None:
    script = ScriptedModel(lambda prompt: " So the answer is unknown.")
    model = cached(script, identity="none", directory=tmp_path)
    engine = averment.open_engine(index=index, model=model, policy="none", scores=False)

    with rows_in(tmp_path) as rows:
        run_bench([DRAWN], [Entrant("none", engine, lambda: model.meter)], rows, limit=1)
        (row,) = rows.rows.values()

    assert (row.verdict, row.prediction) == ("abstained", "")
    assert row.grades is not None
    assert row.grades.f1 == 0.0
