"""infini-gram's indexes behind the port `CorpusIndex`: on this machine, or behind its HTTP API."""
