"""Exact phrase counts and windowed co-occurrence over a corpus on disk."""
