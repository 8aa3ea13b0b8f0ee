"""Which language a text is in, as ISO 639-1 codes; and each language's function words.

A language is known from a record or an option, or it is guessed: by the script first, and in Latin
and Cyrillic letters by a vote of function words. A short text is not guessed: `guess_language`
gives None, and whoever asked says what then holds (`UNDETERMINED`, or the default of a setting).

What this module does not do: tell languages apart whose words it has not (they are not guessed),
or parts of one text in different languages. It reads no model and needs no package.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from averment.errors import UnknownNameError

ENGLISH = "en"
AUTO = "auto"
"""As a setting: each text by its own look."""
UNDETERMINED = "und"
"""Nobody knows (ISO 639-2)."""

STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""The Snowball algorithm of each language that has one."""
UNSPACED = frozenset({"ja", "km", "lo", "th", "zh"})
"""Written without blanks between words."""
_OTHERS = frozenset({"be", "bg", "he", "ka", "ko", "mk", "uk", "ur", "vi"})
KNOWN = frozenset(STEMMERS) | UNSPACED | _OTHERS
"""The codes that a record or an option may name."""
_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id"} | dict(
    pair.split(":")
    for pair in (
        "ara:ar deu:de ger:de ell:el eng:en spa:es fas:fa fin:fi fra:fr fre:fr hin:hi hun:hu "
        "ind:id ita:it jpn:ja khm:km kor:ko lao:lo nld:nl dut:nl nor:no pol:pl por:pt ron:ro "
        "rus:ru srp:sr swe:sv tha:th tur:tr ukr:uk urd:ur vie:vi zho:zh chi:zh cmn:zh"
    ).split()
)
"""Codes of the same or of the narrower languages, and of three letters (ISO 639-2, -3)."""

FUNCTION_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "ar": "في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى أين كيف كم هل لم "
        "لن لا قد كان كانت يكون هو هي هم أن إن أو ثم بعد قبل عند كل بين أي حيث كما منذ "
        "حتى و",
        "da": "og i at det en den til er som på de med han af for ikke der var mig sig men et "
        "har om vi hun nu over da fra du ud sin dem os op hvor hvad hvem hvornår blev "
        "efter eller",
        "de": "der die das den dem des ein eine einen einem einer eines und oder aber ist sind "
        "war waren wird wurde wurden werden sein hat haben hatte von vom zu zum zur mit "
        "in im am an auf aus bei beim nach nicht kein keine auch als wie was wer wen wem wo "
        "wann warum welche welcher welches welchem welchen viele für über unter durch um "
        "bis gegen ohne sich er sie es ihr ihre seine dass wenn weil noch nur schon "
        "zwischen während seit vor so",
        "en": "the of and to in a is are was were be been for on with as by at from that which "
        "who whom whose what where when why how this these those it its he she they his "
        "her their has have had not or but did does do an than into after before between "
        "during under over there can will would many much",
        "es": "el la los las un una unos unas de del y o pero es son fue fueron era eran ser "
        "está están ha han había en con por para a al como más no sin sobre entre desde "
        "hasta que qué quién quiénes cuál cuáles cómo cuándo dónde cuánto cuántos cuántas "
        "cuánta se su sus lo le les este esta estos estas ese esa también cuando donde "
        "durante antes después según",
        "fr": "le la les un une des de du et ou mais est sont était étaient été être en dans "
        "avec pour par sur sous au aux ce cette ces cet qui que quoi dont où quand "
        "comment pourquoi quel quelle quels quelles ne pas plus se son sa ses leur leurs "
        "il elle ils elles nous vous entre depuis après avant",
        "it": "il lo la i gli le un uno una di del della dei delle dello degli e o ma è sono "
        "era erano stato stata essere in nel nella con per da dal dalla su sul al alla "
        "che chi cosa quale quali come quando dove perché non più si suo sua suoi loro "
        "anche tra dopo prima",
        "nl": "de het een en of maar is zijn was waren wordt werd werden in op van voor met aan "
        "bij naar uit door over onder tot niet geen ook als dan dat die deze dit wie wat "
        "waar wanneer waarom hoe welke hij zij ze hun haar er te om tussen tijdens sinds",
        "pt": "o a os as um uma uns umas de do da dos das e ou mas é são foi foram era eram ser "
        "está em no na nos nas com por para ao à como mais não sem sobre entre desde até "
        "que quem qual quais quando onde quanto quantos se seu sua seus suas lhe este "
        "esta também depois antes pelo pela",
        "ru": "и в во не на я он она они оно с со как а то все так его но да к у же за бы по из "
        "от о об для до при что кто где когда почему какой какая какие каком какую "
        "сколько который которая которые это этот эта эти был была были было быть есть "
        "или если под над между после через также их ее её ему",
        "sv": "och i att det som en på är av för med den till inte har de ett om var han men "
        "sig från vi så kan hon när hade blev efter eller vad vem hur där vilken vilket "
        "vilka under",
        "tr": "ve bir bu da de için ile ne kim nerede zaman nasıl olarak olan daha çok en gibi "
        "kadar sonra önce ama veya değil ise her o mi mı hangi kaç tarafından",
        "uk": "і й в у не на я він вона вони з із як а то що хто де коли чому який яка які це "
        "був була були було є або та до для при від про за після також їх його її скільки",
    }.items()
}
"""The most frequent words of languages, which say what a text is in and not what it is about."""

