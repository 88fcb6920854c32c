"""``metahook check`` finds the mistakes of beginners, each in one line, and nothing in the examples."""

import http.server
import json
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from metahook.cli.checking import calls
from metahook.cli.checking.calls import Stopped
from metahook.cli.checking.results import CheckResult, Results
from metahook.simulator.metacontroller.settings import MODES
from metahook.simulator.objects import Json
from toolkit.cli.command import call, problem
from toolkit.cli.served import serving
from toolkit.slow import only_whole, short_or_whole

ROOT = Path(__file__).parents[2]
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

"""
TAIL = "\n\nHOOK = Controller(sync=sync, children=(ConfigMap, Pod))\n"
FROM_REQUEST = "; compute a response from its request alone  NotPure"
ARGUMENTS = ("-k", "controller.yaml", "-k", "crd.yaml", "-f", "www.yaml", "--hook", "hook.py")
FIRST_LINE = HEAD.count("\n") + 1


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory with a controller, a CRD and a parent."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *__import__("sys").path])
    Path("controller.yaml").write_text(CONTROLLER)
    Path("crd.yaml").write_text(CRD)
    Path("www.yaml").write_text(PARENT)


def write_hook(sync: str) -> None:
    Path("hook.py").write_text(HEAD + textwrap.dedent(sync).strip() + TAIL)


def checked(*more: str) -> tuple[int, list[str]]:
    """Return the exit code, and the findings, each as its place, message and name."""
    ended = call("check", *ARGUMENTS, "-o", "json", *more)
    assert not ended.err, ended.err
    found = json.loads(ended.out)["findings"]
    return ended.code, [f"{each['place']}  {each['message']}  {each['name']}" for each in found]


MISTAKES = {
    "status forgotten": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(children=[])
        """,
        [
            (
                f"hook.py:{FIRST_LINE + 1}  Site www: TypeError: SyncResponse.__init__() missing 1 required positional "
                "argument: 'status'  Exception"
            )
        ],
    ),
    "null in a child": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[child("a", a=None)])
        """,
        ["/sync  Site www: ConfigMap a: data.a is null: leave the field out  RefusedResponse"],
    ),
    "one name twice": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[child("a"), child("a")])
        """,
        ["/sync  Site www: two children ConfigMap.v1 a in namespace default: list each one once  RefusedResponse"],
    ),
    "a random value": (
        "purity",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[child("a", id=str(uuid.uuid4()))])
        """,
        ["/sync  Site www: same request twice: children[0].data.id differs" + FROM_REQUEST],
    ),
    "a random name": (
        "purity",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[child(f"a-{uuid.uuid4()}")])
        """,
        ["/sync  Site www: same request twice: children[0].metadata.name differs" + FROM_REQUEST],
    ),
    "a set in another order": (
        "purity",
        """
        turns = itertools.cycle([1, -1])
        def sync(request, now):
            names = ["b", "a"][::next(turns)]
            return SyncResponse(status={"state": "Made"}, children=[child("a", names=" ".join(names))])
        """,
        ["/sync  Site www: same request twice: children[0].data.names differs" + FROM_REQUEST],
    ),
    "time without a resync": (
        "purity",
        """
        def sync(request, now):
            age = (now - datetime.fromisoformat(request.parent.created)).total_seconds()
            return SyncResponse(status={"state": "Old" if age > 3000 else "New"})
        """,
        [
            (
                "/sync  Site www: one hour later: status.state differs, and no resyncAfterSeconds asks for a sync by "
                "then, nor resyncPeriodSeconds  NeedsResync"
            )
        ],
    ),
    "now in the status": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"at": now.isoformat()})
        """,
        [
            (
                "/sync  Site www: written again and again, although nothing else changes: status.at is "
                "another one each "
                "time  RepeatedWrites"
            ),
        ],
    ),
    "core/v1": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[{**child("a"), "apiVersion": "core/v1"}])
        """,
        ["/sync  Site www: ConfigMap a: its apiVersion is v1, not core/v1  RefusedResponse"],
    ),
    "kind missing": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[{"apiVersion": "v1", "metadata": {"name": "a"}}])
        """,
        ["/sync  Site www: a child a has no kind  RefusedResponse"],
    ),
    "half a second": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, resync_after=0.5)
        """,
        ["/sync  Site www: resync_after is 0.5: write whole seconds"],
    ),
    "a mutable default": (
        "purity",
        """
        def sync(request, now, children=[]):
            children.append(child(f"a-{len(children)}"))
            return SyncResponse(status={"state": "Made"}, children=list(children))
        """,
        ["/sync  Site www: same request twice: children differs" + FROM_REQUEST],
    ),
    "a template shared by parents": (
        "twins",
        """
        TEMPLATE = {"team": "web"}
        def sync(request, now):
            TEMPLATE[request.parent.name] = "here"
            return SyncResponse(status={"state": "Made"}, children=[child(request.parent.name, **TEMPLATE)])
        """,
        [
            (
                "/sync  Site www: the response has data of Site www-twin: two parents share an object in the hook  "
                "MixedParents"
            )
        ],
    ),
    "returns None": (
        "life",
        """
        def sync(request, now):
            SyncResponse(status={"state": "Made"})
        """,
        ["/sync  Site www: sync returned None: is a return missing?  RefusedResponse"],
    ),
    "a field that the API server drops": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made", "ready": "yes"}, children=[pod(imagePullPolice="Always")])
        """,
        [
            "/sync  status.ready is not in the CRD's schema, so the API server drops it; add it  PrunedStatus",
            (
                "/sync  children[0] Pod www: spec.containers[0].imagePullPolice is not a field, so the API "
                "server drops it"
                "  UnknownField"
            ),
        ],
    ),
    "a status of another type": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"count": "3"})
        """,
        [
            (
                "/sync  status.count must be of type integer, as the CRD's schema says; the API server "
                "refuses the whole "
                "status  InvalidStatus"
            )
        ],
    ),
    "a quantity that is stored otherwise": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[pod(resources={"limits": {"memory": "1024Mi"}})])
        """,
        [
            (
                '/sync  children[0] Pod www: spec.containers[main].resources.limits.memory "1024Mi" is '
                'stored as "1Gi": '
                "a write in every sync  StoredOtherwise"
            )
        ],
    ),
    "a field that is not required": (
        "smaller",
        """
        def sync(request, now):
            return SyncResponse(status={"state": spec_of(request)["plan"]})
        """,
        [f"hook.py:{FIRST_LINE + 1}  Site www: KeyError: 'plan'  Exception"],
    ),
    "a value that no author thought of": (
        "generated",
        """
        def sync(request, now):
            plan = spec_of(request).get("plan", "gold")
            return SyncResponse(status={"state": {"gold": "Made"}[plan] if len(plan) < 5 else "Made"})
        """,
        [f"hook.py:{FIRST_LINE + 2}  Site a: KeyError: ''  Exception"],
    ),
    "only listed while it does not exist": (
        "life",
        """
        def sync(request, now):
            made = [] if request.children.all(ConfigMap) else [child("a")]
            return SyncResponse(status={"state": "Made"}, children=made)
        """,
        ["/sync  ConfigMap a: deleted, although the parent's spec did not change  WrongDelete"],
    ),
    "a status from what was written last": (
        "life",
        """
        def sync(request, now):
            count = (json.loads(request.parent.status) or {}).get("count", 0) + 1
            return SyncResponse(status={"count": count})
        """,
        [
            (
                "/sync  Site www: written again and again, although nothing else changes: status.count is "
                "another one each "
                "time  RepeatedWrites"
            )
        ],
    ),
    "remembered in the status alone": (
        "crash-0",
        """
        def sync(request, now):
            found = "adopted" if request.children.all(ConfigMap) else "made"
            origin = (json.loads(request.parent.status) or {}).get("state", found)
            return SyncResponse(status={"state": origin}, children=[child("a", origin=origin)])
        """,
        [
            "/sync  ConfigMap a: another child after this fault than without it: data.origin differs  EndsDifferently",
        ],
    ),
    "several random values": (
        "purity",
        """
        def sync(request, now):
            ids = {name: str(uuid.uuid4()) for name in "abcde"}
            return SyncResponse(status={"state": "Made"}, children=[child("a", **ids)])
        """,
        [
            (
                "/sync  Site www: same request twice: children[0].data.a, children[0].data.b, children[0].data.c and 2 "
                "more differ" + FROM_REQUEST
            )
        ],
    ),
    "a clock of its own that shows minutes": (
        "purity",
        """
        def sync(request, now):
            return SyncResponse(status={"at": time.strftime("%H:%M")})
        """,
        [
            (
                "/sync  Site www: with the clock of its process a minute later: status.at differs; take the time from "
                "the argument now  NotPure"
            )
        ],
    ),
    "a clock of its own that shows days": (
        "purity",
        """
        from datetime import date
        def sync(request, now):
            return SyncResponse(status={"at": str(date.today())})
        """,
        [
            (
                "/sync  Site www: with the clock of its process a day later: status.at differs; take the time from the "
                "argument now  NotPure"
            )
        ],
    ),
    "the time of a condition from a clock of its own": (
        "purity",
        """
        from datetime import UTC
        from metahook import set_condition
        def sync(request, now):
            old, now = request.parent.conditions, datetime.now(UTC).replace(microsecond=0)
            return SyncResponse(status={"conditions": set_condition(old, "Ok", "True", "Ok", now=now, generation=1)})
        """,
        [
            (
                "/sync  Site www: with the clock of its process a minute later: "
                "status.conditions[0].lastTransitionTime differs; take the time from the argument now  NotPure"
            )
        ],
    ),
    "the order of a set": (
        "purity",
        """
        def sync(request, now):
            return SyncResponse(status={"state": " ".join({"red", "blue"})})
        """,
        [
            (
                "/sync  Site www: same request in another process: status.state differs; sort what comes from a set, "
                "and use no hash()  NotPure"
            )
        ],
    ),
    "an import that works once": (
        "purity",
        """
        from pathlib import Path
        Path("lock").touch(exist_ok=False)
        def sync(request, now):
            return SyncResponse(status={"state": "Made"})
        """,
        ["/sync  Site www: can't be called in a second process, "],
    ),
    "the first spec of a name": (
        "smaller",
        """
        SPECS = {}
        def sync(request, now):
            spec = SPECS.setdefault(request.parent.name, spec_of(request))
            return SyncResponse(status={"state": spec.get("plan", "none")})
        """,
        [
            (
                "/sync  Site www: a parent of another name with the same spec gets another response, in status.state; "
                "keep nothing of earlier requests  NotPure"
            )
        ],
    ),
    "a constant name": (
        "twins",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[child("settings", a="b")])
        """,
        [
            (
                "/sync  ConfigMap settings: both Site www and Site www-twin list it, and only one gets it; put the "
                "name of the parent into its name  ConstantName"
            )
        ],
    ),
    "no children for an invalid spec": (
        "smaller",
        """
        def sync(request, now):
            if "plan" not in spec_of(request):
                return SyncResponse(status={"state": "InvalidSpec"})
            return SyncResponse(status={"state": "Made"}, children=[child("a", a="b")])
        """,
        [
            (
                "/sync  Site www: an edit to this spec, which the status calls invalid, deletes ConfigMap a and all "
                "others; go on listing them, in Python with kept=request.children.kept()  DroppedChildren"
            )
        ],
    ),
    "ready at once": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Ready"}, children=[child("a", a="b")])
        """,
        ["/sync  Site www: Ready is True, although ConfigMap a does not exist  ReadyTooEarly"],
    ),
    "a true field ready at once": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"ready": True}, children=[child("a", a="b")])
        """,
        ["/sync  status.ready is not in", "/sync  Site www: Ready is True, although ConfigMap a does not exist"],
    ),
    "no children for an exception": (
        "smaller",
        """
        def sync(request, now):
            try:
                return SyncResponse(status={"state": "Made"}, children=[child("a", plan=spec_of(request)["plan"])])
            except KeyError as error:
                return SyncResponse(status={"error": f"no {error}"})
        """,
        [
            "/sync  status.error is not in the CRD's schema",
            "an edit to this spec, which the status calls invalid, deletes ConfigMap a and all others; go on listing",
        ],
    ),
    "a mount without a volume": (
        "life",
        """
        def sync(request, now):
            return SyncResponse({"state": "Made"}, [pod(volumeMounts=[{"name": "page", "mountPath": "/page"}])])
        """,
        ["Invalid: volumeMounts: name: Not found: page is no volume of the Pod"],
    ),
    "a child that is refused, in each life": (
        "life",
        """
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[child("A")])
        """,
        ["/sync  ConfigMap A: the API server keeps refusing it, and the status does not report that"],
    ),
    "only a newer child each time": (
        "life",
        """
        def sync(request, now):
            last = max([int(each.metadata.name[1:]) for each in request.children.all(ConfigMap)], default=0)
            return SyncResponse(status={"state": "Made"}, children=[child(f"a{last + 1}", a="b")])
        """,
        ["ConfigMap a1: deleted, although the parent's spec did not change  WrongDelete", "GrowingChildren"],
    ),
}


