"""A bench as data: which questions, which corpus, which model, which policies, what is expected.

A bench is a TOML file; some ship with averment. Data files are pinned by SHA-256, so that a bench
means the same questions everywhere, and the prompt by its digest. Numbers of a paper stand in
tables of their own and are never mixed with what was measured here. This module refuses what it
does not know by name; it opens no data set, index or model.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from averment.errors import UnknownNameError, UsageError
from averment.evaluation.examples import Example
from averment.files import read_text
from averment.trace import from_plain

MAX_UNKNOWN = 0.05
"""The share of counts that may be unknown before a run is invalid, unless the bench says."""
_EXPECTATION = re.compile(
    r"(?P<better>\S+)\s*>\s*(?P<worse>\S+)(?:\s+in\s+(?P<metric>\S+))?(?:\s+on\s+(?P<set>\S+))?"
)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one file.

    Args:
        data: The data set, as `averment.evaluation.datasets` names it.
        file: Its path below the folder of data.
        sha256: Of the file's bytes; empty: not pinned.
        aliases: A file of further spellings, as `read_dataset` takes it; empty: there is none.
        name: Under which its rows and tables stand; the data set's unless said otherwise.
        split: Of which split it is; told, never computed with.
        n: How many questions are drawn; None: all.
        seed: Of the draw; None: the first ones of the file.
        with_context: Only questions that come with passages.
    """

    data: str
    file: str
    sha256: str = ""
    aliases: str = ""
    name: str = ""
    split: str = ""
    n: int | None = None
    seed: int | None = None
    with_context: bool = False

    def drawn(self, examples: Sequence[Example]) -> tuple[Example, ...]:
        """The questions of the bench, in the order in which they are asked.

        A smaller `n` draws a beginning of what a larger one draws.
        """
        taken = [each for each in examples if each.context or not self.with_context]
        if self.seed is not None:
            taken.sort(key=lambda each: _lot(self.seed, each.id))
        return tuple(taken[: self.n])


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is searched and counted: an index that is there, or files to build one from.

    Args:
        index: The directory of an index, below the folder of data; empty: it is built.
        files: Below the folder of data.
    """

    index: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """A preset with parameters of its own: an ablation, or a point of a sweep.

    Args:
        preset: What is varied.
        parameters: Of the preset, by name; the others stay as they are.
    """

    preset: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def swept(self) -> tuple[str, float] | None:
        """The first of its parameters that is a number, by name; None: there is none."""
        for name, value in self.parameters.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return name, float(value)
        return None


@dataclass(frozen=True, slots=True)
class PaperRow:
    """What a paper reports, on its own model and corpus: never comparable digit by digit.

    Grades are shares in [0, 1].
    """

    set: str
    policy: str
    model: str
    source: str
    exact_match: float | None = None
    f1: float | None = None
    accuracy: float | None = None
    rouge_l: float | None = None
    retrievals: float | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """That one policy beats another: the interval of the paired difference is above zero.

    Args:
        better: A policy.
        worse: Another.
        metric: In what.
        set: On which questions; None: on every set.
    """

    better: str
    worse: str
    metric: str = "f1"
    set: str | None = None

    def __str__(self) -> str:
        """As it is written in a bench."""
        return f"{self.better} > {self.worse} in {self.metric}" + (
            f" on {self.set}" if self.set else ""
        )

    @classmethod
    def parse(cls, text: str) -> Expectation:
        """The expectation of a line such as ``quco > single in f1 on 2wiki``.

        Raises:
            UsageError: Another form.
        """
        found = _EXPECTATION.fullmatch(text.strip())
        if found is None:
            raise UsageError(
                f"{text!r} is no expectation.", hint="Write: quco > single in f1 on 2wiki"
            )
        return cls(**{name: value for name, value in found.groupdict().items() if value})


@dataclass(frozen=True, slots=True)
class Bench:
    """A bench.

    Args:
        name: As the command line spells it.
        about: What it is for, in a sentence.
        model: Who answers unless another is named.
        policies: Presets and names of variants, in the order of the tables.
        sets: The questions.
        corpus: What is searched and counted.
        prompt: Id and digest of the prompt that all policies share: ``answer-f34abe79``.
        decoder_seed: Added to the seed of every model call.
        max_unknown: Share of unknown counts above which a run is invalid, in [0, 1].
        settings: Settings of averment that the bench fixes, such as ``scores``.
        expect: What `averment bench compare` holds the run against.
        paper: What papers report for such rows.
        variants: The policies that are no presets, by name; written among the policies.
        folder: Where the file lies; None: it ships with averment.
    """

    name: str
    about: str
    model: str
    policies: tuple[str, ...]
    sets: tuple[QuestionSet, ...]
    corpus: Corpus
    prompt: str
    decoder_seed: int = 0
    max_unknown: float = MAX_UNKNOWN
    settings: Mapping[str, Any] = field(default_factory=dict)
    expect: tuple[Expectation, ...] = ()
    paper: tuple[PaperRow, ...] = ()
    variants: Mapping[str, Variant] = field(default_factory=dict)
    folder: Path | None = None

    def variant(self, policy: str) -> Variant:
        """What a policy of the bench is; any other name is a preset as it is."""
        return self.variants.get(policy, Variant(policy))


def bench_names() -> list[str]:
    """The benches that ship with the package."""
    files = (resources.files("averment") / "benches").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def read_bench(name_or_path: str) -> Bench:
    """The bench of a name, or of a .toml file.

    Raises:
        UnknownNameError: No such bench.
        UsageError: The file cannot be read, or is no bench.
    """
    path = Path(name_or_path)
    if path.suffix == ".toml":
        text = read_text(path, hint="Name a bench of `averment bench list`, or a .toml file.")
        return _bench(text, name=path.stem, source=str(path), folder=path.resolve().parent)
    if name_or_path not in bench_names():
        raise UnknownNameError("bench", name_or_path, bench_names())
    shipped = resources.files("averment") / "benches" / f"{name_or_path}.toml"
    text = shipped.read_text(encoding="utf-8")
    return _bench(text, name=name_or_path, source=f"bench {name_or_path}", folder=None)


def _bench(text: str, *, name: str, source: str, folder: Path | None) -> Bench:
    try:
        plain = tomllib.loads(text)
        plain["sets"] = [{"name": each["data"], **each} for each in plain["sets"]]
        expect = tuple(map(Expectation.parse, plain.pop("expect", [])))
        if "variants" in plain:
            raise ValueError("variants are written among the policies")
        plain["policies"], variants = _policies(plain["policies"])
        bench: Bench = from_plain(Bench, {"name": name, **plain})
    except KeyError as error:
        raise _no_bench(source, f"it lacks {error}") from error
    except (tomllib.TOMLDecodeError, TypeError, ValueError) as error:
        raise _no_bench(source, str(error)) from error
    names = [each.name for each in bench.sets]
    if not names or len(set(names)) < len(names):
        raise _no_bench(source, f"its sets are named {names}; each needs a name of its own")
    if len(set(bench.policies)) < len(bench.policies):
        policies = list(bench.policies)
        raise _no_bench(source, f"its policies are {policies}; each needs a name of its own")
    return replace(bench, expect=expect, variants=variants, folder=folder)


def _policies(written: Sequence[Any]) -> tuple[list[Any], dict[str, Variant]]:
    """The names of the policies in order, and those that are written as tables."""
    names: list[Any] = []
    variants = {}
    for each in written:
        if isinstance(each, Mapping):
            parameters = dict(each)
            name, preset = parameters.pop("name"), parameters.pop("preset")
            if not (isinstance(name, str) and isinstance(preset, str)) or name == preset:
                raise ValueError(f"{name!r} is no name for a variant of {preset!r}")
            variants[name] = Variant(preset, parameters)
            names.append(name)
        else:
            names.append(each)
    return names, variants


def _no_bench(source: str, why: str) -> UsageError:
    return UsageError(f"{source} is no bench: {why}.", hint="See docs/how-to/run-a-bench.md.")


def _lot(seed: int | None, example_id: str) -> bytes:
    """Where a question stands in a random order that no version of Python changes."""
    return hashlib.sha256(f"{seed}:{example_id}".encode()).digest()
