"""From the text of a phrase to the tokens of an index, and back.

A phrase is asked as it stands inside of a line, after a blank. Three kinds of tokens: words of
averment's own text form, as `averment index export` writes them; the tokens of a `tokenizer.json`;
bytes, where an index was built without a tokenizer.

What this module does not do: fetch a tokenizer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from averment.errors import MissingExtraError, UsageError
from averment.index.infinigram.source import AsWritten, InWords, Matching, TokenIds
from averment.text import TextForm

N_DIRECT = 60_000
"""Words that are one token; rarer ones are two, a head and a tail."""
_N_HEADS = 2_500
_FIRST_TAIL = N_DIRECT + _N_HEADS
# The engine looks for the separator, two bytes 0xFF, also across tokens: no token may have one.
_N_TAILS = 0xFF00 - _FIRST_TAIL
MOST_WORDS = N_DIRECT + _N_HEADS * _N_TAILS
_TOKENS_PER_WORD = 4 / 3  # of English in the tokenizers of language models
_BYTES_PER_WORD = 6.0


class Encoding(Protocol):
    """How an index makes tokens of text."""

    @property
    def matching(self) -> Matching:
        """What counts as an occurrence."""
        ...

    @property
    def is_exact_text(self) -> bool:
        """Whether decoding gives the text as it was written."""
        ...

    @property
    def tokens_per_word(self) -> float:
        """How many tokens a word has, about."""
        ...

    def encode(self, spelling: str) -> TokenIds | None:
        """The tokens of a phrase; None if it has one that the corpus does not have."""
        ...

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a document."""
        ...


class WordEncoding:
    """Tokens that are words.

    Args:
        words: All words of the corpus in their normal form, the most frequent first.
        form: The text form.
    """

    is_exact_text = False
    tokens_per_word = 1.0

    def __init__(self, words: Sequence[str], form: TextForm) -> None:
        self._words = words
        self._numbers = {word: number for number, word in enumerate(words)}
        self.matching = InWords(form)

    def encode(self, spelling: str) -> TokenIds | None:
        """The tokens of words with blanks between."""
        numbers = [self._numbers.get(word) for word in spelling.split(" ")]
        found = [number for number in numbers if number is not None]
        return tuple(tokens_of(found)) if len(found) == len(numbers) else None

    def decode(self, token_ids: Sequence[int]) -> str:
        """The words with blanks between."""
        told, head = [], 0
        for token in token_ids:
            if token >= _FIRST_TAIL:
                told.append(self._words[head + token - _FIRST_TAIL])
            elif token >= N_DIRECT:
                head = N_DIRECT + (token - N_DIRECT) * _N_TAILS
            else:
                told.append(self._words[token])
        return " ".join(told)


def tokens_of(numbers: Sequence[int]) -> list[int]:
    """The tokens of words by their numbers."""
    tokens = []
    for number in numbers:
        if number < N_DIRECT:
            tokens.append(number)
        else:
            head, tail = divmod(number - N_DIRECT, _N_TAILS)
            tokens += [N_DIRECT + head, _FIRST_TAIL + tail]
    return tokens


class ByteEncoding:
    """Tokens that are bytes of UTF-8."""

    is_exact_text = True
    tokens_per_word = _BYTES_PER_WORD
    matching = AsWritten("bytes, case and punctuation as written, after a blank")

    def encode(self, spelling: str) -> TokenIds:
        """The bytes of a blank and the phrase."""
        return tuple(f" {spelling}".encode())

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text; what is no UTF-8 becomes replacement characters."""
        return bytes(token_ids).decode(errors="replace")


class TokenizerEncoding:
    """The tokens of a `tokenizer.json`; see `read_tokenizer`."""

    is_exact_text = True
    tokens_per_word = _TOKENS_PER_WORD

    def __init__(self, tokenizer: Any, digest: str) -> None:
        self._tokenizer = tokenizer
        self.digest = digest
        self.matching = AsWritten(
            f"tokens of the tokenizer {digest[:12]}, case and punctuation as written, after a blank"
        )
        # Some tokenizers put a blank before every text by themselves.
        tokens = tokenizer.encode("a", add_special_tokens=False).tokens
        self._before = "" if "".join(tokens).startswith(("▁", "Ġ")) else " "
        self.n_tokens: int = tokenizer.get_vocab_size()

    def encode(self, spelling: str) -> TokenIds:
        """The tokens of the phrase after a blank."""
        return tuple(self.tokens(self._before + spelling))

    def tokens(self, text: str) -> list[int]:
        """The tokens of a whole text."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of tokens."""
        text: str = self._tokenizer.decode(list(token_ids), skip_special_tokens=False)
        return text


def read_tokenizer(path: Path) -> TokenizerEncoding:
    """The tokens of a `tokenizer.json`, as Hugging Face's `tokenizers` writes it.

    Args:
        path: The file, or a directory that holds it.

    Raises:
        MissingExtraError: The library is not installed.
        UsageError: There is no such file, or it is no tokenizer.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    hint = "Name the tokenizer.json of the index's model: AVERMENT_INFINIGRAM_TOKENIZER=FILE"
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"The tokenizer {file} cannot be read: {error}.", hint=hint) from error
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("Tokenizers of infini-gram indexes", "infinigram") from error
    try:
        tokenizer = Tokenizer.from_buffer(content)
    except Exception as error:  # the library raises nothing more precise
        raise UsageError(f"{file} is no tokenizer: {error}.", hint=hint) from error
    return TokenizerEncoding(tokenizer, hashlib.sha256(content).hexdigest())


def document_of(metadata: str, number: int) -> tuple[str, str]:
    """The id and the title of a document by what an index keeps of it.

    Args:
        metadata: A line of JSON, as infini-gram's indexing writes it, or nothing.
        number: Of the document, for those of which nothing is kept.
    """
    try:
        told = json.loads(metadata)
    except ValueError:
        told = {}
    inner = told.get("metadata") if isinstance(told, Mapping) else None
    while isinstance(inner, Mapping) and isinstance(inner.get("metadata"), Mapping):
        inner = inner["metadata"]
    own = inner if isinstance(inner, Mapping) else {}
    name = own.get("id") or own.get("_id")
    if name is None and isinstance(told, Mapping) and told.get("path") is not None:
        name = f"{told['path']}:{told.get('linenum', '?')}"
    return str(name if name is not None else f"document {number}"), str(own.get("title") or "")
