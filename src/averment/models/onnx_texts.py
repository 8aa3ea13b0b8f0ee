"""A model of texts in a directory with ``model.onnx`` and ``tokenizer.json``, on the CPU.

What `averment.models.nli` and `averment.models.sentence_embedder` have in common: how such a model
is opened, and how encoded texts are given to it. What this module does not do: know what the
output means, truncate, batch, use a GPU.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from averment.errors import MissingExtraError, ModelFileError, UsageError

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
_INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))


@dataclass(frozen=True, slots=True)
class OnnxTexts:
    """A loaded model: the session, its tokenizer (without padding), the names of its inputs."""

    session: Any
    tokenizer: Any
    inputs: frozenset[str]

    def first_output(self, encodings: Sequence[Any]) -> npt.NDArray[np.float32]:
        """What the first output of the graph is for some encoded texts, computed at once.

        Shorter ones are filled up with 0, which the attention mask hides.
        """
        length = max(len(each.ids) for each in encodings)
        columns = {
            "input_ids": [each.ids for each in encodings],
            "attention_mask": [each.attention_mask for each in encodings],
            "token_type_ids": [each.type_ids for each in encodings],
        }
        inputs = {name: _padded(columns[name], length) for name in self.inputs}
        name = self.session.get_outputs()[0].name
        return np.asarray(self.session.run([name], inputs)[0])


def _padded(rows: Sequence[Sequence[int]], length: int) -> npt.NDArray[np.int64]:
    padded = np.zeros((len(rows), length), dtype=np.int64)
    for at, row in enumerate(rows):
        padded[at, : len(row)] = row
    return padded


def open_onnx_texts(
    directory: Path, *, n_threads: int, purpose: str, tokenizer: Path | None = None
) -> OnnxTexts:
    """Open the model of a directory.

    Args:
        directory: Holds both files.
        n_threads: Threads that compute.
        purpose: What the runtime is for, where it is missing: ``Faithfulness models``.
        tokenizer: The tokenizer's file, where the model shares that of another.

    Raises:
        UsageError: The directory lacks one of the files.
        MissingExtraError: The runtime is not installed.
        ModelFileError: A file cannot be loaded, or the graph has other inputs.
    """
    vocabulary = tokenizer or directory / TOKENIZER
    files = (directory / MODEL, vocabulary)
    if missing := [path.name for path in files if not path.is_file()]:
        raise UsageError(
            f"There is no {' and no '.join(missing)} in {directory}.",
            hint=f"Name the directory that holds a model as {MODEL} with its {TOKENIZER}.",
        )
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError(purpose, "local") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = n_threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Waiting threads must not burn the cores of others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        loaded = Tokenizer.from_file(str(vocabulary))
        session = onnxruntime.InferenceSession(
            str(directory / MODEL), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # both libraries raise bare ones of their own
        raise ModelFileError(f"The model in {directory} cannot be loaded: {error}.") from error
    inputs = frozenset(each.name for each in session.get_inputs())
    if not {"input_ids", "attention_mask"} <= inputs <= _INPUTS:
        raise ModelFileError(
            f"{directory / MODEL} has the inputs {sorted(inputs)}; expected input_ids and "
            "attention_mask, and at most token_type_ids besides."
        )
    loaded.no_padding()
    return OnnxTexts(session, loaded, inputs)


def file_digest(path: Path) -> str:
    """The SHA-256 of a model file, lower-case hexadecimal.

    Raises:
        ModelFileError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelFileError(f"The model file {path} cannot be read: {error.strerror}.") from error
