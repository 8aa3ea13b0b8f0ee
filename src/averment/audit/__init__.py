"""The audit ledger: what was answered, checked and changed, in records that nobody alters unseen.

Records are canonical JSON in a hash chain (`chain`), kept in one SQLite file (`store`), and never
altered. What people wrote and were told is kept beside them under salted hashes (`contents`), so
that it can be erased while the chain still verifies (`verifying`). `export` gives records to
others.

What this room does not do: decide what is recorded (`averment.wiring.auditing`), or replay
(`averment.wiring.replaying`).
"""
