"""Manifests: Kubernetes objects as they are sent; and one that is encoded once, for children that are remembered."""

from collections.abc import Mapping
from typing import Any

import msgspec

from metahook.protocol.objects.kind import group_key

Manifest = dict[str, Any]
"""A Kubernetes object as it is sent: ``apiVersion``, ``kind``, ``metadata``, and the fields that the hook owns."""

Identity = tuple[str, str, str]
"""Group key, namespace and name of a child, such as ``("Deployment.apps/v1", "team-a", "web")``.

Two API groups may share a word. The namespace of a cluster-scoped child is empty.
"""


class EncodedManifest(Manifest):
    """A manifest with its JSON, for one that many responses list: it is encoded once, and the gate checks it once.

    Its JSON is what is sent, as it was when this was made: do not change it. A changed copy is an ordinary manifest.
    """

    __slots__ = ("accepted_for", "identity", "json")

    def __init__(self, manifest: Manifest) -> None:
        super().__init__(manifest)
        self.json = msgspec.Raw(msgspec.json.encode(manifest, order="sorted"))
        self.identity = _identity(manifest)
        self.accepted_for: object = None
        """The parent's namespace and the declared kinds for which the gate last accepted the JSON."""

    def __reduce__(self) -> tuple[type[Manifest], tuple[Manifest]]:
        """Return an ordinary manifest for :mod:`copy` and :mod:`pickle`: a copy may be changed."""
        return dict, (dict(self),)


def identity_of(manifest: Manifest, namespace: str) -> Identity:
    """Return the identity of *manifest*; *namespace* is that of the parent, and of a child that names none."""
    identity = manifest.identity if isinstance(manifest, EncodedManifest) else _identity(manifest)
    return identity if identity[1] else (identity[0], namespace, identity[2])


def with_annotations(manifest: Manifest, annotations: Mapping[str, str]) -> Manifest:
    """Return *manifest* with more *annotations*."""
    metadata = manifest["metadata"]
    merged = {**(metadata.get("annotations") or {}), **annotations}
    return {**manifest, "metadata": {**metadata, "annotations": merged}}


def _identity(manifest: Manifest) -> Identity:
    group = group_key(kind=manifest.get("kind", ""), api_version=manifest.get("apiVersion", ""))
    metadata = manifest["metadata"]
    return group, metadata.get("namespace") or "", metadata["name"]
