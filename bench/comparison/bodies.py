"""The sync requests that are measured, each with the CompositeController that Metacontroller sends, as recorded.

2 KB: recorded, without a child yet. 6 KB: recorded, one Deployment, Ready. 15 KB: recorded, Deployment and Service,
with 36 more environment variables in the MyResource, the Deployment and its managed fields. 200 KB and 4 MB: Ready,
with 50 related objects (40 Pods and the 10 ConfigMaps that they use) and with 1,000 Pods, of the size of real ones.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from bench.pods import with_all_fields
from metahook.protocol.sender import Grouped
from tests.build import child, grouped, my_resource, owned, rolled_out, sync
from tests.installation import RIGHT, SPEC
from tests.large import config_maps
from tests.pods import HEALTHY, pod, shown
from tests.traffic import FOLDER

Json = dict[str, Any]

VARIABLES = 36
CONFIG_MAP_SIZE = 1200
"""Bytes."""


def small(number: int) -> Json:
    """Return the first request for a MyResource."""
    return _recorded("rollout-0-made-first", number)


def usual(number: int) -> Json:
    """Return a request with one Deployment whose rollout is complete."""
    return _recorded("rollout-1-pods-available-rest", number)


def long(number: int) -> Json:
    """Return a request with a Deployment and a Service, and with many environment variables."""
    request = _recorded("rollout-4-ports-added-rest", number)
    (deployment,) = request["children"]["Deployment.apps/v1"].values()
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    more = [{"name": f"VARIABLE_{each}", "value": f"value of {each}"} for each in range(VARIABLES)]
    for holder in (request["parent"]["spec"], container):
        holder["env"] = [*holder.get("env", []), *more]
    fields = deployment["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:template"]["f:spec"]
    managed = fields["f:containers"]['k:{"name":"main"}'].setdefault("f:env", {})
    managed |= {f'k:{{"name":"{each["name"]}"}}': {".": {}, "f:name": {}, "f:value": {}} for each in more}
    return request


def with_related(number: int) -> Json:
    """Return a request with 40 Pods, and the 10 ConfigMaps that they use."""
    return _at_rest(number, 40, config_maps(10, CONFIG_MAP_SIZE))


def with_many_pods(number: int) -> Json:
    """Return a request with 1,000 Pods."""
    return _at_rest(number, 1000, {})


BODIES: dict[str, Callable[[int], Json]] = {
    "2 KB": small,
    "6 KB": usual,
    "15 KB": long,
    "200 KB": with_related,
    "4 MB": with_many_pods,
}
"""By size: the request for the MyResource with a number."""


def body(size: str, number: int) -> bytes:
    """Return the request of this *size* for the MyResource with this *number*, as Metacontroller encodes it."""
    found = BODIES[size](number)
    request = {key: found[key] for key in ("parent", "children", "related", "finalizing")}
    named = re.sub(r"\bweb\b", f"web{number:04}", _compact(request))
    return f'{{"controller":{_compact(RIGHT)},{named[1:]}'.encode()


def _compact(item: Json) -> str:
    return json.dumps(item, separators=(",", ":"))


def _uid(number: int) -> str:
    return f"{0x10000000 + number:08x}-0000-4000-8000-000000000000"


def _recorded(name: str, number: int) -> Json:
    """Return the request of a recording, with another uid of the MyResource: also the parts of it in annotations."""
    content = json.loads((FOLDER / "server-side-apply" / f"{name}.json").read_text())
    request: Json = json.loads(re.sub(r"\b00000001\b", _uid(number)[:8], json.dumps(content["request"])))
    return request


def _at_rest(number: int, replicas: int, maps: Grouped) -> Json:
    """Return a request for a MyResource whose *replicas* are Ready and use all *maps*."""
    uses = [{"configMapRef": {"name": key.partition("/")[2]}} for group in maps.values() for key in group]
    parent = my_resource(uid=_uid(number), spec={**SPEC, "replicas": replicas, **({"envFrom": uses} if uses else {})})
    parent["metadata"]["resourceVersion"] = "1"
    related = {**shown(*(with_all_fields(pod(HEALTHY), each) for each in range(replicas))), **maps}
    desired = child(sync(parent, related=related), "Deployment")
    (managed,) = usual(number)["children"]["Deployment.apps/v1"].values()
    fields = {"resourceVersion": "1", "managedFields": managed["metadata"]["managedFields"]}
    deployment = rolled_out(owned(desired, parent, **fields))
    status = sync(parent, deployment, related=related)["status"]
    parent["status"] = {**status, "observedGeneration": 1}  # Metacontroller adds it
    return {"parent": parent, "children": grouped(deployment), "related": related, "finalizing": False}
