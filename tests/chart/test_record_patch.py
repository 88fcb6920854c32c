"""In a cluster: the containers of the patched Deployment run here, and answer as the hook alone does."""

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme

from metahook.envtest.free_port import free_port
from metahook.simulator.metacontroller.dynamic_apply import merge
from tests.chart.record_patches import MUTUAL, VALUES, deployment, patch
from tests.cli.command import call
from tests.docs.documents import ROOT
from tests.schemas.kubernetes import validate
from toolkit.recording import wait_for
from toolkit.served.asgi import JSON
from toolkit.served.tls import write_pair
from toolkit.slow import short_or_whole
from toolkit.waiting import eventually

Json = dict[str, Any]

READY = (ROOT / "examples/requests/ready.json").read_bytes()
HOST = "myresource-operator.operators.svc"
TOKEN = "token-c9f0f895"  # noqa: S105 - of a test
AUTHORIZED = {**JSON, "authorization": f"Bearer {TOKEN}"}


def patched(values: Json) -> Json:
    """Return the Pod template as kubectl patches it; tests/e2e/test_record_patch.py asks a real API server."""
    found: Json = merge(deployment(values), {}, patch(values))
    return found


@dataclass(frozen=True)
class Pod:
    """The processes of a Pod: where the Service leads, and where the hook listens."""

    url: str
    hook: str
    ca: trustme.CA | None
    recordings: Path

    def post(self, url: str, headers: Json = AUTHORIZED, *, has_certificate: bool = True) -> httpx.Response:
        """Send a recorded request as Metacontroller does."""
        verify: ssl.SSLContext | bool = True
        if self.ca:
            verify = ssl.create_default_context()
            self.ca.configure_trust(verify)
            if has_certificate:
                self.ca.issue_cert("metacontroller@example.com").configure_cert(verify)
        extensions = {"sni_hostname": HOST}
        with httpx.Client(verify=verify, trust_env=False) as client:
            return client.post(f"{url}/sync?rev=1", content=READY, headers=headers, extensions=extensions)


@contextmanager
def running(values: Json, folder: Path) -> Iterator[Pod]:
    """Run the commands of the containers, with ports and files of their own."""
    port, hook_port, ca = free_port(), free_port(), trustme.CA() if values else None
    (folder / "recordings").mkdir()
    if ca:
        _write_secrets(ca, folder)
    text = json.dumps(patched(values)["spec"]["template"]["spec"]["containers"])
    for old, new in {"8080": str(port), "8090": str(hook_port), "/etc/": f"{folder}/", "/rec": f"{folder}/rec"}.items():
        text = text.replace(old, new)
    with ExitStack() as stack:
        for container in json.loads(text):
            given = {each["name"]: each["value"] for each in container.get("env", ())}
            environment = {**os.environ, **given, "MYRESOURCE_DRAIN": "0", "MYRESOURCE_HEALTH_PORT": str(free_port())}
            process = subprocess.Popen(
                [sys.executable, "-m", "app", *container["args"]], stderr=subprocess.PIPE, text=True, env=environment
            )
            stack.enter_context(process)
            stack.callback(process.terminate)
            wait_for(hook_port if container["name"] == "hook" else port, process)
        url = f"{'https' if ca else 'http'}://127.0.0.1"
        yield Pod(f"{url}:{port}", f"{url}:{hook_port}", ca, folder / "recordings/requests")


def _write_secrets(ca: trustme.CA, folder: Path) -> None:
    tls, tokens = folder / "myresource/tls", folder / "myresource/tokens"
    tls.mkdir(parents=True)
    tokens.mkdir()
    write_pair(ca.issue_cert(HOST), tls / "tls.crt", tls / "tls.key")
    ca.cert_pem.write_to_path(str(tls / "ca.crt"))
    (tokens / "token").write_text(TOKEN)


@pytest.mark.slow
@pytest.mark.parametrize("name", short_or_whole(["mutual TLS and a token"], [*VALUES]))
def test_a_sync_through_the_recorder_gets_the_same_bytes_and_its_recording_is_replayed(
    name: str, tmp_path: Path
) -> None:
    values = VALUES[name]
    with running(values, tmp_path) as pod:
        directly, recorded = pod.post(pod.hook), pod.post(pod.url)
        assert eventually(lambda: bool(files(pod.recordings)), within=10)  # they are written after the response
        (file,) = files(pod.recordings)

        assert (recorded.status_code, recorded.content) == (200, directly.content)
        assert call("replay", str(file)).out == "1 request: 1 the same, 0 differ; no Pods restart\n"
        if pod.ca:
            assert pod.post(pod.url, JSON).status_code == pod.post(pod.hook, JSON).status_code == 401
        if values == MUTUAL:
            with pytest.raises(httpx.TransportError):
                pod.post(pod.url, has_certificate=False)


def files(folder: Path) -> list[Path]:
    return list(folder.glob("[!.]*.json"))


@pytest.mark.parametrize("values", VALUES.values(), ids=list(VALUES))
def test_the_patched_deployment_is_valid_and_has_what_the_recorder_needs(values: Json) -> None:
    item = patched(values)
    pod = item["spec"]["template"]["spec"]
    hook, recorder = pod["containers"]
    volumes = {each["name"]: each for each in pod["volumes"]}

    validate(item, "1.34")
    assert (hook["name"], recorder["name"]) == ("hook", "recorder")
    assert recorder["securityContext"] == hook["securityContext"]
    assert {each["name"] for each in recorder["volumeMounts"]} <= volumes.keys()
    drain = next(each["value"] for each in hook["env"] if each["name"] == "MYRESOURCE_DRAIN")
    assert recorder["lifecycle"]["preStop"]["sleep"]["seconds"] < int(drain) < pod["terminationGracePeriodSeconds"] - 12
    assert int(volumes["recordings"]["emptyDir"]["sizeLimit"].removesuffix("Mi")) > 100  # the default of --limit
