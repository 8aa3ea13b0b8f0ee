"""Labelling claims as a person does it: at a terminal once, with keys from a pipe for the rest."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from averment.cli.app import run
from averment.cli.label_file import LabelFile
from averment.errors import UsageError
from averment.labels import LabelledClaim, claims_to_label, read_labels
from contracts.disk import disk_without_fsync  # noqa: F401

RECORDS = [
    {
        "id": "q1",
        "question": "Who directed Kumbasaram?",
        "claims": [
            {
                "text": "Kumbasaram was directed by Haneef.",
                "p_faithful": 0.8125,
                "evidence": [{"document_id": "d1", "text": "Haneef made it."}],
                "counts": {
                    "pairs": [
                        {
                            "head": "Kumbasaram",
                            "tail": "Haneef",
                            "documents": 2,
                            "head_documents": 3,
                            "tail_documents": 9,
                            "kind": "exact",
                        }
                    ]
                },
            },
            "It came out in 2017.",
        ],
        "passages": [{"title": "Films", "text": "x" * 700 + " the end"}],
    },
    {"claim": "Oslo is in Norway.", "passages": []},
]
Tell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Tell:
    """Runs the command with keys, one a line: (exit code, stdout, stderr)."""
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")

    def tell(keys: str, *arguments: str, answers: str = "answers.jsonl") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{key}\n" for key in keys)))
        code = run(["label", answers, *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return tell


def kept(path: str = "answers.labels.jsonl") -> list[LabelledClaim]:
    return read_labels(Path(path).read_text(encoding="utf-8").splitlines(keepends=True))


def verdicts() -> list[tuple[bool | None, bool | None]]:
    return [(row.label, row.faithful) for row in kept()]


def test_every_claim_is_labelled_as_true_and_as_faithful(tell: Tell) -> None:
    code, _, err = tell("tyfnu")

    assert code == 0
    assert verdicts() == [(True, True), (False, False), (None, None)]
    assert "3 of 3 labelled: answers.labels.jsonl" in err


def test_passages_and_counts_are_shown_and_scores_are_not(tell: Tell) -> None:
    _, out, _ = tell("q")

    assert "Kumbasaram + Haneef: together in 2 documents (each: 3 and 9)" in out
    assert "evidence 1  d1: Haneef made it." in out
    assert "passage 2  Films: xxx" in out
    assert "0.81" not in out


def test_scores_are_kept_with_the_label(tell: Tell) -> None:
    tell("tyq")

    (row,) = kept()
    assert row.scores["p_faithful"] == 0.8125
    assert row.scores["counts"]["pairs"][0]["documents"] == 2
    assert row.question_id == "q1"


def test_what_is_labelled_is_not_asked_again(tell: Tell) -> None:
    tell("ty")

    code, out, err = tell("fn")

    assert code == 0
    assert "claim 2: 1 of 3 labelled" in out
    assert "directed by Haneef" not in out
    assert verdicts() == [(True, True), (False, False)]
    assert "2 of 3 labelled" in err


def test_a_file_made_anew_with_other_scores_keeps_its_labels(tell: Tell) -> None:
    tell("ty")
    again = json.loads(json.dumps(RECORDS))
    again[0]["claims"][0]["p_faithful"] = 0.1
    reversed_lines = "\n".join(map(json.dumps, reversed(again)))
    Path("answers.jsonl").write_text(reversed_lines, encoding="utf-8")

    _, out, _ = tell("")

    assert "1 of 3 labelled" in out


def test_back_takes_the_last_label_away(tell: Tell) -> None:
    tell("tyfnbtyu")

    assert verdicts() == [(True, True), (True, True), (None, None)]


def test_back_within_a_claim_asks_again_whether_it_is_true(tell: Tell) -> None:
    tell("tbfnq")

    assert verdicts() == [(False, False)]


def test_back_reaches_into_an_earlier_session(tell: Tell) -> None:
    tell("ty")

    tell("bfn")

    assert verdicts() == [(False, False)]


def test_there_is_an_end_to_going_back(tell: Tell) -> None:
    code, out, _ = tell("bbty")

    assert code == 0
    assert "There is nothing to go back to." in out
    assert verdicts() == [(True, True)]


def test_a_label_of_another_file_is_never_taken_back(tell: Tell) -> None:
    Path("other.jsonl").write_text('{"claim": "Riga is old."}', encoding="utf-8")
    tell("t", "kept.jsonl", answers="other.jsonl")

    _, out, _ = tell("b", "kept.jsonl")

    assert "There is nothing to go back to." in out
    assert [row.claim for row in kept("kept.jsonl")] == ["Riga is old."]


def test_a_skipped_claim_comes_again_next_time(tell: Tell) -> None:
    tell("stsq")
    assert not Path("answers.labels.jsonl").exists()

    _, out, _ = tell("q")

    assert "claim 1: 0 of 3 labelled" in out


def test_a_passage_opens_in_full(tell: Tell) -> None:
    _, out, _ = tell("oq")

    assert "xx … (o)" in out
    assert "the end" in out


def test_an_unknown_key_tells_the_keys(tell: Tell) -> None:
    _, out, _ = tell("xq")

    assert "faithful is not true" in out
    assert not Path("answers.labels.jsonl").exists()


def test_progress_as_json_asks_nothing_and_writes_nothing(tell: Tell) -> None:
    code, out, _ = tell("", "--json")
    assert code == 0
    assert json.loads(out)["labelled"] == 0
    assert not Path("answers.labels.jsonl").exists()

    tell("tyfnu")

    assert json.loads(tell("", "--json")[1]) == {
        "labels": "answers.labels.jsonl",
        "claims": 3,
        "questions": 2,
        "labelled": 3,
        "true": 1,
        "false": 1,
        "unverifiable": 1,
        "faithful": 1,
        "unfaithful": 1,
        "without_passages": 1,
    }


def test_counts_can_be_looked_up_at_the_moment(tell: Tell, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    texts = ["Kumbasaram was made by Haneef.", "Haneef was born in Kochi."]
    rows = [json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts)]
    corpus.write_text("\n".join(rows), encoding="utf-8")
    assert run(["index", "build", str(corpus), "--index", "idx"]) == 0

    _, out, _ = tell("q", "--index", "idx", "--window", "50")

    assert "Kumbasaram + Haneef: together in 1 document (each: 1 and 2)" in out


def test_an_index_that_is_not_there_is_named(tell: Tell) -> None:
    code, _, err = tell("q", "--question-index")

    assert code == 2
    assert "averment index build" in err


def test_records_that_cannot_be_read_are_told_and_passed_over(tell: Tell) -> None:
    with Path("answers.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"claim": \n{"question": "Why?"}\n')

    code, _, err = tell("tyfnu")

    assert code == 0
    assert "answers.jsonl:3: no JSON object" in err
    assert "answers.jsonl:4: no field 'claim' or 'claims'" in err
    assert len(kept()) == 3


def test_the_same_claim_twice_is_asked_once(tell: Tell) -> None:
    with Path("answers.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(RECORDS[1]))

    _, out, err = tell("tyfnu")

    assert "1 claim of the same words and passages left out" in err
    assert "3 labelled" in out or "3 of 3 labelled" in err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "holds no claim", id="empty"),
        pytest.param(b'{"claims": []}', "holds no claim", id="no_claims"),
        pytest.param(b"\xff\xfe", "cannot be read", id="no_text"),
        pytest.param(None, "cannot be read", id="no_file"),
    ],
)
def test_a_file_without_claims_is_the_callers_mistake(
    tell: Tell, content: bytes | None, words: str
) -> None:
    Path("answers.jsonl").unlink()
    if content is not None:
        Path("answers.jsonl").write_bytes(content)

    code, _, err = tell("q")

    assert (code, words in err) == (2, True)


def test_a_label_that_was_cut_off_is_dropped(tell: Tell) -> None:
    tell("tyfn")
    path = Path("answers.labels.jsonl")
    path.write_bytes(path.read_bytes()[:-20])

    tell("tyu")

    assert verdicts() == [(True, True), (True, True), (None, None)]


def test_a_file_that_holds_no_labels_is_left_alone(tell: Tell) -> None:
    Path("notes.txt").write_text("my notes\n", encoding="utf-8")

    code, _, err = tell("tyfnu", "notes.txt")

    assert code == 2
    assert "notes.txt:1: no JSON object" in err
    assert Path("notes.txt").read_text(encoding="utf-8") == "my notes\n"


def test_a_label_is_not_taken_back_from_under_somebody_else(tmp_path: Path) -> None:
    (claim,) = claims_to_label('{"claim": "Oslo is old."}', source="a")
    mine, other = LabelFile(tmp_path / "kept.jsonl"), LabelFile(tmp_path / "kept.jsonl")
    mine.append(claim.labelled(True, None))
    other.append(claim.labelled(False, None))

    with pytest.raises(UsageError, match="changed by somebody else"):
        mine.take_back()

    assert [row.label for row in kept("kept.jsonl")] == [True, False]


def test_a_count_that_is_not_known_is_told_so(tell: Tell) -> None:
    pair = {"head": "Oslo", "tail": "Norway", "documents": None, "kind": "unavailable"}
    record = {"claim": "Oslo is in Norway.", "counts": {"pairs": [pair]}}
    Path("answers.jsonl").write_text(json.dumps(record), encoding="utf-8")

    _, out, _ = tell("q")

    assert "Oslo + Norway: the corpus could not tell" in out


# --- at a terminal --------------------------------------------------------------------------------

pty = pytest.importorskip("pty", reason="pseudo-terminals are a thing of POSIX")


class Terminal:
    """The command at a pseudo-terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        import fcntl
        import termios

        def in_front() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            # Whoever runs the tests in the background has it ignored, and hands that down.
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        self._mine, theirs = pty.openpty()
        program = "import sys; from averment.cli import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=in_front,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        )
        os.close(theirs)
        self._shown, self._read_to = "", 0

    def wait_for(self, words: str) -> None:
        """Read until the words are there, from where the last wait ended."""
        import select

        until = time.monotonic() + 60
        while words not in self._shown[self._read_to :]:
            assert time.monotonic() < until, f"no {words!r} in {self._shown!r}"
            if select.select([self._mine], [], [], 1)[0]:
                try:
                    read = os.read(self._mine, 4096)
                except OSError:  # the other side is closed
                    pytest.fail(f"the command ended without {words!r}: {self._shown!r}")
                self._shown += read.decode(errors="replace")
        self._read_to = self._shown.index(words, self._read_to) + len(words)

    def press(self, keys: bytes) -> None:
        os.write(self._mine, keys)

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def exit_code(self) -> int:
        return self._process.wait(timeout=60)

    def close(self) -> None:
        if self._process.poll() is None:
            self.kill()
        os.close(self._mine)


