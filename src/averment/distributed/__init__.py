"""Work spread over the machines of a Ray cluster: builds, questions to an index, rows, texts.

The only room that imports Ray (extra [ray]), and only when something is to be spread.
"""