@pytest.mark.parametrize(("check", "sync", "lines"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_a_hook_is_one_line(check: str, sync: str, lines: list[str]) -> None:
    write_hook(sync)

    code, found = checked("--only", check)

    assert code == 1
    assert len(found) == len(lines), found
    assert all(line in each for line, each in zip(lines, found, strict=True)), found


@only_whole
@pytest.mark.parametrize(("check", "sync", "lines"), MISTAKES.values(), ids=MISTAKES)
def test_the_whole_check_finds_the_mistake_and_hardly_more(check: str, sync: str, lines: list[str]) -> None:
    del check
    write_hook(sync)

    _, found = checked()

    assert any(lines[0] in each for each in found), found
    assert len(found) <= len(lines) + 1, found


GOOD = """
def sync(request, now):
    return SyncResponse(status={"state": "Made"}, children=[child("a", plan=request.parent.name)])
"""


RULES = {
    "v1": (
        [("version: v2", "version: v1")],
        "controller.yaml:15  sync: version v1; set version: v2 and responseUnMarshallMode: strict  LooseHook",
    ),
    "no version": (
        [("      version: v2\n", "")],
        "controller.yaml:14  sync: version v1; set version: v2 and responseUnMarshallMode: strict  LooseHook",
    ),
    "loose": (
        [("timeout: 10s", "responseUnMarshallMode: loose")],
        (
            "controller.yaml:18  sync: an error as JSON would delete all children; set "
            "responseUnMarshallMode: strict  LooseHook"
        ),
    ),
    "no update method": (
        [("      updateStrategy: {method: InPlace}\n", "")],
        (
            "controller.yaml:10  pods: no update method, so children are never updated; "
            "set updateStrategy: {method: Recreate}  NeverUpdated"
        ),
    ),
    "rolling": (
        [("      updateStrategy: {method: InPlace}\n", "      updateStrategy: {method: RollingRecreate}\n")],
        (
            "controller.yaml:12  pods: RollingRecreate, with which Metacontroller 4.17 stalls after the first child of "
            "a namespaced parent, so it is not simulated: set it to Recreate  RollingUpdate"
        ),
    ),
    "no selector": (
        [("generateSelector: true", "generateSelector: false")],
        (
            "controller.yaml:6  no generateSelector, and no spec.selector in the CRD, so every sync fails; "
            "set generateSelector: true  NoSelector"
        ),
    ),
    "a long name": (
        [
            ("name: site\n", f"name: {'s' * 44}\n"),
            ("  hooks:\n", "  hooks:\n    finalize: {version: v2, webhook: {url: http://a/f}}\n"),
        ],
        (
            "controller.yaml:4  the name has 44 letters, too many for a finalizer; use at most 43, or "
            "remove finalize  LongName"
        ),
    ),
    "a URL": (
        [("http://site.default.svc/sync", "site.default.svc/sync")],
        "controller.yaml:17  sync: not a URL; write it as http://NAME.NAMESPACE.svc/sync  InvalidWebhook",
    ),
    "no URL": (
        [("        url: http://site.default.svc/sync\n", "")],
        (
            "controller.yaml:16  sync: no url, or service and path, so Metacontroller does not run the "
            "controller; add it"
            "  InvalidWebhook"
        ),
    ),
    "a path": (
        [("url: http://site.default.svc/sync", "path: sync\n        service: {name: site, namespace: default}")],
        "controller.yaml:17  sync: begins without /; write /sync  InvalidWebhook",
    ),
    "a timeout": (
        [("timeout: 10s", "timeout: 10 s")],
        "controller.yaml:18  sync: not a duration over 0; write it as 10s  InvalidWebhook",
    ),
    "no timeout at all": (
        [("timeout: 10s", "timeout: 0s")],
        "controller.yaml:18  sync: not a duration over 0; write it as 10s  InvalidWebhook",
    ),
    "half of an etag": (
        [("timeout: 10s", "etag: {enabled: true, cacheTimeoutSeconds: 5}")],
        (
            "controller.yaml:18  sync: cacheTimeoutSeconds and cacheCleanupSeconds need each other; set both or none"
            "  InvalidWebhook"
        ),
    ),
    "an unused hook": (
        [("  hooks:\n", "  hooks:\n    preUpdateChild: {webhook: {url: http://a/b}}\n")],
        "controller.yaml:14  preUpdateChild: Metacontroller never calls it; remove it  UnusedHook",
    ),
    "a cluster-scoped child": (
        [("resource: pods", "resource: namespaces")],
        (
            "controller.yaml:10  namespaces are cluster-scoped and the parent is not, so Kubernetes "
            "deletes such children; "
            "use a cluster-scoped parent  ClusterScopedChild"
        ),
    ),
    "an unknown field": (
        [("generateSelector: true", "generateSelektor: true")],
        "controller.yaml:6  spec.generateSelektor: unknown field; did you mean generateSelector?  InvalidField",
    ),
    "a kind in place of a resource": (
        [("resource: pods", "resource: Pod")],
        "controller.yaml:11  no Pod in v1; did you mean pods?  UnknownResource",
    ),
    "another group": (
        [("- apiVersion: v1", "- apiVersion: apps/v1")],
        "controller.yaml:11  no pods in apps/v1; they are in v1  UnknownResource",
    ),
    "no CRD of the parent": (
        [("resource: sites", "resource: rooms")],
        "controller.yaml:7  no rooms in example.com/v1; name the file of their CRD with -k  UnknownResource",
    ),
    "a built-in parent": (
        [("apiVersion: example.com/v1, resource: sites", "apiVersion: apps/v1, resource: deployments")],
        (
            "controller.yaml:7  deployments are built in, and a CompositeController needs a CRD; use a "
            "DecoratorController"
            "  UnknownResource"
        ),
    ),
    "no status": (
        [("      subresources: {status: {}}\n", "")],
        (
            "crd.yaml:9  spec.versions[0] has no status, so Metacontroller ignores the controller; "
            "add subresources: {status: {}}  InvalidField"
        ),
    ),
    "no observedGeneration": (
        [("                observedGeneration: {type: integer}\n", "")],
        (
            "crd.yaml:24  status.observedGeneration is not in the schema, so each sync writes the status; "
            "add observedGeneration: {type: integer}  PrunedStatus"
        ),
    ),
}


@pytest.mark.parametrize(("changes", "line"), RULES.values(), ids=RULES)
def test_a_mistake_in_the_manifests_is_found_at_its_line(changes: list[tuple[str, str]], line: str) -> None:
    for old, new in changes:
        texts = {name: Path(name).read_text() for name in ("controller.yaml", "crd.yaml")}
        assert sum(old in text for text in texts.values()) == 1
        for name, text in texts.items():
            Path(name).write_text(text.replace(old, new))
    write_hook(GOOD)

    code, found = checked("--only", "manifests")

    assert (code, found) == (1, [line])


def test_a_status_that_follows_one_child_after_the_other_is_no_loop() -> None:
    write_hook("""
        def sync(request, now):
            made = len(request.children.all(ConfigMap))
            children = [child(f"a-{number}", a="b") for number in range(min(made + 1, 4))]
            return SyncResponse(status={"count": made}, children=children)
    """)

    assert checked("--only", "life") == (0, [])


def test_a_parent_that_is_never_finalized_is_found() -> None:
    finalize = "    finalize: {version: v2, webhook: {url: http://site.default.svc/finalize}}\n"
    Path("controller.yaml").write_text(CONTROLLER + finalize)
    write_hook("""
        from metahook import FinalizeResponse
        def finalize(request, now):
            return FinalizeResponse(status={"state": "Going"}, finalized=False)
        def sync(request, now):
            return SyncResponse(status={"state": "Made"})
    """)
    Path("hook.py").write_text(Path("hook.py").read_text().replace("sync=sync", "sync=sync, finalize=finalize"))

    _, found = checked("--only", "life")
    Path("other.yaml").write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: other}\n")
    _, beside_others = checked("--only", "life", "-f", "other.yaml")

    message = "/finalize  Site www: still exists ten minutes after its deletion; respond with finalized: true"
    assert found == [f"{message}  NotFinalized"]
    assert beside_others == [f"{message}, or leave out of -f what the hook waits for  NotFinalized"]


@pytest.mark.parametrize(
    ("finalized", "found"),
    [
        (
            "True",
            [
                (
                    "/finalize  Site www: finalized: true in the first response, and ConfigMap a still exists; respond "
                    "with finalized: false until the children are as they should be  FinalizedAtOnce"
                )
            ],
        ),
        ("not request.children.all(ConfigMap)", []),
    ],
)
def test_a_parent_that_is_finalized_before_its_children_are_gone_is_found(finalized: str, found: list[str]) -> None:
    finalize = "    finalize: {version: v2, webhook: {url: http://site.default.svc/finalize}}\n"
    Path("controller.yaml").write_text(CONTROLLER + finalize)
    write_hook(f"""
        from metahook import FinalizeResponse
        def finalize(request, now):
            return FinalizeResponse(status={{"state": "Going"}}, finalized={finalized})
        def sync(request, now):
            return SyncResponse(status={{"state": "Made"}}, children=[child("a", a="b")])
    """)
    Path("hook.py").write_text(Path("hook.py").read_text().replace("sync=sync", "sync=sync, finalize=finalize"))

    assert checked("--only", "life")[1] == found


def test_a_path_that_is_nearly_that_of_the_hook_is_found() -> None:
    Path("controller.yaml").write_text(CONTROLLER.replace("svc/sync", "svc/sites/snyc"))
    write_hook(GOOD)

    message = "sync: its path ends in /snyc, and a Controller is served at /sync; correct the path"
    assert checked("--only", "hooks") == (1, [f"controller.yaml:16  {message}  WrongPath"])


@pytest.mark.parametrize(
    ("argument", "name"),
    [("finalize=finalize", "FinalizeHookMissing"), ("customize=customize", "CustomizeHookMissing")],
)
def test_a_function_whose_hook_is_not_in_the_manifest_is_found(argument: str, name: str) -> None:
    write_hook("""
        from metahook import FinalizeResponse
        def customize(request):
            return []
        def finalize(request, now):
            return FinalizeResponse(status={"state": "Going"}, finalized=True)
        def sync(request, now):
            return SyncResponse(status={"state": "Made"})
    """)
    Path("hook.py").write_text(Path("hook.py").read_text().replace("sync=sync", f"sync=sync, {argument}"))

    _, found = checked("--only", "hooks")

    assert [line.split()[-1] for line in found] == [name]


def test_a_hook_without_mistakes_has_no_findings() -> None:
    write_hook(GOOD)

    assert checked() == (0, [])


@pytest.mark.parametrize(
    ("mistake", "printed"),
    [
        ("time without a resync", "NeedsResync"),
        ("a template shared by parents", "MixedParents"),
        ("a value that no author thought of", "KeyError: ''"),
    ],
)
def test_the_command_of_a_finding_repeats_it(mistake: str, printed: str) -> None:
    check, sync, _ = MISTAKES[mistake]
    write_hook(sync)
    found = json.loads(call("check", *ARGUMENTS, "-o", "json", "--only", check).out)["findings"][0]
    Path("example.yaml").write_text(found["example"])
    name, *words = shlex.split(found["command"])

    ended = call(*("example.yaml" if word == "-" else word for word in words))

    assert name == "metahook"
    assert ended.code > 0
    assert printed in ended.out + ended.err


def test_the_text_has_a_line_for_each_finding_and_the_command_that_repeats_it() -> None:
    write_hook(MISTAKES["now in the status"][1])
    Path("controller.yaml").write_text(CONTROLLER.replace("version: v2", "version: v1"))

    ended = call("check", *ARGUMENTS, "--only", "life")

    assert (ended.code, ended.err) == (1, "")
    lines = ended.out.splitlines()
    assert lines[:-1] == [
        "controller.yaml:15  sync: version v1; set version: v2 and responseUnMarshallMode: strict   LooseHook",
        (
            "/sync  Site www: written again and again, although nothing else changes: status.at is "
            "another one each time"
            "  RepeatedWrites"
        ),
        "    metahook simulate -k controller.yaml -k crd.yaml --hook hook.py -f www.yaml",
    ]
    assert re.fullmatch(r"2 problems \(2 checks, [0-9]+ calls of the hook\)", lines[-1])


def test_the_example_of_a_finding_is_in_the_command() -> None:
    write_hook(MISTAKES["a value that no author thought of"][1])

    ended = call("check", *ARGUMENTS, "--only", "generated")

    assert ended.out.splitlines()[1:-1] == [
        "    metahook simulate -k controller.yaml -k crd.yaml --hook hook.py -f - <<'EOF'",
        "apiVersion: example.com/v1",
        "kind: Site",
        "metadata:",
        "  name: a",
        "spec:",
        "  plan: ''",
        "EOF",
    ]


def test_each_check_is_a_test_case_of_junit() -> None:
    write_hook(MISTAKES["a field that is not required"][1])

    ended = call("check", *ARGUMENTS, "-o", "junit")

    suite = ET.fromstring(ended.out)  # noqa: S314 - the command's own
    cases = {case.get("name"): case for case in suite}
    assert {"manifests", "purity", "life", "twins", "smaller", "generated", "stale-parent", "crash-0"} <= {*cases}
    assert (suite.get("tests"), suite.get("failures")) == (str(len(cases)), "1")
    failure = cases["smaller"].find("failure")
    assert failure is not None
    assert failure.get("type") == "Exception"
    assert "metahook simulate" in (failure.text or "")


def test_a_check_ends_in_time_with_what_it_found() -> None:
    write_hook("""
        def sync(request, now):
            time.sleep(0.2)
            return SyncResponse(status={"state": "Made"}, children=[child("a", id=str(uuid.uuid4()))])
    """)

    ended = call("check", *ARGUMENTS, "--limit", "1")

    assert ended.code == 2
    first, last = ended.out.splitlines()
    assert re.fullmatch(r"1 of [0-9]{2} checks ran: stopped after 1 s; --limit SECONDS allows more", first)
    assert re.fullmatch(r"not finished \(1 check, [0-9]+ calls of the hook\)", last)


def test_a_check_that_is_stopped_keeps_what_it_has_found() -> None:
    results, finding = Results(), CheckResult("NotPure", "/sync", "Site www: differs")

    def stopped() -> Iterator[CheckResult]:
        yield finding
        raise Stopped

    with pytest.raises(Stopped):
        results.add("purity", stopped())

    assert results.findings == [finding]


def test_a_hook_that_hangs_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "LONGEST_CALL", 0.1)
    write_hook("""
        def sync(request, now):
            while True:
                try:
                    time.sleep(1)
                except Exception:
                    pass
    """)

    assert problem("check", *ARGUMENTS) == (
        "--hook: sync takes over 0 s, the timeout of Metacontroller; make it shorter"
    )


