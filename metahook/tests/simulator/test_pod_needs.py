"""What a Pod needs: without it the Pod is refused, or fits on no node, or its containers wait; then they start."""

from base64 import b64encode
from typing import Any

import pytest

from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.history import YOU
from metahook.simulator.objects import Json
from metahook.simulator.world import World
from toolkit.deployments import started
from toolkit.worlds import deployment

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
