"""What a record speaks of, sealed: texts under the SHA-256 of a random salt and the text.

The record keeps the hash alone. Without the salt, which is kept and erased with the text, nobody
can find out by trying whether an erased text was the one that they think of, however short it was.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

SALT_BYTES = 32


def new_salt() -> bytes:
    """A salt that nobody can guess."""
    return secrets.token_bytes(SALT_BYTES)


def sealed(salt: bytes, data: bytes) -> str:
    """The hash of a salt and what it is for: SHA-256 of both in a row, 64 hexadecimal digits."""
    digest = hashlib.sha256(salt)
    digest.update(data)
    return digest.hexdigest()


def is_sealed(digest: str, salt: bytes, data: bytes) -> bool:
    """Whether a hash is of this salt and these bytes."""
    return len(salt) == SALT_BYTES and digest == sealed(salt, data)


@dataclass(frozen=True, slots=True)
class Contents:
    """The texts of one record by name, and their salt.

    Args:
        texts: What can be erased later.
        salt: Of all of them; they are erased together.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    salt: bytes = field(default_factory=new_salt)

    def digests(self) -> dict[str, str]:
        """The hash of each, which the record keeps."""
        return {name: sealed(self.salt, text.encode()) for name, text in self.texts.items()}
