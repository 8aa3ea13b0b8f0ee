"""The `averment` command: its groups, and the one place where errors become exit codes.

Exit codes: 0 done (an abstention is a result), 1 a check that was asked for failed, 2 what the
caller named is wrong, 3 something failed.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from averment.cli import (
    alias,
    ask,
    audit,
    bench,
    calibrate,
    check,
    demo,
    doctor,
    drift,
    filtering,
    index,
    label,
    mcp,
    models,
    serve,
)
from averment.cli.console import flush_what_is_read, print_error, write_utf8
from averment.errors import AvermentError, UsageError

# Typer carries its own copy of click from 0.20 on; its public classes lead to the base either way.
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]

_INTERRUPTED = 130

app = typer.Typer(
    name="averment",
    help="Answers over your documents: every claim is held against exact corpus statistics.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("ask")(ask.ask)
app.command("calibrate")(calibrate.calibrate)
app.command("check")(check.check)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.command("drift")(drift.drift)
app.command("filter")(filtering.filter_command)
app.command("label")(label.label)
app.command("mcp")(mcp.mcp)
app.command("serve")(serve.serve)
app.add_typer(alias.app, name="alias")
app.add_typer(audit.app, name="audit")
app.add_typer(bench.app, name="bench")
app.add_typer(index.app, name="index")
app.add_typer(models.app, name="models")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        typer.echo(f"averment {metadata.version('averment')}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """The entry point of the distribution."""
    write_utf8()
    code = run(sys.argv[1:])
    flush_what_is_read()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line.

    Returns:
        The exit code. Everything that is not a programming mistake ends in one message.
    """
    as_json = "--json" in arguments
    try:
        code = app(args=arguments, prog_name="averment", standalone_mode=False)
    except _ClickException as error:
        return _misused(error, as_json=as_json)
    except AvermentError as error:
        print_error(error, as_json=as_json)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = _INTERRUPTED
    except SystemExit as left:
        # The reader of our output went away: `averment … | head`. The parser and rich leave with 1.
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        return 0
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        found_os = AvermentError(f"The system refused{where}: {error.strerror or error}.")
        print_error(found_os, as_json=as_json)
        return 3
    if code == _INTERRUPTED:  # the parser may also have turned the interrupt into its exit code
        print_error(AvermentError("Interrupted; nothing was left half-written."), as_json=as_json)
    return code if isinstance(code, int) else 0


def _misused(error: Any, *, as_json: bool) -> int:
    """A command line that the parser refused; without a command, its help is the answer."""
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(message)
        return UsageError.exit_code
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "averment"
    print_error(UsageError(message, hint=f"See: {path} --help"), as_json=as_json)
    return UsageError.exit_code