_VOTED_BY_SCRIPT = {
    "latin": ("en", "de", "es", "fr", "it", "pt", "nl", "sv", "da", "tr"),
    "cyrillic": ("ru", "uk"),
}
_SCRIPT_OF = {
    **dict.fromkeys(("be", "bg", "mk", "ru", "sr", "uk"), "cyrillic"),
    **dict.fromkeys(("ar", "fa", "ur"), "arabic"),
    **{"el": "greek", "he": "hebrew", "ja": "ja", "ko": "hangul", "th": "thai", "zh": "zh"},
}
"""Of languages that are not written in Latin letters and may be asked for."""
_SPEAKERS: dict[str, tuple[str, ...]] = {}
for _language, _words in FUNCTION_WORDS.items():
    for _word in _words:
        if _word in "aeiou":
            continue  # "World War I" is not Italian
        _SPEAKERS[_word] = (*_SPEAKERS.get(_word, ()), _language)
_TELLING = {
    "de": re.compile(r"[ßẞ„]|(?<!\w)[a-z]*[äöü]\w*[a-z]"),
    "es": re.compile(r"[¿¡ñÑ]|(?<!\w)[a-z]{2,}ó(?!\w)"),
    "ru": re.compile("[ыэёЫЭЁ]"),
    "uk": re.compile("[іїєґІЇЄҐ]"),
}
"""Marks that no other language of the vote has, or seldom: one of them is as good as two words. An
umlaut in a name tells nothing, one in a word without a capital does."""
_SCRIPTS = (
    ("kana", "\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9f"),
    ("han", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"),
    ("hangul", "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"),
    ("thai", "\u0e01-\u0e4e"),
    ("lao", "\u0e81-\u0ecd"),
    ("khmer", "\u1780-\u17d3"),
    ("arabic", "\u0620-\u064a\u066e-\u06d3\ufb50-\ufdff\ufe70-\ufefc"),
    ("hebrew", "\u05d0-\u05ea"),
    ("greek", "\u0370-\u03ff\u1f00-\u1fff"),
    ("cyrillic", "\u0400-\u04ff"),
    ("latin", "A-Za-z\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a"),
)
_ENGLISH_ALONE = frozenset(word for word, spoken in _SPEAKERS.items() if spoken == (ENGLISH,))
_RUNS = re.compile("|".join(f"(?P<{name}>[{inside}]+)" for name, inside in _SCRIPTS))
_BY_SCRIPT = {
    "greek": "el",
    "hangul": "ko",
    "hebrew": "he",
    "khmer": "km",
    "lao": "lo",
    "thai": "th",
    "zh": "zh",
    "ja": "ja",
}
_OF_PERSIAN, _OF_URDU = re.compile("[پچژگ]"), re.compile("[ٹڈڑےں]")
_LOOKED_AT_CHARACTERS = 1000
_WORD = re.compile(r"[^\W\d_]+")
_LEAST_LETTERS = 2
"""Of a script that one language alone is written in."""
_LEAST_VOTES = 2
_ASCII_SHARE = 0.9
"""From which on other letters cannot be the most."""
_KANA_SHARE = 0.05
"""Of Han and kana, from which on a text is Japanese; Chinese has none."""


def language_code(written: str) -> str | None:
    """The code of a language as records write it: "de", "DE", "de-AT", "zh_Hans", "deu".

    Returns:
        An ISO 639-1 code of `KNOWN`; None if it is none of them.
    """
    code = re.split("[-_]", written.strip().casefold())[0]
    code = _SAME.get(code, code)
    return code if code in KNOWN else None


def checked_language(written: str) -> str:
    """The setting of a language: a code, or "auto".

    Raises:
        UnknownNameError: It is neither.
    """
    code = AUTO if written.strip().casefold() == AUTO else language_code(written)
    if code is None:
        raise UnknownNameError("language", written, (AUTO, *sorted(KNOWN)))
    return code


@lru_cache(maxsize=2**12)  # a sentence is read by several who know nothing of each other
def guess_language(text: str) -> str | None:
    """The language that a text shows, from its first 1,000 characters.

    Returns:
        An ISO 639-1 code; None where the text is too short to tell, or in none of the languages
        that can be told.
    """
    text = text[:_LOOKED_AT_CHARACTERS]
    script = _script(text)
    if script in _BY_SCRIPT:
        return _BY_SCRIPT[script]
    if script == "arabic":
        return "ur" if _OF_URDU.search(text) else "fa" if _OF_PERSIAN.search(text) else "ar"
    return _voted(text, _VOTED_BY_SCRIPT[script]) if script in _VOTED_BY_SCRIPT else None


def _script(text: str) -> str | None:
    """The script of most letters; of Han and kana the language. None without letters enough."""
    if text.isascii() or len(text.encode("ascii", "ignore")) > _ASCII_SHARE * len(text):
        return "latin" if any(map(str.isalpha, text)) else None
    letters: Counter[str] = Counter()
    for run in _RUNS.finditer(text):
        letters[str(run.lastgroup)] += run.end() - run.start()
    kana = letters.pop("kana", 0)
    # A character of Han or kana says as much as two or three letters do.
    letters["han"] = 3 * (letters["han"] + kana)
    script, n_letters = letters.most_common(1)[0]
    if n_letters < _LEAST_LETTERS:
        return None
    if script == "han":
        return "ja" if 3 * kana > _KANA_SHARE * n_letters else "zh"
    return script


def _voted(text: str, languages: Iterable[str]) -> str | None:
    """The language with most votes by far: two, 1.5 times any other's, over twice English's."""
    votes: dict[str, int] = dict.fromkeys(languages, 0)
    lowered = text.lower()
    words = lowered.split()
    # Most texts are English, which words that no other language has tell in a few microseconds.
    n_english = sum(map(_ENGLISH_ALONE.__contains__, words))
    if ENGLISH in votes and n_english >= max(_LEAST_VOTES, len(words) / 8):
        return ENGLISH
    words = _WORD.findall(unicodedata.normalize("NFC", lowered))
    if not text.isascii():
        for language, mark in _TELLING.items():
            if language in votes and mark.search(text):
                votes[language] = 2
    for word in words:
        for language in _SPEAKERS.get(word, ()):
            if language in votes:
                votes[language] += 1
    english = votes.get(ENGLISH, 0)
    next_most, most = sorted(votes.values())[-2:]
    language = max(votes, key=votes.__getitem__)
    # What is taken for English is what it was before there was anything to guess.
    least = max(_LEAST_VOTES, 1.5 * next_most, 2 * english + 1 if language != ENGLISH else 0)
    return language if most >= least else None


def spoken_language(text: str, otherwise: str = ENGLISH) -> str:
    """The language that a short text is read in.

    Args:
        text: Any text.
        otherwise: What a text in Latin letters is in that is too short to tell.

    Returns:
        ISO 639-1, or "und" where the letters are not those of `otherwise` and tell no language.
    """
    guessed = guess_language(text)
    if guessed is not None:
        return guessed
    script = _script(text[:_LOOKED_AT_CHARACTERS])
    return otherwise if script in (None, _SCRIPT_OF.get(otherwise, "latin")) else UNDETERMINED


def document_language(written: str | None, text: str, setting: str) -> str:
    """The language that a document is read in.

    Args:
        written: What its record says; what is no code of `KNOWN` says nothing.
        text: Its text, which is looked at only with the setting "auto".
        setting: That of the index: a code for documents that say nothing, or "auto".

    Returns:
        ISO 639-1, or "und" where nobody says it and the text is too short to tell.
    """
    code = language_code(written) if written else None
    if code is not None:
        return code
    return setting if setting != AUTO else guess_language(text) or UNDETERMINED


class SeenLanguages:
    """What the first documents of a corpus look like that do not say their language."""

    _LOOKED_AT = 200

    def __init__(self) -> None:
        self._guesses: Counter[str] = Counter()

    def see(self, written: str | None, text: str) -> None:
        """Look at one more document."""
        if self._guesses.total() < self._LOOKED_AT and not (written and language_code(written)):
            self._guesses[guess_language(text) or UNDETERMINED] += 1

    @property
    def most(self) -> str | None:
        """The language of more than half of them; None: there is none, or none of them was told."""
        [(language, n_documents)] = self._guesses.most_common(1) or [(UNDETERMINED, 0)]
        is_most = n_documents > self._guesses.total() / 2
        return language if is_most and language != UNDETERMINED else None
