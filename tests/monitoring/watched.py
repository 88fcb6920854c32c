"""A hook under calls, the metrics of its MyResources, and a Prometheus that scrapes both: the story of the picture.

MyResources are created and roll out. Later one gets an image that does not exist, one an invalid spec, requests are
refused, and the CompositeController is wrong for a while. All of this ends before the end.
"""

import random
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import trustme

from metahook.protocol.request_builder import customize_request, sync_request
from tests.chart.cluster import serving
from tests.core.status.test_installation import WRONG
from tests.monitoring.prometheus import JOB, Prometheus, prometheus
from tests.monitoring.state_metrics import exposition
from tests.requests.builders import finished, grouped, my_resource
from tests.requests.installation import SPEC
from tests.requests.pods import container, pod, shown, unfinished, waiting
from tests.service.operator import SERVE, served
from toolkit.installation import RIGHT

Json = dict[str, Any]

JSON = {"Content-Type": "application/json"}
NAMES = ("web", "shop", "api", "search", "mail", "docs", "billing", "login")
INVALID = {**SPEC, "args": 1}


class Phase(Enum):
    """What the Deployment of a MyResource is doing."""

    NEW = 0
    ROLLING_OUT = 1
    DONE = 2
    FAILING = 3


@dataclass
class Member:
    """A MyResource, with the status of its last sync."""

    name: str
    phase: Phase = Phase.NEW
    generation: int = 1
    image: str = "nginx:1.27"
    is_invalid: bool = False
    status: Json | None = None

    def become(self, phase: Phase, image: str = "", *, is_invalid: bool = False) -> None:
        """Let the Deployment be in *phase*, after a change of the spec if there is an *image*."""
        self.phase = phase
        if image:
            self.image, self.is_invalid, self.generation = image, is_invalid, self.generation + 1

    @property
    def parent(self) -> Json:
        """The MyResource, as the API server stores it."""
        spec = INVALID if self.is_invalid else {**SPEC, "image": self.image, "replicas": 2}
        made = my_resource(self.name, uid=self.name, generation=self.generation, status=self.status, spec=spec)
        made["metadata"]["creationTimestamp"] = "2026-01-31T11:00:00Z"
        return made

    def request(self, installation: Json = RIGHT) -> bytes:
        """Return a sync request of Metacontroller for it."""
        valid = Member(self.name, generation=self.generation, image=self.image).parent
        children, related = [], {}
        if self.phase is Phase.DONE:
            children = finished(valid)
        if self.phase in {Phase.ROLLING_OUT, Phase.FAILING}:
            children = [unfinished(valid)]
        if self.phase is Phase.FAILING:
            pulling = container(state=waiting("ImagePullBackOff", "Back-off pulling image"))
            related = shown(pod(pulling, owner=f"{self.name}-deployment", image=self.image))
        body: Json = msgspec.json.decode(sync_request(self.parent, grouped(*children), related))
        return msgspec.json.encode({**body, "controller": installation})


class Fleet:
    """All MyResources, and the hook that their requests go to."""

    def __init__(self, hook: httpx.Client) -> None:
        self.hook = hook
        self.members = {name: Member(name) for name in NAMES}

    def sync(self, name: str, installation: Json = RIGHT) -> None:
        """Sync a MyResource, as Metacontroller does."""
        member = self.members[name]
        self.hook.post("/customize", content=customize_request(member.parent), headers=JSON)
        answer = self.hook.post("/sync", content=member.request(installation), headers=JSON).raise_for_status()
        member.status = {**answer.json()["status"], "observedGeneration": member.generation}

    @property
    def objects(self) -> list[Json]:
        """All MyResources that were synced."""
        return [member.parent for member in self.members.values() if member.status]


STATES = "kube-state-metrics"
PLAIN = "text/plain; version=0.0.4"
TOO_LARGE = b"x" * (2 * 1024 * 1024)


class Event(NamedTuple):
    """What becomes of a MyResource."""

    share: float
    """When it happens, as a share of all syncs."""
    name: str
    phase: Phase
    image: str = ""
    """The new image; none if the spec stays as it is."""
    is_invalid: bool = False


