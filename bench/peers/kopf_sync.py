"""An operator for MyResources as the tutorial of kopf writes one: synchronous handlers, and the official client.

``kopf run --standalone --all-namespaces bench/peers/kopf_sync.py``
"""

from typing import Any

import kopf
import kubernetes
from kopf_objects import GENERATION, GROUP, MANAGED_BY, PLURAL, VERSION, Json, deployment_of, differs, status_of

MY_RESOURCES = (GROUP, VERSION, PLURAL)


@kopf.on.resume(*MY_RESOURCES)
@kopf.on.create(*MY_RESOURCES)
@kopf.on.update(*MY_RESOURCES, field="spec")
def write_deployment(body: kopf.Body, **_: Any) -> None:
    """Create or change the Deployment. Its event then leads to the status."""
    apply(desired(body))


@kopf.on.event("apps", "v1", "deployments", labels=MANAGED_BY)
def follow_deployment(event: kopf.RawEvent, body: kopf.Body, namespace: str, labels: kopf.Labels, **_: Any) -> None:
    """Revert what others changed in the Deployment, and write what it shows into the status of its owner."""
    api = kubernetes.client.CustomObjectsApi()
    place = (GROUP, VERSION, namespace, PLURAL, labels["myresource"])
    try:
        resource = api.get_namespaced_custom_object(*place)
    except kubernetes.client.ApiException as error:
        if error.status == 404:
            return
        raise
    if "deletionTimestamp" in resource["metadata"]:
        return
    deployment = desired(resource)
    if event["type"] == "DELETED" or differs(deployment, body):
        apply(deployment)  # the next event shows what comes of it
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


def apply(deployment: Json) -> None:
    """Create *deployment*, or change the one that exists."""
    api = kubernetes.client.AppsV1Api()
    name, namespace = deployment["metadata"]["name"], deployment["metadata"]["namespace"]
    try:
        api.create_namespaced_deployment(namespace, deployment)
    except kubernetes.client.ApiException as error:
        if error.status != 409:
            raise
        api.patch_namespaced_deployment(name, namespace, deployment)
