from __future__ import annotations

import sys
from pathlib import Path

import pytest

from averment.errors import ContextOverflow, MissingExtraError, ModelFileError, UsageError
from averment.models.nli_transformers import TransformersNli, open_transformers_nli
from models.tiny_nli import SPECIAL, WORDS

PAIRS = [
    ("The dog ran fast.", "A dog ran."),
    ("The mill stands. The dog ran fast. The cat sat.", "The cat sat."),
    ("", "The cat sat."),
]


def write_checkpoint(directory: Path, id2label: dict[int, str]) -> Path:
    """A BERT of two tiny layers with random weights."""
    transformers = pytest.importorskip("transformers", reason="needs the extra [transformers]")
    torch = pytest.importorskip("torch", reason="needs the extra [transformers]")
    torch.manual_seed(1)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "vocab.txt").write_text("\n".join([*SPECIAL, *WORDS, "."]), encoding="utf-8")
    transformers.BertTokenizer(str(directory / "vocab.txt")).save_pretrained(directory)
    config = transformers.BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS) + 1,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        num_labels=len(id2label),
        id2label=id2label,
        label2id={label: at for at, label in id2label.items()},
        initializer_range=1.0,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(directory)
    return directory


@pytest.fixture
def nli(tmp_path: Path) -> TransformersNli:
    labels = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
    return open_transformers_nli(write_checkpoint(tmp_path, labels), local_files_only=True)


def test_without_transformers_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.raises(MissingExtraError, match=r"averment\[transformers\]"):
        open_transformers_nli("any/checkpoint")


def test_every_judgement_is_a_distribution_whatever_it_is_judged_with(
    nli: TransformersNli,
) -> None:
    alone = [nli.judge([pair])[0] for pair in PAIRS]

    together = nli.judge(PAIRS)

    for one, other in zip(alone, together, strict=True):
        assert one.entailment + one.neutral + one.contradiction == pytest.approx(1.0)
        assert one.entailment == pytest.approx(other.entailment, abs=1e-5)
    assert nli.judge([]) == []


def test_labels_may_be_said_where_the_checkpoint_does_not(tmp_path: Path) -> None:
    checkpoint = write_checkpoint(tmp_path, {0: "LABEL_0", 1: "LABEL_1"})

    nli = open_transformers_nli(
        checkpoint, labels=("not_entailment", "entailment"), local_files_only=True
    )

    assert nli.judge(PAIRS)[0].contradiction == 0.0
    assert nli.name == str(checkpoint)


@pytest.mark.parametrize(
    "said", [None, ("entailment", "neutral", "contradiction")], ids=["unnamed", "of another number"]
)
def test_labels_that_cannot_be_told_are_refused_with_what_was_expected(
    tmp_path: Path, said: tuple[str, ...] | None
) -> None:
    checkpoint = write_checkpoint(tmp_path, {0: "LABEL_0", 1: "LABEL_1"})

    with pytest.raises(UsageError, match="expected the names of entailment"):
        open_transformers_nli(checkpoint, labels=said, local_files_only=True)


def test_a_long_premise_loses_its_end_and_a_long_hypothesis_is_refused(
    nli: TransformersNli,
) -> None:
    long, cut = nli.judge([("dog " * 80, "cat sat"), ("dog " * 27, "cat sat")])

    assert nli.window_tokens == 32
    assert long.entailment == pytest.approx(cut.entailment, abs=1e-5)
    with pytest.raises(ContextOverflow, match="does not fit"):
        nli.judge([("dog", "cat " * 40)])


def test_what_is_not_on_this_machine_is_not_fetched(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs the extra [transformers]")

    with pytest.raises(ModelFileError, match="nothing may be fetched"):
        open_transformers_nli("nobody/no-such-checkpoint", local_files_only=True)
