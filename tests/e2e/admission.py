"""Admission policies of one namespace: they refuse an image, or a deletion; rewrite an image, or add a container."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from metahook.envtest.client import Client, Refused
from metahook.simulator.objects import Json
from tests.simulated.worlds import deployment

_API = "admissionregistration.k8s.io/v1"
_WRITTEN = {"apiGroups": ["apps"], "operations": ["CREATE", "UPDATE"], "resources": ["deployments"]}
_DELETED = {"apiGroups": [""], "operations": ["DELETE"], "resources": ["services"]}


class Where(Protocol):
    """The namespace that a policy applies to."""

    name: str
    client: Client

    def eventually(self, holds: Callable[[], bool]) -> None:
        """Wait until *holds* returns True."""


def forbid(there: Where, word: str) -> None:
    """Reject Deployments whose image contains *word*, and wait until the policy is active."""
    rule = f"!object.spec.template.spec.containers.exists(c, c.image.contains('{word}'))"
    spec = {"validations": [{"expression": rule, "message": "forbidden by a policy"}]}
    _make(there, "Validating", spec, {"validationActions": ["Deny"]})
    there.eventually(lambda: not _images(there, "x", f"{word}:1"))


def keep_service(there: Where, name: str) -> None:
    """Reject the deletion of the Service *name*, and wait until the policy is active."""
    spec = {"validations": [{"expression": f"oldObject.metadata.name != '{name}'", "message": "kept by a policy"}]}
    _make(there, "Validating", spec, {"validationActions": ["Deny"]}, _DELETED)

    def is_refused() -> bool:
        where = there.client.path("Service", there.name, name)
        return there.client.http.delete(where, params={"dryRun": "All"}).is_error

    there.eventually(is_refused)


def rewrite(there: Where, name: str, image: str) -> None:
    """Set *image* in the Deployment of the MyResource *name*, and wait until the policy is active."""
    _mutate(there, name, f'Object.spec.template.spec.containers{{name: "main", image: "{image}"}}')
    there.eventually(lambda: image in _images(there, f"{name}-deployment", "x:1"))


def add_container(there: Where, name: str) -> None:
    """Add the container ``first`` to the Deployment of the MyResource *name*, and wait until the policy is active."""
    _mutate(there, name, 'Object.spec.template.spec.containers{name: "first", image: "first:1"}')
    there.eventually(lambda: "first:1" in _images(there, f"{name}-deployment", "x:1"))


def _mutate(there: Where, name: str, container: str) -> None:
    template = f"Object.spec.template{{spec: Object.spec.template.spec{{containers: [{container}]}}}}"
    expression = f"Object{{spec: Object.spec{{template: {template}}}}}"
    spec = {
        "reinvocationPolicy": "Never",
        "matchConditions": [{"name": "this", "expression": f"object.metadata.name == '{name}-deployment'"}],
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}],
    }
    _make(there, "Mutating", spec, {})


def remove(there: Where) -> None:
    """Remove all policies."""
    for kind, name in itertools.product(("Validating", "Mutating"), (there.name, f"{there.name}-delete")):
        for suffix in ("Binding", ""):
            with suppress(Refused):
                there.client.delete(f"{kind}AdmissionPolicy{suffix}", "", name)


def _make(there: Where, kind: str, spec: Json, binding: Json, rule: Json = _WRITTEN) -> None:
    """Create a policy and bind it to the namespace."""
    metadata = {"name": f"{there.name}-delete" if rule == _DELETED else there.name}
    here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": there.name}}}
    policy = {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [{"apiVersions": ["v1"], **rule}]}, **spec}
    bound = {"policyName": metadata["name"], "matchResources": here, **binding}
    for name, content in (("Policy", policy), ("PolicyBinding", bound)):
        made = {"apiVersion": _API, "kind": f"{kind}Admission{name}", "metadata": metadata, "spec": content}
        there.client.create(made)


def _images(there: Where, name: str, image: str) -> list[str]:
    """Return the images of a Deployment after admission (dry run), or none if a policy rejects it."""
    made = deployment(name)
    made["spec"]["template"]["spec"]["containers"][0]["image"] = image
    try:
        stored = there.client.create({**made, "metadata": {**made["metadata"], "namespace": there.name}}, dry_run=True)
    except Refused:
        return []
    return [each["image"] for each in stored["spec"]["template"]["spec"]["containers"]]
