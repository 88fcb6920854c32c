"""Examples of the rules of init containers: those that the application's container has too, and their own."""

from typing import Any

from app.api.containers import Container
from tests.api.examples import container, keys, lifecycle, probe, resources, spec
from tests.api.examples.case import Example
from tests.requests.builders import Json

SHARED = {field.alias for field in Container.model_fields.values()}
CACHE: Json = {"volumes": [{"name": "cache", "emptyDir": {}}]}
MOUNT: Json = {"volumeMounts": [{"name": "cache", "mountPath": "/cache"}]}
RUNNING: list[Json] = [
    *({kind: {"httpGet": {"port": 80}}} for kind in probe.PROBES),
    *({"lifecycle": {hook: {"httpGet": {"port": 80}}}} for hook in lifecycle.HOOKS),
    {"ports": [{"containerPort": 80}]},
]
"""What only a sidecar may have."""

HTTP: Json = {"ports": [{"name": "http", "containerPort": 80}]}

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
        says="probes, lifecycle and ports require restartPolicy Always",
        good=[_sidecar(**fields) for fields in RUNNING] + [{"initContainers": [_container(lifecycle={}, ports=[])]}],
        bad=[{"initContainers": [_container(**fields)]} for fields in RUNNING],
    ),
    Example(
        path="spec.initContainers[]",
        says="the port name in a probe or hook of an init container must be the name of one of its ports",
        good=[_sidecar(**fields) for fields in RUNNING] + [_sidecar(**fields, **HTTP) for fields in NAMED],
        bad=[
            {**_sidecar(**fields), **HTTP, "initContainers": [_container("a", restartPolicy="Always", **fields)]}
            for fields in NAMED
        ]
        + [_sidecar(**NAMED[0], ports=[{"containerPort": 80}, {"name": "https", "containerPort": 443}])],
    ),
    Example(
        path="spec.initContainers[].ports[].name",
        says="must consist of lowercase letters",
        good=[_sidecar(ports=[{"name": name, "containerPort": 1}]) for name in ("tcp-80", "a-1")],
        bad=[_sidecar(ports=[{"name": name, "containerPort": 1}]) for name in ("", "HTTP", "a--b", "80")],
    ),
    Example(
        path="spec.initContainers[].ports",
        says="port names must be unique",
        good=[_sidecar(ports=[{"name": "a", "containerPort": 1}, {"containerPort": 2}, {"containerPort": 3}])],
        bad=[_sidecar(ports=[{"name": "a", "containerPort": 1}, {"name": "a", "containerPort": 2}])],
    ),
    Example(
        path="spec.initContainers[].ports",
        says="each containerPort must be unique",
        good=[_sidecar(ports=[{"containerPort": 53}, {"containerPort": 54, "protocol": "UDP"}])],
        bad=[_sidecar(ports=[{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}])],
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
