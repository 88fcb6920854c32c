"""Large requests: as many Pods and ConfigMaps as a MyResource may have, of the size that real ones have."""

from typing import Any

from metahook.protocol.request_builder import sync_request
from tests.requests.builders import child, grouped, my_resource, owned, rolled_out, sync
from tests.requests.pods import crashing, pod, shown
from toolkit.builders import KIB, MIB, padded

Json = dict[str, Any]

REPLICAS = 1000
CONFIG_MAPS = 16


def with_all_fields(small: Json, number: int) -> Json:
    """Return the Pod *small* with the fields that a real Pod also has, about 4 KiB."""
    mount = {"name": "tmp", "mountPath": "/tmp", "recursiveReadOnly": "Disabled"}  # noqa: S108 - in a container
    env = [{"name": f"VARIABLE_{each}", "value": "some value"} for each in range(10)]
    main = {"name": "main", "image": "nginx:1.27", "env": env, "volumeMounts": [mount], "imagePullPolicy": "Always"}
    spec = {
        "containers": [main],
        "nodeName": f"node-{number % 50}",
        "tolerations": [{"key": "a", "effect": "NoExecute"}],
    }
    fields: Json = {f"f:field-{each}": {".": {}, "f:inner": {}} for each in range(40)}
    entries = [{"manager": name, "operation": "Update", "fieldsV1": fields} for name in ("controller", "kubelet")]
    types = ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    conditions = [{"type": each, "status": "False", "lastTransitionTime": "2026-01-31T12:00:00Z"} for each in types]
    return {
        **small,
        "metadata": {**small["metadata"], "name": f"web-deployment-{number}", "managedFields": entries},
        "spec": spec,
        "status": {**small["status"], "conditions": conditions, "podIP": "10.0.0.1", "qosClass": "Burstable"},
    }


def pods(number: int, size: int) -> list[Json]:
    """Return so many Pods of about *size* bytes that crash."""
    return [padded(pod(crashing(), name=f"web-deployment-{each}"), size) for each in range(number)]


def config_maps(number: int, size: int, letter: str = "x") -> Json:
    """Return as related objects so many ConfigMaps, of which each holds *letter* so often."""
    made = {f"c{each}": {"metadata": {"name": f"c{each}", "namespace": "default"}} for each in range(number)}
    data = {"a": letter * (size // len(letter.encode()))}
    return {"ConfigMap.v1": {f"default/{name}": {**item, "data": data} for name, item in made.items()}}


def request(*, pod_size: int = 10 * KIB, config_size: int = MIB, letter: str = "x") -> bytes:
    """Return the largest sync request that users are promised an answer to: 1,000 Pods and 16 ConfigMaps."""
    uses = [{"configMapRef": {"name": f"c{number}"}} for number in range(CONFIG_MAPS)]
    parent = my_resource(replicas=REPLICAS, envFrom=uses)
    maps = config_maps(CONFIG_MAPS, config_size, letter)
    deployment = rolled_out(owned(child(sync(parent, related=maps), "Deployment"), parent))
    deployment["status"] |= {"availableReplicas": 0, "conditions": []}
    return sync_request(parent, grouped(deployment), {**shown(*pods(REPLICAS, pod_size)), **maps})
