"""AT-4: that head and tail of a claim stand together somewhere never makes the claim faithful.

108 claims with a passage that mentions both ends without the relation, against the same claims
with passages that state them; templates and facts are those of `faithfulness.mentions`. The shipped
model is opened anew for each check, so it judges every twelfth of them here;
`tests/faithfulness` has it judge all.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

import averment
from averment.cli.app import run
from averment.types import Claim, ClaimVerdict, Support
from averment.wiring import open_index
from contracts.disk import disk_without_fsync  # noqa: F401
from e2e.judges import EACH_JUDGE
from faithfulness.mentions import Pair, mentioned_pairs, stated_pairs

MARGIN = 0.4
"""By how much the mean faithfulness of what is stated is above that of what is only mentioned."""
STEP = {"lexical": 1, "minilm": 12}
MENTIONS = mentioned_pairs()
MISTAKEN = {"Röntgen discovered X-rays."}
"""The lexical tier takes "rays", which has no capital, for what is said of two names."""


def checked(pair: Pair, faithfulness: str, index: object = None) -> Claim:
    """The claim held against its passage."""
    report = averment.check(
        pair.claim, contexts=[pair.passage], index=index, faithfulness=faithfulness
    )
    (claim,) = report.claims
    return claim


def mean_faithfulness(pairs: Sequence[Pair], faithfulness: str) -> float:
    found = [checked(pair, faithfulness).p_faithful for pair in pairs[:: STEP[faithfulness]]]
    return statistics.mean(score for score in found if score is not None)


@pytest.fixture(scope="module")
def mentioning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus in which every pair occurs, and no claim."""
    return built(tmp_path_factory.mktemp("mentions"), MENTIONS)


@pytest.fixture(scope="module")
def stating(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus that states every claim."""
    return built(tmp_path_factory.mktemp("statements"), stated_pairs())


def built(path: Path, pairs: Sequence[Pair], times: int = 1) -> Path:
    documents = [
        averment.Document(f"{number}-{time}", pair.passage)
        for number, pair in enumerate(pairs)
        for time in range(times)
    ]
    averment.build_index(documents, path / "index")
    return path / "index"


# --- given passages -----------------------------------------------------------------------------


def test_there_are_at_least_100_pairs_of_claims_that_are_stated_elsewhere() -> None:
    assert len(set(MENTIONS)) >= 100
    assert {pair.claim for pair in MENTIONS} == {pair.claim for pair in stated_pairs()}


@EACH_JUDGE
def test_what_is_only_mentioned_is_less_faithful_than_what_is_stated(faithfulness: str) -> None:
    stated = mean_faithfulness(stated_pairs(), faithfulness)
    mentioned = mean_faithfulness(MENTIONS, faithfulness)

    assert stated - mentioned > MARGIN


@EACH_JUDGE
def test_a_corpus_that_holds_the_pair_changes_no_faithfulness(
    faithfulness: str, mentioning: Path
) -> None:
    index = open_index(mentioning)
    pairs = MENTIONS[:: STEP[faithfulness]]

    with_corpus = [checked(pair, faithfulness, index) for pair in pairs]
    without = [checked(pair, faithfulness) for pair in pairs]

    assert [claim.p_faithful for claim in with_corpus] == [claim.p_faithful for claim in without]
    assert [claim.verdict for claim in with_corpus] == [claim.verdict for claim in without]
    together = [claim.checks[0].cooccurrence.pairs for claim in with_corpus if claim.checks]
    assert len(together) > len(pairs) / 2
    assert min(count or 0 for count in together) > 0


def test_meeting_more_often_changes_no_faithfulness(tmp_path: Path, mentioning: Path) -> None:
    often = open_index(built(tmp_path, MENTIONS, times=5))
    once = open_index(mentioning)

    counts = []
    for pair in MENTIONS[::5]:
        rare, common = checked(pair, "lexical", once), checked(pair, "lexical", often)
        assert rare.p_faithful == common.p_faithful
        if rare.checks:
            counts.append((rare.checks[0].cooccurrence, common.checks[0].cooccurrence))

    assert len(counts) > 10
    assert all((few.documents or 0) * 5 == many.documents for few, many in counts)


# --- retrieved passages -------------------------------------------------------------------------


def from_corpus(path: Path) -> list[Claim]:
    """Every claim once, held against what the corpus has to say."""
    index = open_index(path)
    claims = dict.fromkeys(pair.claim for pair in MENTIONS)
    reports = [averment.check(claim, index=index, faithfulness="lexical") for claim in claims]
    return [claim for report in reports for claim in report.claims]


def test_a_corpus_that_only_mentions_supports_no_claim(mentioning: Path, stating: Path) -> None:
    mentioned, stated = from_corpus(mentioning), from_corpus(stating)

    supported = {claim.text for claim in mentioned if claim.verdict is ClaimVerdict.SUPPORTED}
    assert supported <= MISTAKEN
    assert {claim.verdict for claim in stated} == {ClaimVerdict.SUPPORTED}
    means = [
        statistics.mean(c.p_faithful for c in claims if c.p_faithful is not None)
        for claims in (stated, mentioned)
    ]
    assert means[0] - means[1] > MARGIN


def test_pairs_that_are_present_in_the_corpus_are_so_in_both(
    mentioning: Path, stating: Path
) -> None:
    for path in (mentioning, stating):
        supports = [claim.support for claim in from_corpus(path) if claim.checks]

        assert len(supports) > 20
        assert set(supports) == {Support.PRESENT}


def test_without_passages_a_pair_that_is_present_leaves_the_claim_unverified(
    tmp_path: Path,
) -> None:
    documents = [averment.Document(str(n), pair.passage) for n, pair in enumerate(MENTIONS)]
    averment.build_index(documents, tmp_path / "counts", counts_only=True)

    claims = from_corpus(tmp_path / "counts")

    assert {claim.p_faithful for claim in claims} == {0.0}
    present = [claim for claim in claims if claim.support is Support.PRESENT]
    assert len(present) > 20
    assert {(claim.verdict, claim.reasons["verdict"]) for claim in present} == {
        (ClaimVerdict.UNVERIFIED, "mention_only")
    }


# --- the command --------------------------------------------------------------------------------


@EACH_JUDGE
def test_a_day_in_paris_does_not_make_it_a_capital(
    faithfulness: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("answer.txt").write_text("Paris is the capital of France.", encoding="utf-8")
    Path("diary.txt").write_text(
        "I had a great day in Paris last week, and then we went through the south of France.",
        encoding="utf-8",
    )
    assert run(["index", "build", "diary.txt"]) == 0
    capsys.readouterr()

    assert run(["check", "answer.txt", "--faithfulness", faithfulness, "--json"]) == 0

    (claim,) = json.loads(capsys.readouterr().out)["claims"]
    assert claim["support"] == "present"
    assert claim["verdict"] != "supported"
    assert claim["p_faithful"] < 0.5
