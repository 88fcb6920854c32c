"""Bad input of ``myresource``: one line with file, place and remedy, exit code 2, and no value of a user.

``metahook/tests/cli`` has what is wrong with any YAML or JSON, and with a hook.
"""

import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from metahook.protocol.request_builder import customize_request
from tests.cli.command import assert_one_line, call
from tests.cli.test_diff import in_cluster, request_of
from tests.requests.builders import Json, my_resource

WEB = my_resource()
REQUEST = request_of(WEB, *in_cluster(WEB))
STORED = "no API server would store this"
NO_RECORDING = ("no hook request", "--from-cluster")
SPEC: Json = {"template": "canary"}
(DEPLOYMENT,) = in_cluster(WEB)
OTHERS: Json = request_of(WEB, {**DEPLOYMENT, "spec": SPEC})
OWN = {"name": "web-deployment"}


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory with a MyResource, a request, and an empty folder, with nothing on standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    Path("web.yaml").write_text(yaml.safe_dump(WEB))
    Path("request.json").write_text(json.dumps(REQUEST))
    Path("folder").mkdir()


ARGUMENTS: dict[str, tuple[str, ...]] = {
    "rendr": ("rendr", "see: myresource --help"),
    "render": ("--filename", "see: myresource render --help"),
    "render --colour": ("--colour", "see: myresource render --help"),
    "render -f -": ("-: no MyResource",),
    "render -f web.yaml --now noon": ("--now", "2026-01-31T12:00:00Z"),
    "render -f web.yaml --now 2026-01-31T12:00:00": ("--now", "zone"),
    "render -f web.yaml --now 0001-01-01T00:00:00+01:00": ("--now", "2026-01-31T12:00:00Z"),
    "render -f web.yaml --now 9999-12-31T23:59:59-01:00": ("--now", "2026-01-31T12:00:00Z"),
    "explain Applied": ("Applied", "did you mean NotApplied?"),
    "explain Weather": ("Weather", "for a list, run: myresource explain"),
    "replay": ("no FILE", "--from-cluster", "see: myresource replay --help"),
    "replay folder": NO_RECORDING,
    **{
        f"replay request.json --against {url}": ("--against", "http://127.0.0.1:8080")
        for url in ("web", "ftp://web", "http://", "http://x:y/", "//x")
    },
    "replay request.json --against http://user:canary@127.0.0.1:1": (
        "http://127.0.0.1:1/sync; serve the other version there",
        "myresource serve",
    ),
    # A missing file.
    "simulate --scenario /no/such": ("/no/such",),
    **dict.fromkeys(
        (
            "render -f /no/such",
            "render -f web.yaml --observed /no/such",
            "render -f web.yaml -f /no/such",
            "diff web.yaml /no/such",
            "diff /no/such web.yaml",
            "replay /no/such",
            "simulate -f /no/such",
        ),
        ("/no/such: no such file", "standard input"),
    ),
    # What to simulate.
    "simulate": ("-f", "--scenario"),
    "simulate -f web.yaml --set replicas=-1": ("--set replicas", "spec.replicas"),
    "simulate -f web.yaml --set imgae=a": ("spec.imgae", "did you mean image"),
    "simulate -f web.yaml --set image": ("PATH=VALUE",),
    "simulate -f web.yaml --set a..b=1": ("a..b is not a path",),
    "simulate -f web.yaml --set image.a=1": ("not found in the spec",),
    "simulate -f web.yaml --set env[0].name=A": ("--set env[0].name", "whole list"),
    "simulate -f web.yaml --set image=a --at 5": ("--at", "90s, 10m or 1h"),
    "simulate -f web.yaml --at 5s": ("each --at must follow",),
    "simulate -f web.yaml --fail badly": ("--fail", "bad-image"),
    "simulate -f web.yaml --until later": ("--until", "ready, or quiet"),
    "simulate -f web.yaml --until 1s --fail oom --at 2s": ("before the last",),
    "simulate -f web.yaml --until 99999h": ("--until 99999h", "up to 1000h"),
    "simulate -f web.yaml --speed nan": ("--speed is not a number",),
    "simulate -f web.yaml --hook web": ("--hook", "http://127.0.0.1:8080"),
    "simulate -f web.yaml --svg nowhere/a.svg": ("nowhere/a.svg",),
    "simulate --scenario demo --fail oom": ("can't be used with --scenario",),
    "simulate --scenario folder": ("folder", "directory"),
    "simulate --scenario nope": ("no such scenario", "crash, demo, dependencies, "),
    "simulate --scenario web.yaml": ("not a scenario", "unknown field"),
}


