"""A mark for tests that run in one mode, as their result does not depend on the apply strategy."""

import pytest

from metahook.simulator.metacontroller.settings import MODES

ANY_MODE = pytest.mark.parametrize("mode", MODES[1:], indirect=True)
"""It is the second, because the process of the first also runs the tests that have no mode."""
