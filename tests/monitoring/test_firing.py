"""An alert fires in Prometheus when the hook stops."""

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from metahook.envtest.process import PATIENCE
from tests.monitoring.prometheus import ALERTS, JOB, Prometheus, prometheus
from tests.service.operator import served
from toolkit.waiting import eventually

pytestmark = pytest.mark.tools

DOWN = "MyResourceHookDown"


def firing(here: Prometheus) -> set[str]:
    """Return the alerts that fire."""
    return {each["metric"]["alertname"] for each in here.query('ALERTS{alertstate="firing"}')}


def test_an_alert_fires_when_the_hook_stops(tmp_path: Path) -> None:
    rules = tmp_path / "at-once.yaml"
    rules.write_text(re.sub(r"^ +for: .*\n", "", ALERTS.read_text(), flags=re.MULTILINE))
    with ExitStack() as hook:
        target = hook.enter_context(served()).health_url.removeprefix("http://")
        with prometheus(tmp_path, {JOB: target}, rules) as here:
            assert eventually(lambda: bool(here.query("up == 1")) and DOWN not in firing(here), PATIENCE)

            hook.close()

            assert eventually(lambda: firing(here) == {DOWN}, PATIENCE)
