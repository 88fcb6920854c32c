"""Records what kubectl sends for scalars and files, and in which fields of a MyResource the API server accepts it.

Run it with ``python -m tests.e2e.kubectl_reads``, on a control plane of its own. To add a scalar or a file, first add a
row with its text alone to the data.
"""

import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from metahook.envtest.binaries import find_binaries
from metahook.envtest.client import Client, Refused
from metahook.simulator.objects import Json
from tests.cli.kubectl_reads import FILE, PLACES, ReadFile, Reads, Scalar, recorded
from tests.e2e.cluster import Cluster, started
from tests.e2e.real_kubectl import require_kubectl
from tests.requests.builders import my_resource

_GROUP, _VERSION = "example.com", "example.com/v1"
_THINGS = {"name": "things", "singularName": "thing", "kind": "Thing", "namespaced": True, "verbs": ["create"]}
_NAMED = {"groupVersion": _VERSION, "version": "v1"}
_DISCOVERY: dict[str, Json] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": []},
    "/apis": {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [{"name": _GROUP, "versions": [_NAMED], "preferredVersion": _NAMED}],
    },
    f"/apis/{_VERSION}": {"kind": "APIResourceList", "groupVersion": _VERSION, "resources": [_THINGS]},
}
"""What a server of one kind says about itself."""


class _Handler(BaseHTTPRequestHandler):
    """Serves the kind Thing, and records the objects that are created."""

    created: list[Json]

    def do_GET(self) -> None:
        found = _DISCOVERY.get(self.path.partition("?")[0])
        self._answer(200 if found else 404, found or {})

    def do_POST(self) -> None:
        item = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.created.append(item)
        self._answer(201, item)

    def _answer(self, status: int, content: Json) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def _server() -> Iterator[tuple[str, list[Json]]]:
    """Serve on loopback; yield the URL, and the objects that are created."""
    created: list[Json] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"created": created}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", created
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _create(url: str, path: Path, home: str) -> bool:
    """Create what the file or folder *path* has, by kubectl at the server *url*; return whether it reads all of it."""
    command = ["kubectl", f"--server={url}", "create", "--validate=false", f"--filename={path}"]
    environment = {"HOME": home, "KUBECONFIG": "", "PATH": require_kubectl()}
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0


def sent(specs: list[str]) -> list[Any]:
    """Return for each of *specs*, a line of YAML below ``spec:``, the spec that kubectl sends; None if it refuses."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home, _server() as (url, created):
        for number, spec in enumerate(specs):
            text = f"apiVersion: {_VERSION}\nkind: Thing\nmetadata: {{name: x{number}}}\nspec:\n  {spec}\n"
            (Path(folder) / f"{number}.yaml").write_text(text, encoding="utf-8")
        _create(url, Path(folder), home)
        by_name = {item["metadata"]["name"]: item.get("spec") for item in created}
        return [by_name.get(f"x{number}") for number in range(len(specs))]


def read_files(files: list[ReadFile]) -> list[ReadFile]:
    """Return *files* with what kubectl sends for each."""
    found: list[ReadFile] = []
    with tempfile.TemporaryDirectory() as home, _server() as (url, created):
        for each in files:
            path = Path(home) / "thing.yaml"
            path.write_bytes(each["content"].encode("latin-1"))
            created.clear()
            is_read = _create(url, path, home)
            specs = [item.get("spec") for item in created]
            found.append(ReadFile(what=each["what"], content=each["content"], sent=specs, refused=not is_read))
    return found


def read_scalars(texts: list[str], client: Client) -> list[Scalar]:
    """Return what becomes of the scalars *texts*, as values and as keys, and which values the API server accepts."""
    values, keys = sent([f"value: {text}" for text in texts]), sent([f"{text}: value" for text in texts])
    return [
        Scalar(
            yaml=text,
            sent=None if value is None else [value["value"]],
            key=key,
            accepted=[name for name, place in PLACES.items() if value and _accepts(client, place(value["value"]))],
        )
        for text, value, key in zip(texts, values, keys, strict=True)
    ]


def _accepts(client: Client, fields: Json) -> bool:
    """Return whether the API server accepts a new MyResource with *fields* in its spec."""
    try:
        client.create({**my_resource(**fields), "metadata": {"name": "web", "namespace": "default"}}, dry_run=True)
    except Refused:
        return False
    return True


def read_again(client: Client) -> Reads:
    """Return what is recorded, recorded again."""
    known = recorded()
    scalars = read_scalars([row["yaml"] for row in known["scalars"]], client)
    return Reads(scalars=scalars, files=read_files(known["files"]))


def main() -> None:
    """Write the data again, a row in a line."""
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(find_binaries(), Path(folder))
        with started(cluster):
            found = read_again(cluster.client)
    scalars, files = (",\n".join(json.dumps(row) for row in part) for part in (found["scalars"], found["files"]))
    FILE.write_text(f'{{\n"scalars": [\n{scalars}\n],\n"files": [\n{files}\n]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
