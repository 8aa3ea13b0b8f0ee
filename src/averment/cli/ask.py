"""`averment ask`: one question, answered sentence by sentence, with what stands behind it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from averment.cli.claims import print_as_of, print_claim, print_made_with
from averment.cli.console import at_least, err, out, print_json
from averment.cli.options import (
    AliasesOption,
    AsOfOption,
    AuditOption,
    BaseUrlOption,
    CalibratorOption,
    ConfidenceOption,
    CostOption,
    EmbedderOption,
    ExtractorOption,
    FaithfulnessOption,
    HtmlOption,
    IndexOption,
    JsonOption,
    LanguageOption,
    ModelCutoffOption,
    OfflineOption,
    OtelOption,
    PolicyOption,
    RetrieverOption,
    RuntimeOption,
    TargetErrorOption,
    UndatedOption,
    WithheldOption,
    costs_of,
)
from averment.files import write_whole
from averment.text import n_of

if TYPE_CHECKING:
    from averment.engine import Answered, Engine, Unanswered
    from averment.trace import Record
    from averment.types import Answer, Check, Question, Sentence

_STYLES = {
    "present": "green",
    "absent": "red",
    "not_covered": "yellow",
    "unknown": "bright_black",
}
_ModelOption = Annotated[
    str | None,
    typer.Option(
        help="A name of `averment models list`, a .gguf file, or a model of --base-url.  "
        "[default: the best local model that is there]",
        show_default=False,
    ),
]
_ScoresOption = Annotated[
    bool | None,
    typer.Option(help="Score the claims of the answer.  [default: scores]", show_default=False),
]
_TimeoutOption = Annotated[
    float | None, typer.Option(help="Seconds to wait for a server.", show_default=False)
]
_TraceOption = Annotated[
    Path | None,
    typer.Option("--trace", help="Write every step and outcome as JSON.", show_default=False),
]
_INTERRUPTION = "every_n_tokens"
"""The trigger that searches in the middle of a sentence, which goes on from there."""


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    index: IndexOption = None,
    model: _ModelOption = None,
    base_url: BaseUrlOption = None,
    runtime: RuntimeOption = None,
    policy: PolicyOption = None,
    retriever: RetrieverOption = None,
    embedder: EmbedderOption = None,
    extractor: ExtractorOption = None,
    language: LanguageOption = None,
    faithfulness: FaithfulnessOption = None,
    calibrator: CalibratorOption = None,
    target_error: TargetErrorOption = None,
    confidence: ConfidenceOption = None,
    withheld: WithheldOption = None,
    cost: CostOption = None,
    as_of: AsOfOption = None,
    undated: UndatedOption = None,
    model_cutoff: ModelCutoffOption = None,
    aliases: AliasesOption = None,
    scores: _ScoresOption = None,
    audit: AuditOption = None,
    offline: OfflineOption = None,
    otel: OtelOption = None,
    timeout: _TimeoutOption = None,
    json: JsonOption = False,
    html: HtmlOption = None,
    trace: _TraceOption = None,
) -> None:
    """Answer a question from the index; each sentence is checked before it is shown."""
    from averment.engine import Unanswered, check_question
    from averment.types import Question
    from averment.wiring import open_engine

    check_question(question)
    asked = Question("question", question)
    with open_engine(
        index=index,
        model=model,
        policy=policy,
        base_url=base_url,
        retriever=retriever,
        embedder=embedder,
        runtime=runtime,
        extractor=extractor,
        language=language,
        faithfulness=faithfulness,
        calibrator=calibrator,
        target_error=target_error,
        confidence=confidence,
        withheld=withheld,
        costs=costs_of(cost, withheld=withheld, policy=policy),
        as_of=as_of,
        undated=undated,
        model_cutoff=model_cutoff,
        aliases=aliases,
        scores=scores,
        audit=audit,
        offline=offline,
        timeout_s=timeout,
        otel=otel,
    ) as engine:
        result = _answered(engine, asked, None if json else Narrator(), audit=audit)
        if trace is not None:
            trace.write_text(result.trace.dumps() + "\n", encoding="utf-8")
        if isinstance(result, Unanswered):
            raise result.error
        if html is not None:
            write_page(html, [result], engine)
    if json:
        from averment.shapes import answer_object

        print_json(answer_object(result.answer))
        return
    _print_answer(result.answer)
    if html is not None:
        err().print(f"Page: {html}", markup=False)


def _answered(
    engine: Engine, asked: Question, narrator: Narrator | None, *, audit: str | None
) -> Answered | Unanswered:
    """The outcome of a question, told as it happens, or where it is recorded once it is."""
    from averment.settings import resolve_settings
    from averment.wiring.auditing import ledger_path

    is_recorded = ledger_path(resolve_settings(audit=audit)) is not None
    (result,) = engine.answer_many([asked], None if is_recorded else narrator)
    if is_recorded and narrator is not None:
        for record in result.trace.records:
            narrator(asked, record)
    return result


def _print_answer(answer: Answer) -> None:
    """The verdict of the answer, and what is held of each claim if they were scored."""
    print_verdict(answer)
    print_as_of(answer.as_of)
    if answer.scores is None:
        return
    out().print()
    for claim in answer.claims:
        print_claim(claim)
    print_made_with(answer.scores, answer.claims)


def write_page(
    path: Path, answered: list[Answered], engine: Engine, roles: list[str] | None = None
) -> None:
    """Write answers as one page; whole or not at all."""
    from averment.page.render import Entry, corpus_in_words, render_page
    from averment.page.snippets import snippets_of

    index = engine.edges.index
    entries = [
        Entry(result.answer, result.trace, role, snippets_of(result.answer, index))
        for result, role in zip(answered, roles or [""] * len(answered), strict=True)
    ]
    page = render_page(
        entries,
        title=f"averment: {len(entries)} answers" if len(entries) > 1 else "averment",
        subtitle=f"Corpus {corpus_in_words(index.info)}. "
        f"Model {engine.edges.model.info.name}. Presence in the corpus is no proof of truth.",
    )
    write_whole(path, page)


class Narrator:
    """Prints what matters as it happens: rejected drafts, searches, sentences with support."""

    def __init__(self) -> None:
        self._draft = ""

    def __call__(self, question: Question, record: Record) -> None:
        """Tell one record."""
        from rich.text import Text

        from averment import steps
        from averment.places import cited

        match record.step:
            case steps.Generate() if record.outcome is not None:
                self._draft = record.outcome.text.strip()
            case steps.Search(query=query, trigger=trigger, detail=detail):
                if self._draft and trigger != _INTERRUPTION:
                    err().print(
                        Text.assemble("   rejected  ", (self._draft, "strike")), style="red"
                    )
                    self._draft = ""
                found = record.outcome.hits if record.outcome else ()
                titles = "; ".join(cited(hit.passage) for hit in found)
                line = f"{query}  ({trigger.replace('_', ' ')}: {detail})"
                err().print(Text(f"  looked up  {line} → {titles or 'nothing'}", style="cyan"))
            case steps.Commit(sentence=sentence):
                self._draft = ""
                for draft in sentence.weighed:
                    if draft.text != sentence.text:
                        err().print(Text(f"    weighed  “{draft.text}” {draft.in_words}"))
                print_sentence(sentence)
            case _:
                pass


def print_sentence(sentence: Sentence) -> None:
    """A committed sentence: support, counts, repairs."""
    from rich.text import Text

    support = sentence.support.value
    label = support.replace("_", " ")
    repaired = f"  (draft {sentence.repairs + 1})" if sentence.repairs else ""
    out().print(
        Text.assemble((f"{label:>11}  ", _STYLES[support]), sentence.text, (repaired, "cyan"))
    )
    for check in sentence.checks:
        out().print(Text(" " * 13 + _check_told(check), style="bright_black"))


def _check_told(check: Check) -> str:
    from averment.page.words import forms_in_words, relation_in_words

    pair = f"{check.triplet.head} + {check.triplet.tail}"
    found = check.cooccurrence
    if found.pairs is None:
        return f"{pair}: the corpus could not tell"
    n_documents, n_pairs = n_of(found.documents, "document"), n_of(found.pairs, "pair")
    together = at_least(found.kind) + (n_pairs if found.documents is None else n_documents)
    head, tail = (
        at_least(count.kind) + str("?" if count.documents is None else count.documents)
        for count in (check.head_count, check.tail_count)
    )
    told = [f"{pair}: together in {together} (each: {head} and {tail})"]
    return "; ".join([*told, *filter(None, (relation_in_words(check), forms_in_words(check)))])


def print_verdict(answer: Answer) -> None:
    """The verdict, the short answer, and what it took."""
    from rich.text import Text

    from averment.page.words import reason_in_words

    style = {"answered": "bold green", "warned": "bold yellow", "abstained": "bold"}
    told = answer.final_answer or answer.text
    reason = f"  ({reason_in_words(answer.reason)})" if answer.reason else ""
    out().print(
        Text.assemble(
            (f"{answer.verdict.value:>11}  ", style[answer.verdict.value]), (told, "bold"), reason
        )
    )
    cost = answer.cost
    err().print(
        Text(
            f"{'':>13}{answer.model} · {n_of(cost.model_calls, 'model call')}, "
            f"{cost.prompt_tokens:,} + {cost.generated_tokens:,} tokens, "
            f"{n_of(cost.retrievals, 'retrieval')}, {cost.seconds:.1f} s",
            style="bright_black",
        )
    )
