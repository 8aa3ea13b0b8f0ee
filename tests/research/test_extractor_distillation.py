"""From drawn sentences to the teacher's rows, to what a student learns, on a few made-up pages."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from averment.claims.prompted import PromptedExtractor
from averment.claims.rules import RulesExtractor
from averment.types import Triplet
from conftest import REPOSITORY
from contracts.extractor_contract import FilingModel

PAGES = {
    "Vetham": "Vetham is a 1994 film directed by Arjun Nair. It was shot in Zurich by Haneef.",
    "Kumbasaram": "Kumbasaram was directed by Haneef in 2017. Who directed Kumbasaram or Vetham?",
    "Held out": "Held Out was written by Arjun Nair in 1999.",
}
CORPORA = "wiki_passages timeqa_pages world_factbook classic_books medquad pubmedqa_abstracts"
needs_torch = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("torch", "transformers"))),
    reason="torch and transformers are not installed",
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder as the scripts expect it: two pages that may be drawn, one of a bench's question."""
    files: dict[str, list[dict[str, Any]]] = {f"corpus/{name}": [] for name in CORPORA.split()}
    files["corpus/wiki_passages"] = [
        {"id": f"wiki:{at}", "title": title, "text": text}
        for at, (title, text) in enumerate(PAGES.items())
    ]
    page = {"context": [["Held out (novel)", [PAGES["Held out"]]]], "supporting_facts": []}
    files["qa_multihop/2wiki_dev_ctx_migres"] = [page]
    files["qa_multihop/2wiki_train_ctx_triples_migres"] = []
    for name in ("redocred_dev", "redocred_test", "carb_dev", "carb_test"):
        files[f"triples/{name}"] = []
    for name, rows in files.items():
        path = tmp_path / "data" / f"{name}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path / "data"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Imports a script of research/extractor by its name."""
    for folder in ("bench", "research/extractor"):
        monkeypatch.syspath_prepend(str(REPOSITORY / folder))
    return importlib.import_module


def rows_of(script: Callable[[str], ModuleType], data: Path) -> list[dict[str, Any]]:
    sentences = script("sentences").drawn(data, 31, 10)
    return list(script("label").label(sentences, RulesExtractor()))


# --- drawing ------------------------------------------------------------------------------------


def test_pages_of_a_bench_and_what_claims_nothing_are_not_drawn(
    data: Path, script: Callable[[str], ModuleType]
) -> None:
    texts = {each.text for each in script("sentences").drawn(data, 31, 10)}

    assert texts == {
        "Vetham is a 1994 film directed by Arjun Nair.",
        "It was shot in Zurich by Haneef.",
        "Kumbasaram was directed by Haneef in 2017.",
    }


def test_a_short_run_has_the_beginning_of_a_long_one(
    data: Path, script: Callable[[str], ModuleType]
) -> None:
    drawn = script("sentences").drawn

    assert drawn(data, 31, 2) == drawn(data, 31, 3)[:2]
    assert [each.text for each in drawn(data, 31, 3)] != [each.text for each in drawn(data, 4, 3)]


# --- labelling ----------------------------------------------------------------------------------


def test_a_row_has_places_and_no_text(data: Path, script: Callable[[str], ModuleType]) -> None:
    rows = rows_of(script, data)

    [row] = [row for row in rows if row["id"] == "wiki:1"]
    text = PAGES["Kumbasaram"][row["start"] : row["end"]]
    head, relation, tail, kind = row["triplets"][0]
    assert (text[slice(*head)], text[slice(*tail)], kind) == ("Kumbasaram", "Haneef", "person")
    assert text[slice(*relation)] == "was directed by"
    assert "Kumbasaram" not in json.dumps(rows)


@pytest.mark.parametrize(
    ("triplet", "placed"),
    [
        (Triplet("Rome", "left", "Haneef"), [[12, 16], [17, 21], [22, 28], "other"]),
        (Triplet("Haneef", "fled", "Rome"), [[0, 6], "fled", [12, 16], "other"]),
    ],
    ids=["nearest to the relation", "nearest to each other"],
)
def test_of_several_places_the_nearest_are_taken(
    script: Callable[[str], ModuleType], triplet: Triplet, placed: list[Any]
) -> None:
    assert script("label").placed("Haneef, and Rome left Haneef.", triplet) == placed


