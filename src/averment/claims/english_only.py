"""An extractor that knows English alone, kept from reading other languages as if they were that.

What this module does not do: extract, or guess the language (`averment.languages`).
"""

from __future__ import annotations

from collections.abc import Sequence

from averment.claims.languages.readers import NOT_READ
from averment.errors import ExtractionError
from averment.languages import AUTO, ENGLISH, checked_language, spoken_language
from averment.ports import ClaimExtractor
from averment.types import Entity, Extraction


class EnglishOnly:
    """A `ClaimExtractor` that hands English to another one, and says that it reads nothing else.

    Args:
        extractor: Who reads English.
        language: That of all texts (ISO 639-1); "auto": each as it looks.
        otherwise: With "auto": that of texts in Latin letters which are too short to tell.

    Raises:
        UnknownNameError: There is no such language.
    """

    def __init__(
        self, extractor: ClaimExtractor, *, language: str = AUTO, otherwise: str = ENGLISH
    ) -> None:
        self._extractor = extractor
        self._language = checked_language(language)
        self._otherwise = otherwise

    @property
    def name(self) -> str:
        """The name of who reads English."""
        return self._extractor.name

    def entities(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """As the extractor has it.

        Raises:
            ExtractionError: A text is in another language.
        """
        for text in texts:
            if reason := self._not_read(text):
                raise ExtractionError(reason, raw=text, hint=_READ_ANYWAY)
        return self._extractor.entities(texts)

    def triplets(self, sentences: Sequence[str]) -> list[Extraction]:
        """As the extractor has it; of another language `Extraction.failed` says so."""
        reasons = [self._not_read(sentence) for sentence in sentences]
        english = [text for text, why in zip(sentences, reasons, strict=True) if why is None]
        found = iter(self._extractor.triplets(english) if english else ())
        return [next(found) if why is None else Extraction((), failed=why) for why in reasons]

    def _not_read(self, text: str) -> str | None:
        fixed = self._language != AUTO
        code = self._language if fixed else spoken_language(text, self._otherwise)
        if code == ENGLISH:
            return None
        return f"{NOT_READ}: the extractor {self.name} reads English, and this looks like {code!r}"


_READ_ANYWAY = (
    "Type --extractor rules (en, de, es, zh) or model, or name the language: --language en"
)
