"""``metahook check --only edits``: after an edit, a parent is not Ready for what was rolled out before."""

import pytest

from metahook.simulator.objects import Json
from toolkit.cli.sites import (
    checked,
    config_map,
    deployment,
    edit,
    list_more_kinds,
    named,
    plan_of,
    serving_sites,
    write_hook,
)

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
