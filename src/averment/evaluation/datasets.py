"""Which data sets there are, and how one is read: `DATASETS` and `read_dataset`.

Question sets become `averment.evaluation.examples.Dataset`. Two kinds of data have no question with
a gold answer and readers of their own: retrieval judgements (`averment.evaluation.dataset_beir`)
and responses whose unsupported spans are marked (`averment.evaluation.dataset_ragtruth`). A record
that cannot be used is told and left out; it never ends a run.

What this module does not do: fetch anything (`averment.evaluation.dataset_hub`), draw samples, or
choose a split: the file that is named is what is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from types import MappingProxyType

from averment.corpus.records import Unusable
from averment.errors import DatasetError, UnknownNameError, UsageError
from averment.evaluation import dataset_questions as questions
from averment.evaluation.dataset_fields import flattened, text_field, texts
from averment.evaluation.dataset_files import Fields, FileRecords, NumberedRecord, read_file
from averment.evaluation.dataset_hub import HubFile
from averment.evaluation.examples import Dataset, Example, SkippedRecord

_FLASHRAG = "RUC-NLPIR/FlashRAG_datasets"


class Holds(StrEnum):
    """What a data set has, and so what can be measured on it."""

    QUESTIONS = "questions"
    JUDGEMENTS = "judgements"
    """Queries, and which documents of a corpus are relevant to them."""
    MARKED_RESPONSES = "marked_responses"
    """Responses to a source, with the spans that the source does not support."""


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """A data set that can be read.

    Args:
        name: As the command line spells it.
        title: As its authors spell it.
        expects: The files that are read, in words.
        holds: What there is in it.
        source: Paper or page.
        hub: A file of it on the Hugging Face hub, where one is known to have it in a format that is
            read.
        read: Turns a record into an example; None where there are no questions with answers.
        expand: Turns a record with several questions into one record each.
    """

    name: str
    title: str
    expects: str
    source: str
    holds: Holds = Holds.QUESTIONS
    hub: HubFile | None = None
    read: Callable[[Fields, str], Example] | None = None
    expand: Callable[[Fields], Iterator[Fields]] | None = None


_SPECS = (
    DatasetSpec(
        "2wiki",
        "2WikiMultihopQA",
        "dev.json or train.json; further spellings from id_aliases.json",
        "Ho et al. 2020, arXiv 2011.01060",
        hub=HubFile(_FLASHRAG, "2wikimultihopqa/dev.jsonl"),
        read=questions.multi_hop,
    ),
    DatasetSpec(
        "hotpotqa",
        "HotpotQA",
        "hotpot_dev_distractor_v1.json and its kind; questions alone do too",
        "Yang et al. 2018, arXiv 1809.09600",
        hub=HubFile(_FLASHRAG, "hotpotqa/dev.jsonl"),
        read=questions.multi_hop,
    ),
    DatasetSpec(
        "musique",
        "MuSiQue",
        "musique_ans_v1.0_dev.jsonl, or the full version with questions that have no answer",
        "Trivedi et al. 2022, arXiv 2108.00573",
        hub=HubFile(_FLASHRAG, "musique/dev.jsonl"),
        read=questions.musique,
    ),
    DatasetSpec(
        "bamboogle",
        "Bamboogle",
        "a table with Question and Answer, or JSON lines",
        "Press et al. 2023, arXiv 2210.03350",
        hub=HubFile(_FLASHRAG, "bamboogle/test.jsonl"),
        read=questions.question_and_answer,
    ),
    DatasetSpec(
        "strategyqa",
        "StrategyQA",
        "strategyqa_train.json (qid, question, answer, evidence)",
        "Geva et al. 2021, arXiv 2101.02235",
        read=questions.strategyqa,
    ),
    DatasetSpec(
        "pubmedqa",
        "PubMedQA",
        "ori_pqal.json, a map by PMID; yes, no or maybe",
        "Jin et al. 2019, arXiv 1909.06146",
        hub=HubFile("qiaojin/PubMedQA", "pqa_labeled/train-00000-of-00001.parquet"),
        read=questions.pubmedqa,
    ),
    DatasetSpec(
        "popqa",
        "PopQA",
        "popQA.tsv (possible_answers is JSON), or JSON lines",
        "Mallen et al. 2023, arXiv 2212.10511",
        hub=HubFile(_FLASHRAG, "popqa/test.jsonl"),
        read=questions.popqa,
    ),
    DatasetSpec(
        "triviaqa",
        "TriviaQA",
        "unfiltered-web-dev.json and its kind, without the evidence files",
        "Joshi et al. 2017, arXiv 1705.03551",
        hub=HubFile(_FLASHRAG, "triviaqa/test.jsonl"),
        read=questions.triviaqa,
    ),
    DatasetSpec(
        "nq",
        "Natural Questions (open)",
        "NQ-open.dev.jsonl; with passages under ctxs, too",
        "Kwiatkowski et al. 2019; Lee et al. 2019, arXiv 1906.00300",
        hub=HubFile(_FLASHRAG, "nq/test.jsonl"),
        read=questions.natural_questions,
    ),
    DatasetSpec(
        "simpleqa",
        "SimpleQA",
        "simple_qa_test_set.csv (problem, answer)",
        "Wei et al. 2024, arXiv 2411.04368",
        read=questions.question_and_answer,
    ),
    DatasetSpec(
        "clapnq",
        "CLAP NQ",
        "annotated_data/*.jsonl, or question_train_answerable.tsv without passages; long answers",
        "Rosenthal et al. 2025, arXiv 2404.02103",
        read=questions.clapnq,
    ),
    DatasetSpec(
        "timeqa",
        "TimeQA",
        "dev.easy.json.gzip and its kind, or human_annotated_test.json",
        "Chen et al. 2021, arXiv 2108.06314",
        read=questions.timeqa,
        expand=questions.timeqa_questions,
    ),
    DatasetSpec(
        "ragtruth",
        "RAGTruth",
        "a folder with response.jsonl and source_info.jsonl",
        "Niu et al. 2024, arXiv 2401.00396",
        holds=Holds.MARKED_RESPONSES,
    ),
    DatasetSpec(
        "beir",
        "BEIR layout",
        "a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv",
        "Thakur et al. 2021, arXiv 2104.08663",
        holds=Holds.JUDGEMENTS,
    ),
)

DATASETS: Mapping[str, DatasetSpec] = MappingProxyType({spec.name: spec for spec in _SPECS})
"""Every data set by name, in the order in which they are listed."""


def dataset_spec(name: str) -> DatasetSpec:
    """The data set of a name.

    Raises:
        UnknownNameError: There is none.
    """
    if name not in DATASETS:
        raise UnknownNameError("data set", name, DATASETS)
    return DATASETS[name]


def read_dataset(name: str, path: Path, *, aliases: Path | None = None) -> Dataset:
    """Read the questions of a file.

    Args:
        name: One of `DATASETS` that holds questions.
        path: The file; JSON array, map or lines, CSV, TSV or Parquet, packed by gzip or not.
        aliases: Lines of ``Q_id`` and ``aliases``, which add spellings by the ``answer_id`` of a
            record (the ``id_aliases.json`` of 2WikiMultihopQA).

    Returns:
        The examples in file order. Records that cannot be used, and those whose id was there
        before, are in `skipped` with the reason.

    Raises:
        UnknownNameError: There is no such data set.
        UsageError: The data set has no questions with answers.
        DatasetError: A file cannot be read, or no record of it can be used.
        MissingExtraError: The file is Parquet, and pyarrow is not installed.
    """
    spec = dataset_spec(name)
    if spec.read is None:
        reader = "read_beir" if spec.holds is Holds.JUDGEMENTS else "read_ragtruth"
        raise UsageError(
            f"{spec.title} has no questions with gold answers.", hint=f"Read it with {reader}."
        )
    skipped: list[SkippedRecord] = []
    further: dict[str, tuple[str, ...]] = {}
    aliases_digest = ""
    if aliases is not None:
        alias_file = read_file(aliases)
        further, aliases_digest = alias_file.by_id(_spellings, skipped), alias_file.digest
    file = _one_question_each(read_file(path), spec.expand)
    examples = file.by_id(partial(_example, spec.name, spec.read, further), skipped)
    if not examples:
        raise no_usable_record(spec.title, path, skipped, expected=spec.expects)
    return Dataset(name, tuple(examples.values()), file.digest, tuple(skipped), aliases_digest)


def no_usable_record(
    title: str, path: Path, skipped: Sequence[SkippedRecord], *, expected: str
) -> DatasetError:
    """The error for a file of which nothing is left."""
    first = f" The first: line {skipped[0].line}: {skipped[0].reason}." if skipped else ""
    return DatasetError(
        f"{path}: none of {len(skipped)} records can be read as {title}.{first}",
        hint=f"Expected: {expected}. A test split may have no gold answers.",
    )


def _one_question_each(
    file: FileRecords, expand: Callable[[Fields], Iterator[Fields]] | None
) -> FileRecords:
    if expand is None:
        return file
    records = tuple(
        NumberedRecord(line, record)
        for line, found in file.records
        for record in ([found] if isinstance(found, Unusable) else expand(found))
    )
    return replace(file, records=records)


def _example(
    name: str,
    read: Callable[[Fields, str], Example],
    further: Mapping[str, tuple[str, ...]],
    record: Fields,
) -> tuple[str, Example]:
    example = read(flattened(record), name)
    added = further.get(str(record.get("answer_id")), ())
    answers = tuple(dict.fromkeys(example.answers + added))
    return example.id, replace(example, answers=answers)


def _spellings(record: Fields) -> tuple[str, tuple[str, ...]]:
    return text_field(record, "Q_id"), texts(record.get("aliases") or [], "aliases")
