"""The kubelet: what a Pod needs, and the statuses of Pods, by the failure of an image or of all containers.

Without what it needs a Pod is refused, or fits on no node, or its containers wait; then they start.
"""

from base64 import b64encode
from itertools import pairwise
from typing import Any

import pytest

from metahook.simulator.controllers.kubelet import Failure, failure_of_image
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.history import YOU
from metahook.simulator.objects import Json
from metahook.simulator.world import World
from toolkit.deployments import imaged, started
from toolkit.worlds import DEPLOYMENT, deployment

CONFIG: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "1"}}
SECRET: Json = {**CONFIG, "kind": "Secret", "data": {"a": b64encode(b"1").decode()}}
OBJECTS = {"configMap": CONFIG, "secret": SECRET}
NAME = {"configMap": "name", "secret": "secretName"}


def _variable(source: str, **more: Any) -> Json:
    return {"env": [{"name": "A", "valueFrom": {f"{source}KeyRef": {"name": "app", "key": "a", **more}}}]}


def _variables(source: str, **more: Any) -> Json:
    return {"envFrom": [{f"{source}Ref": {"name": "app", **more}}]}


def _files(source: str, **more: Any) -> Json:
    return {"volumes": [{"name": "v", source: {NAME[source]: "app", **more}}]}


def _items(source: str, **more: Any) -> Json:
    return _files(source, items=[{"key": "a", "path": "a"}], **more)


def _projected(source: str, **more: Any) -> Json:
    item = {"name": "app", "items": [{"key": "a", "path": "a"}], **more}
    return {"volumes": [{"name": "v", "projected": {"sources": [{source: item}]}}]}


USES = [_variable, _variables, _files, _items, _projected]
NEEDS_KEY = [_variable, _items, _projected]


def pod_with(use: Json) -> World:
    """Return a world with a Pod whose spec, or main container, has the fields of *use*."""
    child = deployment()
    pod = child["spec"]["template"]["spec"]
    pod.update({name: value for name, value in use.items() if name not in ("env", "envFrom")})
    pod["containers"][0].update({name: value for name, value in use.items() if name in ("env", "envFrom")})
    made = started(**child["spec"])
    made.until_quiet()
    return made


def is_started(made: World) -> bool:
    return is_ready(made.api.all("Pod")[-1])


def waiting(made: World, field: str = "containerStatuses") -> Json:
    """Return what the first container of the newest Pod waits for."""
    found: Json = made.api.all("Pod")[-1]["status"][field][0]["state"]["waiting"]
    return found


@pytest.mark.parametrize("source", OBJECTS)
@pytest.mark.parametrize("use", USES)
def test_containers_start_once_the_object_is_there(use: Any, source: str) -> None:
    made = pod_with(use(source))
    assert not is_started(made)

    made.api.create({**OBJECTS[source], "metadata": {"name": "other"}}, YOU)
    made.until_quiet()
    assert not is_started(made)

    made.api.create(OBJECTS[source], YOU)
    made.until_quiet()
    assert is_started(made)


@pytest.mark.parametrize("source", OBJECTS)
@pytest.mark.parametrize("use", NEEDS_KEY)
def test_containers_start_once_the_key_is_there(use: Any, source: str) -> None:
    made = pod_with(use(source))
    made.api.create({**OBJECTS[source], "data": {}}, YOU)
    made.until_quiet()
    assert not is_started(made)

    made.api.update(made.api.placed(OBJECTS[source]), YOU)
    made.until_quiet()
    assert is_started(made)


@pytest.mark.parametrize("source", OBJECTS)
@pytest.mark.parametrize("use", USES)
def test_containers_do_not_wait_for_what_is_optional(use: Any, source: str) -> None:
    assert is_started(pod_with(use(source, optional=True)))


