"""What all tests share: how hypothesis runs."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "project",
    deadline=None,  # speed is measured in benchmarks, not in tests
    derandomize=True,  # the same run for everybody
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("project")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that accepts what is made now."""
    parser.addoption("--update-golden", action="store_true", help="write the golden answers anew")
