"""Sites: parents of a small controller, and hooks for them, in which ``metahook check`` finds mistakes."""

import json
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from metahook.cli.hooks.named_hook import PATHS
from metahook.simulator.hook import Reply
from metahook.simulator.objects import Json
from toolkit.cli.command import call
from toolkit.cli.served import serving

CONTROLLER = """\
apiVersion: metacontroller.k8s.io/v1alpha1
kind: CompositeController
metadata:
  name: site
spec:
  generateSelector: true
  parentResource: {apiVersion: example.com/v1, resource: sites}
  childResources:
    - {apiVersion: v1, resource: configmaps, updateStrategy: {method: InPlace}}
    - apiVersion: v1
      resource: pods
      updateStrategy: {method: InPlace}
  hooks:
    sync:
      version: v2
      webhook:
        url: http://site.default.svc/sync
        timeout: 10s
"""
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sites.example.com}
spec:
  group: example.com
  names: {kind: Site, plural: sites}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                plan: {type: string, maxLength: 9}
                tags: {type: array, items: {type: string}}
            status:
              type: object
              properties:
                state: {type: string}
                at: {type: string}
                count: {type: integer}
                observedGeneration: {type: integer}
"""
PARENT = """\
apiVersion: example.com/v1
kind: Site
metadata: {name: www, labels: {team: web}}
spec: {plan: gold, tags: [a]}
"""
HEAD = """\
import itertools, json, time, uuid
from datetime import datetime
from metahook import ConfigMap, Controller, Kind, Object, SyncRequest, SyncResponse

class Pod(Object):
    KIND = Kind("v1", "Pod", "pods")

def child(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}

def pod(**main):
    containers = [{"name": "main", "image": "nginx:1", **main}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "www"}, "spec": {"containers": containers}}

def spec_of(request):
    return json.loads(request.parent.spec) or {}

def made(*children, **status):
    return SyncResponse(status={"state": "Made", **status}, children=[*children])

"""
FIRST_LINE = HEAD.count("\n") + 1
ARGUMENTS = ("-k", "controller.yaml", "-k", "crd.yaml", "-f", "www.yaml")
HOOK = ("--hook", "hook.py")
GOOD = 'made(child("a", plan=request.parent.name))'


def edit(file: str, old: str, new: str) -> None:
    """Replace the only *old* text in *file*."""
    text = Path(file).read_text()
    assert text.count(old) == 1, old
    Path(file).write_text(text.replace(old, new))


def add_hook(name: str) -> None:
    """Add a hook to the controller."""
    edit(
        "controller.yaml", "  hooks:\n", f"  hooks:\n    {name}: {{version: v2, webhook: {{url: http://a.b/{name}}}}}\n"
    )


def write_hook(code: str, *, children: str = "ConfigMap, Pod") -> None:
    """Write a hook for kinds of *children*. The *code* has its functions, or in one line what sync returns."""
    lines = textwrap.dedent(code).strip()
    if "\n" not in lines:
        lines = f"def sync(request, now):\n    return {lines}"
    functions = "".join(f"{name}={name}, " for name in PATHS if f"def {name}(" in lines)
    Path("hook.py").write_text(f"{HEAD}{lines}\n\n\nHOOK = Controller({functions}children=({children},))\n")


def checked(*more: str, url: str = "") -> tuple[int, list[str]]:
    """Check the hook that is written, or that at *url*; return the exit code, and place, message and name of each."""
    ended = call("check", *ARGUMENTS, *(("--hook", url) if url else HOOK), "-o", "json", *more)
    assert not ended.err, ended.err
    found = json.loads(ended.out)["findings"]
    return ended.code, [f"{each['place']}  {each['message']}  {each['name']}" for each in found]


class Mistake(NamedTuple):
    """The *code* of a hook, and the *lines* with which a *check* finds what is wrong with it."""

    check: str
    code: str
    lines: list[str]

    def assert_found(self) -> None:
        """Run the check."""
        write_hook(self.code)

        code, found = checked("--only", self.check)

        assert (code, len(found)) == (1, len(self.lines)), found
        assert all(line in each for line, each in zip(self.lines, found, strict=True)), found

    def assert_found_by_the_whole_check(self) -> None:
        """Run all checks, which may find one thing more."""
        write_hook(self.code)

        _, found = checked()

        assert any(self.lines[0] in each for each in found), found
        assert len(found) <= len(self.lines) + 1, found


def mistake(code: str, *lines: str, check: str) -> Mistake:
    """Return a mistake. A line without a place is about the Site."""
    return Mistake(
        check, code, [line if line.startswith(("/", "hook.py")) else f"/sync  Site www: {line}" for line in lines]
    )


# At a URL


def named(body: Json) -> str:
    """Return the name of the parent."""
    name: str = body["parent"]["metadata"]["name"]
    return name


def plan_of(body: Json) -> str:
    """Return the letters of the plan."""
    return "".join(filter(str.isalnum, (body["parent"].get("spec") or {}).get("plan") or "")) or "none"


def of_site(body: Json, kind: str, api_version: str = "apps/v1", **fields: object) -> Json:
    """Return a child with the name of the parent."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": named(body)}, **fields}


def config_map(body: Json) -> Json:
    """Return a right child, which has the plan of the parent."""
    return of_site(body, "ConfigMap", "v1", data={"plan": (body["parent"].get("spec") or {}).get("plan") or "none"})


def site(body: Json) -> Json:
    """Return a right response."""
    return {"status": {"state": "Made"}, "children": [config_map(body)]}


def deployment(body: Json, image: str = "nginx:1", **labels: str) -> Json:
    """Return a Deployment with *labels* in its selector."""
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": image}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return of_site(body, "Deployment", spec=spec)


@contextmanager
def serving_sites(sync: Callable[[Json], Json] = site) -> Iterator[str]:
    """Serve a hook that responds with what *sync* returns, and give the URL."""
    with serving(lambda body: Reply(200, json.dumps(sync(json.loads(body))).encode())) as url:
        yield url


_MORE_KINDS = (
    ("apps/v1", "deployments"),
    ("batch/v1", "jobs"),
    ("autoscaling/v2", "horizontalpodautoscalers"),
    ("v1", "secrets"),
    ("v1", "services"),
    ("apps/v1", "statefulsets"),
    ("coordination.k8s.io/v1", "leases"),
    ("v1", "limitranges"),
)


def list_more_kinds() -> None:
    """Add more kinds to the controller."""
    line = "    - {{apiVersion: {}, resource: {}, updateStrategy: {{method: InPlace}}}}\n"
    edit("controller.yaml", "  hooks:\n", "".join(line.format(*kind) for kind in _MORE_KINDS) + "  hooks:\n")
