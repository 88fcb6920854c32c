"""Twins: parents that differ in little but their names, and what they share by mistake."""

import copy
import json
from collections.abc import Iterable, Iterator

from metahook.cli.files.manifests import property_of
from metahook.simulator.apiserver.custom_rules import CEL, fits
from metahook.simulator.apiserver.validation import name_problem
from metahook.simulator.findings.evidence import AnsweredSync
from metahook.simulator.findings.rules import words
from metahook.simulator.objects import Json, Key, to_json, with_metadata

TWIN = "-twin"
"""The end of the name of a twin. No child of the first parent has such a name, as with a number at its end."""

LENGTHS = (100, 63)
"""Characters of a long name, if its kind can have one: most can have 253. A label or the name of a Service has 63."""

_A_WORD = 3
"""Characters of a text that is no part of a name by accident."""


def with_twins(parents: Iterable[Json]) -> list[Json]:
    """Return *parents*, each with a twin of another name and another label."""
    found = []
    for parent in parents:
        metadata = parent["metadata"]
        labels = {**(metadata.get("labels") or {}), "example.com/twin": "second"}
        found += [parent, with_metadata(copy.deepcopy(parent), name=f"{metadata['name']}{TWIN}", labels=labels)]
    return found


def long_named(parent: Json, schema: Json | None) -> list[Json]:
    """Return twins of *parent* with long names that *schema* allows, which differ in the last letter; or none.

    There are none if a CEL rule is about the name, as it may limit it.
    """
    schema = schema or {}
    field = property_of(schema, "metadata", "name") or {}
    if "metadata.name" in to_json(schema.get(CEL, "")) or CEL in field:
        return []
    for length in (min(field.get("maxLength", LENGTHS[0]), LENGTHS[0]), *LENGTHS[1:]):
        start = f"{parent['metadata']['name']}-".ljust(length - 1, "x")[: length - 1]
        twins = [with_metadata(copy.deepcopy(parent), name=start + end) for end in "ab"]
        if all(fits(each["metadata"]["name"], field) and name_problem(each) is None for each in twins):
            return twins
    return []


def constant_names(syncs: Iterable[AnsweredSync]) -> Iterator[str]:
    """Yield a sentence for each child that two parents list under a name that nothing in their requests contains."""
    for key, other, sync in listed_by_two(syncs):
        if not _is_given(key, sync):
            message = f"{key}: both {other} and {sync.key} list it, and only one gets it"
            yield f"{message}; put the name of the parent into its name"


def constant_ports(syncs: Iterable[AnsweredSync]) -> Iterator[str]:
    """Yield a sentence for each Service with a port of the nodes that another parent's has, and no spec asks for."""
    first: dict[int, Key] = {}
    for sync in syncs:
        spec = to_json(sync.call.parent.get("spec"))
        services = (child.get("spec") or {} for key, child in sync.children.items() if key.kind == "Service")
        for number in (port.get("nodePort") for service in services for port in service.get("ports") or ()):
            other = first.setdefault(number, sync.key) if number and str(number) not in spec else sync.key
            if other != sync.key:
                message = f"Services of {other} and of {sync.key} have nodePort {number}, and only one gets it"
                yield f"{message}; leave it out, and Kubernetes finds a free one"


def cut_names(syncs: Iterable[AnsweredSync], known: Iterable[Key]) -> Iterator[str]:
    """Yield a sentence for each child of two parents with long names; those that are *known* have a constant name."""
    for key, _, _ in listed_by_two(syncs):
        if key not in known:
            message = f"{key}: parents whose long names begin alike both list it, and only one gets it"
            yield f"{message}; end a name that was cut with a hash of the whole"


def listed_by_two(syncs: Iterable[AnsweredSync]) -> Iterator[tuple[Key, Key, AnsweredSync]]:
    """Yield each child that another parent has listed before, that parent, and the sync."""
    first: dict[Key, Key] = {}
    for sync in syncs:
        for key in sync.children:
            other = first.setdefault(key, sync.key)
            if other != sync.key:
                yield key, other, sync


def shared_selectors(syncs: Iterable[AnsweredSync]) -> Iterator[str]:
    """Yield a sentence for each child with the selector of another parent's, and with nothing of a request in it."""
    first: dict[tuple[str, str, str], AnsweredSync] = {}
    for sync in syncs:
        for key, child in sync.children.items():
            spec = child.get("spec") or {}
            selector = spec.get("selector") if "template" in spec else None
            other = first.setdefault((key.kind, key.namespace, to_json(selector)), sync) if selector else sync
            if other.key != sync.key and not _are_given(words([selector]), sync):
                message = f"{key}: those of {other.key} and of {sync.key} select the same Pods"
                yield f"{message}; put the name of the parent into a label of their selectors and templates"


def _is_given(key: Key, sync: AnsweredSync) -> bool:
    """Tell whether the name in *key* contains a text of the parent, or of an object that is related to it.

    So may its namespace, if it is not that of the parent.
    """
    return _are_given({key.name, key.namespace} - {sync.key.namespace}, sync)


def _are_given(names: Iterable[str], sync: AnsweredSync) -> bool:
    """Tell whether one of *names* contains a text of the parent, or of an object that is related to it."""
    request = json.loads(sync.call.request)
    parent = {
        field: value for field, value in sync.call.parent.items() if field not in ("apiVersion", "kind", "status")
    }
    texts = words([{**parent, "metadata": _texts_of(parent)}, request.get("related")])
    return any(text == name or (len(text) >= _A_WORD and text in name) for text in texts for name in names)


def _texts_of(parent: Json) -> list[Json]:
    return [parent["metadata"].get(field) for field in ("labels", "annotations")]
