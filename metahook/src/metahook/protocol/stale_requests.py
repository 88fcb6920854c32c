"""The generation stamp: an annotation that says for which generation of the parent a child was made.

It protects from a stale request, whose old spec would undo a newer one. Metacontroller makes a request from its caches.
Each kind has its own, and each lags behind the API server by itself, so the parent can be older than its children: when
Metacontroller starts, or another instance of it becomes the leader, the children are what the process before wrote, and
the parent can be from before that. Its old spec then brings old values back and deletes children, until the parent's
cache has caught up. The stamp shows that a child is newer than the parent. Then respond with
``kept=request.children.kept()``, which changes nothing: when the newer parent arrives, sync is called again.

What the stamp can't show:

- An old parent without a newer child: the children's cache lags as much, or the newer spec has no children.
- A change that has no new generation: the API server does not count changes of the parent's labels, annotations and
  status, nor new defaults of its CRD.
- Old related objects.

While another user or controller sets a stamp that is too high, the children are kept. The stamp costs one write of each
child for each generation of the parent; with the update method Recreate, this write replaces the child.

Source: Metacontroller 4.17, pkg/controller/composite/controller.go, ``sync``; client-go 0.36, tools/cache/reflector.go:
if the API server does not stream lists, the first list of a kind is one from a cache of the API server.
"""

import re

from metahook.protocol.objects import Manifest, Object, with_annotations
from metahook.protocol.request import Parent, SyncRequest

_STAMP = re.compile(r"([0-9]{1,18})-(.+)")
"""A generation, and the beginning of a parent's uid."""

_UID = 8
"""Characters of a uid."""


def with_generation_stamp(desired: Manifest, parent: Parent, annotation: str) -> Manifest:
    """Return *desired* with the stamp of *parent* as its *annotation* (a key of the hook's).

    With a hash of the desired child instead, two versions of a hook would overwrite each other's hash.
    """
    return with_annotations(desired, {annotation: generation_stamp(parent)})


def generation_stamp(parent: Parent) -> str:
    """Return the stamp of *parent*: its generation, and the beginning of its uid."""
    return f"{parent.generation}-{parent.uid[:_UID]}"


def is_from_newer_generation(child: Object, parent: Parent, annotation: str) -> bool:
    """Tell whether the stamp of the observed *child* is that of a newer generation of *parent*."""
    stamp = _STAMP.fullmatch(child.metadata.annotation(annotation) or "")
    return stamp is not None and stamp[2] == parent.uid[:_UID] and int(stamp[1]) > parent.generation


def children_from_newer_generation(request: SyncRequest, annotation: str) -> list[Object]:
    """Return the children that were made for a newer generation than the parent of *request* has.

    If there are any, the request is stale. They are sorted by kind and name.
    """
    newer = [child for child in request.children if is_from_newer_generation(child, request.parent, annotation)]
    return sorted(newer, key=lambda child: (child.KIND.kind, child.metadata.name))
