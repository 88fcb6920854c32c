"""``metahook check`` of a hook at a URL, which may respond with anything."""

from base64 import b64encode
from collections.abc import Callable

import pytest

from metahook.simulator.metacontroller.settings import MODES
from metahook.simulator.objects import Json
from toolkit.cli.command import call
from toolkit.cli.sites import (
    ARGUMENTS,
    checked,
    config_map,
    deployment,
    edit,
    list_more_kinds,
    named,
    of_site,
    plan_of,
    serving_sites,
    site,
)
from toolkit.slow import short_or_whole

SPECS: Json = {}
"""The first spec of each parent."""

MISTAKES = [
    pytest.param(
        "life",
        lambda body: {**site(body), "children": [config_map(body)] * 2},
        "/sync  ConfigMap www: one response has two children of this name, and one is lost: list it once  "
        "RepeatedChild",
        id="one name twice",
    ),
    pytest.param(
        "life",
        lambda body: {**site(body), "children": [{**config_map(body), "kind": "Secret"}]},
        "/sync  Secret www: its kind is not listed in the controller, which creates it and never sees it again: "
        "add it to childResources  UnwatchedChild",
        id="a kind that the controller does not list",
    ),
    pytest.param(
        "smaller",
        lambda body: site(
            {"parent": {**body["parent"], "spec": SPECS.setdefault(named(body), body["parent"].get("spec"))}}
        ),
        "/sync  Site www: a parent of another name with the same spec gets another response, in "
        "children[0].data.plan; keep nothing of earlier requests  NotPure",
        id="the first spec of a name",
    ),
    pytest.param(
        "life",
        lambda body: {**site(body), "children": [{**config_map(body), "metadata": {}}]},
        "/sync  ConfigMap without a name: the API server keeps refusing it, and the status does not report that: "
        "Invalid: metadata.name: Required value: name or generateName is required  UnreportedRefusal",
        id="a child without a name",
    ),
    pytest.param(
        "life",
        lambda body: {**site(body), "resyncAfterSeconds": 0.5},
        "/sync  Site www: the hook is called in a loop, although nothing changes; resyncAfterSeconds is 0.5: "
        "write 1 or more  CallStorm",
        id="a resync in half a second",
    ),
]


@pytest.mark.parametrize(("check", "sync", "line"), MISTAKES)
def test_a_mistake_of_a_hook_at_a_url_is_one_line(check: str, sync: Callable[[Json], Json], line: str) -> None:
    with serving_sites(sync) as url:
        assert checked("--only", check, url=url) == (1, [line])


IN_ANOTHER = (
    "/sync  ConfigMap www: its parent is in namespace {}, so Kubernetes deletes it: leave out metadata.namespace, or "
    "use a cluster-scoped parent  UnwatchedChild"
)


@pytest.mark.parametrize("strategy", MODES)
@pytest.mark.parametrize("namespace", ["default", "kube-system"])
def test_a_child_in_another_namespace_is_the_finding_even_if_that_does_not_exist(namespace: str, strategy: str) -> None:
    edit("www.yaml", "name: www", "name: www, namespace: shop")

    with serving_sites(lambda body: made(with_metadata(config_map(body), namespace=namespace))) as url:
        assert checked("--apply-strategy", strategy, url=url)[1] == [IN_ANOTHER.format("shop")]


CAUSES = [
    pytest.param(
        lambda body: made(with_metadata(config_map(body), namespace="shop"), state="Ready"),
        [IN_ANOTHER.format("default"), "/sync  Site www: Ready is True, although ConfigMap www does not exist"],
        id="a child that is deleted is not Ready",
    ),
    pytest.param(
        lambda body: made(of_site(body, "ConfigMap", "v1", data={"A B": ""}), state="Ready"),
        [
            "/sync  ConfigMap www: the API server keeps refusing",
            "/sync  Site www: Ready is True, although ConfigMap www",
        ],
        id="a child that is refused is not Ready",
    ),
    pytest.param(
        lambda body: made(of_site(body, "Secret", "v1")),
        ["/sync  Secret www: its kind is not listed in the controller, which creates it and never sees it again: "],
        id="a child that nobody watches is written in each sync",
    ),
    pytest.param(
        lambda body: made(of_site(body, "ConfigMap", "v1", date={"a": "b"})),
        ["/sync  children[0] ConfigMap www: date is not a field"],
        id="a field that does not exist is refused",
    ),
    pytest.param(
        lambda _: made(count="3"),
        ["/sync  status.count must be of type integer, as the CRD's schema says"],
        id="a status that is refused fails each sync",
    ),
    pytest.param(
        lambda body: made(with_metadata(of_site(body, "Namespace", "v1"), name=f"team-{named(body)}")),
        ["/sync  Namespace team-www: its kind is cluster-scoped and the parent is not, so Kubernetes deletes it: use"],
        id="a child that is in no namespace is written in each sync",
    ),
]


