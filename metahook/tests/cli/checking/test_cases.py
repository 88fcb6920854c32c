"""``metahook check`` with other parents: with a twin of another name, a smaller spec, and generated specs; and edits.

After an edit, a parent is not Ready for what was rolled out before.
"""

import pytest

from metahook.simulator.objects import Json
from toolkit.cli.sites import (
    FIRST_LINE,
    Mistake,
    checked,
    config_map,
    deployment,
    edit,
    list_more_kinds,
    mistake,
    named,
    plan_of,
    serving_sites,
    write_hook,
)
from toolkit.slow import only_whole

MISTAKES = {
    "a template shared by parents": mistake(
        """
        TEMPLATE = {"team": "web"}
        def sync(request, now):
            TEMPLATE[request.parent.name] = "here"
            return made(child(request.parent.name, **TEMPLATE))
        """,
        "the response has data of Site www-twin: two parents share an object in the hook  MixedParents",
        check="twins",
    ),
    "a field that is not required": mistake(
        'made(state=spec_of(request)["plan"])',
        f"hook.py:{FIRST_LINE + 1}  Site www: KeyError: 'plan'  Exception",
        check="smaller",
    ),
    "a value that no author thought of": mistake(
        'made(state={"gold": "Made"}[spec_of(request).get("plan", "gold")])',
        f"hook.py:{FIRST_LINE + 1}  Site a: KeyError: ''  Exception",
        check="generated",
    ),
    "the first spec of a name": mistake(
        """
        SPECS = {}
        def sync(request, now):
            spec = SPECS.setdefault(request.parent.name, spec_of(request))
            return made(state=spec.get("plan", "none"))
        """,
        "a parent of another name with the same spec gets another response, in status.state; keep nothing of earlier "
        "requests  NotPure",
        check="smaller",
    ),
    "a constant name": mistake(
        'made(child("settings", a="b"))',
        "/sync  ConfigMap settings: both Site www and Site www-twin list it, and only one gets it; put the name of "
        "the parent into its name  ConstantName",
        check="twins",
    ),
    "no children for an invalid spec": mistake(
        'made(child("a", a="b")) if "plan" in spec_of(request) else SyncResponse(status={"state": "InvalidSpec"})',
        "an edit to this spec, which the status calls invalid, deletes ConfigMap a and all others; go on listing "
        "them, in Python with kept=request.children.kept()  DroppedChildren",
        check="smaller",
    ),
    "no children for an exception": mistake(
        """
        def sync(request, now):
            try:
                return made(child("a", plan=spec_of(request)["plan"]))
            except KeyError as error:
                return SyncResponse(status={"error": f"no {error}"})
        """,
        "/sync  status.error is not in the CRD's schema",
        "an edit to this spec, which the status calls invalid, deletes ConfigMap a and all others; go on listing",
        check="smaller",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_a_hook_is_one_line(mistake: Mistake) -> None:
    mistake.assert_found()


def test_a_hook_that_fails_for_a_parent_of_another_name_is_no_finding_for_a_smaller_spec() -> None:
    write_hook('made(child("a"), state={"www": "Made"}[request.parent.name])')

    assert checked("--only", "smaller") == (0, [])


@only_whole
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_the_whole_check_finds_the_mistake_and_hardly_more(mistake: Mistake) -> None:
    mistake.assert_found_by_the_whole_check()


LONG_NAME = (
    "/sync  Service www-xxx...a{}: if the name of its parent has {} letters, the API server keeps refusing it, and the "
    "status does not report that: Invalid: metadata.name: must be lower case letters, digits and '-', at most 63; "
    "limit metadata.name in the CRD (maxLength), or cut it, and end it with a hash of the whole  LongName"
)


@pytest.mark.parametrize(
    ("name", "limit", "found"),
    [
        ("request.parent.name", None, [LONG_NAME.format("", 100)]),
        ("request.parent.name + '-web'", 63, [LONG_NAME.format("-web", 63)]),
        ("request.parent.name + '-web'", 59, []),
        ("'s' + hashlib.sha256(request.parent.name.encode()).hexdigest()[:20]", None, []),
    ],
    ids=["a name of any length", "a suffix", "limited in the CRD", "a hash"],
)
def test_a_name_that_is_too_long_for_a_service_is_found(name: str, limit: int | None, found: list[str]) -> None:
    edit("controller.yaml", "resource: pods", "resource: services")
    if limit:
        metadata = f"metadata: {{type: object, properties: {{name: {{type: string, maxLength: {limit}}}}}}}"
        edit("crd.yaml", "            spec:\n", f"            {metadata}\n            spec:\n")
    write_hook(
        f"""
        import hashlib
        from metahook import Service
        def sync(request, now):
            spec = {{"ports": [{{"port": 80}}]}}
            return made({{"apiVersion": "v1", "kind": "Service", "metadata": {{"name": {name}}}, "spec": spec}})
        """,
        children="ConfigMap, Service",
    )

    assert checked("--only", "twins")[1] == found


def test_a_constant_name_in_a_namespace_that_the_spec_names_is_no_finding() -> None:
    edit("crd.yaml", "scope: Namespaced", "scope: Cluster")
    edit("controller.yaml", "resource: pods", "resource: namespaces")
    write_hook(
        """
        from metahook import Namespace
        def sync(request, now):
            inner, outer = child("settings", a="b"), {"name": spec_of(request)["plan"]}
            inner["metadata"]["namespace"] = outer["name"]
            return made({"apiVersion": "v1", "kind": "Namespace", "metadata": outer}, inner)
        """,
        children="ConfigMap, Namespace",
    )

    assert checked("--only", "twins") == (0, [])


SELECTOR = """\
                selector:
                  type: object
                  properties: {matchLabels: {type: object, additionalProperties: {type: string}}}
                replicas: {type: integer}
"""


@pytest.mark.parametrize("check", ["smaller", "generated"])
def test_what_kubernetes_has_rules_for_is_as_the_user_wrote_it(check: str) -> None:
    """Respond as a hook that trusts a selector to be one of Kubernetes, and a number to be no giant."""
    edit("crd.yaml", "                plan:", f"{SELECTOR}                plan:")
    edit("www.yaml", "spec: {", "spec: {selector: {matchLabels: {app: web}}, replicas: 3, ")
    write_hook("""
        def sync(request, now):
            spec = spec_of(request)
            labels = spec["selector"]["matchLabels"]["app"] if "selector" in spec else "none"
            count = len(range(spec.get("replicas", 1))) / (spec.get("replicas", 1) < 1000)
            return made(child("a", labels=labels), count=int(count))
    """)

    assert checked("--only", check) == (0, [])


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
    edit(
        "controller.yaml",
        "apiVersion: v1\n      resource: pods",
        f"apiVersion: apps/v1\n      resource: {kind.lower()}s",
    )
    write_hook(
        f"""
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
            return made(child, state="Ready" if is_ready else "Updating")
        """,
        children="ConfigMap, Workload",
    )

    assert checked("--only", "edits")[1] == ([EARLY.format(kind, what)] if what else [])


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_ready_from_counts_of_before_an_edit_is_found_by_url(kind: str) -> None:
    list_more_kinds()

    def sync(body: Json) -> Json:
        child = {**deployment(body, f"nginx:{plan_of(body)}", app=named(body)), "kind": kind}
        observed = body["children"][f"{kind}.apps/v1"].get(f"default/{named(body)}") or {}
        is_ready = (observed.get("status") or {}).get("readyReplicas") == 1
        return {"status": {"state": "Ready" if is_ready else "Updating"}, "children": [child, config_map(body)]}

    with serving_sites(sync) as url:
        assert checked("--only", "edits", url=url) == (1, [EARLY.format(kind, "differs from the response")])
