"""What the operator of a run watches besides the defaults: MyBackups of another operator, and optionally Secrets."""

from app.core.controller import controller
from app.core.watch import Watch
from metahook import Kind
from metahook.simulator.objects import Json
from tests.e2e.definition import definition

BACKUPS = Kind("example.com/v1", "MyBackup", "mybackups")
GHOSTS = Kind("example.com/v1", "MyGhost", "myghosts")
"""A kind that the API server does not serve."""

OPTIONS = [f"--watch-dependency={kind.api_version}/{kind.plural}/{kind.kind}" for kind in (BACKUPS, GHOSTS)]
"""The options of the hook."""


def values(*, secrets: bool) -> Json:
    """Return the values of the chart. Its cluster check is off, because there is no cluster when it is rendered."""
    backups = {"apiVersion": BACKUPS.api_version, "resource": BACKUPS.plural, "kind": BACKUPS.kind}
    return {"watch": {"dependencies": [backups], "secrets": secrets}, "metacontroller": {"check": False}}


OURS = controller(Watch(dependencies=(BACKUPS,)))
"""The controller of the hook."""

CRD = definition(BACKUPS)


def backup(name: str, namespace: str) -> Json:
    """Return a MyBackup without a status."""
    return {
        "apiVersion": BACKUPS.api_version,
        "kind": BACKUPS.kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"schedule": "0 3 * * *"},
    }


def told(condition: str, status: str, **more: object) -> Json:
    """Return the status that the operator of the MyBackup writes."""
    return {"status": {"conditions": [{"type": condition, "status": status, **more}]}}
