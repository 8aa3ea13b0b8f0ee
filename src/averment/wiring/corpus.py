"""Indexes: built, changed, opened, verified."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from averment.claims.aliases.book import AliasRow
from averment.corpus.passages import cut_passages
from averment.errors import UsageError
from averment.index import compiled
from averment.index.build import IndexWriter
from averment.index.embedded import EmbeddedIndex, open_embedded
from averment.index.engines import REFERENCE, WITHOUT_CORE
from averment.index.manifest import damaged_files, read_manifest
from averment.languages import checked_language
from averment.ports import DamagedSegments
from averment.settings import Settings
from averment.text import TextForm
from averment.types import CorpusInfo, Document, Passage
from averment.wiring.aliases import write_aliases
from averment.wiring.audited_changes import (
    DocumentLog,
    index_before,
    record_deletion,
    record_ingestion,
    record_merge,
    recording,
)
from averment.wiring.foreign import AnyIndex, open_foreign, refuse_address
from averment.wiring.retrievers import carry_vectors


def build_index(
    documents: Iterable[Document],
    path: str | Path,
    *,
    fold_accents: bool = False,
    counts_only: bool = False,
    keep_tokens: bool = False,
    add: bool = False,
    replace: bool = False,
    on_duplicate: Callable[[Document], None] | None = None,
    resume_key: str | None = None,
    on_resume: Callable[[int], None] | None = None,
    aliases: Sequence[AliasRow] = (),
    language: str | None = None,
    settings: Settings | None = None,
) -> CorpusInfo:
    """Build an index from documents, or add them to one.

    Args:
        documents: Streamed, never all in memory.
        path: The index directory; an index that is there is replaced as a whole.
        fold_accents: "Zürich" and "Zurich" are one word.
        counts_only: Statistics without text: no passages, no retrieval, no snippets.
        keep_tokens: Words in their normal form are kept for snippets; of use with `counts_only`.
        add: Keep what is there, and its options.
        replace: With `add`: a document takes the place of the one that has its id.
        on_duplicate: Told of each document whose id is there already; the first one stays. With
            `replace` only of those that are the same as before.
        resume_key: Names the documents, which must come in the same order again. A build with the
            key, options and path of one that was interrupted goes on where that one had got to.
        on_resume: Told how many documents of the interrupted build need not be indexed again.
        aliases: How names are written, of `read_alias_table`; kept with the index, also when
            documents are added to it later.
        language: That of documents which do not say theirs (ISO 639-1), or "auto": as each text
            looks. It decides how they are cut and retrieved, and is kept; None: English.
        settings: Name the ledger of changes; None: those of environment and files.

    Raises:
        EmptyCorpusError: No document came.
        UsageError: The directory holds something else, or aliases are to go where only counts are.
        UnknownNameError: There is no such language.
    """
    refuse_aliases_without_text(aliases, counts_only=counts_only)
    refuse_address(Path(path))
    form = None if add else TextForm(fold_accents=fold_accents)
    only, tokens = (None, None) if add else (counts_only, keep_tokens)
    log = DocumentLog()
    with (
        recording(settings) as recorder,
        IndexWriter(
            Path(path),
            form=form,
            counts_only=only,
            keep_tokens=tokens,
            add=add,
            language=None if language is None else checked_language(language),
            resume_key=resume_key,
        ) as writer,
    ):
        before = index_before(Path(path))
        if writer.n_resumed_documents and on_resume is not None:
            on_resume(writer.n_resumed_documents)
        for document in documents:
            added = writer.add(document, _passages_of(document, writer), replace=replace)
            if added and recorder is not None:
                log.add(document)
            if not added:
                log.n_left_out += 1
                if on_duplicate is not None:
                    on_duplicate(document)
        info = _publish(writer, aliases)
        if recorder is not None:
            action = "replace" if replace else "add" if add else "build"
            record_ingestion(recorder, log, action=action, before=before, after=info)
    _say_if_without_core(info)
    return info


def _passages_of(document: Document, writer: IndexWriter) -> Sequence[Passage]:
    if not writer.wants_passages:
        return ()
    return cut_passages(document, language=writer.language)


def refuse_aliases_without_text(aliases: Sequence[AliasRow], *, counts_only: bool) -> None:
    """A table of names has its place beside the text.

    Raises:
        UsageError: There is a table, and there will be no text.
    """
    if aliases and counts_only:
        raise UsageError(
            "An index of counts only has no place for a table of aliases.",
            hint="Build it without --counts-only, or add them for all indexes: averment alias add",
        )


def delete_documents(
    path: str | Path,
    document_ids: Iterable[str],
    *,
    missing_ok: bool = False,
    settings: Settings | None = None,
) -> CorpusInfo:
    """Delete documents from an index; counts and retrieval are exact without them at once.

    Their bytes stay on disk until `merge_index`.

    Args:
        path: The index directory.
        document_ids: Of the documents.
        missing_ok: Ids that no document has are passed over.
        settings: Name the ledger of changes; None: those of environment and files.

    Raises:
        UsageError: No document has one of the ids; nothing was deleted.
        EmptyCorpusError: No document would be left.
    """
    with recording(settings) as recorder, IndexWriter(Path(path), add=True) as writer:
        before = index_before(Path(path))
        asked = list(dict.fromkeys(document_ids))
        missing = [one for one in asked if not writer.delete(one)]
        if missing and not missing_ok:
            shown = ", ".join(map(repr, missing[:5])) + (" …" if len(missing) > 5 else "")
            raise UsageError(
                f"The index at {path} has no document {shown}; nothing was deleted.",
                hint="`averment index count WORD --show 5` shows ids; or pass --missing-ok.",
            )
        info = _publish(writer)
        gone = [one for one in asked if one not in missing]
        if recorder is not None and gone:
            record_deletion(recorder, gone, before=before, after=info)
        return info


def merge_index(path: str | Path, *, settings: Settings | None = None) -> CorpusInfo:
    """Make few segments of many and let go of what was deleted; answers stay the same.

    Args:
        path: The index directory.
        settings: Name the ledger of changes; None: those of environment and files.
    """
    with recording(settings) as recorder, IndexWriter(Path(path), add=True) as writer:
        before = index_before(Path(path))
        writer.merge()
        info = _publish(writer)
        if recorder is not None and (before is None or before.generation != info.generation):
            record_merge(recorder, before=before, after=info)
        return info


def _publish(writer: IndexWriter, aliases: Sequence[AliasRow] = ()) -> CorpusInfo:
    """Publish with what retrieval and aliases need, if that is another than before."""
    from averment.retrieval.bm25 import build_bm25

    if writer.keeps_text and writer.renumbers_passages and writer.n_documents:
        passages = writer.passages()
        languages = writer.passage_languages()
        build_bm25(passages, writer.extra_directory("bm25"), languages=languages)
        write_aliases(writer, aliases)
        carry_vectors(writer)
    return writer.publish()


def open_index(
    path: str | Path,
    *,
    damaged_segments: DamagedSegments = "fail",
    settings: Settings | None = None,
) -> AnyIndex:
    """Open an index for counting.

    Args:
        path: The index directory, or an index of infini-gram: a directory in its format, or
            ``infinigram:NAME``.
        damaged_segments: With ``lower_bound``, what cannot be read is left out, and counts say
            that they are lower bounds.
        settings: How infini-gram is asked; None: as environment and files say.

    Raises:
        NotAnIndexError: The directory is missing or holds no index.
        IndexFormatError: Damaged, of a newer format, or of another text form.
        IndexUnavailable: A server does not answer.
        UsageError: infini-gram's engine or a tokenizer is missing; there is no index of that name.
    """
    if (foreign := open_foreign(Path(path), settings)) is not None:
        return foreign
    return open_own_index(path, damaged_segments=damaged_segments)


def open_own_index(
    path: str | Path, *, damaged_segments: DamagedSegments = "fail"
) -> EmbeddedIndex:
    """Open an index that averment built; see `open_index`."""
    index = open_embedded(Path(path), damaged_segments=damaged_segments)
    for problem in index.problems:
        logging.getLogger("averment").warning("left out, so counts are lower bounds: %s", problem)
    _say_if_without_core(index.info)
    return index


def verify_index(path: str | Path) -> list[str]:
    """Read every file of an index and name those that are not what was written.

    Raises:
        NotAnIndexError: The directory is missing or holds no index.
        IndexFormatError: The manifest itself is damaged, or of another format or text form.
    """
    return damaged_files(Path(path), read_manifest(Path(path)))


def _say_if_without_core(info: CorpusInfo) -> None:
    if info.engine == REFERENCE and not compiled.available():
        _say_once(WITHOUT_CORE)


@cache
def _say_once(message: str) -> None:
    logging.getLogger("averment").warning(message)
