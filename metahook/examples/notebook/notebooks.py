from collections import Counter
from datetime import datetime
from typing import ClassVar

import msgspec

from metahook import (
    Absence,
    Controller,
    CustomizeRequest,
    Kind,
    Manifest,
    Object,
    Parent,
    Pod,
    RelatedRule,
    SyncRequest,
    SyncResponse,
    select_by_labels,
    try_read,
)
from metahook.server import Address, serve

LABEL = "notebook-name"


class NotebookSpec(msgspec.Struct):
    image: str


class StatefulSet(Object, frozen=True):
    KIND: ClassVar[Kind] = Kind("apps/v1", "StatefulSet", "statefulsets")


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the StatefulSet of one Notebook, and the phases of its Pods, which the StatefulSet owns."""
    parent, spec = request.parent, try_read(request.parent.spec, NotebookSpec)
    if spec is None:
        return SyncResponse(status={"phase": "InvalidSpec"}, kept=request.children.kept())
    return SyncResponse(status=_status(request), children=[_stateful_set(parent, spec)])


def _status(request: SyncRequest) -> Manifest:
    """Return the phase that all Pods have, or ``Mixed``, and how many Pods are in each phase."""
    pods = request.related.all(Pod)
    if isinstance(pods, Absence):  # nothing is known of the Pods: report what was reported
        return msgspec.json.decode(request.parent.status) or {"phase": "Unknown"}
    phases = Counter((pod.status and pod.status.phase) or "Pending" for pod in pods)
    phase = "Mixed" if len(phases) > 1 else next(iter(phases), "NoPods")
    return {"phase": phase, "pods": dict(sorted(phases.items()))}


def _stateful_set(parent: Parent, spec: NotebookSpec) -> Manifest:
    labels = {LABEL: parent.name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "notebook", "image": spec.image}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": parent.name, "namespace": parent.namespace},
        "spec": {"replicas": 1, "serviceName": parent.name, "selector": {"matchLabels": labels}, "template": template},
    }


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Select the Pods with the label of this Notebook: each change of one of them triggers a sync of it."""
    return [select_by_labels(Pod, request.parent.namespace, {LABEL: request.parent.name})]


NOTEBOOKS = Controller(
    sync=sync, children=(StatefulSet,), customize=customize, example_spec={"image": "jupyter/base-notebook:latest"}
)

if __name__ == "__main__":
    serve(NOTEBOOKS, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
