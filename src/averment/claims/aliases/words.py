"""Closed lists of words that the rules of aliases read by.

They hold what is frequent, not everything there is: a title that is missing costs one form, a
given name that is missing lets one form through that says little.

What this module does not do: decide anything itself; it is data.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    "a about above after again all also am an and any are as at be been before being below "
    "between both but by can could did do does down each for from further had has have he her "
    "here hers him his how i if in into is it its may me might more most must my no nor not now "
    "of off on once one only or other our out over own per same she should so some such than that "
    "the their them then there these they this those through to too under until up us very was we "
    "were what when where which while who whom whose why will with would yes you your".split()
)
"""What occurs in every text: an acronym that is spelt like one of them ("WHO") counts as none."""

HONORIFICS = frozenset(
    "mr mrs ms miss dr prof professor sir dame lord lady saint st rev reverend fr father sister "
    "brother rabbi imam sheikh pope cardinal archbishop bishop king queen prince princess duke "
    "duchess count countess baron baroness emperor empress tsar president chancellor premier "
    "senator governor mayor judge justice general gen colonel col major maj captain capt "
    "lieutenant lt sergeant sgt admiral commander marshal ambassador".split()
)
"""Words before a name that are no part of it."""

PEERAGE = frozenset(
    "duke duchess earl count countess marquess marquis margrave viscount viscountess baron "
    "baroness baronet lord lady prince princess king queen emperor empress elector landgrave "
    "dauphin grand archduke archduchess bishop pope".split()
)
"""What makes the part behind a comma a title: "Henry Lascelles, 4th Earl of Harewood"."""

POST_NOMINALS = frozenset(
    "obe mbe cbe kbe dbe kcb kg gcb frs phd md mp qc kc msc ba ma dphil esq bart bt".split()
)

NO_PLACE = frozenset("jr sr junior senior inc ltd llc co corp plc ii iii iv".split())
"""What behind a comma belongs to the name before it."""

ABBREVIATIONS = (("St.", "Saint"), ("Ste.", "Sainte"), ("Mt.", "Mount"), ("Ft.", "Fort"))

GIVEN_NAMES = frozenset(
    "aaron adam agnes alan albert alex alexander alfred alice amy andrea andrew angela ann anna "
    "anne anthony antonio arthur barbara ben benjamin bernard betty bill bob brian bruce carl "
    "carlos carol caroline catherine charles charlotte chris christian christina christine "
    "christopher claire clara daniel david deborah denis dennis diana diane donald dorothy "
    "douglas edgar edith edmund edward edwin eleanor elena elizabeth ellen emily emma eric ernest "
    "ernst ethel eugene eva evelyn florence frances francis frank franz fred frederick friedrich "
    "gary george gerald gordon grace gregory guy hannah hans harold harry heinrich helen henri "
    "henry herbert howard hugh ian isabel ivan jack jacob jacques james jane janet jason jean "
    "jeff jennifer jessica jim joan joe johann john jonathan jose joseph joshua juan judith julia "
    "karen karl kate katherine kathleen keith kenneth kevin larry laura lawrence leo leonard "
    "leslie lewis lisa louis louise lucy luis luke marco margaret maria marie mario mark martha "
    "martin mary matthew max michael michel michelle miguel mike nancy neil nicholas nicolas nora "
    "oliver oscar otto pablo pamela patricia patrick paul pedro peter philip pierre rachel ralph "
    "raymond rebecca richard robert roger roland ronald rosa rose roy russell ruth ryan sally sam "
    "samuel sandra sara sarah scott sebastian sergei sharon simon sofia sophie stanley stella "
    "stephen steve steven stuart susan sylvia terry theodore theresa thomas tim timothy tom tony "
    "ursula vera victor victoria vincent virginia walter wayne wilhelm william".split()
)
"""Frequent given names, case folded: one of them alone is nobody's name."""
