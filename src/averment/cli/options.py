"""The options that several commands share, each declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from averment.dating import Undated
from averment.errors import UsageError

IndexOption = Annotated[
    Path | None,
    typer.Option(
        "--index",
        "-o",
        help="The index directory.  [default: $AVERMENT_INDEX, else .averment/index]",
        show_default=False,
    ),
]
AliasesOption = Annotated[
    bool | None,
    typer.Option(
        help="Count a name by all its forms (`averment alias test NAME`).  [default: aliases]",
        show_default=False,
    ),
]
CountAliasesOption = Annotated[
    bool, typer.Option("--aliases", help="Count names by all their forms, and show these.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
OfflineOption = Annotated[
    bool | None,
    typer.Option("--offline", help="Forbid every connection but loopback.", show_default=False),
]
OtelOption = Annotated[
    bool | None,
    typer.Option("--otel", help="Make spans and events with OpenTelemetry.", show_default=False),
]


class Where(StrEnum):
    """Where the work of a command runs."""

    LOCAL = "local"
    RAY = "ray"


EngineOption = Annotated[
    Where,
    typer.Option(
        "--engine", help="Where the work runs: in this process, or on a Ray cluster ([ray])."
    ),
]
AuditOption = Annotated[
    str | None,
    typer.Option(
        "--audit",
        help="Record it in this ledger: a file, on (audit.sqlite in the home directory) or off.  "
        "[default: $AVERMENT_AUDIT, else off]",
        show_default=False,
    ),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option("--html", help="Also write a page that opens from disk.", show_default=False),
]
BaseUrlOption = Annotated[
    str | None, typer.Option(help="An OpenAI-compatible server instead of a local model.")
]
RetrieverOption = Annotated[
    str | None,
    typer.Option(
        help="Who finds passages: bm25, dense or fusion.  [default: bm25]", show_default=False
    ),
]
EmbedderOption = Annotated[
    Path | None,
    typer.Option(
        help="The sentence model: a directory with model.onnx and tokenizer.json.  "
        "[default: $AVERMENT_EMBEDDER]",
        show_default=False,
    ),
]
ExtractorOption = Annotated[
    str | None,
    typer.Option(
        help="Who finds claims: rules, spacy, distilled or model.  [default: rules]",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    str | None,
    typer.Option(
        help="What texts are in: de, en, es, zh, …, or auto (as each looks).  [default: auto]",
        show_default=False,
    ),
]
FaithfulnessOption = Annotated[
    str | None,
    typer.Option(
        help="Who judges faithfulness: lexical, minilm, judge, or an NLI model.  [default: auto]",
        show_default=False,
    ),
]
CalibratorOption = Annotated[
    Path | None,
    typer.Option(help="A file of `averment calibrate`.", show_default=False),
]
TargetErrorOption = Annotated[
    float | None,
    typer.Option(
        help="Promise that no more than this share of what is given is false, and withhold the "
        "rest. Needs a calibrator made with --hold-out.",
        show_default=False,
    ),
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option(
        help="With which probability that promise is kept.  [default: 0.9]", show_default=False
    ),
]
WithheldOption = Annotated[
    str | None,
    typer.Option(
        help="What becomes of what is withheld: drop, hedge, abstain, or cheapest, by --cost.  "
        "[default: drop]",
        show_default=False,
    ),
]
CostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cost",
        help="What something costs, in units of a false claim that is given: false, hedged, "
        "false_hedged, dropped, abstained, search, draft; e.g. --cost hedged=0.2. Repeatable.",
        metavar="NAME=NUMBER",
        show_default=False,
    ),
]
AsOfOption = Annotated[
    str | None,
    typer.Option(
        help="Look at documents of the index up to this day, month or year only: 2021-05-01.",
        show_default=False,
    ),
]
UndatedOption = Annotated[
    Undated | None,
    typer.Option(
        help="Documents without a date, with --as-of: exclude or include.  [default: exclude]",
        show_default=False,
    ),
]
ModelCutoffOption = Annotated[
    str | None,
    typer.Option(
        help="When the model's training data end, e.g. 2024-06: what the corpus knows only from "
        "later is looked up. For quco and its kin.",
        show_default=False,
    ),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        help="quco, quco-known, quco-paper, expected-cost; to compare: none, single, fixed, "
        "fixed-length, flare, flare-simplified, dragin, etc, seakr.  [default: quco]",
        show_default=False,
    ),
]
RuntimeOption = Annotated[
    str | None,
    typer.Option(
        help="llama_cpp, or transformers, which dragin, etc and seakr need.  [default: llama_cpp]",
        show_default=False,
    ),
]


def costs_of(
    given: list[str] | None, *, withheld: str | None, policy: str | None = None
) -> dict[str, str] | None:
    """The costs of `CostOption` by name; what they are worth is for the settings to say.

    Args:
        given: As typed.
        withheld: The option of that name.
        policy: The option of that name.

    Raises:
        UsageError: One of them is no name and number, or nothing would weigh them.
    """
    from averment.promises import Remedy
    from averment.settings import resolve_settings

    if not given:
        return None
    for each in given:
        if not all(each.partition("=")):
            raise UsageError(
                f"--cost {each} has no name and number.", hint="Type it so: --cost hedged=0.2"
            )
    settings = resolve_settings(withheld=withheld, policy=policy)
    if settings.withheld is not Remedy.CHEAPEST and settings.policy != "expected-cost":
        raise UsageError(
            "--cost is given, and nothing weighs costs.",
            hint="Let them be weighed: --withheld cheapest, or ask --policy expected-cost",
        )
    return {name: value for name, _, value in (each.partition("=") for each in given)}
