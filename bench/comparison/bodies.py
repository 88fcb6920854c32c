"""The sync requests that are measured, each with the CompositeController that Metacontroller sends, as recorded.

2 KB: recorded, without a child yet. 6 KB: recorded, one Deployment, Ready. 200 KB: Ready, with 50 related objects: 40
Pods of the size of real ones, and the 10 ConfigMaps that they use.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.recorded.traffic import one
from tests.requests.builders import child, grouped, my_resource, owned, rolled_out, sync
from tests.requests.installation import SPEC
from tests.requests.large import config_maps, with_all_fields
from tests.requests.pods import HEALTHY, pod, shown
from toolkit.installation import RIGHT

Json = dict[str, Any]

PODS, CONFIG_MAPS = 40, 10
CONFIG_MAP_SIZE = 1200
"""Bytes."""


def small(number: int) -> Json:
    """Return the first request for a MyResource."""
    return _recorded("rollout-0-made-first", number)


def usual(number: int) -> Json:
    """Return a request with one Deployment whose rollout is complete."""
    request = _recorded("rollout-1-pods-available-rest", number)
    # The recorded hook did not set these yet.
    request["parent"]["status"] |= {"readyReplicas": 1, "updatedReplicas": 1}
    return request


def with_related(number: int) -> Json:
    """Return a request with 40 Pods, and the 10 ConfigMaps that they use."""
    maps = config_maps(CONFIG_MAPS, CONFIG_MAP_SIZE)
    uses = [{"configMapRef": {"name": key.partition("/")[2]}} for group in maps.values() for key in group]
    parent = my_resource(uid=_uid(number), spec={**SPEC, "replicas": PODS, "envFrom": uses})
    parent["metadata"]["resourceVersion"] = "1"
    related = {**shown(*(with_all_fields(pod(HEALTHY), each) for each in range(PODS))), **maps}
    desired = child(sync(parent, related=related), "Deployment")
    (managed,) = usual(number)["children"]["Deployment.apps/v1"].values()
    fields = {"resourceVersion": "1", "managedFields": managed["metadata"]["managedFields"]}
    deployment = rolled_out(owned(desired, parent, **fields))
    status = sync(parent, deployment, related=related)["status"]
    parent["status"] = {**status, "observedGeneration": 1}  # Metacontroller adds it
    return {"parent": parent, "children": grouped(deployment), "related": related, "finalizing": False}


BODIES: dict[str, Callable[[int], Json]] = {"2 KB": small, "6 KB": usual, "200 KB": with_related}
"""By size: the request for the MyResource with a number."""


def body(size: str, number: int) -> bytes:
    """Return the request of this *size* for the MyResource with this *number*, as Metacontroller encodes it."""
    found = BODIES[size](number)
    request = {key: found[key] for key in ("parent", "children", "related", "finalizing")}
    named = re.sub(r"\bweb\b", f"web{number:04}", compact(request))
    return f'{{"controller":{compact(RIGHT)},{named[1:]}'.encode()


def compact(item: Json) -> str:
    """Return *item* as JSON without spaces, as Go writes it."""
    return json.dumps(item, separators=(",", ":"))


def _uid(number: int) -> str:
    return f"{0x10000000 + number:08x}-0000-4000-8000-000000000000"


def _recorded(name: str, number: int) -> Json:
    """Return the request of a recording, with another uid of the MyResource: also the parts of it in annotations."""
    content = one(f"server-side-apply/{name}").content
    request: Json = json.loads(re.sub(r"\b00000001\b", _uid(number)[:8], json.dumps(content["request"])))
    return request