@pytest.mark.parametrize("strategy", MODES)
@pytest.mark.parametrize(("sync", "lines"), CAUSES)
def test_a_cause_comes_before_what_follows_from_it(
    sync: Callable[[Json], Json], lines: list[str], strategy: str
) -> None:
    with serving_sites(sync) as url:
        found = checked("--apply-strategy", strategy, url=url)[1]

    assert [each[: len(line)] for each, line in zip(found, lines, strict=True)] == lines


def made(*children: Json, **status: object) -> Json:
    return {"status": {"state": "Made", **status}, "children": [*children]}


def with_metadata(child: Json, **metadata: object) -> Json:
    return {**child, "metadata": {**child["metadata"], **metadata}}


def observed(body: Json) -> Json | None:
    return next((found for group in body["children"].values() for found in group.values()), None)


def stateful_set(body: Json) -> Json:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    child = deployment(body, app=named(body))
    claims = [{"metadata": {"name": "data"}, "spec": spec}]
    return {**child, "kind": "StatefulSet", "spec": {**child["spec"], "volumeClaimTemplates": claims}}


def job(body: Json) -> Json:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": f"nginx:{plan_of(body)}"}]}
    return of_site(body, "Job", "batch/v1", spec={"template": {"spec": pod}})


def autoscaler(body: Json) -> Json:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": named(body)}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 5}
    return of_site(body, "HorizontalPodAutoscaler", "autoscaling/v2", spec=spec)


def secret(body: Json, text: bytes = b"correct-horse") -> Json:
    return of_site(body, "Secret", "v1", data={"password": b64encode(text).decode()}, type="Opaque")


def service(body: Json, **spec: object) -> Json:
    return of_site(body, "Service", "v1", spec={"ports": [{"port": 80}], **spec})


def lease(body: Json, **spec: object) -> Json:
    return of_site(body, "Lease", "coordination.k8s.io/v1", spec=spec)


def node_port(body: Json) -> Json:
    child = service(body, type="NodePort", ports=[{"port": 80, "nodePort": 30080}])
    return with_metadata(child, name=f"s-{body['parent']['metadata']['uid']}")


AFTER_EDIT = "after an edit of the spec, the API server keeps refusing it, and the status does not report that: "

