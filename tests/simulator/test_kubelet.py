"""The kubelet: what becomes of a container, by its image or by whoever lets all fail."""

from typing import Any

import pytest

from app.simulator.controllers.fate import Fate, fate_of
from app.simulator.world import World
from tests.simulator.test_deployments import imaged, started

Json = dict[str, Any]


def shown(made: World) -> tuple[str, str, int]:
    """Return what ``kubectl get pods`` would show of the newest Pod: phase, why it waits, restarts."""
    status = made.api.all("Pod")[-1]["status"]
    (container,) = status["containerStatuses"]
    return status["phase"], container["state"].get("waiting", {}).get("reason", ""), container["restartCount"]


@pytest.mark.parametrize(
    ("image", "fate"),
    [
        ("nginx:1.27", Fate.RUNS),
        ("registry.example.com/bad/nginx", Fate.RUNS),
        ("nginx:bad", Fate.BAD_IMAGE),
        ("team/crash:1", Fate.RUNS),
        ("nginx:badger", Fate.RUNS),
        ("oom", Fate.RUNS),
        ("team/nginx:1.28-crash", Fate.CRASH),
        ("localhost:5000/nginx:oom", Fate.OOM),
        ("a/nginx:slow@sha256:bad", Fate.SLOW),
    ],
)
def test_a_word_of_the_tag_decides(image: str, fate: Fate) -> None:
    assert fate_of(image) is fate


@pytest.mark.parametrize(
    ("fate", "ends"),
    [
        (Fate.RUNS, ("Running", "", 0)),
        (Fate.BAD_IMAGE, ("Pending", "ImagePullBackOff", 0)),
        (Fate.CRASH, ("Running", "CrashLoopBackOff", 2)),
        (Fate.OOM, ("Running", "CrashLoopBackOff", 2)),
        (Fate.SLOW, ("Pending", "ContainerCreating", 0)),
    ],
)
def test_a_pod_goes_the_way_of_its_fate(fate: Fate, ends: tuple[str, str, int]) -> None:
    made = started()
    made.kubelet.fail(fate)
    made.run(0.5)
    assert shown(made) == ("Pending", "ContainerCreating", 0)

    made.run(15)
    assert shown(made) == ends


def test_a_slow_one_runs_at_last() -> None:
    made = started()
    made.kubelet.fail(Fate.SLOW)
    made.still()

    assert shown(made) == ("Running", "", 0)


@pytest.mark.parametrize(("fate", "code"), [(Fate.CRASH, 1), (Fate.OOM, 137)])
def test_a_container_that_ended_says_how(fate: Fate, code: int) -> None:
    made = started()
    made.kubelet.fail(fate)
    made.run(5)

    (container,) = made.api.all("Pod")[0]["status"]["containerStatuses"]
    assert container["lastState"]["terminated"]["exitCode"] == code


def test_the_pauses_between_restarts_double_up_to_five_minutes() -> None:
    made = started()
    made.kubelet.fail(Fate.CRASH)
    restarts = []
    for _ in range(7):
        made.run(300)
        restarts.append(shown(made)[2])

    assert restarts[0] == 5  # after 10, 20, 40, 80, 160 seconds less the last
    assert restarts[-1] - restarts[-2] == 1
    assert made.still()


def test_containers_that_run_can_fail_and_come_back() -> None:
    made = started()
    made.still()

    for _ in range(2):
        made.kubelet.fail(Fate.CRASH)
        made.run(1)
        assert shown(made)[1] == "CrashLoopBackOff"

        made.kubelet.fail(None)
        made.still()
        assert shown(made)[:2] == ("Running", "")


def test_failing_again_before_it_came_back_starts_no_second_row_of_restarts() -> None:
    made = started()
    made.still()
    for fate in (Fate.CRASH, None, Fate.CRASH, Fate.CRASH):
        made.kubelet.fail(fate)
    before = len(list(made.history.writes("kubelet")))
    made.run(60)

    assert len(list(made.history.writes("kubelet"))) - before == 2  # after 10 and after 30 seconds


def test_a_pull_that_fails_does_not_touch_what_runs() -> None:
    made = started()
    made.still()
    before = made.api.all("Pod")

    made.kubelet.fail(Fate.BAD_IMAGE)
    made.run(60)

    assert made.api.all("Pod") == before


def test_nothing_changes_for_containers_that_run_when_nothing_fails() -> None:
    made = started()
    made.still()
    before = made.api.all("Pod")

    made.kubelet.fail(None)
    made.run(60)

    assert made.api.all("Pod") == before


def test_a_readiness_probe_delays_ready() -> None:
    made = started()
    made.still()
    probe = {"httpGet": {"port": 80}, "initialDelaySeconds": 20}
    made.edit(
        made_deployment(made),
        lambda item: item["spec"]["template"]["spec"]["containers"][0].update(readinessProbe=probe),
    )
    made.run(15)
    assert shown(made) == ("Pending", "ContainerCreating", 0)

    made.still()
    assert shown(made) == ("Running", "", 0)


def made_deployment(made: World) -> Any:
    """Return the key of the only Deployment."""
    (only,) = [key for key in made.api.all_keys() if key.kind == "Deployment"]
    return only


def test_a_pod_of_a_bad_image_is_replaced_by_one_of_a_good_image() -> None:
    made = started()
    made.still()
    imaged(made, "nginx:crash")
    made.run(60)
    imaged(made, "nginx:2")
    made.still()

    (only,) = made.api.all("Pod")
    assert only["spec"]["containers"][0]["image"] == "nginx:2"
