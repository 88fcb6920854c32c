"""An operator for MyResources as the tutorial of kopf writes one: synchronous handlers, and the official client.

``kopf run --standalone --all-namespaces bench/peers/kopf_sync.py``
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import kopf
import kubernetes
from kopf_objects import (
    GENERATION,
    GROUP,
    MANAGED_BY,
    PLURAL,
    VERSION,
    Json,
    deployment_of,
    differs,
    owner_of,
    status_of,
)

MY_RESOURCES = (GROUP, VERSION, PLURAL)


@kopf.on.create(*MY_RESOURCES)
def create_deployment(body: kopf.Body, **_: Any) -> None:
    """Create the Deployment. Its event then leads to the status."""
    write(desired(body), create, change)


@kopf.on.resume(*MY_RESOURCES)
@kopf.on.update(*MY_RESOURCES, field="spec")
def change_deployment(body: kopf.Body, **_: Any) -> None:
    """Change the Deployment. Its event then leads to the status."""
    write(desired(body), change, create)


@kopf.on.event("apps", "v1", "deployments", labels=MANAGED_BY)
def follow_deployment(event: kopf.RawEvent, body: kopf.Body, namespace: str, **_: Any) -> None:
    """Revert what others changed in the Deployment, and write what it shows into the status of its owner."""
    owner = owner_of(body["metadata"])
    if owner is None:
        return
    api = custom_objects()
    place = (GROUP, VERSION, namespace, PLURAL, owner)
    try:
        resource = api.get_namespaced_custom_object(*place)
    except kubernetes.client.ApiException as error:
        if error.status == 404:
            return
        raise
    if "deletionTimestamp" in resource["metadata"]:
        return
    deployment = desired(resource)
    if event["type"] == "DELETED":
        write(deployment, create, change)
        return
    if differs(deployment, body):
        write(deployment, change, create)  # its event shows what comes of it
        return
    status = status_of(resource, body)
    if status != resource.get("status"):
        api.patch_namespaced_custom_object_status(*place, {"status": status})


def desired(resource: kopf.Body) -> Json:
    """Return the Deployment of *resource*, which owns it."""
    deployment = deployment_of(resource)
    # Each generation changes the Deployment, so that its event leads to a status of this generation.
    deployment["metadata"]["annotations"] = {GENERATION: str(resource["metadata"]["generation"])}
    kopf.adopt(deployment, resource)
    return deployment


@cache
def apps() -> kubernetes.client.AppsV1Api:
    """Return the client of Deployments. Another one for each event would open a connection for each."""
    return kubernetes.client.AppsV1Api()


@cache
def custom_objects() -> kubernetes.client.CustomObjectsApi:
    """Return the client of MyResources."""
    return kubernetes.client.CustomObjectsApi()


def write(deployment: Json, first: Callable[[Json], None], second: Callable[[Json], None]) -> None:
    """Try *first*, and *second* if there already is a Deployment, or is none."""
    try:
        first(deployment)
    except kubernetes.client.ApiException as error:
        if error.status not in (404, 409):
            raise
        second(deployment)


def create(deployment: Json) -> None:
    """Create *deployment*."""
    apps().create_namespaced_deployment(deployment["metadata"]["namespace"], deployment)


def change(deployment: Json) -> None:
    """Change the existing Deployment into *deployment*."""
    metadata = deployment["metadata"]
    apps().patch_namespaced_deployment(metadata["name"], metadata["namespace"], deployment)
