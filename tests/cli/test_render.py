import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from metahook.protocol.request_builder import sync_request
from tests.cli.command import call
from tests.requests.builders import MYRESOURCE, NOW, NOW_TEXT, condition, finished, grouped, my_resource, reason

Json = dict[str, Any]


def rendered(*arguments: str) -> Json:
    ended = call("render", "--now", NOW_TEXT, "--output", "response", *arguments)
    assert (ended.code, ended.err) == (0, "")
    answer: Json = json.loads(ended.out)
    return answer


def test_output_response_prints_the_bytes_that_metacontroller_gets(write: Any) -> None:
    parent = my_resource()

    ended = call("render", "-f", write(parent), "--now", NOW_TEXT, "-o", "response")

    assert ended.out.encode() == MYRESOURCE.handle_sync(sync_request(parent, grouped(), {}), NOW).body + b"\n"


def manifests(*arguments: str) -> list[Json]:
    ended = call("render", *arguments)
    assert (ended.code, ended.err) == (0, "")
    return list(yaml.safe_load_all(ended.out))


def test_children_are_printed_as_manifests(write: Any) -> None:
    file = write(my_resource(ports=[{"containerPort": 80}]))

    assert manifests("-f", file) == rendered("-f", file)["children"]
    assert [item["kind"] for item in manifests("-f", file)] == ["Deployment", "Service"]


def test_the_children_of_all_files_and_documents_are_printed(write: Any) -> None:
    same_name = {**my_resource(), "metadata": {"name": "two", "namespace": "b"}}
    one = write(my_resource("one"), my_resource("two"), same_name, name="one.yaml")
    other = write(my_resource("three"), name="other.yaml")
    responses = call("render", "-f", one, "-f", other, "-o", "response").out.splitlines()

    names = [child["metadata"]["name"] for child in manifests("-f", one, "-f", other)]

    assert names == [f"{name}-deployment" for name in ("one", "two", "two", "three")]
    assert [json.loads(line)["children"][0]["metadata"]["name"] for line in responses] == names


def test_the_reason_for_no_children_is_printed_on_standard_error(write: Any, tmp_path: Path) -> None:
    waiting = my_resource(
        dependencies=[{"apiVersion": "mygroup.example.com/v1alpha1", "resource": "mybackups", "name": "db"}]
    )

    ended = call("render", "-f", write(my_resource()), "-f", write(waiting, name="app.yaml"))

    assert ended.code == 0
    assert len(list(yaml.safe_load_all(ended.out))) == 1
    assert ended.err.startswith(f"myresource: {tmp_path}/app.yaml: web: no children: DependencyNotFollowed: ")
    assert ended.err.count("\n") == 1


def test_manifests_are_utf_8_in_any_locale(write: Any) -> None:
    text = "日本語"
    parent = Path(write(my_resource(args=[text]))).read_bytes()
    command = [sys.executable, "-m", "app", "render", "-f", "-"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    ended = subprocess.run(command, input=parent, capture_output=True, env=environment, check=False)

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert text in ended.stdout.decode("utf-8")


QUOTED = [
    "y", "N", "on", "null", "~", "1e3", "+1E-3", "1.", "-.5", ".5", "0o17", "0b11", "-0b11", "0x1F", "08", "1_000",
    "1_0.5_0", ".inf", ".NaN", "12:30:45", "2026-01-31", "<<", "=",
]  # fmt: skip
UNQUOTED = ["1.2.3", "_1", "128Mi", "1-2", "25%", "nginx:1.27", "yes-man", "日本語"]


def test_strings_that_kubectl_would_read_as_other_types_are_quoted(write: Any) -> None:
    lines = call("render", "-f", write(json.dumps(my_resource(args=[*QUOTED, *UNQUOTED])))).out.splitlines()

    printed = [line.strip().removeprefix("- ") for line in lines]

    assert [word for word in QUOTED if f"'{word}'" not in printed] == []
    assert [word for word in UNQUOTED if word not in printed] == []


PLAIN = {**my_resource(), "metadata": {"name": "web"}}
DEPLOYMENT = finished(my_resource())[0]


@pytest.mark.parametrize(
    ("parent", "owners", "expected"),
    [
        pytest.param(PLAIN, DEPLOYMENT["metadata"]["ownerReferences"], "Available", id="its uid, of a file without it"),
        pytest.param(
            my_resource(uid="another-uid"), DEPLOYMENT["metadata"]["ownerReferences"], "Building", id="another"
        ),
        pytest.param(my_resource(), None, "Available", id="none"),
        pytest.param(my_resource(), [{"uid": "x"}], "Building", id="one without kind and name"),
    ],
)
def test_an_observed_child_is_the_parents_unless_it_has_another_owner(
    parent: Json, owners: list[Json] | None, expected: str, write: Any
) -> None:
    child = {**DEPLOYMENT, "metadata": {**DEPLOYMENT["metadata"], "ownerReferences": owners}}
    if owners is None:
        del child["metadata"]["ownerReferences"]

    answer = rendered("-f", write(parent), "--observed", write(child, name="observed.yaml"))

    assert reason(answer) == expected


def test_a_related_object_of_the_same_name_is_a_name_conflict(write: Any) -> None:
    foreign = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}
    parent = write(my_resource(ports=[{"containerPort": 80}]))

    assert reason(rendered("-f", parent, "-f", write(foreign, name="other.yaml"))) == "NameConflict"
    assert reason(rendered("-f", parent, "-f", write(name="none.yaml"))) == "Building"


def test_an_invalid_spec_prints_the_response_and_one_line_with_path_and_remedy(write: Any) -> None:
    file = write(my_resource(memory="64mb"))

    ended = call("render", "-f", file, "-o", "response")

    assert ended.code == 1
    assert condition(json.loads(ended.out))["reason"] == "InvalidSpec"
    assert ended.err == (
        f"myresource: {file}: web: spec.memory: must be a whole number of bytes above 0, such as 128Mi or 1.5Gi\n"
    )


def test_an_unknown_field_is_named_with_the_closest_known_one(write: Any) -> None:
    file = write(my_resource(imge="x", ports=[{"containerPort": 80, "hostPort": 80}]))

    ended = call("render", "-f", file)

    assert ended.code == 1
    assert ended.err.splitlines() == [
        f"myresource: {file}: web: spec.imge: unknown field; did you mean image?",
        f"myresource: {file}: web: spec.ports[0].hostPort: unknown field; remove it",
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
