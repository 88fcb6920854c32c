"""The features that add a related rule, each combined with those before it."""

from typing import NamedTuple

from metahook.simulator.objects import Json
from tests.e2e.used import CONFIG, DEPENDENCY, PORTS, SECRET


class Feature(NamedTuple):
    """A feature and those before it: *options* of the hook, *spec* of each MyResource, number of related *rules*."""

    name: str
    options: tuple[str, ...]
    spec: Json
    rules: int


BOTH: Json = {"env": [*CONFIG["env"], *SECRET["env"]]}

FEATURES = (
    Feature("no rules", ("--no-watch-pods",), {}, 0),
    Feature("a Service", ("--no-watch-pods",), PORTS, 1),
    Feature("and Pods", (), PORTS, 2),
    Feature("and a ConfigMap", (), {**PORTS, **CONFIG}, 3),
    Feature("and a Secret", ("--watch-secrets",), {**PORTS, **BOTH}, 4),
    Feature("and a dependency", ("--watch-secrets",), {**PORTS, **BOTH, **DEPENDENCY}, 5),
)
