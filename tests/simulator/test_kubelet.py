"""The kubelet: what becomes of a container, by its image or by whoever lets all fail."""

from itertools import pairwise
from typing import Any

import pytest

from metahook.simulator.controllers.fate import Fate, fate_of
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.world import World
from tests.simulator.test_deployments import imaged, started
from tests.worlds import DEPLOYMENT

Json = dict[str, Any]


def shown(made: World) -> tuple[str, str, int]:
    """Return what ``kubectl get pods`` would show of the newest Pod: phase, why it waits, restarts."""
    status = made.api.all("Pod")[-1]["status"]
    (container,) = status.get("containerStatuses") or [{"state": {}, "restartCount": 0}]
    (state,) = container["state"].values() or [{}]
    return status["phase"], state.get("reason", ""), container["restartCount"]


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
        ("nginx:1-config-error", Fate.CONFIG_ERROR),
        ("nginx:1-config", Fate.RUNS),
        ("nginx:unschedulable", Fate.UNSCHEDULABLE),
        ("nginx:unready", Fate.UNREADY),
        ("nginx:evicted", Fate.EVICTED),
        ("nginx:1-node-lost", Fate.NODE_LOST),
    ],
)
def test_a_word_of_the_tag_decides(image: str, fate: Fate) -> None:
    assert fate_of(image) is fate


CREATING = (0.5, ("Pending", "ContainerCreating", 0))


def course(fate: Fate, times: list[float]) -> list[tuple[str, str, int]]:
    """Return what is shown of a new Pod of this *fate* at some times."""
    made = started()
    made.kubelet.fail(fate)
    found = []
    for time in times:
        made.run(time - made.clock.now)
        found.append(shown(made))
    return found


@pytest.mark.parametrize(
    ("fate", "ends"),
    [
        pytest.param(Fate.RUNS, [CREATING, (3, ("Running", "", 0))], id="runs"),
        pytest.param(Fate.SLOW, [CREATING, (16, CREATING[1])], id="slow"),
        pytest.param(
            Fate.BAD_IMAGE,
            [
                CREATING,
                (1.5, ("Pending", "ErrImagePull", 0)),
                (2.5, ("Pending", "ImagePullBackOff", 0)),
                (12.5, ("Pending", "ErrImagePull", 0)),
                (13.5, ("Pending", "ImagePullBackOff", 0)),
            ],
            id="bad-image",
        ),
        pytest.param(
            Fate.CRASH,
            [
                CREATING,
                (1.5, ("Running", "", 0)),
                (2.5, ("Running", "Error", 0)),
                (3.5, ("Running", "", 1)),
                (4.5, ("Running", "Error", 1)),
                (5.5, ("Running", "CrashLoopBackOff", 1)),
                (15.5, ("Running", "", 2)),
                (17.5, ("Running", "CrashLoopBackOff", 2)),
            ],
            id="crash",
        ),
        pytest.param(Fate.OOM, [(2.5, ("Running", "OOMKilled", 0)), (15.5, ("Running", "", 2))], id="oom"),
        pytest.param(
            Fate.CONFIG_ERROR, [CREATING, (90, ("Pending", "CreateContainerConfigError", 0))], id="config-error"
        ),
        pytest.param(Fate.UNSCHEDULABLE, [(0.5, ("Pending", "", 0)), (90, ("Pending", "", 0))], id="unschedulable"),
    ],
)
def test_a_pod_goes_the_way_of_its_fate(fate: Fate, ends: list[tuple[float, tuple[str, str, int]]]) -> None:
    assert course(fate, [time for time, _ in ends]) == [seen for _, seen in ends]


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

    assert restarts[0] == 5  # at once, and after 10, 20, 40 and 80 seconds; 160 are not over
    assert restarts[-1] - restarts[-2] == 1
    assert made.still()


def test_containers_that_run_can_fail_and_come_back() -> None:
    made = started()
    made.still()

    for restarts in (1, 3):
        made.kubelet.fail(Fate.CRASH)
        made.run(4)
        assert shown(made) == ("Running", "CrashLoopBackOff", restarts)

        made.kubelet.fail(None)
        made.still()
        assert shown(made) == ("Running", "", restarts + 1)


def test_failing_again_before_it_came_back_starts_no_second_row_of_restarts() -> None:
    made = started()
    made.still()
    for fate in (Fate.CRASH, None, Fate.CRASH, Fate.CRASH):
        made.kubelet.fail(fate)
    made.run(60)

    assert shown(made)[2] == 3  # at once, and after 10 and 20 seconds; 40 are not over


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
    assert (shown(made), is_ready(made.api.all("Pod")[-1])) == (("Running", "", 0), False)

    made.still()
    assert (shown(made), is_ready(made.api.all("Pod")[-1])) == (("Running", "", 0), True)


def with_probe() -> World:
    """Return a world with a Pod that has a readiness probe, and is ready."""
    made = started()
    with_main(made, readinessProbe={"httpGet": {"port": 80}})
    made.still()
    assert is_ready(made.api.all("Pod")[-1])
    return made


