"""In a cluster: the containers of the patched Deployment run here, and answer as the hook alone does."""

import json
import os
import ssl
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme

from metahook.envtest.process import free_port
from metahook.simulator.metacontroller.children import merge
from tests.chart.record_patches import MUTUAL, VALUES, patch
from tests.chart.sets import the
from tests.cli.command import call
from tests.docs.documents import ROOT
from tests.schemas.kubernetes import validate
from tests.service.operator import FORKED
from toolkit.forked import started
from toolkit.recording import wait_for
from toolkit.served.asgi import JSON
from toolkit.served.tls import write_pair
from toolkit.waiting import eventually

Json = dict[str, Any]

READY = (ROOT / "examples/requests/ready.json").read_bytes()
HOST = "myresource-operator.operators.svc"
TOKEN = "token-c9f0f895"  # noqa: S105 - of a test
AUTHORIZED = {**JSON, "authorization": f"Bearer {TOKEN}"}


def patched(values: Json) -> Json:
    """Return the Pod template as kubectl patches it; tests/e2e/test_record_patch.py asks a real API server."""
    found: Json = merge(the("Deployment", values), {}, patch(values))
    return found


@pytest.fixture(name="ca")
def _ca(tmp_path: Path) -> trustme.CA:
    """Return a CA, and write the Secrets of the hook as they are in its container."""
    ca, tls, tokens = trustme.CA(), tmp_path / "myresource/tls", tmp_path / "myresource/tokens"
    tls.mkdir(parents=True)
    tokens.mkdir()
    write_pair(ca.issue_cert(HOST), tls / "tls.crt", tls / "tls.key")
    ca.cert_pem.write_to_path(str(tls / "ca.crt"))
    (tokens / "token").write_text(TOKEN)
    return ca


def post(port: int, ca: trustme.CA, headers: Json = AUTHORIZED, *, has_certificate: bool = True) -> httpx.Response:
    """Send a recorded request as Metacontroller does."""
    context = ssl.create_default_context()
    ca.configure_trust(context)
    if has_certificate:
        ca.issue_cert("metacontroller@example.com").configure_cert(context)
    with httpx.Client(verify=context, trust_env=False) as client:
        url, extensions = f"https://127.0.0.1:{port}/sync?rev=1", {"sni_hostname": HOST}
        return client.post(url, content=READY, headers=headers, extensions=extensions)


def test_a_sync_through_the_recorder_gets_the_same_bytes_and_its_recording_is_replayed(
    ca: trustme.CA, tmp_path: Path
) -> None:
    """The commands of the containers run here, with ports and files of their own."""
    ports = {"hook": free_port(), "recorder": free_port()}
    places = {"8080": ports["recorder"], "8090": ports["hook"], "/etc/": f"{tmp_path}/", "/rec": f"{tmp_path}/rec"}
    (tmp_path / "recordings").mkdir()
    text = json.dumps(patched(MUTUAL)["spec"]["template"]["spec"]["containers"])
    for old, new in places.items():
        text = text.replace(old, str(new))
    with ExitStack() as stack:
        for container in json.loads(text):
            given = {each["name"]: each["value"] for each in container.get("env", ())}
            environment = {**os.environ, **given, "MYRESOURCE_DRAIN": "0", "MYRESOURCE_HEALTH_PORT": str(free_port())}
            process = started([*FORKED, *container["args"]], environment)
            stack.enter_context(process)
            stack.callback(process.terminate)
            wait_for(ports[container["name"]], process)

        directly, recorded = (post(ports[name], ca) for name in ("hook", "recorder"))
        folder = tmp_path / "recordings/requests"
        assert eventually(lambda: any(folder.glob("[!.]*.json")), within=10)  # it is written after the response
        (file,) = folder.glob("[!.]*.json")

        assert (recorded.status_code, recorded.content) == (200, directly.content)
        assert call("replay", str(file)).out == "1 request: 1 the same, 0 differ; no Pods restart\n"
        assert {post(port, ca, JSON).status_code for port in ports.values()} == {401}
        with pytest.raises(httpx.TransportError):
            post(ports["recorder"], ca, has_certificate=False)


@pytest.mark.parametrize("values", VALUES.values(), ids=list(VALUES))
def test_the_patched_deployment_is_valid_and_has_what_the_recorder_needs(values: Json) -> None:
    item = patched(values)
    pod = item["spec"]["template"]["spec"]
    hook, recorder = pod["containers"]
    volumes = {each["name"]: each for each in pod["volumes"]}
    given = {each["name"]: each.get("value", "") for each in hook["env"]}
    drain = int(given["MYRESOURCE_DRAIN"])
    (called,) = [each for each in recorder["args"] if each.startswith("--hook=")]
    without_tls = {
        "args": [
            each.replace("https:", "http:") for each in recorder["args"] if not each.startswith(("--tls", "--ca"))
        ],
        "volumeMounts": [each for each in recorder["volumeMounts"] if each["name"] != "tls"],
    }

    validate(item, "1.34")
    assert (hook["name"], recorder["name"]) == ("hook", "recorder")
    assert {**recorder, **without_tls} == patched({})["spec"]["template"]["spec"]["containers"][1]
    assert recorder["securityContext"] == hook["securityContext"]
    assert {each["name"] for each in recorder["volumeMounts"]} <= volumes.keys()
    assert called.endswith(f"://localhost:{given['MYRESOURCE_PORT']}")
    assert recorder["lifecycle"]["preStop"]["sleep"]["seconds"] < drain < pod["terminationGracePeriodSeconds"] - 12
    assert int(volumes["recordings"]["emptyDir"]["sizeLimit"].removesuffix("Mi")) > 100  # the default of --limit
