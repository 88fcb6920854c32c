"""The pictures of the pages: what a MyResource becomes; who watches, calls and writes; the states; a rollout.

They are narrow, so that a phone shows their text large enough.
"""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import pairwise
from textwrap import wrap
from typing import Any

import yaml

from app.cli.bound import settings
from app.core.controller import controller
from app.core.status.parent_status import TERMS
from app.core.watch import Watch
from metahook.simulator.history import Call, Write
from metahook.simulator.metacontroller.claims import NAME as METACONTROLLER
from metahook.simulator.objects import Key
from metahook.simulator.world import World

Json = dict[str, Any]

WIDTH = 640
LINE = 20

ARROWS = (
    ("", "Building", "it is created"),
    ("Building", "Ready", "the rollout is complete"),
    ("Building", "Sleeping", "its schedule begins a window"),
    ("Sleeping", "Building", "the window ends"),
    ("Ready", "Building", "spec or configuration changes"),
    ("Ready", "Degraded", "Pods are lost"),
    ("Degraded", "Ready", "Pods are back"),
    ("Building", "Failed", "it is stuck"),
    ("Failed", "Building", "the cause is corrected"),
    ("Degraded", "Failed", "past the deadline"),
)
"""The usual changes of the state, each with its cause; the first state has no state before it."""

APPLIED = """\
kind: MyResource
metadata:
  name: web
spec:
  image: nginx:1.27
  memory: 64Mi
  ports:
  - containerPort: 80
"""
"""What you apply in the picture of what a MyResource becomes; there is no room for the API version."""

LIFE = (
    (0, "nginx:1.27", "create"),
    (12, "nginx:1.28", "new image"),
    (26, "nginx:bad", "bad image"),
    (54, "nginx:1.28", "roll back"),
)
"""What you do in the picture of a rollout and a rollback: when, in seconds, the image that you set, and the label."""
END = 64

_STYLE = """
text { font: 18px system-ui, sans-serif; fill: #e6edf3; }
.name { font-weight: bold; } .small { font-size: 16px; fill: #b4c0cc; }
.box { fill: #22303c; stroke: #5ec9bb; stroke-width: 2; }
.arrow { fill: none; stroke: #f0b15f; stroke-width: 2; marker-end: url(#head); } .any { stroke-dasharray: 6 5; }
.code { font: 17px ui-monospace, monospace; white-space: pre; }
.you { stroke: #f0b15f; stroke-dasharray: 3 4; } .tick { stroke: #b4c0cc; stroke-width: 2; }
.on { font-size: 14px; fill: #10201e; font-weight: bold; } .pods { fill: #5ec9bb; } .pods-1 { opacity: 0.6; }
.state-Ready { fill: #5fc27e; } .state-Building { fill: #e3c35c; } .state-Failed { fill: #ec7d74; }
"""
_HEAD = (
    '<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0 10 5 0 10z" fill="#f0b15f"/></marker>'
)


def pictures() -> dict[str, str]:
    """Return the pictures, by the name of their file."""
    return {"overview.svg": overview(), "loop.svg": loop(), "states.svg": states(), "timeline.svg": timeline()}


def overview() -> str:
    """Return the picture of what a MyResource becomes: the objects and the status that a run in the simulator gives."""
    world = _world()
    world.apply({"apiVersion": "mygroup.example.com/v1alpha1", **yaml.safe_load(APPLIED)})
    world.until_quiet()
    deployment, service = (
        world.get(Key(kind, "default", name)) for kind, name in (("Deployment", "web-deployment"), ("Service", "web"))
    )
    ready = world.parent("web")["status"]["conditions"][0]
    pod = deployment["spec"]["template"]["spec"]
    facts = (
        f"replicas: {deployment['spec']['replicas']}",
        f"image: {pod['containers'][0]['image']}",
        f"memory: {pod['containers'][0]['resources']['limits']['memory']}",
        f"seccomp: {pod['securityContext']['seccompProfile']['type']}",
    )
    boxes = (
        (14, ("Deployment", *facts)),
        (164, ("Service", f"{service['metadata']['name']}:{service['spec']['ports'][0]['port']}")),
        (242, ("status", f"{ready['type']}: {ready['status']}", *wrap(ready["message"], 26))),
    )
    parts = [_list((14, 80, 256, 208), APPLIED.splitlines(), "code")]
    parts += [_list((374, top, 252, 16 + 24 * len(lines)), lines, "small") for top, lines in boxes]
    parts += [_arrow(f"M270 184H348V{top}H371") for top in (82, 196, 298)]
    parts += [_text(308, 170, "operator", "middle")]
    return _picture("A MyResource, and what the operator makes of it", 368, parts)