@pytest.mark.parametrize("source", OBJECTS)
@pytest.mark.parametrize("use", USES)
def test_a_running_container_does_not_mind_that_an_object_goes(use: Any, source: str) -> None:
    made = pod_with(use(source))
    made.api.create(OBJECTS[source], YOU)
    made.until_quiet()
    made.delete(next(key for key in made.api.all_keys() if key.name == "app"))
    made.until_quiet()

    assert is_started(made)


def test_image_pull_secrets_keep_nothing_waiting() -> None:
    assert is_started(pod_with({"imagePullSecrets": [{"name": "none"}]}))


CONFIG_ERROR = "CreateContainerConfigError"


def test_a_container_says_what_it_waits_for_as_a_kubelet_does() -> None:
    """The messages are those in ``tests/data/pods.json`` of the operator, from a real kubelet."""
    made = pod_with(_variables("configMap"))
    assert waiting(made) == {"reason": CONFIG_ERROR, "message": 'configmap "app" not found'}
    assert waiting(pod_with(_variables("secret")))["message"] == 'secret "app" not found'
    assert waiting(pod_with(_files("secret"))) == {"reason": "ContainerCreating"}

    made = pod_with(_variable("configMap"))
    made.api.create({**CONFIG, "data": {}}, YOU)
    made.until_quiet()
    assert waiting(made)["message"] == "couldn't find key a in ConfigMap default/app"


def test_all_containers_wait_for_an_init_container_and_none_for_one_beside_it() -> None:
    init = {"name": "init", "image": "init:1"}
    of_init = pod_with({"initContainers": [{**init, "name": "first"}, {**init, **_variables("secret")}]})
    (pod,) = of_init.api.all("Pod")[-1:]

    states = {item["name"]: item["state"] for item in pod["status"]["initContainerStatuses"]}
    assert states["first"]["terminated"]["exitCode"] == 0
    assert states["init"]["waiting"]["reason"] == CONFIG_ERROR
    assert waiting(of_init) == {"reason": "PodInitializing"}
    assert {item["type"]: item["status"] for item in pod["status"]["conditions"]}["Initialized"] == "False"

    main = deployment()["spec"]["template"]["spec"]["containers"][0]
    beside = pod_with({"containers": [{**main, **_variables("secret")}, {**main, "name": "other"}]})
    states = {item["name"]: item["state"] for item in beside.api.all("Pod")[-1]["status"]["containerStatuses"]}
    assert states["main"]["waiting"]["reason"] == CONFIG_ERROR
    assert "running" in states["other"]
    assert beside.api.all("Pod")[-1]["status"]["phase"] == "Pending"


def test_a_pod_fits_on_no_node_until_its_claim_is_there() -> None:
    made = pod_with({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "app"}}]})
    (condition,) = made.api.all("Pod")[-1]["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("PodScheduled", "Unschedulable")
    assert 'persistentvolumeclaim "app" not found' in condition["message"]

    made.api.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "app"}, "spec": {}}, YOU)
    made.until_quiet()
    assert is_started(made)


@pytest.mark.parametrize(
    ("use", "item"),
    [
        ({"serviceAccountName": "app"}, {"apiVersion": "v1", "kind": "ServiceAccount"}),
        ({"priorityClassName": "app"}, {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1}),
    ],
    ids=["a ServiceAccount", "a PriorityClass"],
)
def test_a_pod_is_refused_until_the_object_that_it_names_is_there(use: Json, item: Json) -> None:
    made = pod_with(use)
    assert made.api.all("Pod") == []

    made.api.create({**item, "metadata": {"name": "app"}}, YOU)
    made.run(60)
    assert is_started(made)


@pytest.mark.parametrize("name", ["serviceAccountName", "priorityClassName"])
def test_an_empty_name_is_none(name: str) -> None:
    made = pod_with({name: ""})
    made.until_quiet()

    assert is_started(made)


