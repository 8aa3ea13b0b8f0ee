"""Policies held against questions with known answers: data sets, correctness, runs, reports."""
