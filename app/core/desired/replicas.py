"""The desired number of Pods."""

from app.api.spec import MyResourceSpec


def desired_replicas(spec: MyResourceSpec) -> int:
    """Return how many Pods there should be."""
    return spec.replicas
