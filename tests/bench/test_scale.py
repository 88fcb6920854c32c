"""What ``make scale`` measures with, as far as it needs no control plane, and the model behind the table of sizes."""

from collections import Counter
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench.scale.activity import Activity, Event
from bench.scale.comparison import Compared
from bench.scale.measurement import Measurement
from bench.scale.report import (
    EVENTS,
    OPERATORS,
    RULES,
    Costs,
    Run,
    compared,
    costs_of,
    event,
    percentile,
    run_of,
    sizes,
)
from bench.scale.requests import Requests
from bench.scale.usage import Cpu, api_requests

METRICS = """
# HELP workqueue_depth Length
# TYPE workqueue_depth gauge
workqueue_depth{controller="",name="ours"} 7
workqueue_depth{controller="",name="other"} 3
# TYPE workqueue_depth_total counter
workqueue_depth_total 1e+06
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",resource="myresources",subresource="status",verb="PUT"} 4
apiserver_request_total{code="409",resource="myresources",subresource="status",verb="PUT"} 1
apiserver_request_total{code="200",resource="deployments",subresource="",verb="APPLY"} 2
apiserver_request_total{code="200",resource="deployments",subresource="",verb="WATCH"} 9
apiserver_request_total{code="200",resource="pods",subresource="",verb="POST"} 8
"""


def measured(**figures: Any) -> Measurement:
    """Return a measurement with these *figures*; most of the others are 0."""
    none: dict[str, Any] = dict.fromkeys((field.name for field in fields(Measurement)), 0)
    usual = {"event": "a change", "affected": 1, "seconds": 15.0, "quiet_after": 16.0, "cpu": {}, "memory": {}}
    return Measurement(**{**none, **usual, **figures})


def test_a_process_that_was_restarted_counts_from_zero() -> None:
    before = Cpu({("hook", 1): 5.0, ("etcd", 2): 1.0})
    after = Cpu({("hook", 3): 0.5, ("etcd", 2): 1.25})

    assert after.since(before) == {"hook": 0.5, "etcd": 0.25}


def test_requests_count_by_verb_and_resource_without_watches_and_other_kinds() -> None:
    assert api_requests(METRICS) == 7


def test_a_change_of_a_deployment_counts_unless_it_is_one_of_its_status() -> None:
    activity = Activity()
    metadata = {"namespace": "n", "name": "web", "generation": 1}
    revised = {**metadata, "annotations": {"deployment.kubernetes.io/revision": "1"}}
    for each in (metadata, metadata, revised, {**metadata, "generation": 2}):
        activity.receive_deployment(Event("MODIFIED", {"metadata": each}))

    assert activity.changes == {"Deployment": 2}


def test_a_row_counts_for_each_myresource_that_the_event_concerns() -> None:
    cpu_seconds = {"metacontroller-0": 3.0, "metacontroller-1": 2.0, "hook": 1.0, "kube-apiserver": 9.0}

    cells = event(measured(affected=50, cpu=cpu_seconds, syncs=100, status_writes=75)).strip("| ").split(" | ")

    assert cells == ["a change", "15.0 s", "16 s", "5.0", "1.0", "9.0", "2.0", "0", "1.5", "0", "0", "0"]
    assert len(cells) == len(EVENTS)


# The same job by others


def test_requests_count_by_verb_once_their_line_is_complete(tmp_path: Path) -> None:
    requests, log = Requests(tmp_path, ["someone"]), tmp_path / "audit.log"

    log.write_text('{"verb":"get","level":"Metadata"}\n{"verb":"patch"}\n{"verb":"pa')
    assert requests.verbs() == {"get": 1, "patch": 1}

    with log.open("a") as file:
        file.write('tch"}\n')
    assert requests.verbs() == {"get": 1, "patch": 2}


def test_the_row_of_an_operator_has_the_sum_and_the_parts_of_its_processes() -> None:
    cpu_seconds = {"metacontroller-0": 3.0, "hook": 1.0, "kube-apiserver": 11.0, "etcd": 2.0}
    memory = {"metacontroller-0": 60, "hook": 50, "etcd": 100}
    used = measured(affected=50, cpu=cpu_seconds, memory=memory, status_writes=75)
    verbs = Counter(get=40, list=10, update=75, watch=3)

    cells = compared(Compared("ours", ("metacontroller-0", "hook"), used, verbs)).strip("| ").split(" | ")

    assert cells[2:7] == ["15.0 s", "16 s", "4.00 (3.00 + 1.00)", "11.00", "110 MiB"]
    assert cells[7:] == ["1.0", "0", "1.5", "0", "1.5"]
    assert len(cells) == len(OPERATORS)


def test_the_row_of_those_that_follow_one_another_has_their_times() -> None:
    used = measured(cpu={"peer": 1.0, "kube-apiserver": 1.0}, memory={"peer": 50})
    times = {"until it is as before": [0.02, 0.03, 0.9]}

    row = compared(Compared("peer", ("peer",), used, Counter(), times))

    assert "| 30 ms until it is as before (p99 900 ms) |" in row
    assert "| 1.00 | 1.00 |" in row


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(number) for number in range(30, 0, -1)]

    assert [percentile(values, percent) for percent in (50, 99, 100)] == [15, 30, 30]


# Sizes

COSTS = Costs(
    event=1e-4,
    check=1e-6,
    create=5e-3,
    create_any=1e-3,
    restart=2e-3,
    restart_any=5e-4,
    hook=3e-3,
    seconds=0.05,
    related=6,
    memory=40,
    memory_each=0.05,
)


def run(size: int, shards: int) -> Run:
    """Return a run that costs exactly COSTS."""
    walk, own = partial(COSTS.walk, rules=RULES, has_old=True), size / shards
    return Run(
        size=size,
        shards=shards,
        events=1000,
        few=1000 * COSTS.event,
        create=own * COSTS.create + size * COSTS.create_any + size * COSTS.related * walk(size / 2),
        many=1000 * walk(size),
        restart=own * COSTS.restart + size * COSTS.restart_any + size * 2 * walk(size, has_old=False),
        seconds=size * COSTS.seconds,
        hook=size * COSTS.hook,
        related=round(size * COSTS.related),
        empty=COSTS.memory,
        memory=COSTS.memory + size * COSTS.memory_each,
    )


def test_a_run_has_the_mean_of_its_metacontrollers() -> None:
    two = {"metacontroller-0": 3.0, "metacontroller-1": 5.0, "hook": 7.0}
    few, created, many, restarted = (
        measured(cpu=two, memory={"metacontroller-0": mib}, related=mib) for mib in (40, 50, 60, 70)
    )

    found = run_of(100, 2, 1000, [few, created, many, restarted])

    assert (found.few, found.create, found.many, found.restart) == (4, 4, 4, 4)
    assert (found.hook, found.seconds, found.related, found.empty, found.memory) == (7, 15, 50, 40, 70)


def test_the_model_finds_the_costs_of_a_measurement_that_it_describes() -> None:
    found = costs_of([run(400, 1), run(400, 2), run(400, 4)])

    assert vars(found) == pytest.approx(vars(COSTS))


def test_the_table_has_a_row_for_each_installation() -> None:
    rows = list(sizes(COSTS))[2:]

    assert [row.split(" | ")[0] for row in rows] == ["| 100", "| 1,000", "| 10,000", "| 100,000"]
    assert "| 50 s |" in rows[1]
