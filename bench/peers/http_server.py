"""A hook in the style of Metacontroller's Python examples: http.server and dictionaries. It does the least that works.

``python bench/peers/http_server.py PORT``
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

Json = dict[str, Any]


def sync(parent: Json, children: Json) -> Json:
    """Return the response: one Deployment, and the state Building or Ready."""
    name, namespace, spec = parent["metadata"]["name"], parent["metadata"]["namespace"], parent["spec"]
    labels = {"myresource": name}
    memory = {"memory": spec.get("memory", "128Mi")}
    container = {
        "name": "main",
        "image": spec["image"],
        "env": spec.get("env", []),
        "resources": {"requests": memory, "limits": memory},
    }
    replicas = spec.get("replicas", 1)
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"{name}-deployment", "namespace": namespace, "labels": labels},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
    observed = children["Deployment.apps/v1"].get(f"{namespace}/{name}-deployment", {}).get("status", {})
    is_ready = observed.get("availableReplicas", 0) >= replicas and observed.get("updatedReplicas", 0) >= replicas
    state = "Ready" if is_ready else "Building"
    return {"children": [deployment], "status": {"state": state, "replicas": observed.get("replicas", 0)}}


class Controller(BaseHTTPRequestHandler):
    """Answers sync requests."""

    def do_POST(self) -> None:
        """Answer a request."""
        observed = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        desired = sync(observed["parent"], observed["children"])
        self.send_response(200)
        self.send_header("Content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(desired).encode())


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Controller).serve_forever()
