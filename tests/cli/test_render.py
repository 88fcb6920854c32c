import json
from typing import Any

import pytest
import yaml

from tests.cli.command import call
from tests.requests.builders import NOW_TEXT, my_resource

Json = dict[str, Any]


def rendered(*arguments: str) -> Json:
    ended = call("render", "--now", NOW_TEXT, "--output", "response", *arguments)
    assert (ended.code, ended.err) == (0, "")
    answer: Json = json.loads(ended.out)
    return answer


def test_children_are_printed_as_manifests_without_the_status(write: Any) -> None:
    file = write(my_resource(ports=[{"containerPort": 80}]))
    ended = call("render", "-f", file)
    children = list(yaml.safe_load_all(ended.out))

    assert (ended.code, ended.err) == (0, "")
    assert children == rendered("-f", file)["children"]
    assert [item["kind"] for item in children] == ["Deployment", "Service"]


def test_an_unknown_field_is_named_with_the_closest_known_one(write: Any) -> None:
    file = write(my_resource(imge="x", ports=[{"containerPort": 80, "hostPort": 80}]))

    ended = call("render", "-f", file)

    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines() == [
        f"myresource: {file}:10: MyResource web: spec.imge: unknown field; did you mean image?",
        f"myresource: {file}:13: MyResource web: spec.ports[0].hostPort: unknown field; remove it",
    ]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"podMetadata": {"annotations": {"a/b": "x"}}}, "spec.podMetadata.annotations: has a key"),
        ({"args": ["x" * 4096] * 60}, "spec: makes a child object larger than 200 KiB"),
    ],
    ids=["a setting", "the size"],
)
def test_a_spec_that_the_hook_alone_refuses_is_one_line_too(fields: Any, words: str, write: Any) -> None:
    ended = call("render", "-f", write(my_resource(**fields)), "--allowed-annotation", "prometheus.io/")

    assert (ended.code, ended.out) == (1, "")
    assert ended.err.count("\n") == 1
    assert f"web: {words}" in ended.err
