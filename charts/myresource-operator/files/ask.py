"""Runs in the Pod of helm test: sends the hook requests as Metacontroller does, and checks the responses."""

import http.client
import json
import ssl
import sys
import time
from pathlib import Path
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
CALLER = Path("/etc/myresource/caller")
"""The files that Metacontroller uses, too: ca.crt, tls.crt and tls.key, token. Only those that are turned on exist."""


class Hook:
    """The hook at *url*. It is verified with *ca*, or with the CA of the folder, if *url* is https."""

    def __init__(self, url: str, ca: str) -> None:
        at = urlsplit(url)
        self.host = at.netloc
        self._headers = {"Content-Type": "application/json"}
        self._tls = None
        if at.scheme == "https":
            self._tls = ssl.create_default_context(cafile=None if ca else CALLER / "ca.crt", cadata=ca or None)
            if (CALLER / "tls.crt").exists():
                self._tls.load_cert_chain(CALLER / "tls.crt", CALLER / "tls.key")
        if (CALLER / "token").exists():
            self._headers["Authorization"] = "Bearer " + (CALLER / "token").read_text().strip()

    def post(self, path: str, request: dict[str, Any]) -> tuple[int, bytes]:
        """Return the status code and the body of the response; raise OSError."""
        connection = http.client.HTTPConnection(self.host, timeout=10)
        if self._tls:
            connection = http.client.HTTPSConnection(self.host, timeout=10, context=self._tls)
        connection.request("POST", path, json.dumps(request), self._headers)
        response = connection.getresponse()
        return response.status, response.read()


def call(hook: Hook, path: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return the response; retry until the hook accepts connections, and exit if it does not answer with 200."""
    for _ in range(PATIENCE):
        try:
            status, body = hook.post(path, request)
        except OSError as error:
            print(f"waiting for {hook.host}: {error}", flush=True)
            time.sleep(1)
            continue
        if status == http.HTTPStatus.OK:
            return json.loads(body)
        sys.exit(f"{path} answered with status {status}")
    sys.exit(
        f"no response from {hook.host}: check that the hook runs and that a NetworkPolicy lets this Pod connect to it"
    )


def main(url: str, ca: str = "") -> None:
    """Call both hooks for a new MyResource; print a message and exit with 1 if a response is wrong."""
    hook = Hook(url, ca)
    call(hook, "/customize", {"controller": {}, "parent": PARENT})
    children = {"Deployment.apps/v1": {}, "Service.v1": {}}
    request = {"controller": {}, "parent": PARENT, "children": children, "related": {}, "finalizing": False}
    response = call(hook, "/sync", request)
    children = [(child["kind"], child["metadata"]["name"]) for child in response["children"]]
    state = response["status"]["state"]
    if children != [("Deployment", f"{NAME}-deployment")] or state != "Building":
        sys.exit(f"/sync returned children {children} and state {state}")
    print(f"the hook answers: a new MyResource has the state {state} and the child {children[0][0]} {children[0][1]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