def test_a_reply_that_cannot_be_read_fails_its_own_row_only(
    data: Path, script: Callable[[str], ModuleType]
) -> None:
    teacher = FilingModel(
        {"Kumbasaram": [["Kumbasaram", "directed by", "Haneef"]], "Vetham": "[[cut"}, grammar=False
    )
    sentences = script("sentences").drawn(data, 31, 10)

    rows = list(script("label").label(sentences, PromptedExtractor(teacher)))

    by_text = {each.text: row for each, row in zip(sentences, rows, strict=True)}
    assert by_text["Vetham is a 1994 film directed by Arjun Nair."]["failed"] is True
    assert len(by_text["Kumbasaram was directed by Haneef in 2017."]["triplets"]) == 1
    assert "failed" not in by_text["It was shot in Zurich by Haneef."]


# --- learning -----------------------------------------------------------------------------------


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_what_was_labelled_is_learned_from_the_corpus(
    data: Path, tmp_path: Path, script: Callable[[str], ModuleType]
) -> None:
    labels = write_rows(tmp_path / "labels.jsonl", rows_of(script, data))

    [film] = [each for each in script("examples").taught(data, labels) if "1994" in each.text]

    said = {(film.text[slice(*head)], film.text[slice(*tail)]) for head, tail in film.links}
    assert ("Vetham", "Arjun Nair") in said
    assert {film.text[slice(*place)]: kind for place, kind in film.entities.items()} == {
        "Vetham": "name",
        "1994": "date",
        "Arjun Nair": "name",
    }


def test_a_corpus_that_was_not_labelled_is_refused(
    data: Path, tmp_path: Path, script: Callable[[str], ModuleType]
) -> None:
    rows = rows_of(script, data)
    rows[0]["digest"] = "0" * 16
    labels = write_rows(tmp_path / "labels.jsonl", rows)

    with pytest.raises(ValueError, match="is not the text that was labelled"):
        list(script("examples").taught(data, labels))


@needs_torch
def test_a_student_that_learns_two_sentences_by_heart_links_what_they_link(
    data: Path, tmp_path: Path, script: Callable[[str], ModuleType]
) -> None:
    import torch
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel

    import averment
    from averment.claims.distilled import DistilledExtractor, Layout
    from averment.models.token_numbers import words_of

    labels = write_rows(tmp_path / "labels.jsonl", rows_of(script, data))
    examples = list(script("examples").taught(data, labels))
    student, train = script("student"), script("train")
    shared = Path(averment.__file__).parent / "faithfulness" / "model" / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(shared))
    layout = Layout(("name", "date", "number"), ("", "born"), n_dims=16)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = BertConfig(
        hidden_size=32, num_hidden_layers=3, num_attention_heads=2, intermediate_size=32
    )
    model = student.Student(BertModel(config, add_pooling_layer=False), layout)
    rows = [student.encode(each, tokenizer.encode(each.text), layout) for each in examples]

    model = train.fit(model, iter([rows] * 80), layout, 80 * len(rows), 3e-3)

    class Reader:
        def __init__(self) -> None:
            self.layout = asdict(layout)

        def read(self, text: str) -> Any:
            encoding = tokenizer.encode(text)
            ids = torch.tensor([encoding.ids])
            with torch.no_grad():
                return words_of(encoding), model(ids, torch.ones_like(ids))[0].numpy()

    texts = [each.text for each in examples]
    found = DistilledExtractor(Reader()).triplets(texts)
    for one, truth in zip(found, RulesExtractor().triplets(texts), strict=True):
        assert {(e.head, e.tail) for e in one.triplets} == {
            (e.head, e.tail) for e in truth.triplets
        }


@needs_torch
def test_a_generator_can_be_tuned_on_the_rows(
    data: Path, tmp_path: Path, script: Callable[[str], ModuleType]
) -> None:
    from models.tiny_lm import write_tiny_lm

    checkpoint = write_tiny_lm(tmp_path / "tiny", "llama")
    labels = write_rows(tmp_path / "labels.jsonl", rows_of(script, data))
    places = ["--init", checkpoint, "--data", data, "--labels", labels, "--out", tmp_path / "out"]

    losses = script("sft_generator").main(
        [
            *map(str, places),
            *"--device cpu --steps 8 --batch 2 --rate 0.01 --max-tokens 4096".split(),
        ]
    )

    assert losses[-1] < losses[0]
    assert (tmp_path / "out" / "model.safetensors").is_file()
