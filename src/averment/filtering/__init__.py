"""Rows of training or synthetic data, kept or rejected by what the corpus says of their texts.

Rows come one by one and leave in the order in which they came, with what was found about them in
one column more. What this room does not do: open an index or a judge (`averment.wiring.filters`),
correct a text, or reject a row because its names are rare.
"""