WITH_MORE_KINDS = [
    pytest.param(
        "life",
        lambda body: [observed(body) or config_map(body)],
        "children[0] ConfigMap www: metadata.uid shows that it is a copy",
        id="an observed child",
    ),
    pytest.param(
        "life",
        lambda body: [with_metadata(config_map(body), annotations=body["parent"]["metadata"].get("annotations") or {})],
        "children[0] ConfigMap www: kubectl.kubernetes.io/last-applied-configuration is copied from another object",
        id="all annotations of the parent",
    ),
    pytest.param(
        "life",
        lambda body: [secret(body)],
        "children[0] Secret www: the status shows its data.password",
        id="a password in the status",
    ),
    pytest.param(
        "life",
        lambda body: [stateful_set(body)],
        'spec.volumeClaimTemplates[0].spec.volumeMode nothing is stored as "Filesystem": a write in every sync',
        id="a template of claims without what the API server adds",
    ),
    pytest.param(
        "life",
        lambda body: [{**secret(body, b"battery"), "stringData": {"password": "battery"}}],
        "children[0] Secret www: stringData is stored otherwise (write data, in Base64): a write in every sync",
        id="text in a Secret",
    ),
    pytest.param(
        "life",
        lambda body: [of_site(body, "Secret", "v1", data={"a": "QUJD\n"})],
        "children[0] Secret www: data.a is stored otherwise (write it in one line): a write in every sync",
        id="Base64 with a line break in a Secret",
    ),
    pytest.param(
        "life",
        lambda body: [of_site(body, "ConfigMap", "v1", binaryData={"a": "QU\nJD"})],
        r'binaryData.a "QU\nJD" is stored as "QUJD" (write it in one line): a write in every sync',
        id="Base64 with a line break",
    ),
    pytest.param(
        "life",
        lambda body: [lease(body, renewTime="2026-01-01T01:00:00.000000+01:00")],
        'spec.renewTime "2026-01-01T01:00:00.000000+01:00" is stored as "2026-01-01T00:00:00.000000Z"',
        id="a time in another zone",
    ),
    pytest.param(
        "life",
        lambda body: [lease(body, leaseDurationSeconds=30.0)],
        "spec.leaseDurationSeconds 30.0 is stored as 30: a write in every sync",
        id="a whole number with a point",
    ),
    pytest.param(
        "life",
        lambda body: [of_site(body, "LimitRange", "v1", spec={"limits": [{"type": "Pod", "max": {"cpu": 1}}]})],
        'spec.limits[0].max.cpu 1 is stored as "1": a write in every sync',
        id="a number for a quantity",
    ),
    pytest.param(
        "life",
        lambda body: [of_site(body, "Service", "v1", spec={"ports": [{"port": 80}], "externalIPs": []})],
        "spec.externalIPs [] is stored as nothing: a write in every sync",
        id="an empty list",
    ),
    pytest.param(
        "life",
        lambda body: [deployment(body, app=named(body)), autoscaler(body)],
        "Deployment www: each sync sets spec.replicas again, which HorizontalPodAutoscaler www scales",
        id="a number of replicas beside an autoscaler",
    ),
    pytest.param(
        "twins",
        lambda body: [deployment(body, app="server")],
        "Deployment www-twin: those of Site www and of Site www-twin select the same Pods",
        id="a selector of all parents",
    ),
    pytest.param(
        "twins",
        lambda body: [with_metadata(config_map(body), name=named(body)[:20])],
        "ConfigMap www-xxxxxxxxxxxxxxxx: parents whose long names begin alike both list it",
        id="a name that is cut",
    ),
    pytest.param(
        "twins",
        lambda body: [node_port(body)],
        "/sync  Services of Site www and of Site www-twin have nodePort 30080, and only one gets it; leave it out, "
        "and Kubernetes finds a free one  ConstantPort",
        id="a port of the nodes",
    ),
    pytest.param(
        "twins",
        lambda body: [service(body)],
        "; limit metadata.name in the CRD (maxLength), or cut it, and end it with a hash of the whole  LongName",
        id="a Service with the name of the parent",
    ),
    pytest.param(
        "twins",
        lambda body: [with_metadata(config_map(body), labels={"app": named(body)})],
        "metadata.labels: app: must be letters, digits, '-', '_' and '.', at most 63; limit metadata.name",
        id="a label with the name of the parent",
    ),
    pytest.param(
        "generated",
        lambda body: [deployment(body, app=named(body), plan=plan_of(body))],
        f"{AFTER_EDIT}Invalid: spec.selector: field is immutable",
        id="a selector that changes",
    ),
    pytest.param(
        "generated",
        lambda body: [job(body)],
        f"{AFTER_EDIT}Invalid: spec.template: field is immutable",
        id="a Job that changes",
    ),
]


@pytest.mark.parametrize(("check", "children", "line"), WITH_MORE_KINDS)
def test_a_mistake_in_children_of_a_hook_at_a_url_is_one_line(
    check: str, children: Callable[[Json], list[Json]], line: str
) -> None:
    list_more_kinds()
    status = {"state": "Made", "at": "log in with correct-horse"}
    with serving_sites(lambda body: {"status": status, "children": children(body)}) as url:
        code, found = checked("--only", check, url=url)

    assert (code, len(found)) == (1, 1), found
    assert line in found[0]


@pytest.mark.slow
def test_what_a_url_can_not_show_is_one_line_and_no_finding() -> None:
    with serving_sites() as url:
        ended = call("check", *ARGUMENTS, "--hook", url, *short_or_whole(["--only", "purity"], []))

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[:-1] == [
        "the clock and the hash seed of a hook at a URL are its own, so they were not changed"
    ]
