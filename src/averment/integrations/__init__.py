"""averment inside the evaluation harnesses of others: Inspect and lm-evaluation-harness.

Each harness has a module that is imported by the harness, never by averment, and that is no more
than an adapter: what an answer is worth is said by `averment.evaluation` and `averment.check`, how
good confidence is by `averment.metrics`. Nothing here runs a bench or a model.
"""
