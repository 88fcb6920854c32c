"""The notebook hook on a real control plane, whose StatefulSet controller creates the Pods."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from notebooks import LABEL, NOTEBOOKS

from metahook import CustomizeRequest, RelatedRule, SyncRequest, SyncResponse
from metahook.envtest import Cluster, Refused, missing_binaries

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

HERE = Path(__file__).parent
FILES = [HERE / name for name in ("crd.yaml", "compositecontroller.yaml")]

SYNCED: list[str] = []
"""The parent of each sync."""


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    SYNCED.append(request.parent.name)
    return NOTEBOOKS.sync(request, now)


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Answer as the hook does, except for the parent of the negative control: that one selects nothing."""
    return [] if request.parent.name == "blind" else NOTEBOOKS.customize(request)


@pytest.fixture(name="cluster", scope="module", params=["dynamic-apply", "server-side-apply"])
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("notebook"), apply_strategy=request.param) as cluster:
        cluster.install(replace(NOTEBOOKS, sync=sync, customize=customize), *FILES)
        cluster.wait_for(lambda: cluster.get("ServiceAccount", "default"), "Pods can be created")
        yield cluster


def create(cluster: Cluster, *names: str) -> None:
    """Create Notebooks, and wait until the Pod of each is in its status."""
    for name in names:
        metadata, spec = {"name": name}, {"image": "jupyter:1"}
        cluster.apply({"apiVersion": "example.com/v1", "kind": "Notebook", "metadata": metadata, "spec": spec})
    for name in names:
        wait_for_status(cluster, name, "Pending", {"Pending": 1})


def create_pod(cluster: Cluster, name: str, notebook: str) -> None:
    """Create a Pod that nothing owns, with the label of a *notebook*."""
    metadata = {"name": name, "labels": {LABEL: notebook}}
    spec = {"containers": [{"name": "notebook", "image": "jupyter:1"}]}
    cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


def wait_for_status(cluster: Cluster, name: str, phase: str, pods: dict[str, int]) -> None:
    def holds() -> bool:
        status = (cluster.get("Notebook", name) or {}).get("status") or {}
        return (status.get("phase"), status.get("pods")) == (phase, pods)

    cluster.wait_for(holds, f"the status of {name} is {phase} {pods}")


def run(cluster: Cluster, pod: str, phase: str) -> None:
    """Set the phase of a Pod: there is no kubelet."""
    cluster.patch("Pod", pod, {"status": {"phase": phase}}, part="/status")


PHASES = ("Running", "Pending") * 3


def test_a_pod_that_the_stateful_set_owns_calls_its_own_notebook_alone(cluster: Cluster) -> None:
    create(cluster, "ada", "grace")
    (owner,) = (cluster.get("Pod", "ada-0") or {})["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["controller"]) == ("StatefulSet", True)
    before = len(SYNCED)

    for phase in PHASES:
        run(cluster, "ada-0", phase)
        wait_for_status(cluster, "ada", phase, {phase: 1})

    # It is not zero for the other one: its StatefulSet may still become ready, which calls it, too.
    assert SYNCED[before:].count("grace") < len(PHASES) <= SYNCED[before:].count("ada")


def test_a_pod_whose_label_changes_calls_both(cluster: Cluster) -> None:
    create(cluster, "edsger", "barbara")
    create_pod(cluster, "extra", "edsger")
    wait_for_status(cluster, "edsger", "Pending", {"Pending": 2})

    cluster.patch("Pod", "extra", {"metadata": {"labels": {LABEL: "barbara"}}})

    wait_for_status(cluster, "edsger", "Pending", {"Pending": 1})
    wait_for_status(cluster, "barbara", "Pending", {"Pending": 2})


def test_a_pod_with_the_label_of_no_notebook_calls_none(cluster: Cluster) -> None:
    create(cluster, "alan", "tim")
    create_pod(cluster, "stray", "linus")
    before = len(SYNCED)

    for phase in PHASES:
        run(cluster, "stray", phase)
        run(cluster, "tim-0", phase)  # its event comes after that of the stray Pod, from the same informer
        wait_for_status(cluster, "tim", phase, {phase: 1})

    assert SYNCED[before:].count("alan") < len(PHASES) <= SYNCED[before:].count("tim")


def test_without_customize_the_phase_is_unknown(cluster: Cluster) -> None:
    metadata, spec = {"name": "blind"}, {"image": "jupyter:1"}
    cluster.apply({"apiVersion": "example.com/v1", "kind": "Notebook", "metadata": metadata, "spec": spec})
    cluster.wait_for(lambda: cluster.get("Pod", "blind-0"), "the Pod of the StatefulSet")
    run(cluster, "blind-0", "Running")

    before = len(SYNCED)
    cluster.patch("Notebook", "blind", {"metadata": {"annotations": {"a": "b"}}})
    cluster.wait_for(lambda: "blind" in SYNCED[before:], "a sync of blind")

    assert (cluster.get("Notebook", "blind") or {})["status"]["phase"] == "Unknown"


def test_a_name_that_is_too_long_for_a_stateful_set_is_refused(cluster: Cluster) -> None:
    metadata, spec = {"name": "a" * 53}, {"image": "jupyter:1"}

    with pytest.raises(Refused, match="must have at most 52 characters"):
        cluster.apply({"apiVersion": "example.com/v1", "kind": "Notebook", "metadata": metadata, "spec": spec})
