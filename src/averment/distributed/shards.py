"""An index asked through Ray: actors hold its segments, and what all answer is put together.

For an index that is larger than the memory of one machine: each machine maps its own segments and
keeps them in its memory. A shard that is lost is restarted by Ray; until it is back, counts are of
the others and say `lower_bound`, and what they do not find is unknown. For all other indexes this
is slower: a question costs a message to each shard and back.
What this module does not do: copy an index (every machine has to see its directory under one path,
or hold a copy of it there), retrieve passages, restrict to some documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from averment.distributed.cluster import joined
from averment.errors import AvermentError, ClusterUnavailable, IndexFormatError, IndexUnavailable
from averment.index.combined import PlacedWindow, together
from averment.index.embedded import open_segments
from averment.index.manifest import Manifest, read_manifest
from averment.text import TextForm
from averment.types import (
    Cooccurrence,
    CorpusInfo,
    Count,
    CountKind,
    Occurrence,
    Passage,
    Phrase,
)

_T = TypeVar("_T")
_TIMEOUT_S = 60.0


@contextmanager
def open_shards(
    path: str | Path, *, n_shards: int | None = None, timeout_s: float = _TIMEOUT_S
) -> Iterator[ShardedIndex]:
    """Open an index on a Ray cluster; the actors go with the block.

    Args:
        path: The index directory, on every machine.
        n_shards: Actors that share the segments; None: one a processor. No more than segments.
        timeout_s: Seconds after which a shard that does not answer is taken for lost.

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterUnavailable: There is no cluster.
        NotAnIndexError, IndexFormatError: There is no index at the path, or it cannot be used.
    """
    place = Path(path).absolute()
    manifest = read_manifest(place)
    with joined() as ray:
        most = int(ray.cluster_resources().get("CPU", 1)) if n_shards is None else n_shards
        # No processor is set aside: a shard that waits for questions must not keep tasks away.
        actor = ray.remote(num_cpus=0, max_restarts=-1, scheduling_strategy="SPREAD")(_Shard)
        shards = [
            actor.remote(place, manifest.digest, first, beyond)
            for first, beyond in _runs(manifest, max(most, 1))
        ]
        try:
            index = ShardedIndex(ray, shards, manifest, place.name, timeout_s)
            index.wait()
            yield index
        finally:
            for shard in shards:
                ray.kill(shard)


def _runs(manifest: Manifest, most: int) -> list[tuple[int, int]]:
    """Runs of segments, of about as many words each: their first numbers and those beyond."""
    n_segments = len(manifest.segments)
    share = sum(segment.n_words for segment in manifest.segments) / min(most, n_segments)
    bounds, n_words = [0], 0
    for number, segment in enumerate(manifest.segments):
        if number and n_words >= share * len(bounds) and len(bounds) < most:
            bounds.append(number)
        n_words += segment.n_words
    return list(zip(bounds, [*bounds[1:], n_segments], strict=True))


class _Shard:
    """Some segments of an index; runs in a worker."""

    def __init__(self, path: Path, digest: str, first: int, beyond: int) -> None:
        manifest = read_manifest(path)
        if manifest.digest != digest:
            raise IndexFormatError(
                f"The index at {path} is another one on this machine than on the driver's.",
                hint="Copy it anew, or open it again.",
            )
        self._index = open_segments(path, manifest, first, beyond)

    def ask(self, method: str, *args: Any, **options: Any) -> Any:
        """The answer of these segments, or the error that is one."""
        try:
            return getattr(self._index, method)(*args, **options)
        except AvermentError as error:
            return error


class ShardedIndex:
    """A `ports.CorpusIndex` over the shards of an index; see `open_shards`."""

    def __init__(
        self, ray: Any, shards: Sequence[Any], manifest: Manifest, name: str, timeout_s: float
    ) -> None:
        self._ray = ray
        self._shards = tuple(shards)
        self._info = manifest.info(name)
        self._form = manifest.form
        self._timeout_s = timeout_s

    @property
    def info(self) -> CorpusInfo:
        """What the whole index is, whatever shards are there."""
        return self._info

    @property
    def form(self) -> TextForm:
        """The text form that phrases pass through."""
        return self._form

    @property
    def n_shards(self) -> int:
        """How many actors share the segments."""
        return len(self._shards)

    def wait(self) -> None:
        """Wait until all shards answer.

        Raises:
            ClusterUnavailable: One does not.
            IndexFormatError: One has another index, or a damaged one.
        """
        found, kind = self._of_each("count", [])
        if kind is not CountKind.EXACT:
            raise ClusterUnavailable(
                f"{len(self._shards) - len(found)} of {len(self._shards)} shards did not start.",
                hint="Every machine has to see the index under the same path; see the log of Ray.",
            )

    def count(self, phrases: Sequence[Phrase]) -> list[Count]:
        """Occurrences and documents of each phrase; exact if all shards are there."""
        found, kind = self._of_each("count", phrases)
        return [
            Count(sum(c.value for c in each), sum(c.documents for c in each), kind)
            for each in zip(*found, strict=True)
        ]

    def exists(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[bool | None]:
        """Whether each pair occurs within the window; None where a lost shard may hold it."""
        found, kind = self._of_each("exists", pairs, window_words=window_words)
        absent = False if kind is CountKind.EXACT else None
        return [any(each) or absent for each in zip(*found, strict=True)]

    def cooccurrence(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, window_words: int
    ) -> list[Cooccurrence]:
        """Pairs of starts, documents and smallest distance of each pair of phrases."""
        found, kind = self._of_each("cooccurrence", pairs, window_words=window_words)
        return [_added(each, kind) for each in zip(*found, strict=True)]

    def cooccurrence_by_window(
        self, pairs: Sequence[tuple[Phrase, Phrase]], *, windows_words: Sequence[int]
    ) -> list[tuple[Cooccurrence, ...]]:
        """What `cooccurrence` gives for each of some windows."""
        found, kind = self._of_each("cooccurrence_by_window", pairs, windows_words=windows_words)
        return [
            tuple(_added(of_window, kind) for of_window in zip(*each, strict=True))
            for each in zip(*found, strict=True)
        ]

    def locate(self, phrase: Phrase, *, limit: int = 5) -> list[Occurrence]:
        """The first occurrences in the shards that are there, in the order of the corpus."""
        found, _ = self._of_each("locate", phrase, limit=limit)
        return list(islice(chain(*found), limit))

    def locate_pair(
        self, a: Phrase, b: Phrase, *, window_words: int, limit: int = 5
    ) -> list[Occurrence]:
        """One occurrence a document that holds a pair, in the shards that are there."""
        found, _ = self._of_each("locate_pair", a, b, window_words=window_words, limit=limit)
        return list(islice(chain(*found), limit))

    def nearest_windows(
        self,
        pairs: Sequence[tuple[Phrase, Phrase]],
        *,
        window_words: int,
        context_words: int,
        limit: int = 5,
    ) -> list[tuple[Passage, ...]]:
        """The text around each pair where it stands closest, in the shards that are there."""
        found, _ = self._of_each(
            "placed_windows",
            pairs,
            window_words=window_words,
            context_words=context_words,
            limit=limit,
        )
        return [tuple(_nearest(chain(*each), limit)) for each in zip(*found, strict=True)]

    def _of_each(self, method: str, *args: Any, **options: Any) -> tuple[list[Any], CountKind]:
        """What each shard answers, in the order of the corpus, and whether that is all.

        Raises:
            AvermentError: What a shard refuses, such as a phrase without a word.
            IndexUnavailable: No shard answers.
        """
        from ray.exceptions import RayActorError, RayError

        asked = [shard.ask.remote(method, *args, **options) for shard in self._shards]
        _, late = self._ray.wait(asked, num_returns=len(asked), timeout=self._timeout_s)
        found = []
        for each in asked:
            if each in late:
                continue
            try:
                answer = self._ray.get(each)
            except RayActorError as error:
                refused = getattr(error, "cause", None)
                if isinstance(refused, AvermentError):
                    raise refused from None
                continue
            except RayError:
                continue
            if isinstance(answer, AvermentError):
                raise answer
            found.append(answer)
        if not found:
            raise IndexUnavailable(
                f"None of {len(self._shards)} shards of the index {self._info.name!r} answers.",
                hint="They are started again: ask later.",
            )
        kind = CountKind.EXACT if len(found) == len(asked) else CountKind.LOWER_BOUND
        return found, kind


def _added(found: Sequence[Cooccurrence], kind: CountKind) -> Cooccurrence:
    counts = []
    for each in found:
        assert each.documents is not None  # of segments that are there all is known
        assert each.pairs is not None
        counts.append((each.documents, each.pairs, each.nearest_words))
    return together(counts, kind)


def _nearest(found: Iterator[PlacedWindow], limit: int) -> Iterator[Passage]:
    """The nearest of all; of equally near ones those of the earlier shard."""
    ordered = sorted(found, key=lambda window: (window.words_apart, window.first))
    return (window.passage for window in ordered[:limit])
