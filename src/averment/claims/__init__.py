"""Claims: the entities of a text and the relations that a sentence claims."""
