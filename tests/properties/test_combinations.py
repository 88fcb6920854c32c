"""All fields together that change the number of Pods or make children: nothing is written but at an edge."""

from typing import Any

import pytest

from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.world import World
from tests.simulated.worlds import DEPLOYMENT, Since, both_modes, parent, ready, world

Json = dict[str, Any]

EVERYTHING: Json = {
    "cpu": "100m",
    "ports": [{"containerPort": 80}],
    "autoscaling": {"minReplicas": 2, "maxReplicas": 6, "targetCPUUtilizationPercentage": 80},
    "schedule": {
        "sleep": [
            {"days": ["Sat", "Sun"], "from": "00:00", "to": "13:00"},
            {"days": ["Sat"], "from": "13:00", "to": "14:00", "replicas": 1},
        ]
    },
    "rollback": {"mode": "LastReady"},
    "progressDeadlineSeconds": 60,
    "podDisruptionBudget": "Auto",
    "expose": {"host": "web.example.com"},
    "initContainers": [{"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}],
    "propagate": {"labels": ["team"], "annotations": ["example.com/owner"]},
}
"""A world begins at 12:00 on a Saturday."""

HOUR = 3600


def asked(image: str = "nginx:1.27", **more: Any) -> Json:
    made = parent(**{**EVERYTHING, **more, "image": image})
    made["metadata"] |= {"labels": {"team": "red"}, "annotations": {"example.com/owner": "a"}}
    return made


def scale(made: World, replicas: int) -> None:
    """Let the autoscaler choose the number of *replicas*."""
    made.api.patch(DEPLOYMENT, lambda live: {**live, "spec": {**live["spec"], "replicas": replicas}}, SCALER)


def rests(made: World, reason: str, replicas: int, hours: float) -> None:
    """Let so many *hours* pass; fail if something is written after ten minutes, or the end is another one."""
    made.run(600)
    done = Since(made)
    made.run(hours * HOUR - 600)
    assert (ready(made)[1], made.get(DEPLOYMENT)["spec"]["replicas"]) == (reason, replicas)
    assert done.requests == []


@pytest.mark.slow
@both_modes
def test_it_writes_at_the_edges_alone(mode: Mode) -> None:
    made = world(mode)
    made.apply(asked())
    rests(made, "Sleeping", 0, 0.9)
    rests(made, "Sleeping", 1, 1)
    rests(made, "Available", 2, 1)
    scale(made, 5)
    rests(made, "Available", 5, 9)
    rests(made, "Sleeping", 0, 13)
    rests(made, "Available", 2, 1)
    scale(made, 4)
    rests(made, "Available", 4, 1)

    made.apply(asked("nginx:bad"))
    rests(made, "RolledBack", 4, 1)
    made.apply(asked("nginx:bad", suspend=True))
    scale(made, 3)
    rests(made, "Suspended", 3, 1)
    made.apply(asked("nginx:bad"))
    rests(made, "RolledBack", 3, 1)

    made.apply(parent())
    rests(made, "Available", 1, 1)
    made.apply(asked())
    rests(made, "Available", 2, 1)