@pytest.fixture
def terminal(tell: Tell) -> Iterator[Callable[[], Terminal]]:
    """Opens the command at terminals, and closes them."""
    opened: list[Terminal] = []

    def open_terminal() -> Terminal:
        opened.append(Terminal("label", "answers.jsonl"))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()


def test_keys_at_a_terminal_need_no_return_and_every_reply_outlives_a_crash(
    terminal: Callable[[], Terminal],
) -> None:
    first = terminal()
    first.wait_for("true?")
    first.press(b"\x1b[At")  # an arrow is no key
    first.wait_for("faithful is not true")
    first.wait_for("faithful?")
    first.press(b"y")
    first.wait_for("1 of 3 labelled")
    first.kill()
    assert verdicts() == [(True, True)]

    second = terminal()
    second.wait_for("claim 2: 1 of 3 labelled")
    second.wait_for("true?")
    second.press(b"fn")
    second.wait_for("2 of 3 labelled")
    second.wait_for("true?")
    second.press(b"\x03")
    second.wait_for("2 of 3 labelled: answers.labels.jsonl")
    second.wait_for("Interrupted; nothing was left half-written.")

    assert second.exit_code() == 130
    assert verdicts() == [(True, True), (False, False)]


def test_a_terminal_that_ends_its_input_ends_the_session(
    terminal: Callable[[], Terminal],
) -> None:
    only = terminal()
    only.wait_for("true?")
    only.press(b"\x04")
    only.wait_for("0 of 3 labelled: answers.labels.jsonl")

    assert only.exit_code() == 0