def with_main(made: World, **fields: Any) -> None:
    """Give the Deployment's container some fields."""
    made.edit(made_deployment(made), lambda item: item["spec"]["template"]["spec"]["containers"][0].update(fields))


def test_a_container_whose_probe_fails_runs_on_and_is_ready_when_it_succeeds() -> None:
    made = with_probe()
    before = made.api.all("Pod")[-1]["status"]["containerStatuses"][0]["state"]

    made.kubelet.fail(Fate.UNREADY)
    made.still()
    (pod,) = made.api.all("Pod")
    assert (is_ready(pod), pod["status"]["containerStatuses"][0]["state"]) == (False, before)

    made.kubelet.fail(None)
    made.still()
    (pod,) = made.api.all("Pod")
    assert (is_ready(pod), pod["status"]["containerStatuses"][0]["state"]) == (True, before)


def test_a_new_container_whose_probe_fails_is_never_ready() -> None:
    made = with_probe()
    made.kubelet.fail(Fate.UNREADY)
    imaged(made, "nginx:2")
    made.run(300)

    assert [is_ready(pod) for pod in made.api.all("Pod")] == [False, False]


def test_a_container_without_a_probe_is_ready_whatever_its_fate_would_be() -> None:
    made = started()
    made.kubelet.fail(Fate.UNREADY)
    made.still()

    assert is_ready(made.api.all("Pod")[-1])


def test_a_pod_that_no_node_takes_says_so_until_one_does() -> None:
    made = started()
    made.kubelet.fail(Fate.UNSCHEDULABLE)
    made.run(90)
    (refusal,) = made.api.all("Pod")[-1]["status"]["conditions"]
    assert (refusal["status"], refusal["reason"]) == ("False", "Unschedulable")

    made.kubelet.fail(Fate.UNSCHEDULABLE)
    made.run(90)
    assert made.api.all("Pod")[-1]["status"]["conditions"] == [refusal]

    made.kubelet.fail(None)
    made.still()
    assert is_ready(made.api.all("Pod")[-1])


CONFIG = {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "app", "key": "a"}}}
SECRET = {"name": "B", "valueFrom": {"secretKeyRef": {"name": "app", "key": "b"}}}


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ([{"name": "A", "value": "1"}, CONFIG], "couldn't find key a in ConfigMap default/app"),
        ([SECRET, CONFIG], "couldn't find key b in Secret default/app"),
        ([], "container has runAsNonRoot and image will run as root"),
    ],
    ids=["a ConfigMap", "a Secret", "none"],
)
def test_a_container_that_can_not_be_configured_names_the_first_key_that_it_uses(env: list[Json], message: str) -> None:
    made = started()
    made.kubelet.fail(Fate.CONFIG_ERROR)
    with_main(made, env=env)
    made.run(5)

    (container,) = made.api.all("Pod")[-1]["status"]["containerStatuses"]
    assert container["state"]["waiting"]["message"] == message


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


def was_ready(fate: Fate, seconds: int, **container: Any) -> list[bool]:
    """Return whether the newest Pod was ready, second by second."""
    made = started()
    made.edit(DEPLOYMENT, lambda item: item["spec"]["template"]["spec"]["containers"][0].update(container))
    made.kubelet.fail(fate)
    found = []
    for _ in range(seconds):
        made.run(1)
        found.append(is_ready(made.api.all("Pod")[-1]))
    return found


def test_without_a_probe_a_container_that_crashes_is_ready_in_between() -> None:
    assert sum(new and not old for old, new in pairwise(was_ready(Fate.CRASH, 60))) > 3
    assert not any(was_ready(Fate.CRASH, 60, readinessProbe={"httpGet": {"port": 80}}))


def test_a_pod_that_is_evicted_stays_listed_and_is_replaced() -> None:
    made = started()
    made.kubelet.fail(Fate.EVICTED)
    made.run(150)

    *over, new = made.api.all("Pod")
    assert [pod["status"]["reason"] for pod in over] == ["Evicted", "Evicted"]
    assert is_ready(new)
    assert made.still()


def test_of_a_lost_node_others_tell_that_its_pods_are_not_ready() -> None:
    made = started()
    made.still()
    made.kubelet.fail(Fate.NODE_LOST)
    made.still()
    (pod,) = made.api.all("Pod")
    (container,) = pod["status"]["containerStatuses"]
    assert (is_ready(pod), container["ready"]) == (False, True)

    made.kubelet.fail(None)
    made.still()
    assert is_ready(made.api.all("Pod")[0])


def test_a_pod_that_was_evicted_stays_so_whatever_becomes_of_others() -> None:
    made = started()
    made.still()
    made.kubelet.fail(Fate.EVICTED)
    made.run(65)
    made.kubelet.fail(Fate.CRASH)
    made.run(60)

    first, second = made.api.all("Pod")
    assert (first["status"]["reason"], "reason" in second["status"]) == ("Evicted", False)


def test_what_never_ran_is_not_told_of_a_lost_node() -> None:
    made = started()
    made.kubelet.fail(Fate.NODE_LOST)
    made.run(60)

    assert made.api.all("Pod")[0]["status"] == {"phase": "Pending"}
