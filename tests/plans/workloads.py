"""Workloads: what users and other clients do to a MyResource, step by step; after each step the world becomes quiet."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace

from app.core.controller import controller
from app.core.watch import Watch
from metahook import Controller
from metahook.simulator.hook import Hook, Reply, in_process
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import World
from tests.requests.builders import MYRESOURCE
from tests.requests.watched_objects import WATCH, backup, config_map
from tests.simulated.worlds import DEPLOYMENT, SERVICE, WEB, foreign, parent, service

PLAIN = controller(Watch(pods=False))
"""The hook of most workloads, without Pods: they double the events, and change only messages."""

WATCHING = controller(replace(WATCH, pods=False))


class Stage(Protocol):
    """A place to run a workload: a world, and the version of the hook that is served there."""

    world: World
    served: Hook


Step = Callable[[Stage], object]
PORT = {"ports": [{"containerPort": 80}]}
ENV = {"env": [{"name": "B", "value": "1"}, {"name": "A", "value": "2"}]}
USED = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
SETTINGS = Key("ConfigMap", "default", "settings")
NEEDED = {"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly", "condition": "Exists"}
WAITING = {"dependencies": [NEEDED]}
NIGHTLY = Key("MyBackup", "default", "nightly")
INVALID = {"volumeMounts": [{"name": "nowhere", "mountPath": "/a"}]}


def spec(**fields: Any) -> Step:
    """Create the MyResource, or change its spec."""
    return lambda stage: stage.world.apply(parent(**fields))


def edit(key: Key, change: Callable[[Json], object]) -> Step:
    """Edit an object by hand."""
    return lambda stage: stage.world.edit(key, change)


def delete(key: Key, policy: str = "background") -> Step:
    """Delete an object by hand."""
    return lambda stage: stage.world.delete(key, policy)


def put(item: Json) -> Step:
    """Create an object of another owner."""
    return lambda stage: stage.world.apply(item)


def at_once(*steps: Step) -> Step:
    """Run several steps without a pause between them."""
    return lambda stage: [step(stage) for step in steps]


def serve(stage: Stage, *, older: bool) -> None:
    """Serve another version of the hook; its URL changes, so Metacontroller restarts the controller."""
    now = in_process(PLAIN, stage.world.clock.time)
    stage.served = _older(now) if older else now
    stage.world.metacontroller.restart()


def _older(newer: Hook) -> Hook:
    """Return a version of the hook with one more annotation on each child, and another message in the status."""

    def call(hook: str, body: bytes) -> Reply:
        reply = newer(hook, body)
        more = reply.body.replace(b'"annotations":{', b'"annotations":{"mygroup.example.com/old":"x",')
        return reply._replace(body=more.replace(b"All Pods are", b"Pods are"))

    return call


LAST_READY = {"progressDeadlineSeconds": 20, "rollback": {"mode": "LastReady"}}
_FAILING = {"image": "nginx:bad", **LAST_READY}
_READY = (spec(**LAST_READY), spec(replicas=2, **LAST_READY), spec(**LAST_READY))
"""The image was Ready several versions of the Deployment ago."""


class Workload(NamedTuple):
    """The ``steps`` that get faults, and the ``given`` steps before them."""

    given: tuple[Step, ...]
    steps: tuple[Step, ...]
    hook: Controller = PLAIN


_MADE = (spec(),)
_MADE_WITH_PORT = (spec(**PORT),)

WORKLOADS: dict[str, Workload] = {
    "create": Workload((), _MADE_WITH_PORT),
    "scale": Workload(_MADE, (spec(replicas=3), spec(replicas=1))),
    "image": Workload(_MADE, (spec(image="nginx:1.28"),)),
    "changed twice at once": Workload(_MADE, (at_once(spec(image="nginx:1.28"), spec(image="nginx:1.29")),)),
    "image that can't be pulled": Workload(_MADE, (spec(image="nginx:bad"), spec())),
    "rolled back": Workload(_READY, (spec(**_FAILING), spec(replicas=2, **_FAILING))),
    "rolled back and corrected": Workload(
        (*_READY, spec(**_FAILING)), (spec(image="nginx:1.28", **LAST_READY), spec())
    ),
    "env added": Workload(_MADE, (spec(**ENV),)),
    "env removed": Workload((spec(**ENV),), (spec(env=ENV["env"][:1]),)),
    "ports added and removed": Workload(_MADE, (spec(**PORT), spec())),
    "invalid and valid again": Workload(_MADE, (spec(replicas=2, **INVALID), spec(replicas=2))),
    "invalid at first": Workload((), (spec(**INVALID), spec())),
    "strategy there and back": Workload(_MADE, (spec(strategy={"type": "Recreate"}), spec())),
    "deleted in the background": Workload(_MADE_WITH_PORT, (delete(WEB),)),
    "deleted in the foreground": Workload(_MADE_WITH_PORT, (delete(WEB, "foreground"),)),
    "children orphaned": Workload(_MADE, (delete(WEB, "orphan"),)),
    "deleted and made again at once": Workload(
        _MADE_WITH_PORT, (at_once(delete(WEB), spec(image="nginx:1.28", **PORT)),)
    ),
    "scaled by hand": Workload(_MADE, (edit(DEPLOYMENT, lambda item: item["spec"].update(replicas=3)),)),
    "label removed by hand": Workload(
        _MADE, (edit(DEPLOYMENT, lambda item: item["metadata"]["labels"].pop("myresource")),)
    ),
    "children deleted by hand": Workload(_MADE_WITH_PORT, (delete(DEPLOYMENT), delete(SERVICE))),
    "another version of the hook and back": Workload(
        _MADE, (lambda stage: serve(stage, older=True), lambda stage: serve(stage, older=False))
    ),
    "foreign Service, which goes": Workload((put(foreign(service(app="other"))),), (spec(**PORT), delete(SERVICE))),
    "configuration changed, lost and back": Workload(
        (put(config_map("settings", a="1")), spec(**USED)),
        (edit(SETTINGS, lambda item: item["data"].update(a="2")), delete(SETTINGS), put(config_map("settings", a="3"))),
        WATCHING,
    ),
    "a start that waits": Workload((spec(**WAITING),), (put(backup("nightly")), delete(NIGHTLY)), WATCHING),
    "create, with Pods": Workload((), (spec(),), MYRESOURCE),
    "Pods without their image": Workload(_MADE, (spec(image="nginx:bad"), spec()), MYRESOURCE),
    "Pods that crash": Workload(_MADE, (spec(image="nginx:crash"), spec(image="nginx:oom"), spec()), MYRESOURCE),
    "Pods that no node takes": Workload((spec(image="nginx:unschedulable"),), (spec(),), MYRESOURCE),
}