@pytest.mark.parametrize("stays", [True, False])
def test_a_hook_that_closes_connections_is_a_finding_and_one_that_ends_stops_the_check(*, stays: bool) -> None:
    """Answer two requests, and then those alone with a plan, or none."""
    answered = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answered.append(body)
            if len(answered) > 2 and not (stays and b'"plan"' in body):
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"status": {"state": "Made"}, "children": []}')

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
            """Print nothing."""

    with serving(Handler) as url:
        ended = call("check", *ARGUMENTS[:-2], "--hook", url, "--only", "smaller")

    assert ended.code == 1
    assert ended.out.startswith(f"/sync  Site www: no answer from {url}/sync")
    assert ("stopped, because the hook no longer responds" in ended.out) is not stays


def site(body: Json) -> Json:
    """Return a right response, with a child that has the plan of the parent."""
    parent = body["parent"]
    data = {"plan": (parent.get("spec") or {}).get("plan") or "none"}
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": parent["metadata"]["name"]}, "data": data}
    return {"status": {"state": "Made"}, "children": [child]}


@contextmanager
def serving_sites(sync: Callable[[Json], Json] = site) -> Iterator[str]:
    """Serve a hook that responds with what *sync* returns, and give the URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            response = sync(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(response).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
            """Print nothing."""

    with serving(Handler) as url:
        yield url


def listed_twice(body: Json) -> Json:
    response = site(body)
    return {**response, "children": response["children"] * 2}


def another_kind(body: Json) -> Json:
    response = site(body)
    return {**response, "children": [{**response["children"][0], "kind": "Secret"}]}


def first_spec(body: Json, specs: Json = {}) -> Json:  # noqa: B006 - the mistake
    spec = specs.setdefault(body["parent"]["metadata"]["name"], body["parent"].get("spec"))
    return site({**body, "parent": {**body["parent"], "spec": spec}})


BY_URL: dict[str, tuple[str, Callable[[Json], Json], str]] = {
    "one name twice": (
        "life",
        listed_twice,
        (
            "/sync  ConfigMap www: one response has two children of this name, and one is lost: list it once  "
            "RepeatedChild"
        ),
    ),
    "a kind that the controller does not list": (
        "life",
        another_kind,
        (
            "/sync  Secret www: its kind is not listed in the controller, which creates it and never sees it again: "
            "add it to childResources  UnwatchedChild"
        ),
    ),
    "the first spec of a name": (
        "smaller",
        first_spec,
        (
            "/sync  Site www: a parent of another name with the same spec gets another response, in "
            "children[0].data.plan; keep nothing of earlier requests  NotPure"
        ),
    ),
    "a child without a name": (
        "life",
        lambda body: {**site(body), "children": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}]},
        (
            "/sync  ConfigMap without a name: the API server keeps refusing it, and the status does not report that: "
            "Invalid: metadata.name: Required value: name or generateName is required  UnreportedRefusal"
        ),
    ),
    "a resync in half a second": (
        "life",
        lambda body: {**site(body), "resyncAfterSeconds": 0.5},
        (
            "/sync  Site www: the hook is called in a loop, although nothing changes; resyncAfterSeconds is 0.5: "
            "write 1 or more  CallStorm"
        ),
    ),
}


@pytest.mark.parametrize(("check", "sync", "line"), BY_URL.values(), ids=BY_URL)
def test_a_mistake_of_a_hook_at_a_url_is_one_line(check: str, sync: Callable[[Json], Json], line: str) -> None:
    with serving_sites(sync) as url:
        code, found = checked("--hook", url, "--only", check)

    assert (code, found) == (1, [line])


def test_a_child_in_another_namespace_is_found() -> None:
    Path("www.yaml").write_text(PARENT.replace("name: www", "name: www, namespace: shop"))

    def sync(body: Json) -> Json:
        response = site(body)
        response["children"][0]["metadata"]["namespace"] = "default"
        return response

    with serving_sites(sync) as url:
        found = checked("--hook", url, "--only", "life")[1]

    message = "its parent is in namespace shop, so Kubernetes deletes it: leave out metadata.namespace"
    assert found == [f"/sync  ConfigMap www: {message}, or use a cluster-scoped parent  UnwatchedChild"]


def of_site(body: Json, kind: str, spec: Json, api_version: str = "apps/v1") -> Json:
    name = body["parent"]["metadata"]["name"]
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def plan_of(body: Json) -> str:
    return "".join(filter(str.isalnum, (body["parent"].get("spec") or {}).get("plan") or "none")) or "none"


def deployment(body: Json, **labels: str) -> Json:
    containers = [{"name": "main", "image": "nginx:1"}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    return of_site(body, "Deployment", {"replicas": 1, "selector": {"matchLabels": labels}, "template": template})


def stateful_set(body: Json) -> Json:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    child = deployment(body, app=named(body))
    claims = [{"metadata": {"name": "data"}, "spec": spec}]
    return {**child, "kind": "StatefulSet", "spec": {**child["spec"], "volumeClaimTemplates": claims}}


def job(body: Json) -> Json:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": f"nginx:{plan_of(body)}"}]}
    return of_site(body, "Job", {"template": {"spec": pod}}, "batch/v1")


def autoscaler(body: Json) -> Json:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": body["parent"]["metadata"]["name"]}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 5}
    return of_site(body, "HorizontalPodAutoscaler", spec, "autoscaling/v2")


def secret(body: Json) -> Json:
    return {**of_site(body, "Secret", {}, "v1"), "data": {"password": "Y29ycmVjdC1ob3JzZQ=="}, "type": "Opaque"}


def node_port(body: Json) -> Json:
    service = of_site(body, "Service", {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}]}, "v1")
    return {**service, "metadata": {"name": f"s-{body['parent']['metadata']['uid']}"}}


def observed_or(child: Callable[[Json], Json]) -> Callable[[Json], Json]:
    return lambda body: next((found for group in body["children"].values() for found in group.values()), child(body))


def named(body: Json) -> str:
    name: str = body["parent"]["metadata"]["name"]
    return name


def without_spec(child: Json) -> Json:
    return {field: value for field, value in child.items() if field != "spec"}


MORE_KINDS = "".join(
    f"    - {{apiVersion: {version}, resource: {resource}, updateStrategy: {{method: InPlace}}}}\n"
    for version, resource in (
        ("apps/v1", "deployments"),
        ("batch/v1", "jobs"),
        ("autoscaling/v2", "horizontalpodautoscalers"),
        ("v1", "secrets"),
        ("v1", "services"),
        ("apps/v1", "statefulsets"),
    )
)

AFTER_EDIT = "after an edit of the spec, the API server keeps refusing it, and the status does not report that: "

WITH_MORE_KINDS: dict[str, tuple[str, Callable[[Json], list[Json]], Json, str]] = {
    "an observed child": (
        "life",
        lambda body: [observed_or(lambda body: site(body)["children"][0])(body)],
        {},
        "children[0] ConfigMap www: metadata.uid shows that it is a copy",
    ),
    "all annotations of the parent": (
        "life",
        lambda body: [
            {
                **site(body)["children"][0],
                "metadata": {"name": named(body), "annotations": body["parent"]["metadata"].get("annotations") or {}},
            }
        ],
        {},
        "children[0] ConfigMap www: kubectl.kubernetes.io/last-applied-configuration is copied from another object",
    ),
    "a password in the status": (
        "life",
        lambda body: [without_spec(secret(body))],
        {"at": "log in with correct-horse"},
        "children[0] Secret www: the status shows its data.password",
    ),
    "a template of claims without what the API server adds": (
        "life",
        lambda body: [stateful_set(body)],
        {},
        'spec.volumeClaimTemplates[0].spec.volumeMode nothing is stored as "Filesystem": a write in every sync',
    ),
    "text in a Secret": (
        "life",
        lambda body: [without_spec({**secret(body), "stringData": {"password": "correct-horse"}})],
        {},
        'stringData {"password":"correct-horse"} is stored as nothing (write data, in Base64)',
    ),
    "a number of replicas beside an autoscaler": (
        "life",
        lambda body: [deployment(body, app=named(body)), autoscaler(body)],
        {},
        "Deployment www: each sync sets spec.replicas again, which HorizontalPodAutoscaler www scales",
    ),
    "a selector of all parents": (
        "twins",
        lambda body: [deployment(body, app="server")],
        {},
        "Deployment www-twin: those of Site www and of Site www-twin select the same Pods",
    ),
    "a name that is cut": (
        "twins",
        lambda body: [{**site(body)["children"][0], "metadata": {"name": named(body)[:20]}}],
        {},
        "ConfigMap www-xxxxxxxxxxxxxxxx: parents whose long names begin alike both list it",
    ),
    "a port of the nodes": (
        "twins",
        lambda body: [node_port(body)],
        {},
        (
            "/sync  Services of Site www and of Site www-twin have nodePort 30080, and only one gets it; leave it out, "
            "and Kubernetes finds a free one  ConstantPort"
        ),
    ),
    "a Service with the name of the parent": (
        "twins",
        lambda body: [of_site(body, "Service", {"ports": [{"port": 80}]}, "v1")],
        {},
        "; limit metadata.name in the CRD (maxLength), or cut it, and end it with a hash of the whole  LongName",
    ),
    "a label with the name of the parent": (
        "twins",
        lambda body: [{**site(body)["children"][0], "metadata": {"name": named(body), "labels": {"app": named(body)}}}],
        {},
        "metadata.labels: app: must be letters, digits, '-', '_' and '.', at most 63; limit metadata.name",
    ),
    "a selector that changes": (
        "generated",
        lambda body: [deployment(body, app=named(body), plan=plan_of(body))],
        {},
        f"{AFTER_EDIT}Invalid: spec.selector: field is immutable",
    ),
    "a Job that changes": (
        "generated",
        lambda body: [job(body)],
        {},
        f"{AFTER_EDIT}Invalid: spec.template: field is immutable",
    ),
}


@pytest.mark.parametrize(("check", "children", "status", "line"), WITH_MORE_KINDS.values(), ids=WITH_MORE_KINDS)
def test_a_mistake_in_children_of_a_hook_at_a_url_is_one_line(
    check: str, children: Callable[[Json], list[Json]], status: Json, line: str
) -> None:
    Path("controller.yaml").write_text(CONTROLLER.replace("  hooks:", f"{MORE_KINDS}  hooks:"))
    with serving_sites(lambda body: {"status": {"state": "Made", **status}, "children": children(body)}) as url:
        code, found = checked("--hook", url, "--only", check)

    assert (code, len(found)) == (1, 1), found
    assert line in found[0]


@pytest.mark.parametrize("names", ["plan", "state"])
def test_rules_that_depend_on_the_status_are_found(names: str) -> None:
    """Metacontroller calls customize once a generation, so it never sees the status."""
    hook = "    customize: {version: v2, webhook: {url: http://site.default.svc/customize}}\n"
    Path("controller.yaml").write_text(CONTROLLER + hook)
    write_hook(f"""
        from metahook import select_by_name
        def customize(request):
            parent = request.parent
            names = {{**(json.loads(parent.status) or {{}}), **json.loads(parent.spec)}}
            return [select_by_name(ConfigMap, parent.namespace, names.get("{names}", "none"))]
        def sync(request, now):
            return SyncResponse(status={{"state": "made"}})
    """)
    Path("hook.py").write_text(Path("hook.py").read_text().replace("sync=sync", "sync=sync, customize=customize"))

    message = (
        "/customize  Site www: with a status: relatedResources[0].names[0] differs; decide the rules from the spec "
        "alone, as Metacontroller keeps them for 20 minutes  NotPure"
    )
    assert checked("--only", "purity")[1] == ([message] if names == "state" else [])


LONG_NAME = (
    "/sync  Service www-xxx...a: if the name of its parent has {} letters, the API server keeps refusing it, and the "
    "status does not report that: Invalid: metadata.name: must be lower case letters, digits and '-', at most 63; "
    "limit metadata.name in the CRD (maxLength), or cut it, and end it with a hash of the whole  LongName"
)


@pytest.mark.parametrize(
    ("name", "suffix", "limit", "found"),
    [
        ("request.parent.name", "", None, [LONG_NAME.format(100)]),
        ("request.parent.name", "-web", 63, [LONG_NAME.replace("xxx...a", "xxx...a-web").format(63)]),
        ("request.parent.name", "-web", 59, []),
        ("'s' + hashlib.sha256(request.parent.name.encode()).hexdigest()[:20]", "", None, []),
    ],
    ids=["a name of any length", "a suffix", "limited in the CRD", "a hash"],
)
def test_a_name_that_is_too_long_for_a_service_is_found(
    name: str, suffix: str, limit: int | None, found: list[str]
) -> None:
    Path("controller.yaml").write_text(CONTROLLER.replace("resource: pods", "resource: services"))
    metadata = f"metadata: {{type: object, properties: {{name: {{type: string, maxLength: {limit}}}}}}}"
    crd = CRD.replace("            spec:\n", f"            {metadata}\n            spec:\n") if limit else CRD
    Path("crd.yaml").write_text(crd)
    write_hook(f"""
        import hashlib
        from metahook import Service
        def sync(request, now):
            name = {name} + {suffix!r}
            spec = {{"ports": [{{"port": 80}}]}}
            service = {{"apiVersion": "v1", "kind": "Service", "metadata": {{"name": name}}, "spec": spec}}
            return SyncResponse(status={{"state": "Made"}}, children=[service])
    """)
    Path("hook.py").write_text(Path("hook.py").read_text().replace("(ConfigMap, Pod)", "(ConfigMap, Service)"))

    assert checked("--only", "twins")[1] == found


CAREFUL = """
        and drifted_field(child, request.children) is None
        and observed.status["observedGeneration"] == observed.metadata.generation
