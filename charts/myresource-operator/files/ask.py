"""What helm test runs in the hook's image: asks the hook as Metacontroller does, and checks the answer."""

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
"""Seconds to wait for a hook that was only just installed."""


def ask(host: str, path: str, question: dict[str, Any]) -> tuple[int, bytes]:
    """Return the status and the body of the answer."""
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("POST", path, json.dumps(question), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def answered(host: str, path: str, question: dict[str, Any]) -> dict[str, Any]:
    """Return the answer, a 200; wait while nobody answers."""
    for _ in range(PATIENCE):
        try:
            status, body = ask(host, path, question)
        except OSError as error:
            print(f"waiting for {host}: {error}", flush=True)
            time.sleep(1)
            continue
        if status == http.HTTPStatus.OK:
            return json.loads(body)
        sys.exit(f"{path} was answered with {status}")
    sys.exit(f"nobody answers at {host}: is the hook running, and may this Pod reach it?")


def main(url: str) -> None:
    """Ask both hooks about a new MyResource; exit with 1 and a line if an answer is not the right one."""
    host = urlsplit(url).netloc
    answered(host, "/customize", {"controller": {}, "parent": PARENT})
    children = {"Deployment.apps/v1": {}, "Service.v1": {}}
    question = {"controller": {}, "parent": PARENT, "children": children, "related": {}, "finalizing": False}
    answer = answered(host, "/sync", question)
    made = [(child["kind"], child["metadata"]["name"]) for child in answer["children"]]
    if made != [("Deployment", f"{NAME}-deployment")] or answer["status"]["state"] != "Building":
        sys.exit(f"/sync answers with {made}, {answer['status']['state']}")
    print(f"the hook answers: a new MyResource is {answer['status']['state']}, and gets {made[0][0]} {made[0][1]}")


if __name__ == "__main__":
    main(sys.argv[1])
