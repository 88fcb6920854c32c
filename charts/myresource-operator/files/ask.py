"""Runs in the Pod of helm test: sends the hook requests as Metacontroller does, and checks the responses."""

import http.client
import json
import sys
import time
from typing import Any
from urllib.parse import urlsplit

NAME = "helm-test"
PARENT = {
    "apiVersion": "mygroup.example.com/v1alpha1",
    "kind": "MyResource",
    "metadata": {"name": NAME, "namespace": "default", "uid": "00000000-0000-4000-8000-000000000000", "generation": 1},
    "spec": {"image": "nginx:1.27", "memory": "64Mi", "replicas": 1},
}
PATIENCE = 60
"""Seconds to wait for a hook that was just installed."""


def post(host: str, path: str, request: dict[str, Any]) -> tuple[int, bytes]:
    """Return the status code and the body of the response."""
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("POST", path, json.dumps(request), {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, response.read()


def call(host: str, path: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return the response; retry until the hook accepts connections, and exit if it does not answer with 200."""
    for _ in range(PATIENCE):
        try:
            status, body = post(host, path, request)
        except OSError as error:
            print(f"waiting for {host}: {error}", flush=True)
            time.sleep(1)
            continue
        if status == http.HTTPStatus.OK:
            return json.loads(body)
        sys.exit(f"{path} answered with status {status}")
    sys.exit(
        f"no response from {host}: check that the hook is running and that a NetworkPolicy lets this Pod connect to it"
    )


def main(url: str) -> None:
    """Call both hooks for a new MyResource; print a message and exit with 1 if a response is wrong."""
    host = urlsplit(url).netloc
    call(host, "/customize", {"controller": {}, "parent": PARENT})
    children = {"Deployment.apps/v1": {}, "Service.v1": {}}
    request = {"controller": {}, "parent": PARENT, "children": children, "related": {}, "finalizing": False}
    response = call(host, "/sync", request)
    children = [(child["kind"], child["metadata"]["name"]) for child in response["children"]]
    state = response["status"]["state"]
    if children != [("Deployment", f"{NAME}-deployment")] or state != "Building":
        sys.exit(f"/sync returned children {children} and state {state}")
    print(f"the hook answers: a new MyResource has the state {state} and the child {children[0][0]} {children[0][1]}")


if __name__ == "__main__":
    main(sys.argv[1])
