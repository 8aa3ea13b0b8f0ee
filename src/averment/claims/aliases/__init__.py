"""Aliases: from a name to the ways in which it is written, each with who says so."""
