"""What all tests share: how hypothesis runs."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "project",
    deadline=None,  # speed is measured in benchmarks, not in tests
    derandomize=True,  # the same run for everybody
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("project")
