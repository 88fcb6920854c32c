"""Some MyResources whose syncs a hook answers, as in a cluster in which images are wrong and specs are invalid."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import httpx
import msgspec

from metahook.protocol.request_builder import customize_request, sync_request
from tests.requests.builders import finished, grouped, my_resource
from tests.requests.installation import SPEC
from tests.requests.pods import container, pod, shown, unfinished, waiting
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
