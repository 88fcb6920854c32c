"""The custom resource. After a change, `make generate` writes crd.yaml from it."""

from datetime import datetime
from typing import Annotated, Any, Literal

from metahook import Conditions, Kind, Parent, crd, set_condition
from msgspec import Meta, Struct

PARENT = Kind("my.example.com/v1", "MyKind", "mykinds")


class Spec(Struct):
    """What a user of a MyKind writes."""

    # only: host
    host: Annotated[str, Meta(max_length=253, pattern="^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$")] = "www.example.com"
    """Host name of the Ingress."""
    # end
    # only: image
    image: Annotated[str, Meta(min_length=1, max_length=500)] = "registry.k8s.io/pause:3.10"
    """Image of the container."""
    # end
    # only: pods
    pods: Annotated[int, Meta(ge=0, le=1000)] = 10
    """How many Pods there may be."""
    # end
    # only: port
    port: Annotated[int, Meta(ge=1, le=65535)] = 8080
    """Port of the container."""
    # end
    # only: replicas
    replicas: Annotated[int, Meta(ge=0, le=100)] = 1
    """How many Pods run."""
    # end
    # only: schedule
    schedule: Annotated[str, Meta(min_length=9, max_length=100)] = "0 3 * * *"
    """When Jobs start, as for cron."""
    # end
    # only: size
    size: Annotated[str, Meta(pattern="^[1-9][0-9]{0,3}Gi$")] = "1Gi"
    """Size of the volume."""
    # end
    # only: text
    text: Annotated[str, Meta(max_length=10000)] = "hello"
    """Text of the object."""
    # end
    # only: user
    user: Annotated[str, Meta(min_length=1, max_length=253)] = "jane"
    """Name of the user who gets the Role."""
    # end


class Status(Conditions, frozen=True):
    """What the hook reports."""


def status(parent: Parent, reason: str, now: datetime) -> dict[str, Any]:
    """Return the status with the condition Ready, which is True for the reason Ready alone."""
    is_ready: Literal["True", "False"] = "True" if reason == "Ready" else "False"
    generation = parent.generation
    return {"conditions": set_condition(parent.conditions, "Ready", is_ready, reason, now=now, generation=generation)}


READY = '.status.conditions[?(@.type=="Ready")]'
COLUMNS = {"Ready": f"{READY}.status", "Reason": f"{READY}.reason"}

CRD = crd(PARENT, Spec, Status, columns=COLUMNS)
