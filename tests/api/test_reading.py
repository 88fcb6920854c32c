"""What a user is told of an invalid spec: where, and what it must be; never what was found there."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
import yaml
from pydantic import Field, TypeAdapter, ValidationError

from app.api.generated_schema import Schema, spec_schema
from app.api.model import Rule
from app.api.reading import InvalidSpec, lacks_default, read
from app.api.spec import MyResourceSpec
from metahook.simulator.apiserver.custom_rules import with_defaults
from tests.api.apiserver import read_stored
from tests.api.examples.all_rules import EXAMPLES
from tests.api.refused import HOOK_ONLY, REFUSED
from tests.docs.documents import ROOT
from tests.requests.builders import Json, my_resource
from toolkit.mutations import Path, without

PATTERN = "does not have the required format; see the description of the field"
QUANTITY = "must be a quantity: CPU such as 500m or 2, other resources such as 128Mi or 1.5Gi"
BYTES = "must be a whole number of bytes above 0, such as 128Mi or 1.5Gi"
SOURCES = [{"secret": {"name": "a"}}, {"configMap": {"name": "A"}}]
BAD = [fields for specs in (REFUSED | HOOK_ONLY).values() for fields in specs] + [
    fields for example in EXAMPLES for fields in example.bad
]
CANARIES = ["canary7", "Canary 7!"]


def _problem(resource: Json) -> str:
    found = read_stored(resource)
    return found.problem if isinstance(found, InvalidSpec) else ""


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"image": 7}, "spec.image: must be a string"),
        ({"replicas": "3"}, "spec.replicas: must be a whole number"),
        ({"replicas": -1}, "spec.replicas: must be greater than or equal to 0"),
        ({"replicas": 1001}, "spec.replicas: must be less than or equal to 1000"),
        ({"memory": 0}, f"spec.memory: {BYTES}"),
        ({"memory": []}, f"spec.memory: {BYTES}"),
        ({"memory": "1" * 25}, f"spec.memory: {BYTES}"),
        ({"cpu": "1e3"}, f"spec.cpu: {QUANTITY}"),
        ({"resources": {"requests": {"cpu": "1e3"}}}, f"spec.resources.requests: {QUANTITY}"),
        ({"resources": {"requests": {"a.b/c": "1e3"}}}, f"spec.resources.requests: {QUANTITY}"),
        ({"securityProfile": "Open"}, "spec.securityProfile: must be 'Baseline' or 'Restricted'"),
        ({"env": {}}, "spec.env: must be a list"),
        ({"env": [{"name": "A"}, None]}, "spec.env[1]: must be an object"),
        ({"env": [{"name": "A"}, {}]}, "spec.env[1].name: Required value"),
        ({"env": [{"name": "A"}, {"name": "1"}]}, f"spec.env[1].name: {PATTERN}"),
        ({"env": [{"name": "A"}, {"name": "A"}]}, "spec.env: must not have two items with the same name"),
        (
            {"ports": [{"containerPort": 1}, {"containerPort": 1}]},
            "spec.ports: must not have two items with the same containerPort and protocol",
        ),
        ({"podMetadata": {"labels": {"a": "-"}}}, f"spec.podMetadata.labels: {PATTERN}"),
        (
            {"volumes": [{"name": "a", "projected": {"sources": SOURCES}}]},
            f"spec.volumes[0].projected.sources[1].configMap.name: {PATTERN}",
        ),
        ({"command": [""]}, "spec.command: the first item must not be empty"),
        (
            {"volumeMounts": [{"name": "a", "mountPath": "/a"}]},
            "spec: each name in volumeMounts must be the name of a volume in spec.volumes",
        ),
        (
            {"livenessProbe": {"httpGet": {"port": 0}}},
            "spec.livenessProbe.httpGet.port: must be a port number from 1 to 65535 or the name of a port",
        ),
        (
            {"strategy": {"rollingUpdate": {"maxSurge": "1"}}},
            "spec.strategy.rollingUpdate.maxSurge: must be a number of Pods or a percentage such as 25%",
        ),
    ],
    ids=str,
)
def test_a_problem_names_the_field_and_what_it_must_be(fields: Json, problem: str) -> None:
    assert read_stored(my_resource(**fields)) == InvalidSpec(problem)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (b"{}", "spec.image: Required value"),
        (b"[]", "spec: must be an object"),
        (b"null", "spec: must be an object"),
        (b"", "spec: is not valid JSON"),
        (b"{", "spec: is not valid JSON"),
        (b"\xff", "spec: is not valid JSON"),
        (b'{"image": "\\ud800"}', "spec: is not valid JSON"),
        (b'{"image": "nginx"} x', "spec: is not valid JSON"),
        (b'{"unknown": ' + b"[" * 999 + b"]" * 999 + b"}", "spec: is not valid JSON"),
        (b'{"image": "nginx", "replicas": 1e999}', "spec.replicas: must be a whole number"),
        (b'{"image": "nginx", "replicas": 1' + b"0" * 5000 + b"}", "spec: is not valid JSON"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bytes_that_are_no_spec_are_a_problem_too(spec: bytes, problem: str) -> None:
    assert read("web", spec) == InvalidSpec(problem)


def test_the_name_is_judged_before_the_spec() -> None:
    found = read("1web", b"{")

    assert isinstance(found, InvalidSpec)
    assert found.problem.startswith("metadata.name: must have at most 52 characters")


def test_only_the_first_problem_is_told() -> None:
    both = my_resource(replicas="x", env="x")

    assert read_stored(both) == InvalidSpec("spec.env: must be a list")


def test_a_bound_is_checked_before_a_rule_that_may_be_slow() -> None:
    short = Annotated[str, Field(max_length=2), Rule("must be a", lambda text: text == "a")]

    with pytest.raises(ValidationError, match="at most 2"):
        TypeAdapter(short).validate_python("x" * 3)


def test_an_error_does_not_show_what_was_found() -> None:
    with pytest.raises(ValidationError) as caught:
        MyResourceSpec.model_validate_json('{"image": ["canary"]}')

    assert "canary" not in str(caught.value)


def test_a_spec_cannot_be_changed() -> None:
    spec = read_stored(my_resource())

    assert isinstance(spec, MyResourceSpec)
    with pytest.raises(ValidationError, match="frozen"):
        spec.image = "other"


def _tainted(value: Any, canary: object, kinds: tuple[type, ...]) -> list[Any]:
    """Return copies of *value*, each with *canary* in place of one leaf of *kinds*, or of one key."""
    if isinstance(value, dict):
        leaves = [{**value, key: made} for key in value for made in _tainted(value[key], canary, kinds)]
        keys = [{(canary if old == key else old): value[old] for old in value} for key in value if str in kinds]
        return leaves + keys
    if isinstance(value, list):
        return [
            [*value[:index], made, *value[index + 1 :]]
            for index, item in enumerate(value)
            for made in _tainted(item, canary, kinds)
        ]
    return [canary] if isinstance(value, kinds) else []


def _problems(canary: object, *kinds: type) -> list[str]:
    """Return all problems of all bad specs with *canary* in one place."""
    specs = [spec for fields in BAD if len(str(fields)) < 2000 for spec in _tainted(fields, canary, kinds)]
    return [_problem(my_resource(spec={"image": "nginx", **spec})) for spec in specs if "name" not in spec]


@pytest.mark.parametrize("canary", CANARIES)
def test_a_problem_never_tells_the_text_that_was_found(canary: str) -> None:
    problems = [problem for problem in _problems(canary, str) if problem]

    assert len(problems) > 500
    assert [problem for problem in problems if canary in problem] == []


def test_a_problem_never_tells_the_number_that_was_found() -> None:
    problems = [problem for problem in _problems(918273645, int) if problem]

    assert len(problems) > 50
    assert [problem for problem in problems if "918273645" in problem] == []


FULL: Json = yaml.safe_load((ROOT / "examples/full.yaml").read_text())["spec"]
WRITTEN: Json = {
    **FULL,
    "initContainers": FULL["initContainers"][::-1],  # the sidecar first: only it has ports
    "dependencies": [{"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly"}],
}
STORED: Json = with_defaults(WRITTEN, spec_schema())
"""A spec with every field, as the API server stores it."""


def lacks(spec: object) -> bool:
    return lacks_default(json.dumps(spec).encode())


def defaults(schema: Schema, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each default of *schema*, in the first item of lists."""
    if "default" in schema:
        yield path
    for name, field in schema.get("properties", {}).items():
        yield from defaults(field, (*path, name))
    for below in ("items", "additionalProperties"):
        if isinstance(schema.get(below), dict):
            yield from defaults(schema[below], (*path, 0 if below == "items" else "*"))


DEFAULTS = [*defaults(spec_schema())]


def test_a_stored_spec_lacks_none_and_a_written_one_does() -> None:
    minimal = {"image": "nginx:1.27"}

    assert not lacks(STORED)
    assert not lacks(with_defaults(minimal, spec_schema()))
    assert lacks(minimal)
    assert lacks({})


@pytest.mark.parametrize("path", DEFAULTS, ids=lambda path: ".".join(map(str, path)))
def test_each_default_of_the_crd_is_missed(path: Path) -> None:
    assert lacks(without(STORED, path))


def test_there_are_defaults_at_each_depth() -> None:
    assert {("memory",), ("service", "mode"), ("ports", 0, "protocol"), ("dependencies", 0, "condition")} < {*DEFAULTS}
