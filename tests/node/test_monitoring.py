"""The commands of docs/monitor.md without the Prometheus operator, as they stand, up to an alert that is pending."""

import time
from collections.abc import Iterator

import pytest

from tests.node.images import MONITORING, push_monitoring
from tests.node.programs import find
from tests.node.shell import Shell
from tests.node.walk import FIRE, METRICS, PROMETHEUS, REMOVE, steps
from tests.own.own_cluster import OwnCluster

MISSING = [program for programs in MONITORING.values() for program in programs if find(program) is None]

pytestmark = [
    pytest.mark.tools,
    pytest.mark.skipif(
        bool(MISSING), reason=f"not found: {', '.join(MISSING)}; docs/testing.md says where to get them"
    ),
]

PATIENCE = 120
"""Seconds until a scrape shows in Prometheus: twice of what the page says."""
IS_UP = ("metacontroller", "myresource-operator", "kube-state-metrics")


@pytest.fixture(scope="module")
def reader(node: OwnCluster) -> Iterator[Shell]:
    """Return the shell of a reader, who installs and in the end removes Prometheus."""
    del node
    shell = Shell()
    push_monitoring(shell)
    try:
        run(shell, PROMETHEUS)
        yield shell
    finally:
        run(shell, REMOVE)


def run(shell: Shell, walk: tuple[str, tuple[str, ...]]) -> None:
    """Run the commands of *walk*."""
    for command in steps(*walk):
        shell.run(command)


def eventually(shell: Shell, command: str, *texts: str) -> str:
    """Repeat *command* until it prints all *texts*; return what it printed last."""
    end = time.monotonic() + PATIENCE
    printed = shell.run(command)
    while not all(text in printed for text in texts) and time.monotonic() < end:
        time.sleep(2)
        printed = shell.run(command)
    return printed


def test_prometheus_has_the_metrics_of_all_three_programs(reader: Shell) -> None:
    create, up, syncs, state, forward = steps(*METRICS)
    reader.run(create)
    jobs = [f'job="{name}"' for name in IS_UP]

    targets = eventually(reader, up, *jobs)
    assert [job for job in jobs if job not in targets] == []
    assert "=> 0" not in targets
    # Why not Available: other tests may have scaled web to 0
    assert 'reason="' in eventually(reader, syncs, 'reason="')
    assert 'state="Ready"' in eventually(reader, state, 'state="Ready"')
    assert "Forwarding from 127.0.0.1:9090" in reader.run(forward)


def test_an_alert_is_pending_after_the_hook_stops_and_ends_when_it_is_back(reader: Shell) -> None:
    stop, alerts, *start = steps(*FIRE)
    assert "MyResourceHookDown" not in reader.run(alerts)

    reader.run(stop)
    try:
        pending = eventually(reader, alerts, "MyResourceHookDown")
    finally:
        for command in start:
            reader.run(command)

    assert 'alertname="MyResourceHookDown", alertstate="pending"' in pending
    end = time.monotonic() + PATIENCE
    while "MyResourceHookDown" in reader.run(alerts) and time.monotonic() < end:
        time.sleep(2)
    assert "MyResourceHookDown" not in reader.run(alerts)
