"""Writes an index of averment's own in infini-gram's format, so that it opens there.

Tokens are the words of the text form, or those of a `tokenizer.json`. The suffixes are sorted by
infini-gram's own indexing, with one processor: with more it leaves suffixes out of small corpora.
A directory is complete once its description is there, which is written last.

What this module does not do: write counts, passages, or metadata beyond id and title.

Source: `infini_gram.indexing` 2.6.0, index version 4.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from averment.errors import CapabilityError, CorpusError, MissingExtraError, UsageError
from averment.files import write_whole
from averment.index.embedded import Content, EmbeddedIndex
from averment.index.infinigram.encodings import (
    MOST_WORDS,
    TokenizerEncoding,
    read_tokenizer,
    tokens_of,
)
from averment.index.infinigram.local import (
    DESCRIPTION,
    TOKENIZER,
    VOCABULARY,
    WORDS,
    is_infinigram,
)

_SEPARATOR = 0xFFFF
_MOST_TOKEN_IDS = 0xFF00  # from there on the separator would be found across two tokens
_MEMORY_GIB = 4  # of a batch of the sort, which takes about three times as much


class Exported(NamedTuple):
    """What was written."""

    n_documents: int
    n_tokens: int
    n_bytes: int


def export_infinigram(
    index: EmbeddedIndex, target: Path, *, tokenizer: Path | None = None
) -> Exported:
    """Write the documents of an index as an index of infini-gram.

    Args:
        index: Keeps text, or words.
        target: A directory that is not there yet, or is empty.
        tokenizer: A `tokenizer.json` whose tokens are written; None: words are tokens.

    Raises:
        MissingExtraError: infini-gram is not installed.
        UsageError: The directory holds something; the tokenizer has too many tokens.
        CapabilityError: The index keeps no words, or too many different ones, or no text for a
            tokenizer.
        CorpusError: The sort failed.
    """
    if importlib.util.find_spec("infini_gram") is None:
        raise MissingExtraError("Exports for infini-gram", "infinigram")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is there already.", hint="Name another directory: --output DIR")
    target.mkdir(parents=True, exist_ok=True)
    encoding = None if tokenizer is None else read_tokenizer(tokenizer)
    info = index.info
    told: dict[str, object] = {
        "magic": "averment-infinigram",
        "digest": info.digest,
        "n_words": info.n_words,
        "text_form": info.text_form,
        "fold_accents": index.form.fold_accents,
    }
    if encoding is None:
        words = _vocabulary(index)
        content = "\n".join(words)
        write_whole(target / VOCABULARY, content)
        vocabulary_sha256 = hashlib.sha256(content.encode()).hexdigest()
        told |= {"tokens": WORDS, "n_terms": len(words), "vocabulary_sha256": vocabulary_sha256}
        numbers = {word: number for number, word in enumerate(words)}
        n_tokens = _write(
            index, target, lambda each: tokens_of([numbers[word] for word in each.words])
        )
    else:
        assert tokenizer is not None
        _check_tokenizer(tokenizer, encoding)
        own = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
        (target / "tokenizer.json").write_bytes(own.read_bytes())
        told |= {"tokens": TOKENIZER, "tokenizer_sha256": encoding.digest}
        n_tokens = _write(index, target, lambda each: encoding.tokens(_text(each)))
    _sort_suffixes(target)
    write_whole(target / DESCRIPTION, json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    n_bytes = sum(file.stat().st_size for file in target.iterdir())
    return Exported(info.n_documents or 0, n_tokens, n_bytes)


def _vocabulary(index: EmbeddedIndex) -> list[str]:
    """All words, the most frequent first."""
    counter: Counter[str] = Counter()
    for each in index.contents():
        counter.update(each.words)
    if len(counter) > MOST_WORDS:
        raise CapabilityError(
            f"The index has {len(counter):,} different words; as tokens of infini-gram there can "
            f"be {MOST_WORDS:,}.",
            hint="Export it with the tokens of a tokenizer: --tokenizer FILE",
        )
    return sorted(counter, key=lambda word: (-counter[word], word))


def _check_tokenizer(path: Path, encoding: TokenizerEncoding) -> None:
    if encoding.n_tokens > _MOST_TOKEN_IDS:
        raise UsageError(
            f"{path} has {encoding.n_tokens:,} tokens; in two bytes there is place for "
            f"{_MOST_TOKEN_IDS:,}.",
            hint="Take a smaller one, such as Llama 2's, or none: then words are tokens.",
        )


def _text(each: Content) -> str:
    if each.text is None:
        raise CapabilityError(
            "The index keeps words, but no text that a tokenizer could cut.",
            hint="Leave --tokenizer out, or build the index without --counts-only.",
        )
    return each.text


def _write(
    index: EmbeddedIndex, target: Path, tokens_of_document: Callable[[Content], list[int]]
) -> int:
    """The tokens of all documents, a separator before each; where each begins, and its id."""
    starts, metadata_starts = array("Q"), array("Q")
    n_tokens = n_metadata_bytes = 0
    with (target / "tokenized.0").open("wb") as tokens, (target / "metadata.0").open("wb") as lines:
        for number, each in enumerate(index.contents()):
            written = np.array([_SEPARATOR, *tokens_of_document(each)], dtype="<u2")
            tokens.write(written.tobytes())
            starts.append(2 * n_tokens)
            n_tokens += len(written)
            own = {"id": each.document_id} | ({"title": each.title} if each.title else {})
            line = {"path": index.info.name, "linenum": number, "metadata": own}
            packed = json.dumps(line).encode() + b"\n"
            lines.write(packed)
            metadata_starts.append(n_metadata_bytes)
            n_metadata_bytes += len(packed)
    np.array(starts, dtype="<u8").tofile(target / "offset.0")
    np.array(metadata_starts, dtype="<u8").tofile(target / "metaoff.0")
    return n_tokens - len(starts)


def _sort_suffixes(target: Path) -> None:
    """Let infini-gram sort the suffixes of the tokens that are there."""
    with tempfile.TemporaryDirectory(dir=target) as working:
        command = [sys.executable, "-m", "infini_gram.indexing", "--token_dtype", "u16"]
        command += ["--data_dir", working, "--temp_dir", working]
        command += ["--save_dir", str(target.absolute()), "--cpus", "1", "--mem", str(_MEMORY_GIB)]
        command += ["--ulimit", str(_most_open_files())]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode or not is_infinigram(target):
        said = (made.stderr or made.stdout).strip().splitlines() or ["it says nothing"]
        raise CorpusError(
            f"infini-gram's indexing of {target} failed: {said[-1]}.",
            hint="Is there enough memory (25 bytes a token) and disk?",
        )


def _most_open_files() -> int:
    """The limit that is in force; infini-gram's indexing fails where it may not raise it."""
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