def shown(made: World) -> tuple[str, str, int]:
    """Return the phase, waiting reason and restarts of the newest Pod."""
    status = made.api.all("Pod")[-1]["status"]
    (container,) = status.get("containerStatuses") or [{"state": {}, "restartCount": 0}]
    (state,) = container["state"].values() or [{}]
    return status["phase"], state.get("reason", ""), container["restartCount"]


@pytest.mark.parametrize(
    ("image", "failure"),
    [
        ("nginx:1.27", Failure.RUNS),
        ("registry.example.com/bad/nginx", Failure.RUNS),
        ("nginx:bad", Failure.BAD_IMAGE),
        ("team/crash:1", Failure.RUNS),
        ("nginx:badger", Failure.RUNS),
        ("oom", Failure.RUNS),
        ("team/nginx:1.28-crash", Failure.CRASH),
        ("localhost:5000/nginx:oom", Failure.OOM),
        ("a/nginx:slow@sha256:bad", Failure.SLOW),
        ("nginx:1-config-error", Failure.CONFIG_ERROR),
        ("nginx:1-config", Failure.RUNS),
        ("nginx:unschedulable", Failure.UNSCHEDULABLE),
        ("nginx:unready", Failure.UNREADY),
        ("nginx:evicted", Failure.EVICTED),
        ("nginx:1-node-lost", Failure.NODE_LOST),
    ],
)
def test_a_word_of_the_tag_names_the_failure(image: str, failure: Failure) -> None:
    assert failure_of_image(image) is failure


CREATING = (0.5, ("Pending", "ContainerCreating", 0))


def course(failure: Failure, times: list[float]) -> list[tuple[str, str, int]]:
    """Return these values for a new Pod with this *failure*, at some times."""
    made = started()
    made.kubelet.fail(failure)
    found = []
    for time in times:
        made.run(time - made.clock.now)
        found.append(shown(made))
    return found


