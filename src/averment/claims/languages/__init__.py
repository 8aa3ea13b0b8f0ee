"""Entities and triplets in other languages than English: a TOML file of words each, and readers."""
