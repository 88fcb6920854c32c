"""The lengths of tests marked slow: short in ``make test``, whole in ``make test-all``."""

from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

IS_WHOLE = settings.get_current_profile_name() == "whole"
"""Whether slow tests run whole; ``tests/conftest.py`` loads the profile before it imports any test."""


def short_or_whole(short: T, whole: T) -> T:
    """Return *whole* with ``--all``, and *short* without."""
    return whole if IS_WHOLE else short