@pytest.mark.parametrize(
    ("failure", "ends"),
    [
        pytest.param(Failure.RUNS, [CREATING, (3, ("Running", "", 0))], id="runs"),
        pytest.param(Failure.SLOW, [CREATING, (16, CREATING[1])], id="slow"),
        pytest.param(
            Failure.BAD_IMAGE,
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
            Failure.CRASH,
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
        pytest.param(Failure.OOM, [(2.5, ("Running", "OOMKilled", 0)), (15.5, ("Running", "", 2))], id="oom"),
        pytest.param(
            Failure.CONFIG_ERROR, [CREATING, (90, ("Pending", "CreateContainerConfigError", 0))], id="config-error"
        ),
        pytest.param(Failure.UNSCHEDULABLE, [(0.5, ("Pending", "", 0)), (90, ("Pending", "", 0))], id="unschedulable"),
    ],
)
def test_a_pod_has_the_statuses_of_its_failure(
    failure: Failure, ends: list[tuple[float, tuple[str, str, int]]]
) -> None:
    assert course(failure, [time for time, _ in ends]) == [seen for _, seen in ends]


def test_a_slow_container_runs_after_its_start() -> None:
    made = started()
    made.kubelet.fail(Failure.SLOW)
    made.until_quiet()

    assert shown(made) == ("Running", "", 0)


@pytest.mark.parametrize(("failure", "code"), [(Failure.CRASH, 1), (Failure.OOM, 137)])
def test_an_exited_container_reports_its_exit(failure: Failure, code: int) -> None:
    made = started()
    made.kubelet.fail(failure)
    made.run(5)

    (container,) = made.api.all("Pod")[0]["status"]["containerStatuses"]
    assert container["lastState"]["terminated"]["exitCode"] == code


def test_the_back_off_between_restarts_doubles_up_to_five_minutes() -> None:
    made = started()
    made.kubelet.fail(Failure.CRASH)
    restarts = []
    for _ in range(7):
        made.run(300)
        restarts.append(shown(made)[2])

    assert restarts[0] == 5  # at once, and after 10, 20, 40 and 80 seconds; 160 are not over
    assert restarts[-1] - restarts[-2] == 1
    assert made.until_quiet()


def test_running_containers_can_fail_and_recover() -> None:
    made = started()
    made.until_quiet()

    for restarts in (1, 3):
        made.kubelet.fail(Failure.CRASH)
        made.run(4)
        assert shown(made) == ("Running", "CrashLoopBackOff", restarts)

        made.kubelet.fail(None)
        made.until_quiet()
        assert shown(made) == ("Running", "", restarts + 1)


def test_failing_again_before_the_recovery_starts_no_second_series_of_restarts() -> None:
    made = started()
    made.until_quiet()
    for failure in (Failure.CRASH, None, Failure.CRASH, Failure.CRASH):
        made.kubelet.fail(failure)
    made.run(60)

    assert shown(made)[2] == 3  # at once, and after 10 and 20 seconds; 40 are not over


def test_a_failed_pull_does_not_affect_running_containers() -> None:
    made = started()
    made.until_quiet()
    before = made.api.all("Pod")

    made.kubelet.fail(Failure.BAD_IMAGE)
    made.run(60)

    assert made.api.all("Pod") == before


def test_running_containers_do_not_change_while_nothing_fails() -> None:
    made = started()
    made.until_quiet()
    before = made.api.all("Pod")

    made.kubelet.fail(None)
    made.run(60)

    assert made.api.all("Pod") == before


def test_a_readiness_probe_delays_ready() -> None:
    made = started()
    made.until_quiet()
    probe = {"httpGet": {"port": 80}, "initialDelaySeconds": 20}
    made.edit(
        made_deployment(made),
        lambda item: item["spec"]["template"]["spec"]["containers"][0].update(readinessProbe=probe),
    )
    made.run(15)
    assert (shown(made), is_ready(made.api.all("Pod")[-1])) == (("Running", "", 0), False)

    made.until_quiet()
    assert (shown(made), is_ready(made.api.all("Pod")[-1])) == (("Running", "", 0), True)


def with_probe() -> World:
    """Return a world with a Pod that has a readiness probe, and is ready."""
    made = started()
    with_main(made, readinessProbe={"httpGet": {"port": 80}})
    made.until_quiet()
    assert is_ready(made.api.all("Pod")[-1])
    return made


def with_main(made: World, **fields: Any) -> None:
    """Set fields of the Deployment's container."""
    made.edit(made_deployment(made), lambda item: item["spec"]["template"]["spec"]["containers"][0].update(fields))


def test_a_container_whose_probe_fails_keeps_running_and_is_ready_when_it_succeeds() -> None:
    made = with_probe()
    before = made.api.all("Pod")[-1]["status"]["containerStatuses"][0]["state"]

    made.kubelet.fail(Failure.UNREADY)
    made.until_quiet()
    (pod,) = made.api.all("Pod")
    assert (is_ready(pod), pod["status"]["containerStatuses"][0]["state"]) == (False, before)

    made.kubelet.fail(None)
    made.until_quiet()
    (pod,) = made.api.all("Pod")
    assert (is_ready(pod), pod["status"]["containerStatuses"][0]["state"]) == (True, before)


def test_a_new_container_whose_probe_fails_is_never_ready() -> None:
    made = with_probe()
    made.kubelet.fail(Failure.UNREADY)
    imaged(made, "nginx:2")
    made.run(300)

    assert [is_ready(pod) for pod in made.api.all("Pod")] == [False, False]


def test_a_container_without_a_probe_is_ready_although_probes_fail() -> None:
    made = started()
    made.kubelet.fail(Failure.UNREADY)
    made.until_quiet()

    assert is_ready(made.api.all("Pod")[-1])


def test_a_pod_that_fits_on_no_node_is_unschedulable_until_it_fits() -> None:
    made = started()
    made.kubelet.fail(Failure.UNSCHEDULABLE)
    made.run(90)
    (refusal,) = made.api.all("Pod")[-1]["status"]["conditions"]
    assert (refusal["status"], refusal["reason"]) == ("False", "Unschedulable")

    made.kubelet.fail(Failure.UNSCHEDULABLE)
    made.run(90)
    assert made.api.all("Pod")[-1]["status"]["conditions"] == [refusal]

    made.kubelet.fail(None)
    made.until_quiet()
    assert is_ready(made.api.all("Pod")[-1])


FROM_CONFIG = {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "app", "key": "a"}}}
FROM_SECRET = {"name": "B", "valueFrom": {"secretKeyRef": {"name": "app", "key": "b"}}}


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ([{"name": "A", "value": "1"}, FROM_CONFIG], "couldn't find key a in ConfigMap default/app"),
        ([FROM_SECRET, FROM_CONFIG], "couldn't find key b in Secret default/app"),
        ([], "container has runAsNonRoot and image will run as root"),
    ],
    ids=["a ConfigMap", "a Secret", "none"],
)
def test_a_container_that_can_not_be_configured_names_the_first_key_that_it_uses(env: list[Json], message: str) -> None:
    made = started()
    for kind in ("ConfigMap", "Secret"):
        made.apply({"apiVersion": "v1", "kind": kind, "metadata": {"name": "app"}, "data": {"a": "MQ==", "b": "MQ=="}})
    made.kubelet.fail(Failure.CONFIG_ERROR)
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
    made.until_quiet()
    imaged(made, "nginx:crash")
    made.run(60)
    imaged(made, "nginx:2")
    made.until_quiet()

    (only,) = made.api.all("Pod")
    assert only["spec"]["containers"][0]["image"] == "nginx:2"


