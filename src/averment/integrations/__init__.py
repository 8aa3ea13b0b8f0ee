"""averment inside what others made: evaluation harnesses, and frameworks for applications.

Inspect and lm-evaluation-harness: what an answer is worth is said by `averment.evaluation` and
`averment.check`, how good confidence is by `averment.metrics`. LangChain, LlamaIndex and Haystack:
one `verifier` behind all three. Each has a module that its users import, never averment, and that
is no more than an adapter. Nothing here runs a bench or a model.
"""
