"""What ``make scale`` measures with, as far as it needs no control plane."""

import os
import time
from pathlib import Path

import pytest

from bench.scale import __main__ as command
from bench.scale.activity import Activity
from bench.scale.measurement import Measurement
from bench.scale.operators import MissingGo, Work, build_go_operator
from bench.scale.parents import Parents
from bench.scale.prometheus import samples, total
from bench.scale.report import HEAD, Row, load, save
from bench.scale.runs import GO, OURS, WITHOUT_PODS
from bench.scale.usage import Cpu, api_requests, cpu
from bench.scale.watch import Event
from docs.scale import tables_of
from metahook.envtest.client import Client

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
    """An operator that does nothing."""

    def work(self) -> Work:
        """Return none."""
        return Work()


def test_the_cpu_of_a_process_grows_with_its_work_and_not_with_time() -> None:
    start = cpu(os.getpid())
    time.sleep(0.3)
    idle = cpu(os.getpid()) - start
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass

    assert idle <= 0.2
    assert cpu(os.getpid()) - start >= 0.28


def test_a_process_that_was_restarted_counts_from_zero() -> None:
    before = Cpu({("hook", 1): 5.0, ("etcd", 2): 1.0})
    after = Cpu({("hook", 3): 0.5, ("etcd", 2): 1.25})

    assert after.since(before) == {"hook": 0.5, "etcd": 0.25}


def test_a_metric_is_read_by_its_whole_name_and_its_labels() -> None:
    assert total(METRICS, "workqueue_depth", name="ours") == 7
    assert total(METRICS, "workqueue_depth") == 10
    assert total(METRICS, "workqueue_depth_total") == 1e6
    assert list(samples(METRICS, "workqueue")) == []


def test_requests_count_by_verb_and_resource_without_watches_and_other_kinds() -> None:
    assert api_requests(METRICS) == {"PUT myresources/status": 5, "APPLY deployments": 2}


def test_a_change_of_a_deployment_counts_unless_it_is_one_of_its_status() -> None:
    activity = Activity(Idle())  # type: ignore[arg-type]  # it needs the work alone
    metadata = {"namespace": "n", "name": "web", "generation": 1}
    revised = {**metadata, "annotations": {"deployment.kubernetes.io/revision": "1"}}
    for each in (metadata, metadata, revised, {**metadata, "generation": 2}):
        activity.receive_deployment(Event("MODIFIED", {"metadata": each}))

    assert activity.changes == {"Deployment": 2}


@pytest.mark.parametrize(("size", "spread", "half"), [(1000, 1, 500), (1000, 20, 500), (50, 20, 30), (1, 1, 1)])
def test_half_of_the_myresources_is_half_of_each_namespace(size: int, spread: int, half: int) -> None:
    parents = Parents(Client(None), size, spread)  # type: ignore[arg-type]  # it sends nothing

    assert len(parents.half) == len(set(parents.half)) == half
    assert len({namespace for namespace, _ in parents.half}) == spread


def test_a_row_counts_for_each_myresource_that_the_event_concerns() -> None:
    used = {"metacontroller-server-side-apply": 5.0, "hook": 1.0, "kube-apiserver": 9.0, "etcd": 2.0}
    measurement = Measurement("a change", 50, 15.0, 16.0, used, {}, 100, 50, 75, 50, 50, 100, 42, {})

    cells = Row("this operator", 100, 20, measurement).text().strip("| ").split(" | ")

    assert cells[:6] == ["this operator", "100", "20", "a change", "15.0 s", "16.0 s"]
    assert cells[6:] == ["5.0", "1.0", "9.0", "2.0", "0.0", "2.0", "1.0", "1.5", "1.0", "1.0", "42"]
    assert len(cells) == len(HEAD.strip("| ").split(" | "))


def row(operator: str, size: int, namespaces: int, seconds: float) -> Row:
    """Return a row about the creation of all."""
    used = {"metacontroller-server-side-apply": 5.0, "hook": 1.5, "kube-apiserver": 9.0}
    made = Measurement(
        "all are created", size, seconds, seconds, used, {}, 3 * size, size, 2 * size, size, size, 0, 7, {}
    )
    return Row(operator, size, namespaces, made)


def test_the_page_has_a_table_for_the_typical_size_one_for_all_sizes_and_a_comparison() -> None:
    rows = [row(OURS, 1000, 1, 70), row(GO, 1000, 1, 30), row(WITHOUT_PODS, 1000, 20, 50), row(OURS, 1000, 20, 60)]

    made = {name: text.splitlines()[-2:] for name, text in tables_of(rows).items()}

    assert made == {
        "events": [
            "| all are created, without Pod diagnosis | 50.0 s | 50 s | 5.0 | 1.5 | 9.0 | 3.0 | 1.0 | 2.0 | 1.0 | 7 |",
            "| all are created | 60.0 s | 60 s | 5.0 | 1.5 | 9.0 | 3.0 | 1.0 | 2.0 | 1.0 | 7 |",
        ],
        "sizes": [
            "| all are created | 70.0 s, 5.0 | 60.0 s, 5.0 |",
            "| all are created, without Pod diagnosis |  | 50.0 s, 5.0 |",
        ],
        "go": [
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
            "| all are created | 1,000 in 1 | 70.0 s | 6.5 | 9.0 | 30.0 s | 6.5 | 9.0 |",
        ],
    }


def test_results_are_read_as_they_were_saved(tmp_path: Path) -> None:
    file, rows = tmp_path / "build" / "scale.json", [row(OURS, 1000, 1, 70)]
    save(rows, file)

    assert load(file) == rows


def test_a_missing_go_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(MissingGo, match="skipped: the operator in Go needs Go"):
        build_go_operator(tmp_path)


@pytest.mark.parametrize("text", ["", "abc", "0", "-1", "1e3", "5001"])
def test_a_number_that_is_none_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(SystemExit, match="make scale N=200"):
        command.size_of(text)


def test_a_number_is_taken() -> None:
    assert command.size_of("1000") == 1000


def test_a_missing_control_plane_is_reported_with_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))

    assert command.main((), (), tmp_path) == 0
    assert capsys.readouterr().out.startswith("not found: ")
