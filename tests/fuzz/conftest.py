"""How thorough fuzzing is: bounded in ``make test``, long in ``make test-all``."""

import pytest


@pytest.fixture(scope="session")
def is_thorough(request: pytest.FixtureRequest) -> bool:
    """Whether ``--thorough`` is given."""
    return bool(request.config.getoption("--thorough"))
