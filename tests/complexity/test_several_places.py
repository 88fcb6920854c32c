"""The CPU of a sync grows with its request, and no faster: places that are compared are made larger together.

What is quadratic is seen to be caught.
"""

import json
from collections.abc import Callable

import pytest

from metahook.protocol.request_builder import sync_request
from tests.requests.builders import NOW, finished, grouped, my_resource
from tests.requests.pods import container, crashing, pod, shown, unfinished, waiting
from tests.requests.watched_objects import WATCHING, config_map, related
from toolkit.growth import Json, is_linear


def answer(body: bytes) -> bytes:
    return WATCHING.handle_sync(body, NOW).body


def with_env(value: str) -> Callable[[int], bytes]:
    """Return what makes a request with many variables, of which the last has many times this *value*."""

    def make(size: int) -> bytes:
        others = [{"name": f"A{number}", "value": ""} for number in range(size // 400)]
        user = {"name": "B", "value": (value * size)[: size // 2]}
        parent = my_resource(env=[*others, {"name": "A", "value": "1"}, user])
        return sync_request(parent, grouped(*finished(parent)), {})

    return make


def keys_and_uses(size: int) -> bytes:
    """Return a request with as many keys in a ConfigMap as files that are made of them."""
    keys = [f"k{number}" for number in range(size // 60)]
    items = [{"key": key, "path": key} for key in keys]
    sources = [{"configMap": {"name": "c", "items": items[start : start + 64]}} for start in range(0, len(items), 64)]
    each = [
        {"name": f"v{start}", "projected": {"sources": sources[start : start + 8]}}
        for start in range(0, len(sources), 8)
    ]
    parent = my_resource(
        volumes=each, volumeMounts=[{"name": volume["name"], "mountPath": f"/{volume['name']}"} for volume in each]
    )
    return sync_request(parent, grouped(*finished(parent)), related(config_map("c", **dict.fromkeys(keys, ""))))


def whole_objects(size: int) -> bytes:
    """Return a request in which the same large ConfigMap is used as a whole, again and again."""
    uses = size // 2_000
    volumes = [
        {"name": f"v{number}", "configMap": {"name": "c", "defaultMode": number}} for number in range(min(uses, 32))
    ]
    mounts = [{"name": volume["name"], "mountPath": f"/{volume['name']}"} for volume in volumes]
    parent = my_resource(volumes=volumes, volumeMounts=mounts)
    keys = {f"k{number}": "" for number in range(size // 12)}
    return sync_request(parent, grouped(*finished(parent)), related(config_map("c", **keys)))


def config_maps(size: int) -> bytes:
    """Return a request with many small ConfigMaps, all of which are used."""
    names = [f"c{number}" for number in range(min(size // 200, 256))]
    refs = [{"configMapKeyRef": {"name": name, "key": "a"}} for name in names]
    parent = my_resource(env=[{"name": f"V{number}", "valueFrom": ref} for number, ref in enumerate(refs)])
    return sync_request(parent, grouped(*finished(parent)), related(*(config_map(name, a="1") for name in names)))


def rollouts(size: int) -> bytes:
    """Return a request with many Pods, each of a ReplicaSet of its own."""
    marks = [f"{number:x}" for number in range(size // 600)]
    parent = my_resource(replicas=10)
    return sync_request(parent, grouped(unfinished(parent)), shown(*(pod(crashing(), mark=mark) for mark in marks)))


def pods_and_references(size: int) -> bytes:
    """Return a request with as many Pods that miss a key as keys that are used."""
    refs = [{"secretKeyRef": {"name": f"s{number}", "key": "k"}} for number in range(min(size // 1_500, 256))]
    parent = my_resource(env=[{"name": f"V{number}", "valueFrom": ref} for number, ref in enumerate(refs)])
    missing = waiting("CreateContainerConfigError", "couldn't find key k in Secret default/s0")
    pods = [pod(container(state=missing), name=f"p{number}") for number in range(size // 900)]
    return sync_request(parent, grouped(unfinished(parent, updatedReplicas=len(pods))), shown(*pods))


def left_over(size: int) -> bytes:
    """Return a request whose Deployment has many variables of another apply strategy that nobody asks for any more."""
    names = [f"v{number}" for number in range(size // 60)]
    owned: Json = {f'k:{{"name":"{name}"}}': {".": {}, "f:name": {}, "f:value": {}} for name in names}
    return with_owners(names, {"metacontroller": owned}, {})


def of_others(size: int) -> bytes:
    """Return a request whose Deployment has many variables, each of another manager; all own the nodeSelector."""
    names = [f"v{number}" for number in range(size // 400)]
    owned: dict[str, Json] = {name: {f'k:{{"name":"{name}"}}': {".": {}, "f:value": {}}} for name in names}
    return with_owners(names, owned, {"f:nodeSelector": {}})


def with_owners(names: list[str], owned: dict[str, Json], more: Json) -> bytes:
    """Return a request with variables and a nodeSelector of these *names*, *owned* by manager, with *more* of a Pod."""
    parent = my_resource(nodeSelector={"a": "b"})
    (made,) = finished(parent)
    pod_spec = made["spec"]["template"]["spec"]
    pod_spec["nodeSelector"] |= dict.fromkeys(names if more else (), "1")
    pod_spec["containers"][0]["env"] = [{"name": name, "value": "1"} for name in names]
    fields = {name: {"f:containers": {'k:{"name":"main"}': {"f:env": env}}, **more} for name, env in owned.items()}
    made["metadata"]["managedFields"] = [
        {"manager": name, "operation": "Update", "fieldsV1": {"f:spec": {"f:template": {"f:spec": each}}}}
        for name, each in fields.items()
    ]
    return sync_request(parent, grouped(made), {})


LARGE = 30_000
MOST_IN_ENV = 10_000
"""A tenth of what a request with a variable may have."""

TOGETHER: dict[str, tuple[Callable[[int], bytes], int]] = {
    "open references in a variable": (with_env("$("), MOST_IN_ENV),
    "references in a variable": (with_env("$(A)"), MOST_IN_ENV),
    "escaped references in a variable": (with_env("$$(A)"), MOST_IN_ENV),
    "parentheses in a variable": (with_env("$(A)) "), MOST_IN_ENV),
    "dollar signs in a variable": (with_env("$"), MOST_IN_ENV),
    "keys of a ConfigMap and uses of them": (keys_and_uses, LARGE),
    "keys of a ConfigMap and uses of all": (whole_objects, LARGE),
    "ConfigMaps": (config_maps, LARGE),
    "ReplicaSets": (rollouts, LARGE),
    "Pods and references": (pods_and_references, LARGE),
    "fields that are left over": (left_over, LARGE),
    "fields of others": (of_others, LARGE),
}
"""What makes a request with a valid spec, and how large it is at first."""


@pytest.mark.parametrize(("make", "size"), TOGETHER.values(), ids=TOGETHER)
def test_places_that_belong_together_may_be_large_together(make: Callable[[int], bytes], size: int) -> None:
    assert b"InvalidSpec" not in answer(make(10 * size))
    assert is_linear(make, answer, size)


# What is quadratic is caught


def every_pair(body: bytes) -> int:
    """Compare the keys of a ConfigMap with each other."""
    keys = list(json.loads(body)["related"]["ConfigMap.v1"]["default/c"]["data"])
    return sum(other == key for key in keys for other in keys)


def test_what_is_quadratic_is_caught() -> None:
    assert not is_linear(whole_objects, every_pair, 1_000)


def test_fields_that_are_left_over_are_seen_to_be_so() -> None:
    """Otherwise they would not be looked at, and would always be linear."""
    assert b"removal of leftover fields" in answer(left_over(LARGE))
    assert b"ForeignFields" in answer(of_others(LARGE))
