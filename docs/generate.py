"""Writes the reference pages that follow from the code: commands, settings, the schema of exports.

`python docs/generate.py` writes them, `--check` fails when one is stale (a test does that).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REFERENCE = Path(__file__).parent / "reference"


def commands_page() -> str:
    """Every command with its options, as Typer documents them."""
    command = [sys.executable, "-m", "typer", "averment.cli.app", "utils", "docs"]
    made = subprocess.run(
        [*command, "--name", "averment"], check=True, capture_output=True, text=True
    )
    return made.stdout.replace("# `averment`", "# Commands of `averment`", 1).rstrip() + "\n"


def settings_page() -> str:
    """Every setting: name, environment variable, default, meaning."""
    from averment.settings import CONFIGURATION_FILE, Settings

    rows = [
        f"| `{name}` | `AVERMENT_{name.upper()}` | {_default(field)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            f"A flag wins over the environment, that over `{CONFIGURATION_FILE}` in the working "
            "directory, that over the default. `averment doctor` shows the values in force and "
            "where each came from.",
            "",
            "| setting | environment | default | meaning |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _default(field: object) -> str:
    if getattr(field, "default_factory", None) is not None:
        return "the user data directory of the system"
    default = getattr(field, "default", None)
    return "unset" if default is None else f"`{default}`"


def audit_schema() -> str:
    """The JSON Schema of exported records."""
    from averment.audit.export import schema_text

    return schema_text()


PAGES = {
    "audit-export.schema.json": audit_schema,
    "commands.md": commands_page,
    "settings.md": settings_page,
}


def main() -> int:
    """Write or check the pages."""
    stale = []
    for name, make in PAGES.items():
        path, text = REFERENCE / name, make()
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
    for name in stale:
        sys.stderr.write(f"docs/reference/{name} is stale; type: make docs\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
