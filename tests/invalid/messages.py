"""The texts of every response of the MyResource hook with status 400, written out: there are no others."""

from collections.abc import Iterator

_METADATA = {
    " is missing",
    " must be an object",
    ".name is missing",
    ".name must be a string",
    ".name must not be empty",
    ".name must be unique in a namespace",
    ".namespace must be a string",
    ".uid must be a string",
    ".resourceVersion must be a string",
    ".generation must be a whole number",
    ".labels must be an object",
    ".labels[*] must be a string",
    ".annotations must be an object",
    ".annotations[*] must be a string",
    ".ownerReferences must be a list",
    ".ownerReferences[*] must be an object",
    ".ownerReferences[*].uid is missing",
    ".ownerReferences[*].uid must be a string",
    ".ownerReferences[*].apiVersion must be a string",
    ".ownerReferences[*].kind must be a string",
    ".ownerReferences[*].name must be a string",
    ".ownerReferences[*].controller must be true or false",
    ".finalizers must be a list",
    ".finalizers[*] must be a string",
    ".creationTimestamp must be a string",
    ".deletionTimestamp must be a string",
}
_STATUS = {
    " must be an object",
    ".observedGeneration must be a whole number",
    ".replicas must be a whole number",
    ".updatedReplicas must be a whole number",
    ".readyReplicas must be a whole number",
    ".availableReplicas must be a whole number",
    ".conditions must be a list",
    ".conditions[*] must be an object",
    ".conditions[*].type is missing",
    ".conditions[*].type must be a string",
    ".conditions[*].status is missing",
    ".conditions[*].status must be a string",
    ".conditions[*].reason must be a string",
    ".conditions[*].message must be a string",
    ".conditions[*].lastTransitionTime must be a string",
    ".conditions[*].lastUpdateTime must be a string",
    ".conditions[*].observedGeneration must be a whole number",
}
_BODY = {
    "the body is incomplete",
    "the body is empty",
    "the body is not UTF-8",
    "the body is not JSON",
    "the body is nested too deeply",
    "the body must be an object",
    "parent is missing",
    "parent must be an object",
    "parent.metadata is missing",
    "parent.metadata must be an object",
    "parent.metadata.name is missing",
    "parent.metadata.name must be a string of 1 to 253 characters",
    "parent.metadata.namespace is missing",
    "parent.metadata.namespace must be a string of at most 253 characters",
    "parent.metadata.uid is missing",
    "parent.metadata.uid must be a string of 1 to 253 characters",
    "parent.metadata.generation is missing",
    "parent.metadata.generation must be a whole number of at least 0",
    "parent.metadata.creationTimestamp must be a string",
    "parent.metadata.deletionTimestamp must be a string",
    "children is missing",
    "children must be an object",
    "children[*] must be an object",
    "finalizing must be true or false",
    "finalizing is true, and the hook has no finalize function: remove hooks.finalize from the controller",
    "related must be an object",
    "related[*] must be an object",
}


def no_group(group: str) -> str:
    """Return the text for children without *group*."""
    remedy = "send {} for it if there is no such object; in a cluster, add the kind to childResources"
    return f"children has no group {group}: {remedy}"


def _of_children(group: str) -> Iterator[str]:
    yield no_group(group)
    yield f"children[{group}][*] must be an object"
    yield from (f"children[{group}][*].metadata{rule}" for rule in _METADATA)
    yield f"children[{group}][*].spec must be an object"
    yield f"children[{group}][*].spec[*] must be a value with numbers in range"


TEXTS = frozenset(
    {
        *_BODY,
        *_of_children("Deployment.apps/v1"),
        *(f"children[Deployment.apps/v1][*].status{rule}" for rule in _STATUS),
        *_of_children("Service.v1"),
    }
)