"""
EARLY = (
    "/sync  Site www: after the edit spec.plan=gold1, Ready is True, although {} www {}; compare it with what is "
    "desired, and its status.observedGeneration with metadata.generation, in Python with drifted_field and rolled_out  "
    "ReadyTooEarly"
)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
@pytest.mark.parametrize(
    ("looks_at", "what"),
    [
        (CAREFUL, None),
        (CAREFUL.splitlines()[1], "is not rolled out"),
        (CAREFUL.splitlines()[2], "differs from the response"),
        ("", "differs from the response"),
    ],
    ids=["careful", "counts of before", "only the generation", "counts alone"],
)
def test_ready_from_counts_of_before_an_edit_is_found(kind: str, looks_at: str, what: str | None) -> None:
    resource = f"apiVersion: apps/v1\n      resource: {kind.lower()}s"
    Path("controller.yaml").write_text(CONTROLLER.replace("apiVersion: v1\n      resource: pods", resource))
    write_hook(f"""
        from metahook import drifted_field
        class Workload(Object):
            KIND = Kind("apps/v1", "{kind}", "{kind.lower()}s")
            status: dict | None = None
        def sync(request, now):
            labels = {{"app": request.parent.name}}
            containers = [{{"name": "main", "image": spec_of(request).get("plan") or "none"}}]
            template = {{"metadata": {{"labels": labels}}, "spec": {{"containers": containers}}}}
            spec = {{"replicas": 2, "selector": {{"matchLabels": labels}}, "template": template}}
            metadata = {{"name": request.parent.name}}
            child = {{"apiVersion": "apps/v1", "kind": "{kind}", "metadata": metadata, "spec": spec}}
            observed = request.children.get(Workload, request.parent.name)
            is_ready = (
                observed
                and observed.status
                and observed.status.get("readyReplicas", 0) == observed.status.get("updatedReplicas", 0) == 2
                {looks_at.strip()}
            )
            return SyncResponse(status={{"state": "Ready" if is_ready else "Updating"}}, children=[child])
    """)
    Path("hook.py").write_text(Path("hook.py").read_text().replace("(ConfigMap, Pod)", "(ConfigMap, Workload)"))

    assert checked("--only", "edits")[1] == ([EARLY.format(kind, what)] if what else [])


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_ready_from_counts_of_before_an_edit_is_found_by_url(kind: str) -> None:
    Path("controller.yaml").write_text(CONTROLLER.replace("  hooks:", f"{MORE_KINDS}  hooks:"))

    def sync(body: Json) -> Json:
        child = {**deployment(body, app=named(body)), "kind": kind}
        child["spec"]["template"]["spec"]["containers"][0]["image"] = f"nginx:{plan_of(body)}"
        observed = body["children"][f"{kind}.apps/v1"].get(f"default/{named(body)}") or {}
        is_ready = (observed.get("status") or {}).get("readyReplicas") == 1
        return {"status": {"state": "Ready" if is_ready else "Updating"}, "children": [child]}

    with serving_sites(sync) as url:
        code, found = checked("--hook", url, "--only", "edits")

    assert (code, found) == (1, [EARLY.format(kind, "differs from the response")])


def test_a_constant_name_in_a_namespace_that_the_spec_names_is_no_finding() -> None:
    Path("crd.yaml").write_text(CRD.replace("scope: Namespaced", "scope: Cluster"))
    Path("controller.yaml").write_text(CONTROLLER.replace("resource: pods", "resource: namespaces"))
    write_hook("""
        from metahook import Namespace
        def sync(request, now):
            inner = child("settings", a="b")
            inner["metadata"]["namespace"] = spec_of(request)["plan"]
            outer = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": spec_of(request)["plan"]}}
            return SyncResponse(status={"state": "Made"}, children=[outer, inner])
    """)
    Path("hook.py").write_text(Path("hook.py").read_text().replace("(ConfigMap, Pod)", "(ConfigMap, Namespace)"))

    assert checked("--only", "twins") == (0, [])


def test_a_refused_child_is_one_finding_in_all_checks() -> None:
    write_hook("""
        def sync(request, now):
            return SyncResponse(status={"state": "Made"}, children=[child(f"{request.parent.name}_A", a="b")])
    """)

    _, found = checked()

    assert [line.split()[-1] for line in found] == ["UnreportedRefusal"]


SELECTOR = """\
                selector:
                  type: object
                  properties: {matchLabels: {type: object, additionalProperties: {type: string}}}
                replicas: {type: integer}
