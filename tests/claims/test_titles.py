from __future__ import annotations

import pytest

from averment.claims.titles import title_spans

ANNOUNCED = {
    "subject_that_is_a_work": (
        "Messieurs les enfants is a 1997 French comedy film.",
        "Messieurs les enfants",
    ),
    "possessive": (
        "Ann Carver's Profession is an American pre-Code 1933 film.",
        "Ann Carver's Profession",
    ),
    "before_brackets": (
        'Ode to My Father (" Gukje (International) Market") is a 2014 drama film.',
        "Ode to My Father",
    ),
    "with_colon": ("2012: Ice Age is a 2011 disaster film directed by Haneef.", "2012: Ice Age"),
    "before_another_name": (
        "Sitting Target, also known as Vetham, is a 1972 British film.",
        "Sitting Target",
    ),
    "behind_what_it_is": (
        "The director of the film Beware! The Blob is Haneef.",
        "Beware! The Blob",
    ),
    "with_a_verb": (
        "The director of the film It Was Always So Nice With You is Haneef.",
        "It Was Always So Nice With You",
    ),
    "before_a_disambiguator": (
        "The director of Pete Kelly's Blues (film) is Haneef.",
        "Pete Kelly's Blues",
    ),
    "title_case": ("In the Company of Men was released in 1997.", "In the Company of Men"),
    "made": ("The film Raketa mena was released in 2007.", "Raketa mena"),
}
PLAIN = {
    "person": "Haneef is a film director from Zurich.",
    "description": "Her second film is a 1997 comedy film.",
    "sequel": "The sequel to Vetham is a 1997 comedy film.",
    "described_name": "Her second film, Vetham, is a 1997 comedy film.",
    "opening": "Directed by Haneef, Vetham is a 1997 film.",
    "possessed": "Kumbasaram's sequel is a 1997 film.",
    "date": "In 1997 Vetham was released in Zurich.",
    "author": "Haneef's Vetham was released in 1997.",
    "two": "Both Kumbasaram and Vetham were released in 1997.",
    "role_with_relative_clause": "The director of Vetham who is from Zurich is Haneef.",
    "role_filled_between_commas": "The director of Kumbasaram, Haneef, is Indian.",
    "two_holders": "The owner of Vetham and Oasis is Haneef.",
    "nothing": "",
}


@pytest.mark.parametrize(("sentence", "title"), ANNOUNCED.values(), ids=ANNOUNCED.keys())
def test_a_title_is_what_the_sentence_announces(sentence: str, title: str) -> None:
    assert [sentence[span.start : span.end] for span in title_spans(sentence)] == [title]


@pytest.mark.parametrize("sentence", PLAIN.values(), ids=PLAIN.keys())
def test_what_is_not_announced_is_no_title(sentence: str) -> None:
    assert title_spans(sentence) == []
