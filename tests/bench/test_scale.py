"""What ``make scale`` measures with, as far as it needs no control plane."""

from bench.scale.activity import Activity
from bench.scale.installation import Work
from bench.scale.report import EVENTS, event
from bench.scale.usage import Cpu, api_requests
from bench.scale.watch import Event
from tests.bench.measured import measured

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


class Idle:
    """An installation that does nothing."""

    def work(self) -> Work:
        """Return none."""
        return Work()


def test_a_process_that_was_restarted_counts_from_zero() -> None:
    before = Cpu({("hook", 1): 5.0, ("etcd", 2): 1.0})
    after = Cpu({("hook", 3): 0.5, ("etcd", 2): 1.25})

    assert after.since(before) == {"hook": 0.5, "etcd": 0.25}


def test_requests_count_by_verb_and_resource_without_watches_and_other_kinds() -> None:
    assert api_requests(METRICS) == 7


def test_a_change_of_a_deployment_counts_unless_it_is_one_of_its_status() -> None:
    activity = Activity(Idle())  # type: ignore[arg-type]  # it needs the work alone
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
