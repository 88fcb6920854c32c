"""``myresource record``: what it records of the operator is replayed, without what users keep private."""

import json
from pathlib import Path

import httpx

from metahook.protocol.request_builder import customize_request
from tests.cli.command import CommandResult, call
from tests.cli.test_diff import in_cluster, request_of
from tests.requests.builders import my_resource
from tests.service.operator import FORKED
from toolkit.recording import recording
from toolkit.served.process import Served

CANARY = "canary-c9f0f895"
INVALID = my_resource(spec={"image": "nginx:1.27", "memory": "64mb"})
CALLS = [
    ("sync", request_of(my_resource(args=[CANARY]))),
    ("sync", request_of(INVALID, *in_cluster(my_resource(), "server-side-apply"))),
    ("customize", json.loads(customize_request(my_resource(ports=[{"containerPort": 80}])))),
]


def test_what_is_recorded_is_replayed_with_no_difference(operator: Served, tmp_path: Path) -> None:
    with recording(operator.url, tmp_path / "new", command=(*FORKED, "record")) as running:
        for path, body in CALLS:
            assert httpx.post(f"{running.url}/{path}?rev=1", json=body).status_code == 200
        found = running.kept()

    ended = call("replay", str(tmp_path / "new"))

    assert ended == CommandResult(0, "3 requests: 3 the same, 0 differ; no Pods restart\n", "")
    assert CANARY not in json.dumps(found)