STORY: list[Event] = sorted(
    [
        *(Event(0.02 * number, name, Phase.ROLLING_OUT) for number, name in enumerate(NAMES)),
        *(Event(0.02 * number + 0.08, name, Phase.DONE) for number, name in enumerate(NAMES)),
        Event(0.35, "shop", Phase.FAILING, "nginx:9.99"),
        Event(0.45, "api", Phase.DONE, "nginx:1.27", is_invalid=True),
        Event(0.66, "shop", Phase.ROLLING_OUT, "nginx:1.27"),
        Event(0.72, "shop", Phase.DONE),
        Event(0.78, "api", Phase.ROLLING_OUT, "nginx:1.28"),
        Event(0.84, "api", Phase.DONE),
        Event(0.86, "web", Phase.ROLLING_OUT, "nginx:1.28"),
        Event(0.90, "web", Phase.DONE),
    ],
    key=lambda event: event.share,
)
REFUSED = (0.5, 0.64)
REFUSALS = 0.5
MISCONFIGURED = (0.15, 0.33)


@contextmanager
def watched(folder: Path) -> Iterator[tuple[Fleet, Prometheus, str]]:
    """Serve a hook over TLS, and the states of a fleet; yield the fleet, Prometheus, and the address of the hook."""
    with ExitStack() as running:
        hook = running.enter_context(served(*_with_tls(folder)))
        address = hook.url.removeprefix("http://")
        client = running.enter_context(
            httpx.Client(base_url=f"https://{address}", verify=ssl.create_default_context(cafile=folder / "ca.crt"))
        )
        fleet = Fleet(client)
        states = running.enter_context(serving(lambda _: (200, PLAIN, exposition(fleet.objects).encode())))
        targets = {JOB: hook.health_url.removeprefix("http://"), STATES: states}
        yield fleet, running.enter_context(prometheus(folder, targets)), address


def run(fleet: Fleet, address: str, syncs: int, *, is_healthy: bool = False) -> None:
    """Run the story in so many *syncs*, about 16 in a second; the operator itself *is_healthy*, or was not."""
    chance, due = random.Random(1), list(STORY)  # noqa: S311 - it chooses what is synced next
    for share in (number / syncs for number in range(syncs)):
        while due and due[0].share <= share:
            event = due.pop(0)
            fleet.members[event.name].become(event.phase, event.image, is_invalid=event.is_invalid)
        name = chance.choice([name for name, member in fleet.members.items() if member.phase is not Phase.NEW])
        is_wrong = MISCONFIGURED[0] < share < MISCONFIGURED[1] and not is_healthy
        fleet.sync(name, WRONG["HookTimeoutOutOfRange"] if is_wrong else RIGHT)
        if REFUSED[0] < share < REFUSED[1] and not is_healthy and chance.random() < REFUSALS:
            _refused(fleet, address)
        time.sleep(chance.uniform(0.02, 0.1))


def _refused(fleet: Fleet, address: str) -> None:
    """Send what the hook refuses, and what is not TLS, for which it closes the connection."""
    fleet.hook.post("/sync", content=b"{", headers=JSON)
    fleet.hook.post("/sync", content=TOO_LARGE, headers=JSON)
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"GET /sync HTTP/1.1\r\n\r\n")
        connection.recv(1)


def _with_tls(folder: Path) -> list[str]:
    """Return the command of a hook over TLS; its files are in *folder*."""
    ca = trustme.CA()
    pair = ca.issue_cert("127.0.0.1")
    ca.cert_pem.write_to_path(folder / "ca.crt")
    pair.private_key_pem.write_to_path(folder / "tls.key")
    pair.cert_chain_pems[0].write_to_path(folder / "tls.crt")
    options = [f"--tls-cert={folder / 'tls.crt'}", f"--tls-key={folder / 'tls.key'}"]
    return [*SERVE, *options, "--max-body=1", "--log-level=error"]
