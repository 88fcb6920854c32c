"""``render``: what it prints of a hook's response, and which observed children are the parent's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from metahook.cli.files.documents import as_yaml
from metahook.protocol.objects import Json
from metahook.protocol.request_builder import sync_request
from toolkit.builders import NOW, NOW_TEXT, reason
from toolkit.cli.bound import CONTROLLER, call, in_cluster
from toolkit.root import ROOT
from toolkit.widgets import grouped, widget


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, *objects: Json) -> str:
    Path(name).write_text("---\n".join(map(yaml.safe_dump, objects)))
    return name


def rendered(*arguments: str) -> str:
    ended = call("render", "--now", NOW_TEXT, *arguments)
    assert (ended.code, ended.err) == (0, "")
    return ended.out


def test_output_response_prints_the_bytes_that_metacontroller_gets() -> None:
    body = sync_request(widget(), grouped(), {"ConfigMap.v1": {}})

    assert rendered("-f", write("web.yaml", widget()), "-o", "response").encode() == (
        CONTROLLER.handle_sync(body, NOW).body + b"\n"
    )


def test_the_children_of_all_files_and_documents_are_printed() -> None:
    same_name = {**widget(), "metadata": {"name": "two", "namespace": "b"}}
    files = "-f", write("one.yaml", widget("one"), widget("two"), same_name), "-f", write("other.yaml", widget("three"))

    names = [child["metadata"]["name"] for child in yaml.safe_load_all(rendered(*files))]
    responses = rendered(*files, "-o", "response").splitlines()

    assert names == [f"{name}-deployment" for name in ("one", "two", "two", "three")]
    assert [json.loads(line)["children"][0]["metadata"]["name"] for line in responses] == names


def test_the_reason_for_no_children_is_printed_on_standard_error() -> None:
    files = write("web.yaml", widget()), write("app.yaml", widget("app", config=True))
    config = write("config.yaml", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}})

    alone, with_config = (call("render", *(f"-f{file}" for file in given)) for given in (files, (*files, config)))

    assert (alone.code, len(list(yaml.safe_load_all(alone.out)))) == (0, 1)
    assert alone.err == "widgets: app.yaml: app: no children: ConfigNotFound: create the ConfigMap\n"
    assert (len(list(yaml.safe_load_all(with_config.out))), with_config.err) == (2, "")


def test_manifests_are_utf_8_in_any_locale() -> None:
    greeting = ROOT / "examples/greeting"
    parent = (greeting / "hi.yaml").read_text().replace("hello", "日本語")
    command = [
        sys.executable,
        "-m",
        "metahook.cli",
        "render",
        "-k",
        str(greeting),
        "--hook",
        f"{greeting}/greetings.py",
    ]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    ended = subprocess.run(
        [*command, "-f", "-"], input=parent.encode(), capture_output=True, env=environment, check=False
    )

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "日本語" in ended.stdout.decode()


QUOTED = [
    "y", "N", "on", "null", "~", "1e3", "+1E-3", "1.", "-.5", ".5", "0o17", "0b11", "-0b11", "0x1F", "08", "1_000",
    "1_0.5_0", ".inf", ".NaN", "12:30:45", "2026-01-31", "<<", "=",
]  # fmt: skip
UNQUOTED = ["1.2.3", "_1", "128Mi", "1-2", "25%", "nginx:1.27", "yes-man", "日本語"]


def test_strings_that_kubectl_would_read_as_other_types_are_quoted() -> None:
    printed = [line.strip().removeprefix("- ") for line in as_yaml({"args": [*QUOTED, *UNQUOTED]}).splitlines()]

    assert printed == ["args:", *(f"'{word}'" for word in QUOTED), *UNQUOTED]


(DEPLOYMENT,) = in_cluster(widget())
OWNERS = DEPLOYMENT["metadata"]["ownerReferences"]
ANOTHER = {**widget(), "metadata": {**widget()["metadata"], "uid": "another-uid"}}


@pytest.mark.parametrize(
    ("parent", "owners", "expected"),
    [
        pytest.param({**widget(), "metadata": {"name": "web"}}, OWNERS, "Available", id="its uid, of a file without"),
        pytest.param(ANOTHER, OWNERS, "RollingOut", id="another"),
        pytest.param(widget(), None, "Available", id="none"),
        pytest.param(widget(), [{"uid": "x"}], "RollingOut", id="one without kind and name"),
    ],
)
def test_an_observed_child_is_the_parents_unless_it_has_another_owner(
    parent: Json, owners: list[Json] | None, expected: str
) -> None:
    metadata = {name: value for name, value in DEPLOYMENT["metadata"].items() if name != "ownerReferences"}
    child = {**DEPLOYMENT, "metadata": metadata | ({"ownerReferences": owners} if owners else {})}

    files = "-f", write("web.yaml", parent), "--observed", write("observed.yaml", child)

    assert reason(json.loads(rendered(*files, "-o", "response"))) == expected
