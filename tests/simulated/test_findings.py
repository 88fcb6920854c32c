"""Findings: the operator's hook has none."""

from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from tests.requests.builders import MYRESOURCE
from tests.requests.watched_objects import config_map
from tests.simulated.worlds import DEPLOYMENT, WEB, both_modes, parent, world
from toolkit.changes import run_changes


@both_modes
def test_our_hook_has_no_findings(mode: Mode) -> None:
    assert findings(run_changes(world(mode, MYRESOURCE)).history) == []


@both_modes
def test_a_child_that_a_user_deletes_may_be_recreated_with_fewer_fields(mode: Mode) -> None:
    """Its config hash can't be kept when both the child and its ConfigMap are deleted."""
    cluster = world(mode, MYRESOURCE, config_map("settings", a="1"))
    cluster.apply(parent(envFrom=[{"configMapRef": {"name": "settings"}}]))
    cluster.until_quiet(within=300)
    cluster.delete(Key("ConfigMap", "default", "settings"))
    cluster.until_quiet(within=300)
    cluster.delete(DEPLOYMENT)
    cluster.until_quiet(within=300)
    cluster.edit(WEB, lambda item: item["metadata"].update(labels={"touched": "1"}))
    cluster.until_quiet(within=300)

    assert cluster.get(DEPLOYMENT)["spec"]["template"]["metadata"].get("annotations", {}) == {}
    assert findings(cluster.history) == []
