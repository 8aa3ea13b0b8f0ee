"""The sentence loop, driven by hand: draft, inspect, search and redraft, commit, stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from averment.policies.fixed import NoRetrieval, SingleRetrieval
from averment.policies.loop import (
    Inspection,
    Progress,
    Query,
    SentenceLoop,
    before_final,
    final_answer,
    is_final,
    is_unknown,
    worst,
)
from averment.policies.quco import QuCo
from averment.prompts import load
from averment.steps import Commit, Flow, Generate, Search, Step
from averment.types import (
    Draft,
    Generation,
    GenerationOptions,
    Prompt,
    Question,
    Sentence,
    Support,
    Verdict,
)
from doubles import Exchange, follow, hits, next_step, passage, text_of

QUESTION = Question("q", "Which city is the capital of Norway?")
OPTIONS = GenerationOptions(
    max_tokens=64, stop=("\nQuestion:", "\nContext:", "\n\n"), until_sentence_end=True
)
OSLO = "Oslo is the capital of Norway."
BERGEN = "Bergen is the capital of Norway."
FINAL = "So the answer is Oslo."


@dataclass(frozen=True)
class Judging(NoRetrieval):
    """A trigger that has its opinion on each sentence in advance."""

    opinions: Mapping[str, Inspection]

    def inspect(
        self, progress: Progress, sentence: str, generation: Generation
    ) -> Flow[Inspection]:
        yield from ()
        return self.opinions.get(sentence, Inspection())


def failing(*queries: str) -> Inspection:
    """What a trigger holds of a sentence that fails, with a search for each query."""
    return Inspection(Support.ABSENT, queries=tuple(Query(q, "absent_pair", "d") for q in queries))


def draft(*said: str, context: str = "", question: str = QUESTION.text) -> Step:
    """The step that asks for the next sentence after these."""
    text = load("answer").fill(context=context, question=question)
    return Generate(Prompt(text, "".join(f" {sentence}" for sentence in said)), OPTIONS)


def commit(text: str, support: Support = Support.UNKNOWN, repairs: int = 0) -> Exchange:
    """The step that lets a sentence leave."""
    return Commit(Sentence(text, support, repairs=repairs)), None


def unchecked(text: str) -> Exchange:
    """The step that lets a sentence of a baseline leave."""
    return Commit(Sentence(text, Support.UNKNOWN, "not_checked")), None


def run(loop: SentenceLoop, *exchanges: Exchange) -> Draft:
    return follow(loop.run(QUESTION), exchanges)


def texts(made: Draft) -> list[str]:
    return [sentence.text for sentence in made.sentences]


# --- when it stops ------------------------------------------------------------------------------


def test_it_stops_at_the_final_sentence() -> None:
    made = run(
        SentenceLoop(NoRetrieval()),
        (draft(), text_of(f" {OSLO}")),
        unchecked(OSLO),
        (draft(OSLO), text_of(f" {FINAL}")),
        unchecked(FINAL),
    )

    assert texts(made) == [OSLO, FINAL]
    assert made.final_answer == "Oslo"
    assert (made.verdict, made.reason) == (Verdict.WARNED, "not_checked")


def test_a_repeated_sentence_makes_it_open_the_final_sentence_itself() -> None:
    made = run(
        SentenceLoop(NoRetrieval()),
        (draft(), text_of(OSLO)),
        unchecked(OSLO),
        (draft(OSLO), text_of(OSLO)),
        (draft(OSLO, "So the answer is"), text_of(" Oslo.")),
        unchecked(FINAL),
    )

    assert texts(made) == [OSLO, FINAL]


@pytest.mark.parametrize("nothing", ["", "  \n"], ids=["empty", "blank"])
def test_silence_makes_it_open_the_final_sentence_itself(nothing: str) -> None:
    made = run(
        SentenceLoop(NoRetrieval()),
        (draft(), text_of(OSLO)),
        unchecked(OSLO),
        (draft(OSLO), text_of(nothing)),
        (draft(OSLO, "So the answer is"), text_of(" Oslo.")),
        unchecked(FINAL),
    )

    assert texts(made) == [OSLO, FINAL]


def test_silence_at_the_start_makes_it_open_the_final_sentence_itself() -> None:
    made = run(
        SentenceLoop(NoRetrieval()),
        (draft(), text_of("")),
        (draft("So the answer is"), text_of(" Oslo.")),
        unchecked(FINAL),
    )

    assert texts(made) == [FINAL]


def test_a_model_that_never_says_anything_leaves_an_empty_answer() -> None:
    made = run(
        SentenceLoop(NoRetrieval()),
        (draft(), text_of("")),
        (draft("So the answer is"), text_of("")),
    )

    assert (made.sentences, made.final_answer) == ((), "")
    assert (made.verdict, made.reason) == (Verdict.ABSTAINED, "empty_answer")


def test_a_model_that_does_not_fill_in_the_final_sentence_leaves_no_short_answer() -> None:
    made = run(
        SentenceLoop(NoRetrieval()),
        (draft(), text_of(OSLO)),
        unchecked(OSLO),
        (draft(OSLO), text_of("")),
        (draft(OSLO, "So the answer is"), text_of("")),
    )

    assert texts(made) == [OSLO]
    assert made.final_answer == ""


def test_a_model_that_says_the_opening_again_gives_the_same_short_answer() -> None:
    made = run(
        SentenceLoop(NoRetrieval(), max_sentences=1),
        (draft("So the answer is"), text_of(f" {FINAL}")),
        unchecked(FINAL),
    )

    assert made.final_answer == "Oslo"


def test_the_last_sentence_that_the_limit_allows_is_the_final_one() -> None:
    made = run(
        SentenceLoop(NoRetrieval(), max_sentences=2),
        (draft(), text_of(OSLO)),
        unchecked(OSLO),
        (draft(OSLO, "So the answer is"), text_of(" Oslo.")),
        unchecked(FINAL),
    )

    assert texts(made) == [OSLO, FINAL]


def test_a_limit_of_one_sentence_asks_for_the_short_answer_at_once() -> None:
    made = run(
        SentenceLoop(NoRetrieval(), max_sentences=1),
        (draft("So the answer is"), text_of(" Oslo.")),
        unchecked(FINAL),
    )

    assert texts(made) == [FINAL]


def test_of_two_sentences_that_were_written_at_once_only_the_first_is_taken() -> None:
    made = run(
        SentenceLoop(NoRetrieval()),
        (draft(), text_of(f" {BERGEN} So the answer is Bergen.")),
        unchecked(BERGEN),
        (draft(BERGEN), text_of(FINAL)),
        unchecked(FINAL),
    )

    assert texts(made) == [BERGEN, FINAL]


# --- what it asks for ---------------------------------------------------------------------------


def test_a_search_before_the_answer_is_shown_to_every_sentence() -> None:
    question = QUESTION.text
    found = passage("A city in Norway.", title="Oslo")
    context = "Context:\n[1] Oslo: A city in Norway.\n\n"
    why = "single retrieval searches with the question"

    made = run(
        SentenceLoop(SingleRetrieval(), k=5),
        (Search(question, 5, "always", why), hits(question, found)),
        (draft(context=context), text_of(OSLO)),
        unchecked(OSLO),
        (draft(OSLO, context=context), text_of(FINAL)),
        unchecked(FINAL),
    )

    assert [t.retrieval.query for t in made.retrievals] == [question]


def test_braces_in_question_and_passages_are_sent_as_they_are() -> None:
    question = Question("q", "What does {context} mean in {0}?")
    search = Search(question.text, 3, "always", "single retrieval searches with the question")
    found = hits(question.text, passage("f'{question}' is {{code}}"))

    step = next_step(SentenceLoop(SingleRetrieval()).run(question), [(search, found)])

    assert isinstance(step, Generate)
    assert step.prompt.text.endswith(
        "\n\nContext:\n[1] f'{question}' is {{code}}\n\n"
        "Question: What does {context} mean in {0}?\nAnswer:"
    )


def test_a_sentence_is_limited_to_the_tokens_that_were_asked_for() -> None:
    step = next_step(SentenceLoop(NoRetrieval(), max_sentence_tokens=7).run(QUESTION))

    assert isinstance(step, Generate)
    assert step.options.max_tokens == 7


# --- sentences that fail ------------------------------------------------------------------------


def test_a_sentence_that_fails_is_drafted_again_with_what_was_found_for_it() -> None:
    trigger = Judging({BERGEN: failing("capital of Norway")})
    found = passage("Oslo.")
    context = "Context:\n[1] Oslo.\n\n"

    made = run(
        SentenceLoop(trigger),
        (draft(), text_of(BERGEN)),
        (Search("capital of Norway", 3, "absent_pair", "d"), hits("capital of Norway", found)),
        (draft(context=context), text_of(OSLO)),
        commit(OSLO, repairs=1),
        (draft(OSLO, context=context), text_of(FINAL)),
        commit(FINAL),
    )

    assert texts(made) == [OSLO, FINAL]


def test_every_query_of_a_failing_sentence_is_searched_and_each_only_once() -> None:
    trigger = Judging({BERGEN: failing("a", "b", "a")})

    step = next_step(
        SentenceLoop(trigger).run(QUESTION),
        [
            (draft(), text_of(BERGEN)),
            (Search("a", 3, "absent_pair", "d"), hits("a")),
            (Search("b", 3, "absent_pair", "d"), hits("b")),
        ],
    )

    assert step == Commit(Sentence(BERGEN, Support.ABSENT))


def test_the_new_draft_is_inspected_like_the_first_and_may_fail_again() -> None:
    trigger = Judging({BERGEN: failing("a"), OSLO: failing("b")})

    step = next_step(
        SentenceLoop(trigger).run(QUESTION),
        [
            (draft(), text_of(BERGEN)),
            (Search("a", 3, "absent_pair", "d"), hits("a", passage("One."))),
            (draft(context="Context:\n[1] One.\n\n"), text_of(OSLO)),
        ],
    )

    assert step == Search("b", 3, "absent_pair", "d")


@pytest.mark.parametrize("max_repairs", [0, 1, 2])
def test_a_sentence_is_drafted_again_at_most_so_often(max_repairs: int) -> None:
    trigger = Judging({f"Draft {n}.": failing(f"query {n}") for n in range(4)})
    flow = SentenceLoop(trigger, max_repairs=max_repairs).run(QUESTION)
    step, n_drafts = next(flow), 0
    while not isinstance(step, Commit):
        if isinstance(step, Search):
            step = flow.send(hits(step.query, passage(f"Passage for {step.query}.")))
        else:
            step = flow.send(text_of(f"Draft {n_drafts}."))
            n_drafts += 1

    last = f"Draft {max_repairs}."
    assert step == Commit(Sentence(last, Support.ABSENT, repairs=max_repairs))


def test_a_sentence_is_not_drafted_again_when_the_search_finds_nothing_new() -> None:
    trigger = Judging({BERGEN: failing("a"), OSLO: failing("b")})
    known = passage("Bergen.")

    step = next_step(
        SentenceLoop(trigger).run(QUESTION),
        [
            (draft(), text_of(BERGEN)),
            (Search("a", 3, "absent_pair", "d"), hits("a", known)),
            (draft(context="Context:\n[1] Bergen.\n\n"), text_of(OSLO)),
            (Search("b", 3, "absent_pair", "d"), hits("b", known)),
        ],
    )

    assert step == Commit(Sentence(OSLO, Support.ABSENT, repairs=1))


def test_a_query_that_was_made_before_is_not_searched_again() -> None:
    trigger = Judging({BERGEN: failing("a")})

    step = next_step(
        SentenceLoop(trigger).run(QUESTION),
        [
            (draft(), text_of(BERGEN)),
            (Search("a", 3, "absent_pair", "d"), hits("a", passage("One."))),
            (draft(context="Context:\n[1] One.\n\n"), text_of(BERGEN)),
        ],
    )

    assert step == Commit(Sentence(BERGEN, Support.ABSENT, repairs=1))


def test_a_sentence_that_was_said_already_is_not_inspected_again() -> None:
    seen = []

    class Noting(NoRetrieval):
        def inspect(
            self, progress: Progress, sentence: str, generation: Generation
        ) -> Flow[Inspection]:
            seen.append(sentence)
            return super().inspect(progress, sentence, generation)

    next_step(
        SentenceLoop(Noting()).run(QUESTION),
        [(draft(), text_of(OSLO)), unchecked(OSLO), (draft(OSLO), text_of(OSLO))],
    )

    assert seen == [OSLO]


def test_silence_in_a_new_draft_drops_the_sentence_that_failed() -> None:
    trigger = Judging({BERGEN: failing("a")})
    context = "Context:\n[1] One.\n\n"

    made = run(
        SentenceLoop(trigger),
        (draft(), text_of(OSLO)),
        commit(OSLO),
        (draft(OSLO), text_of(BERGEN)),
        (Search("a", 3, "absent_pair", "d"), hits("a", passage("One."))),
        (draft(OSLO, context=context), text_of("")),
        (draft(OSLO, "So the answer is", context=context), text_of(" Oslo.")),
        commit(FINAL),
    )

    assert texts(made) == [OSLO, FINAL]


# --- as a policy --------------------------------------------------------------------------------


def test_a_loop_is_named_after_its_trigger_and_needs_what_that_needs() -> None:
    loop = SentenceLoop(SingleRetrieval())

    assert (loop.name, loop.needs) == ("single", SingleRetrieval().needs)


@pytest.mark.parametrize(
    ("loop", "parameters"),
    [
        pytest.param(SentenceLoop(NoRetrieval(), k=5), "none(k=5, ", id="none"),
        pytest.param(
            SentenceLoop(QuCo(7, window_words=750)),
            "quco(entity_threshold=7, entity_unit=documents, aggregation=min, "
            "cooccurrence_threshold=1, window_words=750, search_first=False, "
            "retrieve_without_entities=True, coverage_threshold=0.0, query_form=head_relation, "
            "check_relations=False, judge_relations=False, contrast=False, compare_values=False, "
            "require_article=False, resolve_pronouns=False, check_final_answer=True, "
            "allow_bridges=False, require_steps=False, head_threshold=0, k=3, ",
            id="quco",
        ),
    ],
)
def test_a_policy_reads_as_its_name_with_every_parameter(
    loop: SentenceLoop, parameters: str
) -> None:
    digest = load("answer").digest[:8]

    assert repr(loop).startswith(parameters)
    assert repr(loop).endswith(
        "ledger_words=500, max_sentences=6, max_sentence_tokens=64, max_repairs=2, "
        f"prompt_id=answer-{digest})"
    )


@pytest.mark.parametrize("n_steps", [1, 2, 3])
def test_a_flow_may_be_closed_at_any_step(n_steps: int) -> None:
    flow = SentenceLoop(NoRetrieval()).run(QUESTION)
    next(flow)
    for outcome in [text_of(OSLO), None][: n_steps - 1]:
        flow.send(outcome)

    flow.close()

    with pytest.raises(StopIteration):
        next(flow)


# --- the final answer ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("So the answer is Oslo.", "Oslo"),
        ("So the answer is J. R. R. Tolkien.", "J. R. R. Tolkien"),
        ("So the answer is St. Louis.", "St. Louis"),
        ("The answer is: 42", "42"),
        ("the answer is not known", "not known"),
        ('So the answer is "Peer Gynt".', "Peer Gynt"),
        ("So the answer is “Peer Gynt”.", "Peer Gynt"),
        ("So the answer is Oslo. It lies in Norway.", "Oslo"),
        ("So THE ANSWER IS\n東京", "東京"),
        ("So the answer is 3.14.", "3.14"),
        ("So the answer is", ""),
        ("So the answer is ...", ""),
        ('So the answer is "unknown."', "unknown"),
        ("So the answer is 'Oslo.'", "Oslo"),
        ("So the answer is **Oslo**.", "Oslo"),
        ("So the answer is 東京。", "東京"),
        ("Thus, the final answer is Oslo.", "Oslo"),
        ("Therefore the correct answer is Oslo.", "Oslo"),
        ("Oslo is the capital of Norway, so the answer is Oslo.", "Oslo"),
        ("The answer is Bergen; no, the answer is Oslo.", "Oslo"),
    ],
)
def test_the_short_answer_is_what_follows_the_answer_is(sentence: str, answer: str) -> None:
    assert is_final(sentence)
    assert final_answer(sentence) == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("So the answer is Oslo, because it is the capital.", "Oslo"),
        ("So the answer is Oslo since 1905.", "Oslo"),
        ("So the answer is Oslo, which lies in Norway.", "Oslo"),
        ("So the answer is yes, both are in Asia.", "yes"),
        ("So the answer is Yes both are.", "Yes"),
        ("So the answer is no, neither is.", "no"),
        ("So the answer is no. Paprika is ground.", "no"),
        ("So the answer is Washington, D.C.", "Washington, D.C"),
        ("So the answer is No Country for Old Men.", "No Country for Old Men"),
        ("So the answer is Nokia, not Sony.", "Nokia, not Sony"),
        ("So the answer is no they are not.", "no"),
        ("So the answer is no one.", "no one"),
        ("So the answer is no information is given.", "no information is given"),
    ],
)
def test_the_short_answer_ends_where_its_explanation_begins(sentence: str, answer: str) -> None:
    assert final_answer(sentence) == answer


@pytest.mark.parametrize("title", ["Ever Since Darwin", "Yes Minister", "No. 5 Squadron"])
def test_the_short_answer_does_not_end_within_a_title(title: str) -> None:
    assert final_answer(f"So the answer is {title}.") == title


@pytest.mark.parametrize(
    "sentence",
    [
        OSLO,
        "",
        "The lathe answer is sharp.",
        "The answers are 3.",
        "The answer isn't known.",
        "The question whether the answer is known remains open.",
        "Blowin' in the Wind says that the answer is blowin' in the wind.",
    ],
)
def test_a_sentence_without_those_words_is_not_final(sentence: str) -> None:
    assert not is_final(sentence)
    assert final_answer(sentence) == ""


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        pytest.param(FINAL, "", id="nothing"),
        pytest.param(f"{OSLO} {FINAL}", OSLO, id="a sentence"),
        pytest.param(f"Oslo is in Norway, {FINAL}", "Oslo is in Norway", id="a clause"),
        pytest.param(OSLO, OSLO, id="not final"),
    ],
)
def test_what_stands_in_front_of_the_answer_is_its_claim(sentence: str, claim: str) -> None:
    assert before_final(sentence) == claim


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "...",
        "unknown",
        "Unknown.",
        "unknown (no source)",
        "not known",
        "not known from the context",
        "not mentioned",
        "not stated",
        "not provided",
        "not clear",
        "I do not know",
        "I don't know",
        "cannot be determined",
        "n/a",
        "no information is given",
        "No evidence",
    ],
)
def test_some_answers_say_that_there_is_none(answer: str) -> None:
    assert is_unknown(answer)


@pytest.mark.parametrize(
    "answer",
    ["Oslo", "The Unknown Soldier", "none", "Not Fade Away", "Unknown Pleasures", "no one"],
)
def test_other_answers_do_not(answer: str) -> None:
    assert not is_unknown(answer)


@pytest.mark.parametrize(
    ("supports", "support"),
    [
        ([Support.PRESENT, Support.PRESENT], Support.PRESENT),
        ([Support.PRESENT, Support.UNKNOWN], Support.UNKNOWN),
        ([Support.UNKNOWN, Support.NOT_COVERED], Support.NOT_COVERED),
        ([Support.NOT_COVERED, Support.ABSENT, Support.PRESENT], Support.ABSENT),
        ([], Support.UNKNOWN),
    ],
    ids=["all present", "one unknown", "one not covered", "one absent", "no parts"],
)
def test_the_whole_is_supported_no_better_than_its_worst_part(
    supports: list[Support], support: Support
) -> None:
    assert worst(supports) is support
