"""Countries and what their people are called, as rows: France, French.

What is written of somebody's citizenship is nearly always the adjective. The data are of the
package countryinfo; codes of two or three letters are left out, since in an index without case
they are words ("IT", "AND"). Two countries with one demonym make it ambiguous, which the book
finds out.
"""

from __future__ import annotations

from averment.claims.aliases.book import TABLE, AliasRow
from averment.errors import MissingExtraError

_SOURCE = TABLE + "countryinfo"
_IN_DOTS = {"United States": ("U.S.", "U.S.A."), "United Kingdom": ("U.K.",)}
_KNOWN_ACRONYMS = frozenset(("USA", "UAE", "DRC"))
_AS_ANOTHER_COUNTRY = frozenset(
    "ALA ATF BLM CCK CXR FRO GGY GLP GUF HMD IMN IOT JEY MAF MNP MTQ MYT NCL NFK PYF REU SGS SJM "
    "SPM UMI VGB VIR WLF".split()
)
"""Territories (ISO 3166-1) whose people are called as those of a country, or of another of them."""


def country_rows() -> list[AliasRow]:
    """Each country with its other names in Latin script and its demonyms.

    Raises:
        MissingExtraError: The package is not installed.
    """
    try:
        from countryinfo import all_countries
    except ImportError as error:
        raise MissingExtraError("Countries and their demonyms", "countries") from error
    rows = []
    for country in all_countries():
        told = country.info()
        name = told["name"].removeprefix("The ")
        if (told.get("ISO") or {}).get("alpha3") in _AS_ANOTHER_COUNTRY:
            continue
        forms = (told.get("demonym") or "").split(",")
        forms += [*(told.get("altSpellings") or ()), *_IN_DOTS.get(name, ())]
        rows += [AliasRow(name, form.strip(), _SOURCE) for form in forms if _is_name(form.strip())]
    return rows


def _is_name(form: str) -> bool:
    if form in _KNOWN_ACRONYMS:
        return True
    return bool(form) and not (form.isupper() and form.isalpha() and len(form) <= 3)
