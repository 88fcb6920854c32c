"""A CompositeController: claims children by a selector, and turns a response into children and a status.

Source: Metacontroller 4.17, pkg/controller/composite/controller.go; the steps have the same order.
"""

from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.children import ParentManager, manage_children
from metahook.simulator.metacontroller.claims import NAME, claim, with_parent_label, with_parents_namespace
from metahook.simulator.metacontroller.response import InvalidResponse, Response
from metahook.simulator.metacontroller.settings.selector import Selects, generated_selector, own_selector
from metahook.simulator.objects import Json, key_of, to_json


class Composite(ParentManager):
    """Claims the children of a parent, and manages them and its status."""

    def selector(self, parent: Json) -> Selects:
        """Return the selector of the children of *parent*; raise InvalidSelector."""
        return generated_selector(parent) if self.writer.settings.generate_selector else own_selector(parent)

    def observed(self, parent: Json) -> list[Json]:
        """Claim the children of *parent*, and return them; raise ApiError or InvalidSelector."""
        selects = self.selector(parent)
        found = self.cached_children(parent["metadata"].get("namespace"))
        return list(claim(parent, found, self.writer.api, selects))

    def manage(self, parent: Json, observed: list[Json], response: Response) -> list[str]:
        """Turn *response* into children and a status; return the errors of the children.

        Raise ApiError, or InvalidResponse for a child without the labels of the selector.
        """
        if response.finalized:
            parent = self.finalizer.removed(parent, self.writer.api)
        desired = [with_parents_namespace(child, parent) for child in response.children]
        if self.writer.settings.generate_selector:
            desired = [with_parent_label(child, parent) for child in desired]
        if not all(map(self.selector(parent), desired)):
            raise InvalidResponse("a child in the response does not match the selector of its parent")
        is_managed = self.finalizer.manages_children_of(parent)
        errors = manage_children(parent, observed, desired, self.writer) if is_managed else []
        try:
            self._write_status(parent, response)
        except ApiError as refusal:
            if refusal.reason in ("NotFound", "Conflict"):
                return []  # Metacontroller drops the errors of the children, too
            raise
        return errors

    def _write_status(self, parent: Json, response: Response) -> None:
        live = self.writer.api.get(key_of(parent))
        status = {**(response.status or {}), "observedGeneration": parent["metadata"].get("generation", 0)}
        is_same = live is not None and live["metadata"]["uid"] == parent["metadata"]["uid"]
        if live is not None and is_same and to_json(live.get("status")) != to_json(status):
            self.writer.api.update_status({**live, "status": status}, NAME)
