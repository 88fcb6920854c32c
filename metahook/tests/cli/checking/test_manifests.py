"""``metahook check --only manifests`` and ``--only hooks``: what Metacontroller ignores or refuses in manifests."""

import pytest

from metahook.cli.checking.rules import LONGEST_NAME
from toolkit.cli.command import call, problem
from toolkit.cli.sites import ARGUMENTS, GOOD, HOOK, add_hook, checked, edit, write_hook

OLD = "sync: version v1; set version: v2 and responseUnMarshallMode: strict  LooseHook"
STRATEGY = "      updateStrategy: {method: InPlace}\n"
URL = "http://site.default.svc/sync"
DURATION = "controller.yaml:18  sync: not a duration over 0; write it as 10s  InvalidWebhook"

MISTAKES = [
    pytest.param("version: v2", "version: v1", f"controller.yaml:15  {OLD}", id="v1"),
    pytest.param("      version: v2\n", "", f"controller.yaml:14  {OLD}", id="no version"),
    pytest.param(
        "timeout: 10s",
        "responseUnMarshallMode: loose",
        "controller.yaml:18  sync: an error as JSON would delete all children; set responseUnMarshallMode: strict  "
        "LooseHook",
        id="loose",
    ),
    pytest.param(
        STRATEGY,
        "",
        "controller.yaml:10  pods: no update method, so children are never updated; set updateStrategy: "
        "{method: Recreate}  NeverUpdated",
        id="no update method",
    ),
    pytest.param(
        STRATEGY,
        STRATEGY.replace("InPlace", "RollingRecreate"),
        "controller.yaml:12  pods: RollingRecreate, with which Metacontroller 4.17 stalls after the first child of "
        "a namespaced parent, so it is not simulated: set it to Recreate  RollingUpdate",
        id="rolling",
    ),
    pytest.param(
        "generateSelector: true",
        "generateSelector: false",
        "controller.yaml:6  no generateSelector, and no spec.selector in the CRD, so every sync fails; "
        "set generateSelector: true  NoSelector",
        id="no selector",
    ),
    pytest.param(
        URL,
        "site.default.svc/sync",
        "controller.yaml:17  sync: not a URL; write it as http://NAME.NAMESPACE.svc/sync  InvalidWebhook",
        id="a URL",
    ),
    pytest.param(
        f"        url: {URL}\n",
        "",
        "controller.yaml:16  sync: no url, or service and path, so Metacontroller does not run the controller; "
        "add it  InvalidWebhook",
        id="no URL",
    ),
    pytest.param(
        f"url: {URL}",
        "path: sync\n        service: {name: site, namespace: default}",
        "controller.yaml:17  sync: begins without /; write /sync  InvalidWebhook",
        id="a path",
    ),
    pytest.param("timeout: 10s", "timeout: 10 s", DURATION, id="a timeout"),
    pytest.param("timeout: 10s", "timeout: 0s", DURATION, id="no timeout at all"),
    pytest.param(
        "timeout: 10s",
        "etag: {enabled: true, cacheTimeoutSeconds: 5}",
        "controller.yaml:18  sync: cacheTimeoutSeconds and cacheCleanupSeconds need each other; set both or none  "
        "InvalidWebhook",
        id="half of an etag",
    ),
    pytest.param(
        "  hooks:\n",
        "  hooks:\n    preUpdateChild: {webhook: {url: http://a/b}}\n",
        "controller.yaml:14  preUpdateChild: Metacontroller never calls it; remove it  UnusedHook",
        id="an unused hook",
    ),
    pytest.param(
        "resource: pods",
        "resource: namespaces",
        "controller.yaml:10  namespaces are cluster-scoped and the parent is not, so Kubernetes deletes such children; "
        "use a cluster-scoped parent  ClusterScopedChild",
        id="a cluster-scoped child",
    ),
    pytest.param(
        "generateSelector: true",
        "generateSelektor: true",
        "controller.yaml:6  spec.generateSelektor: unknown field; did you mean generateSelector?  InvalidField",
        id="an unknown field",
    ),
    pytest.param(
        "resource: pods",
        "resource: Pod",
        "controller.yaml:11  no Pod in v1; did you mean pods?  UnknownResource",
        id="a kind in place of a resource",
    ),
    pytest.param(
        "- apiVersion: v1",
        "- apiVersion: apps/v1",
        "controller.yaml:11  no pods in apps/v1; they are in v1  UnknownResource",
        id="another group",
    ),
    pytest.param(
        "resource: sites",
        "resource: rooms",
        "controller.yaml:7  no rooms in example.com/v1; name the file of their CRD with -k  UnknownResource",
        id="no CRD of the parent",
    ),
    pytest.param(
        "apiVersion: example.com/v1, resource: sites",
        "apiVersion: apps/v1, resource: deployments",
        "controller.yaml:7  deployments are built in, and a CompositeController needs a CRD; use a "
        "DecoratorController  UnknownResource",
        id="a built-in parent",
    ),
    pytest.param(
        "      subresources: {status: {}}\n",
        "",
        "crd.yaml:9  spec.versions[0] has no status, so Metacontroller ignores the controller; "
        "add subresources: {status: {}}  InvalidField",
        id="no status",
    ),
    pytest.param(
        "                observedGeneration: {type: integer}\n",
        "",
        "crd.yaml:24  status.observedGeneration is not in the schema, so each sync writes the status; "
        "add observedGeneration: {type: integer}  PrunedStatus",
        id="no observedGeneration",
    ),
]


