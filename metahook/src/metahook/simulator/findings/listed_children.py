"""Listed children: those that a response lists twice, of a kind that nobody watches, or that select nothing."""

import json
from collections.abc import Iterator

from metahook.protocol.objects import group_key
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN
from metahook.simulator.findings.claimed_results import AnsweredSync
from metahook.simulator.findings.evidence import Evidence, Occurrence
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.objects import Json, Key

_BUILT_IN = {(kind.api_version, kind.kind) for kind in BUILT_IN}


def repeated_children(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield children that one response lists twice."""
    for sync in evidence.syncs:
        listed = set[tuple[object, Key]]()
        for key, child in sync.listed():
            if (child.get("apiVersion"), key) in listed:
                yield key, sync.at, "one response has two children of this name, and one is lost: list it once"
            listed.add((child.get("apiVersion"), key))


def unwatched_children(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield children in another namespace than their parent, and those created of a kind that nobody watches."""
    created = {write.key for write in evidence.history.writes(NAME) if write.changed and write.before is None}
    for sync in evidence.syncs:
        for key, child in sync.listed():
            in_none = Key(key.kind, "", key.name)
            if sync.key.namespace and key.namespace not in ("", sync.key.namespace):
                message = f"its parent is in namespace {sync.key.namespace}, so Kubernetes deletes it"
                yield key, sync.at, f"{message}: leave out metadata.namespace, or use a cluster-scoped parent"
            elif sync.key.namespace and in_none in created:
                message = "its kind is cluster-scoped and the parent is not, so Kubernetes deletes it"
                yield in_none, sync.at, f"{message}: use a cluster-scoped parent"
            elif (
                key in created and group_key(kind=key.kind, api_version=str(child.get("apiVersion"))) not in sync.groups
            ):
                message = "its kind is not listed in the controller, which creates it and never sees it again"
                yield key, sync.at, f"{message}: add it to {sync.resources}"


def useless_selectors(evidence: Evidence) -> Iterator[Occurrence]:
    """Yield Services that select none of the Pods of the children beside them.

    A child of another API may have Pods with any labels.
    """
    seen = set[bytes]()
    for sync in evidence.syncs:
        if sync.call.response in seen or sync.finalizing:
            continue
        seen.add(sync.call.response)
        if all((child.get("apiVersion"), key.kind) in _BUILT_IN for key, child in sync.listed()):
            yield from _useless_selectors(sync)


def _useless_selectors(sync: AnsweredSync) -> Iterator[Occurrence]:
    pods = [pod for _, child in sync.listed() for pod in _pod_labels(child)]
    if not pods:
        return
    others = json.loads(sync.call.request).get("related") or {}
    pods += _pod_labels(sync.call.parent)
    pods += [pod for group in others.values() for item in group.values() for pod in _pod_labels(item)]
    pods += [pod for item in sync.observed.values() for pod in _pod_labels(item)]
    for key, child in sync.listed():
        selector = (child.get("spec") or {}).get("selector")
        if key.kind == "Service" and selector and not any(selector.items() <= labels.items() for labels in pods):
            yield key, sync.at, "its selector selects no Pods of the other children: use the labels of their Pods"


def _pod_labels(item: Json) -> list[Json]:
    """Return the labels of the Pods of *item*: of itself, or of each template in its spec."""
    if item.get("kind") == "Pod":
        return [(item.get("metadata") or {}).get("labels") or {}]
    spec = item.get("spec") or {}
    inner = [spec, (spec.get("jobTemplate") or {}).get("spec") or {}] if isinstance(spec, dict) else []
    templates = [each["template"] for each in inner if isinstance(each.get("template"), dict)]
    return [(template.get("metadata") or {}).get("labels") or {} for template in templates]
