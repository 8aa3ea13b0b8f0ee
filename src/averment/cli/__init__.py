"""The command line: parsing and printing, nothing else. Heavy modules load inside commands."""

from __future__ import annotations

from averment.cli.app import main

__all__ = ["main"]
