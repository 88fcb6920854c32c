"""The commands of docs/clusters/monitor.md without the Prometheus operator, up to an alert that is pending."""

import time
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.namespace import Place
from tests.own.own_cluster import OwnCluster
from tests.own.shell import Shell, steps

pytestmark = [pytest.mark.own, pytest.mark.usefixtures("disruptive")]

PAGE = "docs/clusters/monitor.md"
IS_UP = ("metacontroller", "myresource-operator", "kube-state-metrics")


@pytest.fixture(scope="module")
def reader(own: OwnCluster, here: Place) -> Iterator[Shell]:
    """Return the shell of a reader, who installs and in the end removes Prometheus."""
    del here  # the MyResource of the page is created in its namespace
    try:
        for command in steps(PAGE, "Without the Prometheus operator"):
            own.shell.run(command)
        yield own.shell
    finally:
        for command in steps(PAGE, "Remove it again"):
            own.shell.run(command)


def eventually(shell: Shell, command: str, holds: Callable[[str], bool], patience: float) -> str:
    """Repeat *command* until what it prints *holds*; return what it printed last."""
    end = time.monotonic() + patience
    printed = shell.run(command)
    while not holds(printed) and time.monotonic() < end:
        time.sleep(2)
        printed = shell.run(command)
    return printed


def test_prometheus_has_the_metrics_of_all_three_programs(reader: Shell, patience: float) -> None:
    create, up, syncs, state, forward = steps(PAGE, "See the metrics")
    reader.run(create)
    jobs = [f'job="{name}"' for name in IS_UP]

    targets = eventually(reader, up, lambda printed: all(job in printed for job in jobs), patience)

    assert [job for job in jobs if job not in targets] == []
    assert "=> 0" not in targets
    for query, text in ((syncs, 'reason="'), (state, 'state="Ready"')):
        assert text in eventually(reader, query, lambda printed, text=text: text in printed, patience)  # type: ignore[misc]  # a lambda's default has no type
    assert "Forwarding from 127.0.0.1:9090" in reader.run(forward)


def test_an_alert_is_pending_after_the_hook_stops_and_ends_when_it_is_back(reader: Shell, patience: float) -> None:
    stop, alerts, *start = steps(PAGE, "See an alert fire")
    assert "MyResourceHookDown" not in reader.run(alerts)

    reader.run(stop)
    try:
        pending = eventually(reader, alerts, lambda printed: "MyResourceHookDown" in printed, patience)
    finally:
        for command in start:
            reader.run(command)

    assert 'alertname="MyResourceHookDown", alertstate="pending"' in pending
    assert "MyResourceHookDown" not in eventually(
        reader, alerts, lambda printed: "MyResourceHookDown" not in printed, patience
    )
