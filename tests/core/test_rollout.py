"""How many Pods a Deployment needs to count as available."""

from typing import Any

import pytest

from app.core.rollout import min_available
from metahook import Deployment
from metahook.protocol.objects import Metadata

Json = dict[str, Any]


def rolling(unavailable: object, surge: object = "25%") -> Json:
    """Return a strategy."""
    return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": unavailable, "maxSurge": surge}}


@pytest.mark.parametrize(
    ("replicas", "strategy", "expected"),
    [
        (1, rolling("25%"), 1),
        (4, rolling("25%"), 3),
        (10, rolling("25%"), 8),
        (3, rolling(1), 2),
        (3, rolling("100%"), 0),
        (3, rolling(7), 0),
        (3, rolling(0, 0), 2),
        (3, rolling("0%", "0%"), 2),
        (3, rolling("a lot"), 3),
        (3, {"type": "RollingUpdate", "rollingUpdate": None}, 3),
        (3, {"type": "Recreate"}, 3),
        (3, None, 3),
        (None, None, 1),
    ],
)
def test_as_many_as_the_strategy_leaves(replicas: int | None, strategy: Json | None, expected: int) -> None:
    spec = {"replicas": replicas, "strategy": strategy}

    assert min_available(Deployment(metadata=Metadata(name="web"), spec=spec)) == expected


def test_without_a_deployment_it_is_one() -> None:
    assert min_available(None) == 1
