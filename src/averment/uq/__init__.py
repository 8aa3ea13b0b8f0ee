"""How unsure an answer or a claim is: one formula an estimator, over plain records, without I/O.

Uncertainty is worse when higher; logarithms are natural. Start at `registry`.
"""
