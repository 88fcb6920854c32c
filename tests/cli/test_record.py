"""``myresource record``: what it records of the operator is replayed."""

import json
from pathlib import Path
from typing import Any

import httpx

from metahook.protocol.request_builder import customize_request
from tests.cli.command import call
from tests.cli.test_diff import in_cluster, request_of
from tests.requests.builders import my_resource
from tests.service.operator import FORKED
from toolkit.recording import recording
from toolkit.served.process import Served

Json = dict[str, Any]

CANARY = "canary-c9f0f895"


def invalid(mode: str) -> Json:
    return request_of(my_resource(spec={"image": "nginx:1.27", "memory": "64mb"}), *in_cluster(my_resource(), mode))


CALLS: dict[str, tuple[str, Json]] = {
    "new": ("/sync", request_of(my_resource(args=[CANARY]))),
    "dynamic-apply": ("/sync", request_of(my_resource(), *in_cluster(my_resource()))),
    "server-side apply": ("/sync", request_of(my_resource(), *in_cluster(my_resource(), "server-side-apply"))),
    "invalid under dynamic-apply": ("/sync", invalid("dynamic-apply")),
    "invalid under server-side apply": ("/sync", invalid("server-side-apply")),
    "ports": ("/sync", request_of(my_resource(ports=[{"containerPort": 80}]))),
    "customize": ("/customize", json.loads(customize_request(my_resource(ports=[{"containerPort": 80}])))),
}


def test_what_is_recorded_is_replayed_with_no_difference(operator: Served, tmp_path: Path) -> None:
    with recording(operator.url, tmp_path / "new", command=(*FORKED, "record")) as running:
        for path, body in CALLS.values():
            assert httpx.post(f"{running.url}{path}?rev=1", json=body).status_code == 200
        found = running.kept()

    ended = call("replay", str(tmp_path / "new"))

    count = len(CALLS)
    assert ended.out == f"{count} requests: {count} the same, 0 differ; no Pods restart\n"
    assert (ended.code, ended.err) == (0, "")
    assert CANARY not in json.dumps(found)
