"""What a bench needs: the model, its calls remembered; the corpus' index; which settings decide."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from averment.errors import UsageError
from averment.index.manifest import FILE_NAME
from averment.models.cache import CachedModel, cached
from averment.ports import LanguageModel
from averment.settings import Settings
from averment.wiring.corpus import build_index
from averment.wiring.models import open_model

_RUNTIMES = {"LlamaCpp": "xllamacpp", "TransformersLM": "transformers"}


_DECIDING = (
    *("aliases", "as_of", "calibrator", "confidence", "costs", "damaged_segments", "embedder"),
    *("extractor", "extractor_model", "faithfulness", "language", "model_cutoff", "passages"),
    *("retriever", "runtime", "scores", "target_error", "undated", "unit", "withheld"),
)
_JUDGES = {"auto", "judge", "lexical", "minilm"}


def deciding_settings(settings: Settings) -> dict[str, str]:
    """The settings that decide what is answered, wherever they came from.

    Files are told by name and contents: where they lie decides nothing.

    Raises:
        UsageError: A file cannot be read.
    """
    found = {name: getattr(settings, name) for name in _DECIDING}
    if settings.retriever == "bm25":
        found["embedder"] = None  # is not opened
    if settings.faithfulness not in _JUDGES:
        found["faithfulness"] = Path(settings.faithfulness)
    return {
        name: _contents(value) if isinstance(value, Path) and value.exists() else str(value)
        for name, value in found.items()
    }


def _contents(path: Path) -> str:
    """The name of a file or folder, and the beginning of a digest of what is in it."""
    files = [path] if path.is_file() else sorted(each for each in path.iterdir() if each.is_file())
    digest = hashlib.sha256()
    try:
        for file in files:
            with file.open("rb") as stream:
                contents = hashlib.file_digest(stream, "sha256").digest()
            digest.update(file.name.encode() + contents)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    return f"{path.resolve().name} {digest.hexdigest()[:12]}"


@contextmanager
def open_cached_model(settings: Settings, *, seed: int) -> Iterator[CachedModel]:
    """The language model that the settings name, its calls remembered in the home directory.

    Args:
        settings: Name the model.
        seed: Added to the seed of every call.

    Raises:
        UsageError, ModelFileError: As `open_model`.
    """
    with open_model(settings) as model:
        yield remembered(model, settings, seed=seed)


def remembered(model: LanguageModel, settings: Settings, *, seed: int) -> CachedModel:
    """A model that is open, its calls remembered in the home directory.

    Args:
        model: Stays the caller's.
        settings: Name the home.
        seed: Added to the seed of every call.
    """
    directory = settings.home / "cache" / "calls"
    return cached(model, identity=model_identity(model), directory=directory, seed=seed)


def model_identity(model: LanguageModel) -> str:
    """What replies of a model depend on: its name, and its file's digest and runtime or its server.

    What a server has behind a name can change without notice; nothing here can tell.
    """
    source = Path(model.info.source)
    if not source.is_file():
        return f"{model.info.name} from {model.info.source}"
    with source.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return f"{model.info.name} {digest} on {_runtime(model)}"


def _runtime(model: LanguageModel) -> str:
    kind = type(model).__name__
    library = _RUNTIMES.get(kind)
    return f"{library} {metadata.version(library)}" if library else kind


def cached_index(
    files: Sequence[Path],
    settings: Settings,
    *,
    on_bytes: Callable[[int, int], None],
    on_bad: Callable[[object], None],
) -> Path:
    """The index of some files, built in the home directory if it is not there.

    Args:
        files: The corpus.
        settings: Name the home.
        on_bytes: Told of the bytes read and of all.
        on_bad: Told of each record that cannot be read.

    Raises:
        UsageError: A file is missing.
    """
    from averment.corpus.files import list_files
    from averment.corpus.fingerprint import fingerprint
    from averment.corpus.readers import read_files

    told = hashlib.sha256()
    for path in files:
        if not path.is_file():
            raise UsageError(
                f"The corpus file {path} is not there.",
                hint="Name the folder of the data (--data DIR), or an index (--index DIR).",
            )
        with path.open("rb") as stream:
            told.update(hashlib.file_digest(stream, "sha256").digest())
    name = f"{files[0].name.partition('.')[0]}-{told.hexdigest()[:12]}"
    target = settings.home / "cache" / "indexes" / name
    if not (target / FILE_NAME).is_file():
        found = list_files(files)
        documents = read_files(found, on_bad=on_bad, on_bytes=on_bytes)
        build_index(documents, target, resume_key=fingerprint(found))
    return target
