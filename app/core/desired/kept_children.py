"""Children that are kept: those of an invalid spec as they were applied last, those of a suspended one as observed.

What was applied last is not enough for a suspended one: Metacontroller's dynamic-apply would set again what others
changed. The observed values cost one write of Metacontroller's own annotation on a child for each change that others
make; it can't be avoided, because that annotation is a copy of the response. Under server-side apply nothing is
written: a field that others change is no longer in what was applied last.

The Service is kept as its Pods need it: a rollout that has begun goes on, and can end on other ports.
"""

from app.core.child_metadata import deployment_name
from app.core.desired.replicas import observed_replicas
from app.core.desired.target_ports import follow_pods
from metahook import Children, Deployment, HorizontalPodAutoscaler, Manifest, Parent, Service, with_observed_values


def left_as_applied(parent: Parent, children: Children) -> list[Manifest]:
    """Return *children* as they were applied last, but with the number of Pods that an autoscaler among them has set.

    Metacontroller's dynamic-apply would otherwise undo what the autoscaler does, again and again.
    """
    kept = _with_service(children.kept(), parent, children)
    if children.get(HorizontalPodAutoscaler, parent.name) is None:
        return kept
    name = deployment_name(parent)
    observed = observed_replicas(children.get(Deployment, name))
    return [_with_replicas(each, observed) if each["metadata"]["name"] == name else each for each in kept]


def _with_replicas(child: Manifest, replicas: int) -> Manifest:
    """Return *child* with *replicas* in place of the number that it has, if it has one."""
    spec = child.get("spec")
    return {**child, "spec": {**spec, "replicas": replicas}} if isinstance(spec, dict) and "replicas" in spec else child


def left_as_observed(parent: Parent, children: Children) -> list[Manifest]:
    """Return each of the *children* as it was applied last, less what others removed, and with the observed values."""
    left = [with_observed_values(_with_observed_metadata(child, children), children) for child in children.kept()]
    return _with_service(left, parent, children)


def _with_service(kept: list[Manifest], parent: Parent, children: Children) -> list[Manifest]:
    deployment, kind = children.get(Deployment, deployment_name(parent)), Service.KIND.kind
    return [follow_pods(each, children, deployment) if each["kind"] == kind else each for each in kept]


def _with_observed_metadata(child: Manifest, children: Children) -> Manifest:
    """Return *child* with the observed values of its labels and annotations."""
    observed = children.observed(child)
    if observed is None:
        return child
    metadata = dict(child["metadata"])
    for field, texts in (("labels", observed.metadata.labels), ("annotations", observed.metadata.annotations)):
        if field in metadata:
            metadata[field] = {key: (texts or {})[key] for key in metadata[field] if key in (texts or {})}
    return {**child, "metadata": metadata}
