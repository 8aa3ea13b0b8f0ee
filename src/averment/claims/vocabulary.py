"""Closed lists of English words that the rules of this room read by.

Verbs tell where a subject ends; prepositions and openers what is not a name; generic words what
says nothing when it stands as a tail ("Italian" occurs near everything). The lists hold what is
frequent, not everything there is: a word that is missing costs one triplet.

What this module does not do: recognise anything itself; it is data.
"""

from __future__ import annotations

import re

BE_FORMS = frozenset("is are was were be been being".split())

_AUXILIARIES = BE_FORMS | frozenset(
    "has have had does did do will would can could may might must shall should".split()
)
_IRREGULAR_PASTS = frozenset(
    "became began bore born bought broke brought built came caught chose drew drove fell felt fled "
    "flew fought found gave got grew held hung hit hosted kept knew laid lay led left lent lost "
    "made meant met paid ran read rode rose sang sank sat saw sent set shone shot sold sought "
    "spent spoke spread stood struck swam swept swore taught told took thought threw understood "
    "went woke won wore wound wrote written sung drawn taken given known grown shown sent "
    "sold".split()
)
_PRESENTS = frozenset(
    "appears becomes begins belongs borders borrows comes comprises concerns consists contains "
    "covers depicts derives describes directs ends features flows follows forms gives goes "
    "happens hosts houses includes involves joins leads lies lives marks means moves narrates "
    "occurs opens originates owns plays portrays produces publishes remains represents resides "
    "runs serves sits stands starred stars starring tells takes teaches wins works writes "
    "acquires airs bears builds commands competes composes connects creates crosses defeats "
    "develops discovers edits employs extends finds founds governs invents manages marries offers "
    "operates performs provides receives reflects returns sings "
    "include contain star live lie".split()
)
_VERBS = _AUXILIARIES | _IRREGULAR_PASTS | _PRESENTS
_REGULAR_PAST = re.compile(r"[a-z]{2,}ed")
_NO_PAST = frozenset("hundred indeed need speed seed breed bed red biped naked sacred".split())

PREPOSITIONS = frozenset(
    "about above across after against along among around as at before behind below beneath beside "
    "between beyond by during for from in inside into like near of off on onto out outside over "
    "per since through throughout to toward towards under until up upon via with within "
    "without".split()
)

DETERMINERS = frozenset(
    "a an this that these those his her its their our my your it he she they there here one two "
    "another each every all some any both either neither no".split()
)
"""What stands before a noun that is no name, and pronouns."""

OPENERS = frozenset(
    "additionally afterwards again already another based besides born certainly considered "
    "currently directed earlier eventually finally following founded furthermore given "
    "historically including initially instead known later let like located many meanwhile moreover "
    "most much nevertheless next nonetheless now nowadays often once originally people produced "
    "published recently released several similarly sometimes soon specifically starring still "
    "subsequently today together ultimately unlike usually various written yesterday".split()
)
"""Words that open a sentence with a capital that is not that of a name."""

_NATIONALITIES = frozenset(
    "afghan african albanian algerian american andorran anglo angolan arab arabian arabic "
    "argentine argentinian argentinean armenian asian assamese assyrian australian austrian azeri "
    "azerbaijani babylonian bahamian bahraini bangladeshi barbadian basque bavarian belarusian "
    "belgian bengali bermudian bolivian bosnian brazilian breton british bulgarian burmese "
    "burundian byzantine cambodian cameroonian canadian cantonese catalan chadian chechen chilean "
    "chinese christian colombian congolese cornish corsican croatian cuban cypriot czech "
    "czechoslovak czechoslovakian dane danish dominican dutch ecuadorian egyptian emirati english "
    "eritrean estonian ethiopian european fijian filipino finnish flemish french frisian gabonese "
    "gambian georgian german ghanaian greek guatemalan guinean gujarati guyanese haitian hebrew "
    "hindi honduran hungarian icelandic indian indonesian iranian iraqi irish islamic israeli "
    "italian ivorian jamaican japanese javanese jewish jordanian kannada kazakh kenyan korean "
    "kosovan kurdish kuwaiti kyrgyz lao latin latvian lebanese liberian libyan lithuanian "
    "luxembourgish macedonian malagasy malawian malay malayalam malaysian malian maltese manx "
    "marathi mauritian mexican moldovan monegasque mongolian montenegrin moroccan mozambican "
    "muslim namibian nepalese nepali nicaraguan nigerian norman norse norwegian odia omani "
    "ottoman pakistani palestinian panamanian paraguayan persian peruvian polish portuguese "
    "prussian punjabi qatari romanian roman russian rwandan salvadoran samoan sardinian saudi "
    "scottish senegalese serbian sicilian singaporean sinhalese slovak slovakian slovene "
    "slovenian somali soviet spanish sudanese surinamese swedish swiss syrian taiwanese tajik "
    "tamil tanzanian telugu thai tibetan togolese trinidadian tunisian turkish turkmen tuscan "
    "ugandan ukrainian uruguayan urdu uzbek venetian venezuelan vietnamese welsh yemeni yiddish "
    "yugoslav yugoslavian zambian zimbabwean".split()
)
PROFESSIONS = frozenset(
    "academic activist actor actress administrator animator architect artist astronaut astronomer "
    "athlete author banker baseballer biologist boxer broadcaster businessman businesswoman "
    "cartoonist chef chemist choreographer cinematographer cleric coach comedian composer "
    "conductor cricketer critic cyclist dancer designer diplomat director dramatist economist "
    "editor educator engineer entrepreneur explorer farmer filmmaker footballer general geologist "
    "golfer guitarist historian illustrator inventor jockey journalist judge jurist lawyer "
    "librettist linguist lyricist manager mathematician merchant minister missionary model "
    "monarch musician naturalist novelist nurse officer painter philanthropist philosopher "
    "photographer physician physicist pianist pilot playwright poet politician president priest "
    "producer professor psychologist publisher rapper researcher saxophonist scholar scientist "
    "screenwriter sculptor singer skier sociologist soldier songwriter sprinter statesman "
    "surgeon swimmer teacher theologian translator violinist wrestler writer".split()
)
_CALENDAR = frozenset(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
_MODIFIERS = frozenset(
    "a an and the film television tv stage born language speaking north south east west northern "
    "southern eastern western former professional retired".split()
)
_SPEAKING = _NATIONALITIES | PROFESSIONS | _CALENDAR
_SAYING_NOTHING = _SPEAKING | _MODIFIERS


VERB_FORM = rf"(?:{'|'.join(sorted(_VERBS))}|(?!(?:{'|'.join(sorted(_NO_PAST))})\b)[a-z]{{2,}}ed)\b"
"""What `is_verb` takes for a verb form, as a pattern."""


def is_verb(word: str) -> bool:
    """Whether a lower-case word is a verb form, as far as the lists and ``-ed`` tell."""
    return word in _VERBS or (word not in _NO_PAST and bool(_REGULAR_PAST.fullmatch(word)))


def says_nothing(words: list[str]) -> bool:
    """Whether these forms are nationalities, bare professions or months and nothing more."""
    return not _SPEAKING.isdisjoint(words) and _SAYING_NOTHING.issuperset(words)
