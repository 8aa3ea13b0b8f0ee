"""Scores claims: flows that ask for faithfulness, re-scorings and counts, and put FRANQ together.

- `flow`: the claims of an answer or of a given text, scored step by step.
- `claims`: what of a sentence is held against passages.
- `corpus`: counts of claimed relations as evidence, without the passages that were retrieved.
- `verdicts`: what is held of a claim in the light of its evidence.

Nothing is fitted here (`averment.franq.calibration`) and no estimator lives here (`averment.uq`).
"""