@pytest.mark.parametrize(("old", "new", "line"), MISTAKES)
def test_a_mistake_in_the_manifests_is_found_at_its_line(old: str, new: str, line: str) -> None:
    edit("crd.yaml" if line.startswith("crd") else "controller.yaml", old, new)
    write_hook(GOOD)

    assert checked("--only", "manifests") == (1, [line])


LONG_NAME = (
    "controller.yaml:4  the name has 44 letters, too many for a finalizer; use at most 43, or remove finalize  LongName"
)


@pytest.mark.parametrize(("length", "found"), [(LONGEST_NAME, []), (LONGEST_NAME + 1, [LONG_NAME])])
def test_a_name_that_is_too_long_for_a_finalizer_is_found(length: int, found: list[str]) -> None:
    add_hook("finalize")
    edit("controller.yaml", "name: site\n", f"name: {'s' * length}\n")
    write_hook(GOOD)

    assert checked("--only", "manifests")[1] == found


NEARLY = (
    "controller.yaml:16  sync: its path ends in /snyc, and a Controller is served at /sync; correct the path  WrongPath"
)


@pytest.mark.parametrize(
    ("path", "found"), [("sites/snyc", [NEARLY]), ("snyc?a=/sync", [NEARLY]), ("sites/sync?a=b", [])]
)
def test_a_path_that_is_nearly_that_of_the_hook_is_found(path: str, found: list[str]) -> None:
    edit("controller.yaml", "svc/sync", f"svc/{path}")
    write_hook(GOOD)

    assert checked("--only", "hooks")[1] == found


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("finalize(request, now):\n    return None", "FinalizeHookMissing"),
        ("customize(request):\n    return []", "CustomizeHookMissing"),
    ],
    ids=["finalize", "customize"],
)
def test_a_function_whose_hook_is_not_in_the_manifest_is_found(function: str, name: str) -> None:
    write_hook(f"def sync(request, now):\n    return made()\ndef {function}")

    _, found = checked("--only", "hooks")

    assert [line.split()[-1] for line in found] == [name]


def test_the_rules_of_manifests_need_neither_a_hook_nor_parents() -> None:
    edit("controller.yaml", "version: v2", "version: v1")

    ended = call("check", "-k", "controller.yaml", "-k", "crd.yaml", "--only", "manifests")

    assert (ended.code, ended.err) == (1, "")
    assert ended.out.splitlines()[-1] == "1 problem (1 check, 0 calls of the hook)"


@pytest.mark.parametrize(("given", "missing"), [(ARGUMENTS, "'--hook'"), (HOOK, "'-f' / '--filename'")])
def test_other_checks_need_a_hook_and_parents(given: tuple[str, ...], missing: str) -> None:
    assert problem("check", "-k", "controller.yaml", *given) == f"Missing option {missing}; see: metahook check --help"
