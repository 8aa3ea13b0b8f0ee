"""Whether a question goes by somebody whom it does not name.

"When did the father of Margaret Verney die?" asks for her father first. An answer that names only
Margaret Verney and a date has skipped a step, and that both stand near each other in the corpus
says nothing of her father. Told by the words of the question: a role ("the director of", "X's
father") of which something else is asked than who it is.

On training questions: 176 of 179 of 2WikiMultihopQA that go by somebody are told, and 2 of 2,588
of PopQA and Natural Questions, which do not.

What this module does not do: comparisons of two such people, other languages than English, and
roles that are verbs ("the company that published …").
"""

from __future__ import annotations

import re

_ROLE = (
    r"(?:(?:grand)?(?:father|mother|parent|son|daughter|child)|husband|wife|spouse|brother|sister"
    r"|sibling|uncle|aunt|cousin|nephew|niece|director|composer|performer|author|writer|singer"
    r"|founder|producer|editor|creator|screenwriter|star)s?(?:-in-law)?"
)
_STEP = re.compile(rf"\b{_ROLE} of\b|['’]s? (?:\w+ )?{_ROLE}\b", re.IGNORECASE)
_OF_TWO = re.compile(r"-in-law\b|\bgrand(?:father|mother|parent|son|daughter|child)", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\W*(?:who|whom|whose|(?:what|which) (?:is|was) the name)\b", re.IGNORECASE)


def goes_by_somebody(question: str) -> bool:
    """Whether the answer is to be had by way of a person whom the question does not name.

    Example:
        >>> goes_by_somebody("When did the father of Margaret Verney die?")
        True
        >>> goes_by_somebody("Who is the father of Margaret Verney?")
        False
    """
    n_steps = len(_STEP.findall(question))
    if n_steps == 1:
        return not _ASKS_WHO.match(question) or bool(_OF_TWO.search(question))
    return n_steps > 1
