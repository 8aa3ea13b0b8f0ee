"""What the suite relies on in the tools that run it."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("suite")
def test_tests_of_one_group_are_known_as_one_group(request: pytest.FixtureRequest) -> None:
    """Else two processes start a Ray cluster each, and install the checkout at the same time.

    pytest-xdist hands a group on in the identity of its tests; with a pytest that it does not
    know it once stopped doing so without a word.
    """
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("groups are for --dist loadgroup, as in make test")

    assert request.node.nodeid.endswith("@suite")
