"""Examples of the rules of init containers: those that the application's container has too, and their own."""

from typing import Any

from app.api.pods.container import Container
from tests.api.examples import container, keys, lifecycle, probe, resources, spec
from tests.api.examples.case import Example
from tests.requests.builders import Json

SHARED = {field.alias for field in Container.model_fields.values()}
CACHE: Json = {"volumes": [{"name": "cache", "emptyDir": {}}]}
MOUNT: Json = {"volumeMounts": [{"name": "cache", "mountPath": "/cache"}]}
RUNNING: list[Json] = [
    *({kind: {"httpGet": {"port": 80}}} for kind in probe.PROBES),
    *({"lifecycle": {hook: {"httpGet": {"port": 80}}}} for hook in lifecycle.HOOKS),
]
"""What only a sidecar may have."""

NAMED: list[Json] = [
    *({kind: {check: {"port": "http"}}} for kind in probe.PROBES for check in ("httpGet", "tcpSocket")),
    *({"lifecycle": {hook: {"httpGet": {"port": "http"}}}} for hook in lifecycle.HOOKS),
]


def _container(name: str = "init", **fields: Any) -> Json:
    return {"name": name, "image": "init:1", **fields}


def _sidecar(**fields: Any) -> Json:
    return {"initContainers": [_container(restartPolicy="Always", **fields)]}


def _inside(example: Example, path: str) -> Example:
    """Return *example* for an init container: one value of each side, as the models are the same."""

    def moved(values: list[Json]) -> list[Json]:
        return [_sidecar(**fields) for fields in values if fields.keys() <= SHARED][:1]

    return Example(path, example.says, moved(example.good), moved(example.bad), example.crd_only)


INSIDE = [
    _inside(example, example.path.replace("spec.", "spec.initContainers[].", 1))
    for module in (spec, container, probe, lifecycle, resources, keys)
    for example in module.EXAMPLES
    if example.path.removeprefix("spec.").partition(".")[0].partition("[")[0] in SHARED
]


def _sleep(hook: str) -> Example:
    def sleeping(seconds: int, **fields: int) -> Json:
        return {**_sidecar(lifecycle={hook: {"sleep": {"seconds": seconds}}}), **fields}

    return Example(
        path="spec",
        says=f"lifecycle.{hook}.sleep.seconds of an init container",
        good=[sleeping(29), sleeping(30, terminationGracePeriodSeconds=31), _sidecar(lifecycle={})],
        bad=[sleeping(30), sleeping(1, terminationGracePeriodSeconds=1)],
    )


EXAMPLES = [
    *INSIDE,
    _inside(spec.CPU_ONCE, "spec.initContainers[]"),
    Example(
        path="spec.initContainers[].name",
        says="must not be main",
        good=[{"initContainers": [_container("mains"), _container("a")]}],
        bad=[{"initContainers": [_container("a"), _container("main")]}],
    ),
    Example(
        path="spec.initContainers[]",
        says="probes and lifecycle require restartPolicy Always",
        good=[_sidecar(**fields) for fields in RUNNING] + [{"initContainers": [_container(lifecycle={})]}],
        bad=[{"initContainers": [_container(**fields)]} for fields in RUNNING],
    ),
    Example(
        path="spec.initContainers[]",
        says="ports must be numbers in probes and hooks of an init container",
        good=[_sidecar(**fields) for fields in RUNNING],
        bad=[{**_sidecar(**fields), "ports": [{"name": "http", "containerPort": 80}]} for fields in NAMED],
    ),
    Example(
        path="spec",
        says="each name in volumeMounts of an init container",
        good=[
            {"initContainers": [_container("a"), _container(**MOUNT)], **CACHE},
            {"initContainers": [_container(volumeMounts=[])]},
        ],
        bad=[
            {"initContainers": [_container(**MOUNT)]},
            {"initContainers": [_container("a", **MOUNT), _container(volumeMounts=[{"name": "b", "mountPath": "/b"}])]}
            | CACHE,
        ],
    ),
    *map(_sleep, lifecycle.HOOKS),
]
