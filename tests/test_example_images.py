"""Every example fits the image that it names: its user, its port, its programs. Nothing is pulled or run here."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from docs.fields import examples
from tests.documents import ROOT

Json = dict[str, Any]


@dataclass(frozen=True)
class Image:
    """What is known of an image: the number of its user (0 is root), the port that it listens on, its programs."""

    user: int
    port: int
    programs: frozenset[str] = frozenset({"nginx", "nginx-debug"})


IMAGES = {
    "nginx:1.27": Image(user=0, port=80),
    "nginx:1.28": Image(user=0, port=80),
    "nginxinc/nginx-unprivileged:1.27": Image(user=101, port=8080),
}
"""Both serve ``/`` and ``/index.html`` over HTTP. Sources: the Dockerfiles of nginx and nginx-unprivileged."""

PATHS = {"/", "/index.html"}
READERS_OWN = "registry.example.com/"
"""Where the reader's own images are. Of these nothing is known, so Restricted needs another one."""

READABLE_BY_OTHERS = 0o004


def problems(spec: Json) -> Iterator[str]:
    """Yield what would keep the example *spec* from running: nothing that a cluster must provide, such as a Secret."""
    name = spec["image"].removeprefix("docker.io/")
    image = IMAGES.get(name)
    if image is None and not name.startswith(READERS_OWN):
        yield f"nothing is known of image {name}"
    if spec.get("securityProfile") == "Restricted":
        if image is None or image.user == 0:
            yield "Restricted needs an image that runs as another user than root"
        yield from (f"the user of the image can't read {volume['name']}" for volume in _unreadable(spec))
    if image:
        yield from _misfits(spec, image)


def _misfits(spec: Json, image: Image) -> Iterator[str]:
    programs = [*(spec.get("command") or spec.get("args", []))][:1]  # the entrypoint of both runs its arguments
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        handlers = spec.get(probe, {})
        for port in (handlers[kind]["port"] for kind in ("httpGet", "tcpSocket", "grpc") if kind in handlers):
            if _number(spec, port) != image.port or "grpc" in handlers:
                yield f"{probe}: the image does not answer at {port}"
        http = handlers.get("httpGet", {})
        if http.get("path", "/") not in PATHS or http.get("scheme", "HTTP") != "HTTP":
            yield f"{probe}: the image does not serve that"
        programs += handlers.get("exec", {}).get("command", [])[:1]
    yield from (f"the image has no {program}" for program in programs if program not in image.programs)


def _number(spec: Json, port: int | str) -> int | str:
    named = {item.get("name"): item["containerPort"] for item in spec.get("ports", [])}
    found: int | str = named.get(port, port)
    return found


def _unreadable(spec: Json) -> Iterator[Json]:
    """Yield the volumes with files that are root's alone."""
    for volume in spec.get("volumes", []):
        if any(not mode & READABLE_BY_OTHERS for mode in _modes(volume)):
            yield volume


def _modes(node: Any) -> Iterator[int]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in children:
        if key in ("mode", "defaultMode"):
            yield value
        else:
            yield from _modes(value)


def _blocks() -> Iterator[tuple[str, Json]]:
    """Yield the MyResources that pages show in YAML to be applied: those without a status."""
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]:
        for block in re.findall(r"^```yaml\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
            for item in yaml.safe_load_all(block):
                if isinstance(item, dict) and item.get("kind") == "MyResource" and "status" not in item:
                    yield page.name, item


def _files() -> Iterator[tuple[str, Json]]:
    for file in sorted(ROOT.glob("examples/*.yaml")):
        yield file.name, yaml.safe_load(file.read_text())


def _fields() -> Iterator[tuple[str, Json]]:
    for field, items in examples().items():
        yield from ((f"fields.yaml {field}", item) for item in items)


ALL = [*_files(), *_fields(), *_blocks()]  # those of docs/fields.md are there twice
FULL: Json = dict(_files())["full.yaml"]["spec"]


@pytest.mark.parametrize("item", [pytest.param(item, id=f"{at} {place}") for at, (place, item) in enumerate(ALL)])
def test_an_example_fits_its_image(item: Json) -> None:
    assert list(problems(item["spec"])) == []


def test_the_files_of_examples_name_images_that_anybody_can_pull() -> None:
    assert [place for place, item in _files() if item["spec"]["image"].startswith(READERS_OWN)] == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"image": "nginx:1.27"}, "Restricted needs an image that runs as another user than root"),
        ({"image": "registry.example.com/team/app:1"}, "Restricted needs an image that runs as another user than root"),
        ({"image": "busybox:1"}, "nothing is known of image busybox:1"),
        ({"command": ["/app/server"]}, "the image has no /app/server"),
        ({"command": [], "args": ["--listen"]}, "the image has no --listen"),
        ({"startupProbe": {"exec": {"command": ["curl"]}}}, "the image has no curl"),
        ({"readinessProbe": {"tcpSocket": {"port": 80}}}, "readinessProbe: the image does not answer at 80"),
        ({"readinessProbe": {"grpc": {"port": 8080}}}, "readinessProbe: the image does not answer at 8080"),
        (
            {"livenessProbe": {"httpGet": {"port": "http", "path": "/live"}}},
            "livenessProbe: the image does not serve that",
        ),
        (
            {"livenessProbe": {"httpGet": {"port": "http", "scheme": "HTTPS"}}},
            "livenessProbe: the image does not serve that",
        ),
        (
            {"volumes": [{"name": "a", "secret": {"secretName": "a", "defaultMode": 0o400}}]},
            "the user of the image can't read a",
        ),
        (
            {
                "volumes": [
                    {"name": "a", "configMap": {"name": "a", "items": [{"key": "a", "path": "a", "mode": 0o440}]}}
                ]
            },
            "the user of the image can't read a",
        ),
        (
            {"volumes": [{"name": "a", "projected": {"defaultMode": 0o600, "sources": []}}]},
            "the user of the image can't read a",
        ),
    ],
    ids=str,
)
def test_an_example_that_would_not_run_is_found(change: Json, problem: str) -> None:
    assert list(problems(FULL)) == []
    assert problem in list(problems({**deepcopy(FULL), **change}))
