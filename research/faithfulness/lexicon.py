"""Words that may or may not stand for one another: WordNet relations and a hand-made list.

WordNet is read from a folder of its database files (``data.noun``, ``index.noun`` and so on).
Only words that rarely mean anything but their first sense are used; that keeps most substitutions
right, not all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

_RARE = 2  # a word with more senses than this is left alone

_OPPOSITES = """
increase/decrease increased/decreased increases/decreases increasing/decreasing rise/fall rose/fell
rising/falling higher/lower high/low highest/lowest more/less most/least better/worse best/worst
larger/smaller largest/smallest large/small bigger/smaller biggest/smallest greater/fewer big/small
longer/shorter long/short longest/shortest older/younger oldest/youngest old/young early/late
earlier/later earliest/latest before/after first/last former/latter above/below over/under
north/south northern/southern east/west eastern/western northeast/southwest northwest/southeast
northeastern/southwestern northwestern/southeastern inside/outside upper/lower male/female
man/woman men/women boy/girl father/mother son/daughter brother/sister uncle/aunt husband/wife
king/queen prince/princess actor/actress positive/negative success/failure successful/unsuccessful
won/lost win/lose victory/defeat accepted/rejected accept/reject approved/rejected allowed/banned
allow/forbid open/closed opened/closed began/ended begin/end started/finished start/finish
married/divorced joined/left arrived/departed bought/sold buy/sell gained/lost hired/fired
supported/opposed support/oppose supports/opposes agreed/disagreed agree/disagree agrees/disagrees
public/private major/minor primary/secondary modern/ancient rich/poor strong/weak hot/cold warm/cool
easy/difficult easier/harder simple/complex fast/slow faster/slower cheap/expensive
cheaper/costlier safe/dangerous common/rare often/rarely usually/seldom always/never all/none
many/few with/without include/exclude includes/excludes including/excluding included/excluded
improve/worsen improves/worsens improved/worsened improving/worsening reduce/raise reduces/raises
reduced/raised reducing/raising able/unable likely/unlikely possible/impossible known/unknown
popular/unpopular happy/unhappy satisfied/dissatisfied interested/uninterested alive/dead
professional/amateur civilian/military domestic/foreign urban/rural indoor/outdoor winter/summer
spring/autumn morning/evening day/night left/right front/back top/bottom maximum/minimum
advantage/disadvantage benefit/drawback benefits/drawbacks efficient/inefficient
effective/ineffective supervised/unsupervised accurate/inaccurate significant/insignificant
similar/different same/different full/empty true/false legal/illegal national/local
permanent/temporary active/inactive direct/indirect visible/invisible vertical/horizontal
fiction/nonfiction liberal/conservative democratic/republican freshwater/saltwater
optimistic/pessimistic confident/doubtful friendly/hostile praised/criticized
"""

_RIVALS = """
directed produced wrote edited composed choreographed
directed_by produced_by written_by edited_by composed_by
novelist poet journalist painter sculptor composer singer actor director lawyer physician
singer guitarist drummer bassist pianist
guitarist drummer keyboardist
footballer cricketer boxer swimmer wrestler golfer
football basketball baseball hockey rugby tennis cricket volleyball
album single film novel musical
film novel album play series
comedy drama thriller horror western romance
song poem book film
goalkeeper defender midfielder forward striker
january february march april may_ june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
american british french german italian spanish canadian australian japanese chinese indian russian
english irish scottish welsh dutch swedish norwegian danish polish
asia europe africa
city village town county province
river lake mountain island
mayor governor senator president minister
first second third fourth fifth
two three four five six seven eight nine ten
hundred thousand million billion
professor student teacher
bishop priest monk
army navy
founded bought sold
born buried
author publisher illustrator editor
red blue green yellow white black
gold silver bronze
daily weekly monthly yearly
hours days weeks months years
"""

_SAME = """
big/large movie/film film/movie started/began began/started bought/purchased purchased/bought
passed_away/died located/situated situated/located roughly/approximately approximately/about
around/about however/but also/too author/writer physician/doctor doctor/physician
attorney/lawyer lawyer/attorney automobile/car car/automobile wife/spouse husband/spouse
kids/children child/kid hometown/home_town received/got obtained/got created/made
established/founded founded/established built/constructed constructed/built
assisted/helped helped/aided begins/starts starts/begins ended/finished finished/ended
famous/well-known well-known/famous important/significant numerous/many several/some
often/frequently frequently/often whole/entire entire/whole near/close_to
television/tv tv/television united_states/US percent/% kilometres/km kilometers/km
won/was_the_winner_of show/demonstrate shows/demonstrates demonstrates/shows use/utilize
uses/employs employ/use approach/method method/approach propose/present proposes/presents
obtain/get provide/offer provides/offers offers/provides require/need requires/needs needs/requires
cost/price help/assist assist/help discuss/talk_about discussed/talked_about speak/talk
choose/pick chose/picked select/choose selected/chosen concern/worry concerns/worries
primarily/mainly mainly/primarily largely/mostly mostly/largely initially/at_first
subsequently/later later/afterwards currently/now annually/every_year yearly/annual
renowned/famous acclaimed/praised portrays/plays portrayed/played depicts/shows
appeared/starred youngsters/children attempted/tried tried/attempted quickly/rapidly rapidly/quickly
consists_of/comprises comprises/consists_of resides/lives resided/lived lived/resided
because/since although/though though/although while/whereas whole/complete sole/only
"""


@dataclass(slots=True)
class Lexicon:
    """What may be put for a word (lower case), by what that does to the sentence.

    Args:
        same: The sentence stays true.
        broader: It stays true, but not the other way round ("novelist" to "writer").
        rivals: It is no longer supported ("novelist" to "poet").
        opposites: It is contradicted ("rose" to "fell").
    """

    same: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    broader: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    rivals: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    opposites: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def load_lexicon(wordnet: Path, common: frozenset[str]) -> Lexicon:
    """The hand-made lists joined with WordNet.

    Args:
        wordnet: The folder of WordNet's database files.
        common: The words that may be put in (a model's whole-word vocabulary keeps out rarities).
    """
    lexicon = Lexicon()
    _add_hand_made(lexicon)
    parts = ("noun", "verb", "adj", "adv")
    indexes = [_read_index(wordnet / f"index.{part}") for part in parts]
    uses = Counter(word for index in indexes for word in index)
    for part, index in zip(parts, indexes, strict=True):
        clear = {
            word: first
            for word, (senses, first) in index.items()
            if senses <= _RARE and uses[word] == 1 and word in common and len(word) >= 4
        }
        plain = frozenset(word for word in common if uses[word] == 1)
        _add_wordnet(lexicon, _read_synsets(wordnet / f"data.{part}"), clear, part, plain)
    return lexicon


def _add_hand_made(lexicon: Lexicon) -> None:
    for entry in _OPPOSITES.split():
        left, right = entry.split("/")
        lexicon.opposites[left].append(right)
        lexicon.opposites[right].append(left)
    for line in _RIVALS.strip().splitlines():
        words = [word.replace("_", " ").strip() for word in line.split()]
        for word in words:
            lexicon.rivals[word] += [other for other in words if other != word]
    for entry in _SAME.split():
        left, right = entry.replace("_", " ").split("/")
        lexicon.same[left].append(right)


@dataclass(slots=True)
class _Synset:
    words: list[str]
    hypernyms: list[str]
    hyponyms: list[str]
    antonyms: list[tuple[int, str, int]]


def _add_wordnet(
    lexicon: Lexicon,
    synsets: dict[str, _Synset],
    words: dict[str, str],
    part: str,
    common: frozenset[str],
) -> None:
    for word, first in words.items():
        synset = synsets[first]
        lexicon.same[word] += [other for other in synset.words if other != word and other in common]
        for parent in synset.hypernyms if part == "noun" else ():
            above = synsets[parent]
            lexicon.broader[word] += [other for other in above.words[:1] if other in common]
            _add_sisters(lexicon, word, synset, above, synsets, common)
        for source, target, position in synset.antonyms if part != "noun" else ():
            opposite = synsets[target].words[position - 1]
            if synset.words[source - 1] == word and opposite in common:
                lexicon.opposites[word].append(opposite)


def _add_sisters(
    lexicon: Lexicon,
    word: str,
    synset: _Synset,
    above: _Synset,
    synsets: dict[str, _Synset],
    common: frozenset[str],
) -> None:
    own = set(synset.words) | {
        below for key in synset.hyponyms if key in synsets for below in synsets[key].words
    }
    sisters = [synsets[key].words[0] for key in above.hyponyms if key in synsets]
    usable = [other for other in sisters if other in common and other not in own]
    if len(usable) <= 25:  # under a very general parent nothing rivals anything
        lexicon.rivals[word] += usable


def _read_index(path: Path) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split()
        senses = int(fields[2])
        found[fields[0].replace("_", " ")] = (senses, fields[-senses])
    return found


def _read_synsets(path: Path) -> dict[str, _Synset]:
    synsets: dict[str, _Synset] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split(" | ")[0].split()
        count = int(fields[3], 16)
        words = [fields[4 + 2 * i].replace("_", " ").split("(")[0].lower() for i in range(count)]
        synset = _Synset(words, [], [], [])
        at = 4 + 2 * count
        for i in range(int(fields[at])):
            symbol, target, _, ends = fields[at + 1 + 4 * i : at + 5 + 4 * i]
            if symbol == "@":
                synset.hypernyms.append(target)
            elif symbol == "~":
                synset.hyponyms.append(target)
            elif symbol == "!":
                synset.antonyms.append((int(ends[:2], 16), target, int(ends[2:], 16)))
        synsets[fields[0]] = synset
    return synsets