def was_ready(failure: Failure, seconds: int, **container: Any) -> list[bool]:
    """Return whether the newest Pod was ready, second by second."""
    made = started()
    made.edit(DEPLOYMENT, lambda item: item["spec"]["template"]["spec"]["containers"][0].update(container))
    made.kubelet.fail(failure)
    found = []
    for _ in range(seconds):
        made.run(1)
        found.append(is_ready(made.api.all("Pod")[-1]))
    return found


def test_without_a_probe_a_container_that_crashes_is_ready_in_between() -> None:
    assert sum(new and not old for old, new in pairwise(was_ready(Failure.CRASH, 60))) > 3
    assert not any(was_ready(Failure.CRASH, 60, readinessProbe={"httpGet": {"port": 80}}))


def test_a_pod_that_is_evicted_stays_listed_and_is_replaced() -> None:
    made = started()
    made.kubelet.fail(Failure.EVICTED)
    made.run(150)

    *over, new = made.api.all("Pod")
    assert [pod["status"]["reason"] for pod in over] == ["Evicted", "Evicted"]
    assert is_ready(new)
    assert made.until_quiet()


def test_the_pods_of_a_lost_node_are_reported_not_ready() -> None:
    made = started()
    made.until_quiet()
    made.kubelet.fail(Failure.NODE_LOST)
    made.until_quiet()
    (pod,) = made.api.all("Pod")
    (container,) = pod["status"]["containerStatuses"]
    assert (is_ready(pod), container["ready"]) == (False, True)

    made.kubelet.fail(None)
    made.until_quiet()
    assert is_ready(made.api.all("Pod")[0])


def test_an_evicted_pod_stays_evicted() -> None:
    made = started()
    made.until_quiet()
    made.kubelet.fail(Failure.EVICTED)
    made.run(65)
    made.kubelet.fail(Failure.CRASH)
    made.run(60)

    first, second = made.api.all("Pod")
    assert (first["status"]["reason"], "reason" in second["status"]) == ("Evicted", False)


def test_a_pod_that_never_ran_does_not_report_a_lost_node() -> None:
    made = started()
    made.kubelet.fail(Failure.NODE_LOST)
    made.run(60)

    assert made.api.all("Pod")[0]["status"] == {"phase": "Pending"}
