"""The lengths of tests marked slow: short in ``make test``, whole in ``make test-all``."""

from typing import TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")

IS_WHOLE = settings.get_current_profile_name() == "whole"
"""Whether slow tests run whole; ``toolkit.lengths`` loads the profile before any test is imported."""


only_whole = pytest.mark.skipif(not IS_WHOLE, reason="it runs by make test-all alone")
"""For a slow test that has no shorter form. Another one, which is shorter, must fail for most of its mistakes."""


def short_or_whole(short: T, whole: T) -> T:
    """Return *whole* with ``--all``, and *short* without."""
    return whole if IS_WHOLE else short
