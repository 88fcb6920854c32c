"""Availability: how many Pods a Deployment needs to count as available."""

import re

from metahook import Deployment


def min_available(deployment: Deployment | None) -> int:
    """Return how many of its Pods must be available. Source: Kubernetes, deployment_util.go, ``MaxUnavailable``."""
    spec = (deployment and deployment.spec) or {}
    replicas, strategy = spec.get("replicas"), spec.get("strategy")
    if not isinstance(replicas, int) or not isinstance(strategy, dict) or strategy.get("type") == "Recreate":
        return replicas if isinstance(replicas, int) else 1
    rolling = strategy.get("rollingUpdate")
    bounds = rolling if isinstance(rolling, dict) else {}
    unavailable = _share(bounds.get("maxUnavailable"), replicas)
    if unavailable == 0 and bounds.get("maxSurge") in (0, "0%"):
        unavailable = 1
    return max(0, replicas - unavailable)


def _share(value: object, replicas: int) -> int:
    """Return how many Pods *value* is, a number or a share such as 25%; shares are rounded down."""
    if isinstance(value, int):
        return value
    found = re.fullmatch("([0-9]{1,3})%", value) if isinstance(value, str) else None
    return replicas * int(found[1]) // 100 if found else 0
