"""Findings: the operator's hook has none."""

from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.settings import Mode
from tests.requests.builders import MYRESOURCE
from tests.simulated.worlds import both_modes, world
from toolkit.changes import run_changes


@both_modes
def test_our_hook_has_no_findings(mode: Mode) -> None:
    assert findings(run_changes(world(mode, MYRESOURCE)).history) == []
