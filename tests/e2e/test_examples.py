"""The examples, and the rules of the CRD, on a real API server."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from app.api.spec import MyResourceSpec
from app.cli.bound import problems
from app.core.desired.children import CHILDREN
from metahook import Kind, SyncRequest
from metahook.cli.files import objects
from metahook.envtest.client import Refused
from metahook.envtest.cluster import PATIENCE, documents, establish
from metahook.protocol.leftovers import format_path, leftovers
from metahook.simulator.apiserver.custom_rules import HookProblem
from metahook.simulator.objects import Json
from tests.api import edge_strings
from tests.api.apiserver import SCHEMA, read_stored
from tests.api.examples.all_rules import EXAMPLES as EXAMPLES_OF_RULES
from tests.api.examples.all_rules import numbered
from tests.api.examples.schedule import AWAKE
from tests.api.refused import HOOK_ONLY, REFUSED
from tests.api.test_agreement import spoilt
from tests.e2e.cluster import Cluster
from tests.e2e.definition import ANYTHING, definition
from tests.e2e.fresh import desired_children, differences
from tests.e2e.installed import ROOT
from tests.e2e.namespace import Namespace
from tests.requests.builders import my_resource
from toolkit.slow import short_or_whole

EXAMPLES = [*sorted((ROOT / "examples").glob("*.yaml")), ROOT / "examples/shop/shop.yaml"]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_becomes_ready_with_fresh_children(here: Namespace, file: Any) -> None:
    every = documents(file)
    items = [item for item in every if item["kind"] == "MyResource"]
    assert items
    for item in items:
        if "schedule" in item["spec"]:
            item["spec"]["schedule"] |= AWAKE
        here.needs(item)
    for item in every:
        here.client.apply({**item, "metadata": {**item["metadata"], "namespace": here.name}})

    for name in (item["metadata"]["name"] for item in items):
        here.wait_until_ready(name)
        here.wait_for_autoscaler(name)
        assert differences(here, name) == []
        assert here.touched(name).writes == []


def _resources(cluster: Cluster, cases: Iterator[tuple[str, Json]]) -> Iterator[tuple[str, Json, Refused | None]]:
    """Dry-run the creation of each MyResource; yield it as stored, or the error."""
    for what, fields in cases:
        made = my_resource(**fields)
        metadata = {name: value for name, value in made["metadata"].items() if name not in ("uid", "generation")}
        item = {**made, "metadata": {**metadata, "namespace": "default"}}
        try:
            yield what, cluster.client.create(item, dry_run=True, strict=False), None
        except Refused as refused:
            yield what, item, refused


def test_defaults_of_the_api_server_are_never_leftovers(cluster: Cluster) -> None:
    """Checks children that dynamic-apply created, in which one manager owns all fields including defaults."""
    cases = ((name, fields) for name, _, fields in numbered("good"))
    problems: list[str] = []
    defaults = 0
    for what, accepted, refused in _resources(cluster, cases):
        for child in [] if refused else desired_children(accepted):
            placed = {**child, "metadata": {**child["metadata"], "namespace": "default"}}
            made = cluster.client.create(placed, dry_run=True, manager="metacontroller")
            defaults += len(_left_over(_less(child), made)) > 1
            problems += [f"{what}: {path}" for path in _left_over(child, made)]

    assert problems == []
    assert defaults > 100  # the negative control: with fewer desired fields, many are left over


def _less(child: Json) -> Json:
    return {**child, "spec": {}}


def _left_over(desired: Json, made: Json) -> list[str]:
    groups = {kind.KIND.group_key: {"a": made} if kind.KIND.kind == made["kind"] else {} for kind in CHILDREN}
    body = json.dumps({"parent": my_resource(), "children": groups}).encode()
    return [format_path(path) for path in leftovers(desired, SyncRequest.decode(body, CHILDREN).children)]


def test_a_spec_that_a_rule_accepts_is_accepted_with_its_children(cluster: Cluster) -> None:
    problems: list[str] = []
    cases = ((name, fields) for name, _, fields in numbered("good"))
    for what, made, refused in _resources(cluster, cases):
        problems += [f"{what}: {refused}"] if refused else _children(cluster, what, made)

    assert problems == []


def _children(cluster: Cluster, what: str, parent: Json) -> Iterator[str]:
    for child in desired_children(parent):
        try:
            cluster.client.create({**child, "metadata": {**child["metadata"], "namespace": "default"}}, dry_run=True)
        except Refused as refused:
            yield f"{what}: {child['kind']}: {refused}"


def test_a_spec_that_a_rule_refuses_is_refused_for_that_reason(cluster: Cluster) -> None:
    says = {name: example.says for name, example, _ in numbered("bad")}
    cases = ((name, fields) for name, _, fields in numbered("bad"))
    found = {what: refused for what, _, refused in _resources(cluster, cases)}

    wrong = {what: refused for what, refused in found.items() if refused is None or says[what] not in refused.message}
    assert wrong == {}


def _is_refused(parent: Json, old: Json | None = None) -> bool:
    """Tell whether a preview of *parent* says that the API server refuses it, as metahook does by the CRD alone."""
    found = problems(parent, old)
    is_refused = not all(isinstance(problem, HookProblem) for problem in found)
    is_unknown = any(problem.text.startswith("unknown field") for problem in found)
    assert is_refused == (is_unknown or objects.refused(parent, old, SCHEMA) != [])
    return is_refused


def _is_refused_in(cluster: Cluster, parent: Json) -> bool:
    metadata = {name: value for name, value in parent["metadata"].items() if name not in ("uid", "generation")}
    try:
        cluster.client.create({**parent, "metadata": {**metadata, "namespace": "default"}}, dry_run=True)
    except Refused:
        return True
    return False


def _of_rules() -> Iterator[Json]:
    yield from (fields for example in EXAMPLES_OF_RULES for fields in (*example.good, *example.bad))
    yield from (fields for specs in (*REFUSED.values(), *HOOK_ONLY.values()) for fields in specs)


def test_a_preview_of_an_example_has_the_verdict_of_the_api_server(cluster: Cluster) -> None:
    made = [my_resource(**fields) for fields in _of_rules()]

    assert [item for item in made if _is_refused(item) != _is_refused_in(cluster, item)] == []


@settings(max_examples=short_or_whole(300, 3000), deadline=None)
@given(spoilt().filter(lambda fields: isinstance(fields.get("name", ""), str)))
def test_a_preview_of_a_spoilt_one_has_the_verdict_of_the_api_server(cluster: Cluster, fields: Json) -> None:
    assert _is_refused(my_resource(**fields)) == _is_refused_in(cluster, my_resource(**fields))


RATCHETED = Kind("example.com/v1", "Ratcheted", "ratcheteds")


def test_a_preview_of_an_edit_has_the_verdict_of_the_api_server(cluster: Cluster) -> None:
    """What is edited was stored before the CRD had any rules. Then it gets those of a MyResource."""
    establish(cluster.client, [definition(RATCHETED, ANYTHING)])
    stored = [cluster.client.create(_ratcheted(fields, f"a-{number}")) for number, fields in enumerate(_of_rules())]
    establish(cluster.client, [definition(RATCHETED, SCHEMA)])
    end = time.monotonic() + PATIENCE
    while not _is_refused_edit(cluster, {**stored[0], "spec": {"image": 1}}):
        assert time.monotonic() < end
        time.sleep(0.1)

    readable = [old for old in stored if isinstance(read_stored(old), MyResourceSpec)]  # diff says no to others
    edits = [(old, {**old, "spec": spec}) for old in readable for spec in _edits(old["spec"])]
    wrong = [new for old, new in edits if _is_refused(new, old) != _is_refused_edit(cluster, new)]

    assert wrong == []
    assert any(_is_refused(old) for old in readable)  # for what was no rule when it was stored


def _ratcheted(fields: Json, name: str) -> Json:
    item = {"apiVersion": RATCHETED.api_version, "kind": RATCHETED.kind, "spec": my_resource(**fields)["spec"]}
    return {**item, "metadata": {"name": name, "namespace": "default"}}


def _edits(spec: Json) -> Iterator[Json]:
    yield {**spec, "revisionHistoryLimit": 7}
    yield {**spec, "minReadySeconds": 900}
    yield from ({**spec, name: 7} for name in spec)
    yield from ({other: value for other, value in spec.items() if other != name} for name in spec)


def _is_refused_edit(cluster: Cluster, item: Json) -> bool:
    query = {"dryRun": "All", "fieldValidation": "Strict"}
    return cluster.client.http.put(cluster.client.path_of(item), params=query, json=item).is_error


def test_the_children_of_any_odd_string_that_is_accepted_are_accepted(cluster: Cluster) -> None:
    tried = list(edge_strings.accepted(short_or_whole(11, 1)))
    problems = [problem for parent in tried for problem in _children(cluster, json.dumps(parent["spec"])[:300], parent)]

    assert problems == []
    assert len(tried) > short_or_whole(100, 1000)


def test_without_a_rule_a_child_would_be_refused(cluster: Cluster) -> None:
    """The negative control: of a spec that no rule but the CRD's refuses, the children are tried, and refused."""
    path = "spec.env[].valueFrom.fieldRef.fieldPath"
    examples = [example for example in EXAMPLES_OF_RULES if example.crd_only and example.path == path]
    bad = [fields for example in examples for fields in example.bad]

    assert bad
    for fields in bad:
        assert list(_children(cluster, path, my_resource(**fields)))


def test_a_spec_that_would_fail_later_is_refused(cluster: Cluster) -> None:
    cases = ((f"{what} {fields}", fields) for what, several in REFUSED.items() for fields in several)

    assert [what for what, _, refused in _resources(cluster, cases) if refused is None] == []
