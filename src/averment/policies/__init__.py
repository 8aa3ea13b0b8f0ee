"""When to retrieve, with which query, when to stop: generators of steps, without I/O."""
