"""What of an existing child can't be changed to what a valid spec asks for. The children are then kept as they are."""

from app.api.spec import MyResourceSpec
from app.core.child_metadata import deployment_name
from app.core.desired.manifests.service import wants_service
from app.core.rollout import in_observed_template
from metahook import LAST_APPLIED, Deployment, Service, SyncRequest


def unchangeable(request: SyncRequest, spec: MyResourceSpec) -> str | None:
    """Return the field of *spec* that an existing child can't follow, and the remedy; None if there is none."""
    if spec.init_containers and not _starts_in_order(request, [each.name for each in spec.init_containers]):
        return (
            "spec.initContainers: the Deployment has init containers that must start after others of this list, and "
            "Metacontroller can't move them: rename those"
        )
    if wants_service(spec) and _has_other_address(request, spec):
        return (
            "spec.service.clusterIP: an existing Service can't change between headless and not: set "
            "spec.service.mode to Disabled, and to Auto again once the Service is deleted"
        )
    return None


def _starts_in_order(request: SyncRequest, names: list[str]) -> bool:
    """Tell whether init containers with these *names* start in this order once they are applied.

    Metacontroller's dynamic-apply leaves those that are there in their order, and appends the others. With server-side
    apply the order is the desired one.
    """
    deployment = request.children.get(Deployment, deployment_name(request.parent))
    if deployment is None or deployment.metadata.annotation(LAST_APPLIED) is None:
        return True
    observed = in_observed_template(deployment, "spec", "initContainers")
    there = [each.get("name") for each in observed if isinstance(each, dict)] if isinstance(observed, list) else []
    return names == [*(name for name in there if name in names), *(name for name in names if name not in there)]


def _has_other_address(request: SyncRequest, spec: MyResourceSpec) -> bool:
    """Tell whether the existing Service is headless and the desired one is not, or the other way round.

    The API server refuses to take the address away, and silently leaves a Service without one as it is.
    """
    service = request.children.get(Service, request.parent.name)
    if service is None or service.metadata.deletion_timestamp:
        return False
    return ((service.spec or {}).get("clusterIP") == "None") != (spec.service.cluster_ip == "None")
