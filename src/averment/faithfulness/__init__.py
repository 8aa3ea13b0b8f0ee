"""How far passages entail claims, and where: splitting, scoring, and the lexical tier."""