@pytest.mark.parametrize(("arguments", "words"), ARGUMENTS.items(), ids=ARGUMENTS)
def test_wrong_arguments_are_named_with_the_remedy(arguments: str, words: tuple[str, ...]) -> None:
    ended = call(*arguments.split())

    assert_one_line(ended, 2, *words)
    assert "canary" not in ended.err


# Each with the command that reads the content from the file "bad", and what it says.
CONTENTS: dict[str, tuple[str, Any, tuple[str, ...]]] = {
    "another kind": (
        "render -f bad",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}",
        ("no MyResource of mygroup.example.com",),
    ),
    "no apiVersion": ("render -f bad", "kind: MyResource\nmetadata: {name: web}", ("apiVersion and kind",)),
    "no object": ("render -f bad", "just text", ("not a Kubernetes object", "apiVersion and kind")),
    "no name": ("render -f bad", "apiVersion: v1\nkind: MyResource", ("no metadata.name", "give it one")),
    "an empty file": ("render -f bad", "", ("bad: no MyResource", "examples/web.yaml")),
    "a generation below 0": ("render -f bad", {**WEB, "metadata": {**WEB["metadata"], "generation": -1}}, (STORED,)),
    "a uid that is too long": ("render -f bad", {**WEB, "metadata": {**WEB["metadata"], "uid": "x" * 300}}, (STORED,)),
    "a status that is no object": (
        "render -f web.yaml --observed bad",
        {**DEPLOYMENT, "status": 5, "metadata": OWN},
        (STORED,),
    ),
    # What simulate reads.
    "no MyResource to simulate": ("simulate -f bad", {**DEPLOYMENT, "kind": "Service"}, ("no MyResource",)),
    "an invalid spec to simulate": ("simulate -f bad", my_resource(memory="64 Mi"), ("spec.memory",)),
    # What diff reads.
    **{
        f"{name}, compared with {old}": (f"diff {old} bad", edited, words)
        for old in ("web.yaml", "request.json")
        for name, edited, words in (
            (
                "an invalid spec",
                my_resource(memory="64mb"),
                ("web: spec.memory: must be a whole number of bytes above 0, such as 128Mi or 1.5Gi",),
            ),
            ("an unknown field", my_resource(imge="x"), ("spec.imge: unknown field; did you mean image?",)),
            ("two mistakes", my_resource(imge="x", memory="64mb"), ("spec.imge", "1 more", "render")),
            ("no MyResource", {**WEB, "kind": "Deployment"}, ("no MyResource of mygroup.example.com",)),
            ("another name", my_resource("other"), ("metadata.name differs from", "same MyResource")),
            (
                "another namespace",
                {**WEB, "metadata": {"name": "web", "namespace": "shop"}},
                ("metadata.namespace differs from",),
            ),
            ("too large", my_resource(args=["x" * 8000] * 26), ("ConfigMap",)),
        )
    },
    "no MyResource after the edit": (
        "diff web.yaml bad",
        "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}",
        ("bad: no MyResource",),
    ),
    "nothing to compare with": ("diff bad web.yaml", "", ("no MyResource", "examples/web.yaml")),
    "an invalid spec before": ("diff bad web.yaml", my_resource(memory="canary"), ("spec.memory",)),
    "a customize request": (
        "diff bad web.yaml",
        {"path": "/customize", "request": json.loads(customize_request(WEB))},
        ("customize", "a request to sync"),
    ),
    # What replay reads.
    "another object": ("replay bad", {"canary": 1}, ("not a Kubernetes object",)),
    "nothing": ("replay bad", "", ("no hook request and no MyResource", "--from-cluster")),
    "not a live object": (
        "replay bad",
        {**WEB, "metadata": {"name": "web"}},
        ("no metadata.uid", "kubectl", "myresource render"),
    ),
    "a child without containers": ("replay bad", OTHERS, (f"bad: Deployment web-deployment: {STORED}",)),
}


@pytest.mark.parametrize(("arguments", "content", "words"), CONTENTS.values(), ids=CONTENTS)
def test_a_file_that_can_not_be_used_is_named(arguments: str, content: Any, words: tuple[str, ...]) -> None:
    text = json.dumps(content) if isinstance(content, dict) else content
    Path("bad").write_bytes(text if isinstance(text, bytes) else text.encode())

    ended = call(*arguments.split())

    assert_one_line(ended, 2, *words)
    assert ("bad" in ended.err) is ("--observed" not in arguments)  # which belongs to the request of another file
    assert "canary" not in ended.err
    assert "Envelope" not in ended.err
