"""How likely a claim is true, whether it is faithful to the passages or not: FRANQ, without I/O.

P(true) = P(faithful) · P(true | faithful) + (1 − P(faithful)) · P(true | unfaithful). Start at
`calibration.fit`, which gives a `calibrator.Calibrator`; `evidence` and `corpus_stack` bring corpus
statistics into it. Everything here reads *confidence*, better when higher; estimators give
uncertainty, and `components` turns one into the other.

Source: FRANQ (arXiv 2505.21072).
"""
