"""Retrieval: passages of the corpus for a query."""
