"""Which sections are bibliographies, tables of contents and appendices: by heading and by shape.

A bibliography names authors beside years and titles beside places, and says nothing of them. It is
found by its heading and its entries, more of them where the heading may mean something else
("References" of an applicant). Without a heading only a list numbered [1], [2], [3] is one.
What this module does not do: split or parse the entries.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SURE: Final = frozenset(
    (
        *("bibliography", "works cited", "literature cited", "references cited", "reference list"),
        *("list of references", "references and notes", "notes and references"),
        *("literaturverzeichnis", "quellenverzeichnis", "literatur- und quellenverzeichnis"),
        *("bibliografía", "referencias bibliográficas", "bibliographie"),
        *("références bibliographiques", "bibliografia", "riferimenti bibliografici"),
        *("referências bibliográficas", "literatuurlijst", "bibliografie", "referenslista"),
        *("litteraturliste", "litteraturförteckning", "lähdeluettelo", "kaynakça"),
        *("список литературы", "библиография", "список використаних джерел", "المراجع"),
        *("参考文献", "參考文獻", "引用文献", "参考書目", "참고문헌", "संदर्भ ग्रंथ"),
    )
)
_UNSURE: Final = frozenset(
    (
        *("references", "reference", "sources", "further reading", "literature", "citations"),
        *("literatur", "quellen", "quellenangaben", "einzelnachweise", "referenzen"),
        *("referencias", "fuentes", "références", "sources et références", "riferimenti"),
        *("referências", "referenties", "bronnen", "referenser", "kilder", "lähteet"),
        *("литература", "источники", "примечания", "参考资料", "參考資料", "출처"),
    )
)
_CONTENTS: Final = frozenset(
    (
        *("contents", "table of contents", "list of figures", "list of tables"),
        *("inhalt", "inhaltsverzeichnis", "abbildungsverzeichnis", "tabellenverzeichnis"),
        *("índice", "contenido", "tabla de contenido", "sommaire", "table des matières"),
        *("indice", "sommario", "sumário", "inhoud", "inhoudsopgave", "innehåll", "spis treści"),
        *("содержание", "оглавление", "目录", "目錄", "目次"),
    )
)
_APPENDIX = re.compile(
    r"(supplementary|appendi|append\.|annex|anhang|apéndice|anexo|allegat|bijlage|bilaga|приложение"
    r"|附录|附錄|付録|부록)",
    re.IGNORECASE,
)
# "7. References", "VII References", "A References:".
_NUMBER = re.compile(r"^(?:(?:\d+(?:\.\d+)*|[IVX]+|[A-Z])[.)]?\s+|\d+(?:\.\d+)*\.?\s*)")
# What hardly an entry lacks: a year, an address, a number of an article or a book.
_ENTRY = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d[a-z]?(?!\d)|https?://|\b10\.\d{4,}/|\barxiv\b|\bISBN\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^[^\S\n]*\[(\d+)\][: \t]", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
# "Parental leave ..... 12", "[Parental leave](#parental-leave)"
_LEADS_TO = re.compile(r"(?:\b(?:\d+|[ivxl]+)|\]\(#[^)\s]*\))\s*$")

_CHARACTERS_AN_ENTRY = 300  # at most, on average, of a list of entries
_CHARACTERS_IF_SURE = 1500  # under a heading that means nothing else: entries with abstracts
_LONGEST_REST = 400  # characters that no entry begins in: the end of a long one, rather than prose
_FEWEST_NUMBERED = 3


def plain_heading(heading: str) -> str:
    """A heading without its number, its colon and its case."""
    text = " ".join(unicodedata.normalize("NFKC", heading).split())
    return _NUMBER.sub("", text).rstrip(" :.").casefold()


def may_head_references(heading: str) -> bool:
    """Whether a bibliography may stand under a heading."""
    return plain_heading(heading) in _SURE | _UNSURE


def are_references(heading: str, body: str) -> bool:
    """Whether what stands under a heading is a bibliography.

    Args:
        heading: One that may head references.
        body: All the text under it.
    """
    n_entries = sum(1 for _ in _ENTRY.finditer(body))
    most = _CHARACTERS_IF_SURE if plain_heading(heading) in _SURE else _CHARACTERS_AN_ENTRY
    return n_entries > 0 and len(body.strip()) <= most * n_entries


def is_contents(heading: str, body: str) -> bool:
    """Whether it is a table of contents: its heading, and half of its lines lead to a page."""
    if plain_heading(heading) not in _CONTENTS:
        return False
    lines = [line for line in body.splitlines() if line.strip()]
    return 2 * sum(bool(_LEADS_TO.search(line)) for line in lines) >= len(lines)


def is_appendix(heading: str) -> bool:
    """Whether a heading begins an appendix, which is no part of the references before it."""
    return _APPENDIX.match(_NUMBER.sub("", heading.strip())) is not None


def end_of_entries(body: str) -> int:
    """Where a list of entries ends that no heading ends: after the paragraph of the last one.

    Returns:
        An offset in `body`; its length if what follows is too short to be prose.
    """
    last = max((found.end() for found in _ENTRY.finditer(body)), default=len(body))
    gap = _PARAGRAPH.search(body, last)
    if gap is None or len(body[gap.end() :].strip()) <= _LONGEST_REST:
        return len(body)
    return gap.end()


def start_of_numbered_entries(text: str) -> int | None:
    """Where a bibliography without a heading begins: three entries or more, numbered from [1].

    Each has what entries have. None: there is none.
    """
    found = list(_NUMBERED.finditer(text))
    starts = [at for at, each in enumerate(found) if each.group(1) == "1"]
    if not starts:
        return None
    run = found[starts[-1] :]
    ends = [*(each.start() for each in run[1:]), len(text)]
    are_entries = all(
        int(each.group(1)) == number and _ENTRY.search(text, each.end(), end)
        for number, (each, end) in enumerate(zip(run, ends, strict=True), start=1)
    )
    return run[0].start() if len(run) >= _FEWEST_NUMBERED and are_entries else None