"""


@pytest.mark.parametrize("check", ["smaller", "generated"])
def test_what_kubernetes_has_rules_for_is_as_the_user_wrote_it(check: str) -> None:
    """Respond as a hook that trusts a selector to be one of Kubernetes, and a number to be no giant."""
    Path("crd.yaml").write_text(CRD.replace("                plan:", f"{SELECTOR}                plan:"))
    selector = "spec: {selector: {matchLabels: {app: web}}, replicas: 3, "
    Path("www.yaml").write_text(PARENT.replace("spec: {", selector))
    write_hook("""
        def sync(request, now):
            spec = spec_of(request)
            labels = spec["selector"]["matchLabels"]["app"] if "selector" in spec else "none"
            count = len(range(spec.get("replicas", 1))) / (spec.get("replicas", 1) < 1000)
            return SyncResponse(status={"count": int(count)}, children=[child("a", labels=labels)])
    """)

    assert checked("--only", check) == (0, [])


def test_what_a_url_can_not_show_is_one_line_and_no_finding() -> None:
    with serving_sites() as url:
        ended = call("check", *ARGUMENTS, "--hook", url)

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[:-1] == [
        "the clock and the hash seed of a hook at a URL are its own, so they were not changed"
    ]


@pytest.mark.parametrize("only", [(), ("--only", "twins")])
def test_checks_that_were_asked_for_and_can_not_run_are_no_success(only: tuple[str, ...]) -> None:
    """Have each sync put off, which is no failure by itself."""
    write_hook(GOOD)

    class Busy(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(429)
            self.send_header("Retry-After", "3600")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
            """Print nothing."""

    with serving(Busy) as url:
        ended = call("check", *ARGUMENTS, "--hook", url, *only)

    assert (ended.code, ended.err) == (2, "")
    assert "checks ran: no more can be checked, because no sync succeeds" in ended.out
    assert ended.out.splitlines()[-1].startswith("not finished (")


def test_the_rules_of_manifests_need_no_hook() -> None:
    Path("controller.yaml").write_text(CONTROLLER.replace("version: v2", "version: v1"))
    arguments = (*ARGUMENTS, "--hook", "http://127.0.0.1:1", "--only", "manifests")

    ended = call("check", *arguments)

    assert (ended.code, ended.err) == (1, "")
    assert ended.out.splitlines()[-1] == "1 problem (1 check, 0 calls of the hook)"


def test_a_check_that_does_not_exist_is_named() -> None:
    write_hook(GOOD)

    assert problem("check", *ARGUMENTS, "--only", "lif").startswith(
        "--only lif: no such check; choose one of manifests, hooks, purity, life"
    )


EXAMPLES = {
    "greeting": ("greetings.py", "kind: Greeting\nmetadata: {name: hi}\nspec: {text: hello}"),
    "backup": (
        "backups.py",
        "kind: BackupConfig\nmetadata: {name: a}\nspec: {app: shop, image: 'busybox:1.37', command: [run]}",
    ),
    "myresource": (
        "myresources.py",
        "kind: MyResource\nmetadata: {name: web}\nspec: {image: 'nginx:1', memory: 128Mi}",
    ),
    "staticsite": (
        "staticsites.py",
        "kind: StaticSite\nmetadata: {name: www}\nspec: {host: www.example.com, html: hello}",
    ),
    "tenant": ("tenants.py", "kind: Tenant\nmetadata: {name: acme}\nspec: {groups: [acme-developers]}"),
    "notebook": ("notebooks.py", "kind: Notebook\nmetadata: {name: ada}\nspec: {image: 'jupyter:1'}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", short_or_whole(MODES[:1], MODES))
@pytest.mark.parametrize("name", short_or_whole(["greeting"], [*EXAMPLES]))
def test_the_examples_have_no_findings(name: str, mode: str) -> None:
    hook, parent = EXAMPLES[name]
    folder = ROOT / "examples" / name
    Path("parent.yaml").write_text(f"apiVersion: example.com/v1\n{parent}\n")

    ended = call(
        "check", "-k", str(folder), "-f", "parent.yaml", "--hook", str(folder / hook), "--apply-strategy", mode
    )

    assert (ended.code, ended.err) == (0, ""), ended.out