def loop() -> str:
    """Return the picture of who watches, who calls and who writes."""
    boxes = (
        (30, "You, or a GitOps tool", "apply a MyResource, and read its status"),
        (170, "API server", "stores MyResources, Deployments, Services, Pods"),
        (330, "Metacontroller", "watches, calls and writes; it has the permissions"),
        (490, "The hook: myresource serve", "only computes; it has no credentials"),
    )
    parts = [_box((70, top, 500, 70), name, text) for top, name, text in boxes]
    parts += [
        _arrow("M170 100V167"),
        *(_arrow(f"M170 {top}V{top + 87}") for top in (240, 400)),
        *(_arrow(f"M460 {top}V{top - 87}") for top in (330, 490)),
        _arrow("M460 170V103"),
        _text(182, 140, "MyResource"),
        _text(450, 140, "status", "end"),
        _text(182, 275, "watches: each change"),
        _text(182, 295, "of parent, child, related"),
        _text(450, 318, "writes children and status", "end"),
        _text(182, 435, "POST /sync: parent,"),
        _text(182, 455, "children, related"),
        _text(450, 478, "desired children, status", "end"),
        _box(
            (70, 600, 500, 70),
            "Kubernetes' own controllers and kubelets",
            "watch Deployments, start Pods, write their status",
        ),
        _arrow("M590 635H605V205H573"),
        _arrow("M570 205H605V635H573"),
    ]
    return _picture("Who watches, who calls and who writes", 690, parts)


_PLACES = {
    "Building": (20, 110),
    "Ready": (450, 110),
    "Sleeping": (450, 22),
    "Failed": (20, 320),
    "Degraded": (450, 320),
    "Suspended": (60, 450),
    "Terminating": (410, 450),
}


def states() -> str:
    """Return the picture of the states and the usual changes between them."""
    names = [term.name for term in TERMS if term.kind == "state"]
    causes = {(before, after): cause for before, after, cause in ARROWS}
    parts = [_box((*_PLACES[name], 170, 56), name) for name in names]
    parts += [
        *(_arrow("M40 30V107"), _text(50, 55, causes["", "Building"])),
        *(_arrow("M190 128H447"), _text(320, 121, causes["Building", "Ready"], "middle")),
        *(_arrow("M152 110V36H447"), _text(306, 28, causes["Building", "Sleeping"], "middle")),
        *(_arrow("M450 64H176V107"), _text(306, 82, causes["Sleeping", "Building"], "middle")),
        *(_arrow("M450 150H193"), _text(320, 174, causes["Ready", "Building"], "middle")),
        *(_arrow("M466 166V317"), _text(456, 270, causes["Ready", "Degraded"], "end")),
        *(_arrow("M604 320V169"), _text(594, 270, causes["Degraded", "Ready"], "end")),
        *(_arrow("M36 166V317"), _text(45, 225, causes["Building", "Failed"])),
        *(_arrow("M176 320V169"), _text(186, 225, causes["Failed", "Building"])),
        *(_arrow("M450 348H193"), _text(320, 340, causes["Degraded", "Failed"], "middle")),
        *(_arrow("M145 400V447", "any"), _text(155, 425, "from any state: it is suspended")),
        *(_arrow("M495 400V447", "any"), _text(505, 425, "it is deleted")),
    ]
    return _picture("The states of a MyResource", 530, parts)


def timeline() -> str:
    """Return the picture of a rollout and of a rollback, as the simulator plays them."""
    world = _played()
    entries = world.history.entries
    writes = [each for each in entries if isinstance(each, Write) and each.changed]
    parts = []
    for at, _, label in LIFE:
        parts += [_text(_x(at) + 4, 60, label), f'<path class="you" d="M{_x(at)} 48V346"/>']
    for top, image in zip((150, 190, 230), dict.fromkeys(image for _, image, _ in LIFE), strict=True):
        parts += [_text(118, top + 20, image, "end"), *_lane(_pods(writes, image), top, "pods")]
    parts += [_text(118, 107, "state", "end"), *_lane(_states(writes), 86, "state")]
    marks = {
        "hook calls": [each.at for each in entries if isinstance(each, Call)],
        "writes": [each.at for each in writes if each.actor == METACONTROLLER],
    }
    for top, (name, times) in zip((280, 320), marks.items(), strict=True):
        ticks = "".join(f"M{_x(at)} {top}v24" for at in dict.fromkeys(times) if at <= END)
        parts += [_text(118, top + 18, name, "end"), f'<path class="tick" d="{ticks}"/>']
    parts += [_text(_x(at), 380, f"{at} s", "middle") for at in range(0, END + 1, 10)]
    parts += [_text(118, 60, "you", "end"), _text(118, 140, "ready Pods", "end")]
    for left, state in zip((200, 320, 420), ("Building", "Ready", "Failed"), strict=True):
        parts += [
            f'<rect class="state-{state}" x="{left}" y="14" width="14" height="14"/>',
            _text(left + 20, 27, state),
        ]
    return _picture("A rollout and a rollback of a MyResource with two replicas", 420, parts)


