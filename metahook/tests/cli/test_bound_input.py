"""Bad input of a program bound to one controller: one line with file, place and remedy, and no value of a user."""

import io
import json
from pathlib import Path

import pytest
import yaml

from metahook.protocol.objects import Json
from metahook.protocol.request_builder import customize_request
from toolkit.cli.bound import call, in_cluster, request_of
from toolkit.command import assert_one_line
from toolkit.mutations import replaced
from toolkit.widgets import widget

WEB = widget()
(DEPLOYMENT,) = in_cluster(WEB)
REQUEST = request_of(WEB, DEPLOYMENT)
RECORDING = {"path": "/sync", "status": 200, "request": REQUEST, "response": {"children": [], "status": {}}}
STORED = "no API server would store this"
NO_RECORDING = ("no hook request and no Widget", "--from-cluster")
NO_WIDGET = "no Widget of example.com/v1"


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory with a Widget, a request, and an empty folder, with nothing on standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    Path("web.yaml").write_text(yaml.safe_dump(WEB))
    Path("request.json").write_text(json.dumps(REQUEST))
    Path("folder").mkdir()


ARGUMENTS: dict[str, tuple[str, ...]] = {
    "rendr": ("rendr", "Did you mean 'render'? See: widgets --help"),
    "render": ("--filename", "see: widgets render --help"),
    "render --colour": ("--colour", "see: widgets render --help"),
    "render -f -": (f"-: {NO_WIDGET}", "such as web.yaml"),
    "render -f web.yaml --now noon": ("--now", "2026-01-31T12:00:00Z"),
    "render -f web.yaml --now 2026-01-31T12:00:00": ("--now", "zone"),
    "render -f web.yaml --now 0001-01-01T00:00:00+01:00": ("--now", "out of range"),
    "render -f web.yaml --now 9999-12-31T23:59:59-01:00": ("--now", "out of range"),
    "replay": ("no FILE", "--from-cluster", "see: widgets replay --help"),
    "replay folder": NO_RECORDING,
    **{
        f"replay request.json --against {url}": ("--against", "http://127.0.0.1:8080")
        for url in ("web", "ftp://web", "http://", "http://x:y/", "//x")
    },
    "replay request.json --against http://user:canary@127.0.0.1:1": (
        "http://127.0.0.1:1/sync; serve the other version there, with: widgets serve",
    ),
    "simulate -f web.yaml --hook web": ("--hook", "http://127.0.0.1:8080"),
    "simulate -f web.yaml --hook http://127.0.0.1:9 --until 2s": (
        "--hook: no answer from http://127.0.0.1:9/",
        "start the hook there",
    ),
    **dict.fromkeys(
        (
            "render -f /no/such",
            "render -f web.yaml --observed /no/such",
            "render -f web.yaml -f /no/such",
            "diff web.yaml /no/such",
            "diff /no/such web.yaml",
            "replay /no/such",
        ),
        ("/no/such: no such file", "standard input"),
    ),
}


@pytest.mark.parametrize(("arguments", "words"), ARGUMENTS.items(), ids=ARGUMENTS)
def test_wrong_arguments_are_named_with_the_remedy(arguments: str, words: tuple[str, ...]) -> None:
    ended = call(*arguments.split())

    assert_one_line(ended, 2, *words, program="widgets")
    assert "canary" not in ended.err


def web(**metadata: object) -> Json:
    """Return the Widget with other *metadata*."""
    return {**WEB, "metadata": {**WEB["metadata"], **metadata}}


# Each with the command that reads the content from the file "bad", and what it says.
CONTENTS: dict[str, tuple[str, Json | str, tuple[str, ...]]] = {
    "another kind": ("render -f bad", {**WEB, "kind": "Deployment"}, (NO_WIDGET,)),
    "no apiVersion": ("render -f bad", "kind: Widget\nmetadata: {name: web}", ("apiVersion and kind",)),
    "no object": ("render -f bad", "just text", ("not a Kubernetes object", "apiVersion and kind")),
    "no name": ("render -f bad", "apiVersion: v1\nkind: Widget", ("no metadata.name", "give it one")),
    "an empty file": ("render -f bad", "", (f"bad: {NO_WIDGET}",)),
    "a generation below 0": ("render -f bad", web(generation=-1), (STORED,)),
    "a uid that is too long": ("render -f bad", web(uid="x" * 300), (STORED,)),
    "a status that is no object": (
        "render -f web.yaml --observed bad",
        {**DEPLOYMENT, "status": 5, "metadata": {"name": "web-deployment"}},
        (STORED,),
    ),
    "no Widget to simulate": ("simulate -f bad", DEPLOYMENT, (NO_WIDGET,)),
    # What diff reads.
    **{
        f"{name}, compared with {old}": (f"diff {old} bad", edited, words)
        for old in ("web.yaml", "request.json")
        for name, edited, words in (
            ("no Widget", DEPLOYMENT, (NO_WIDGET,)),
            ("another name", web(name="other"), ("metadata.name differs from", "same Widget")),
            ("another namespace", web(namespace="shop"), ("metadata.namespace differs from",)),
        )
    },
    "nothing to compare with": ("diff bad web.yaml", "", (NO_WIDGET, "web.yaml")),
    "no parent in a recording": ("diff bad web.yaml", {"request": {}}, ("no parent", "widgets record")),
    "an empty parent": ("diff bad web.yaml", {"parent": {}, "children": {}}, (STORED,)),
    "a customize request": (
        "diff bad web.yaml",
        {"path": "/customize", "request": json.loads(customize_request(WEB))},
        ("customize", "a request to sync"),
    ),
    "values that are redacted": (
        "diff bad web.yaml",
        {**RECORDING, "redacted": True},
        ("bad: its values are redacted, so all would differ; record with: widgets record --values",),
    ),
    # What replay reads.
    "another object": ("replay bad", {"canary": 1}, ("not a Kubernetes object",)),
    "nothing": ("replay bad", "", NO_RECORDING),
    "not a live object": (
        "replay bad",
        {**WEB, "metadata": {"name": "web"}},
        ("no metadata.uid", "kubectl", "widgets render"),
    ),
    "a response": ("replay bad", {**RECORDING, "response": {"canary": 1}}, ("response",)),
    "a response that is a list": ("replay bad", {**RECORDING, "response": ["canary"]}, ("response",)),
    "a child without containers": (
        "replay bad",
        request_of(WEB, replaced(DEPLOYMENT, ("spec",), lambda _: {"template": "canary"})),
        (f"bad: Deployment web-deployment: {STORED}",),
    ),
}


@pytest.mark.parametrize(("arguments", "content", "words"), CONTENTS.values(), ids=CONTENTS)
def test_a_file_that_can_not_be_used_is_named(arguments: str, content: Json | str, words: tuple[str, ...]) -> None:
    Path("bad").write_text(content if isinstance(content, str) else json.dumps(content))

    ended = call(*arguments.split())

    assert_one_line(ended, 2, *words, program="widgets")
    assert ("bad" in ended.err) is ("--observed" not in arguments)  # which belongs to the request of another file
    assert "canary" not in ended.err
