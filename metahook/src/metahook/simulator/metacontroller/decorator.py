"""A DecoratorController: turns a response into attachments, and into labels, annotations and status of the object.

Source: Metacontroller 4.17, pkg/controller/decorator/controller.go; the steps have the same order.
"""

from metahook.protocol.request_builder import controller_of
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.children import ParentManager, manage_children
from metahook.simulator.metacontroller.claims import NAME, with_parents_namespace
from metahook.simulator.metacontroller.finalizer import without_finalizer
from metahook.simulator.metacontroller.response import Response
from metahook.simulator.metacontroller.settings.selector import Selects
from metahook.simulator.objects import Json, labels, to_json, with_metadata

DECORATED_BY = "metacontroller.k8s.io/decorator-controller"
"""The annotation of an attachment: the name of its controller."""


class Decorator(ParentManager):
    """Finds the attachments of an object, and manages them and what the controller sets on the object."""

    def selector(self, parent: Json) -> Selects:
        """Return the selector of no objects, because none is adopted."""
        del parent
        return lambda _: False

    def observed(self, parent: Json) -> list[Json]:
        """Return the attachments of *parent* that this controller created."""
        uid, namespace = parent["metadata"]["uid"], parent["metadata"].get("namespace")
        return [
            item
            for item in self.cached_children(namespace)
            if controller_of(item) == uid
            and (item["metadata"].get("annotations") or {}).get(DECORATED_BY) == self.writer.settings.name
        ]

    def manage(self, parent: Json, observed: list[Json], response: Response) -> list[str]:
        """Turn *response* into a write of the object, and attachments; return the errors of these. Raise ApiError."""
        try:
            self._update(parent, response)
        except ApiError as refusal:
            if refusal.reason in ("NotFound", "Conflict"):
                return []  # the object changed in the meantime, so another sync follows
            raise
        # The object as it was before the update: a finalizer that was just removed counts.
        if not self.finalizer.manages_children_of(parent):
            return []
        desired = [self._marked(with_parents_namespace(child, parent)) for child in response.children]
        return manage_children(parent, observed, desired, self.writer)

    def _marked(self, child: Json) -> Json:
        annotations = child["metadata"].get("annotations") or {}
        return with_metadata(child, annotations={**annotations, DECORATED_BY: self.writer.settings.name})

    def _update(self, parent: Json, response: Response) -> None:
        """Set labels, annotations and status of *parent*, and remove the finalizer, if one of them changes."""
        old = parent["metadata"].get("annotations") or {}
        new_labels, annotations = _updated(labels(parent), response.labels), _updated(old, response.annotations)
        status = parent.get("status") if response.status is None else response.status
        has_new_status = to_json(status) != to_json(parent.get("status"))
        is_finalized = response.finalized and self.finalizer.is_on(parent)
        if new_labels == labels(parent) and annotations == old and not has_new_status and not is_finalized:
            return
        new = with_metadata(parent, labels=new_labels or None, annotations=annotations or None)
        if has_new_status and self.writer.settings.has_status(parent):
            version = self.writer.api.update_status({**parent, "status": status}, NAME)["metadata"]["resourceVersion"]
            new = with_metadata(new, resourceVersion=version)
        if response.finalized:
            new = without_finalizer(new, self.finalizer.name)
        self.writer.api.update(new, NAME)


def _updated(old: dict[str, str], changes: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in {**old, **changes}.items() if value is not None}