def _world() -> World:
    """Return a simulated cluster with the operator."""
    watch = Watch()
    return World(controller(watch), settings("dynamic-apply", watch))


def _played() -> World:
    """Return the world in which the picture happens."""
    world = _world()
    for at, image, _ in LIFE:
        world.run(at - world.clock.now)
        spec = {"image": image, "replicas": 2, "progressDeadlineSeconds": 20}
        metadata = {"name": "web", "namespace": "default"}
        world.apply(
            {"apiVersion": "mygroup.example.com/v1alpha1", "kind": "MyResource", "metadata": metadata, "spec": spec}
        )
    world.run(END - world.clock.now)
    return world


def _states(writes: list[Write]) -> Iterator[tuple[float, str]]:
    """Yield the state of the MyResource after each write of its status."""
    for write in writes:
        if write.key.kind == "MyResource" and (state := ((write.after or {}).get("status") or {}).get("state")):
            yield write.at, state


def _pods(writes: list[Write], image: str) -> Iterator[tuple[float, str]]:
    """Yield how many Pods with *image* are ready, after each write of one; "" if none is."""
    ready: set[str] = set()
    for write in writes:
        if write.key.kind == "Pod" and (write.after or write.before or {})["spec"]["containers"][0]["image"] == image:
            conditions = ((write.after or {}).get("status") or {}).get("conditions") or []
            is_ready = any((each["type"], each["status"]) == ("Ready", "True") for each in conditions)
            ready = ready | {write.key.name} if is_ready else ready - {write.key.name}
            yield write.at, str(len(ready) or "")


def _lane(steps: Iterator[tuple[float, str]], top: int, kind: str) -> Iterator[str]:
    """Yield a bar for each time in which the lane has one value, with the value in it if there is room."""
    changed: list[tuple[float, str]] = [(0, "")]
    changed += [step for before, step in pairwise([(0.0, ""), *steps]) if step[1] != before[1]]
    for (at, value), (until, _) in pairwise([*changed, (END, "")]):
        left, width = _x(at), _x(until) - _x(at)
        if value and width:
            yield f'<rect class="{kind} {kind}-{value}" x="{left}" y="{top}" width="{width}" height="30" rx="3"/>'
        if value and width >= 8 * len(value):
            yield _text(left + width // 2, top + 20, value, "middle", "on")


def _x(at: float) -> int:
    return 130 + round(at * 480 / END)


def _box(place: tuple[int, int, int, int], name: str, text: str = "") -> str:
    left, top, width, height = place
    middle, line = left + width // 2, top + height // 2 + (-6 if text else 6)
    words = [
        _text(middle, line, name, "middle", "name"),
        *([_text(middle, line + LINE, text, "middle", "small")] if text else []),
    ]
    return f'<rect class="box" x="{left}" y="{top}" width="{width}" height="{height}" rx="8"/>' + "".join(words)


def _list(place: tuple[int, int, int, int], lines: Iterable[str], kind: str) -> str:
    """Return a box with *lines*, of which the first one is its name."""
    left, top, width, height = place
    words = [
        _text(left + 14, top + 26 + 24 * row, line, "start", kind if row or kind == "code" else "name")
        for row, line in enumerate(lines)
    ]
    return f'<rect class="box" x="{left}" y="{top}" width="{width}" height="{height}" rx="8"/>' + "".join(words)


def _arrow(path: str, kind: str = "") -> str:
    return f'<path class="{f"arrow {kind}".strip()}" d="{path}"/>'


def _text(left: int, line: int, text: str, anchor: str = "start", kind: str = "small") -> str:
    return f'<text class="{kind}" x="{left}" y="{line}" text-anchor="{anchor}">{escape(text, quote=False)}</text>'


def _picture(title: str, height: int, parts: list[str]) -> str:
    back = f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#16202a"/>'
    body = "\n".join([f"<title>{title}</title>", f"<style>{_STYLE}</style>", f"<defs>{_HEAD}</defs>", back, *parts])
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">\n{body}\n</svg>\n'
