"""The gate: the last check of a response. What it refuses becomes a 500, and a 500 changes nothing in the cluster.

A 200 deletes the children that it does not list. A null child in it kills Metacontroller's process, a child of an
undeclared kind is never deleted, and a child in another namespace than its parent is created and deleted for ever.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import msgspec

from metahook.protocol.bodies import MAX_RESYNC, RelatedRule
from metahook.protocol.objects import (
    EncodedManifest,
    Identity,
    Kind,
    Manifest,
    Object,
    first_wrong,
    group_key,
    identity_of,
    is_plain_json,
)
from metahook.protocol.observed import Children, UndeclaredKind
from metahook.protocol.request import Parent
from metahook.protocol.response import (
    MAX_LOG_FIELDS,
    RESERVED_LOG_FIELDS,
    DecoratorFinalizeResponse,
    DecoratorResponse,
    FinalizeResponse,
    Response,
)


class MisusedController(TypeError):
    """Raised for an argument of a Controller that can't be right. Its text names the argument and the remedy."""


def check_function(name: str, function: Any, *arguments: str) -> None:  # noqa: ANN401 - what an author passes
    """Raise MisusedController if *function*, which is passed as *name*, is none that takes *arguments*."""
    usage = f"{name}({', '.join(arguments)})"
    if isinstance(function, type):
        _misuse(f"{name} is a class: pass a function, {usage}")
    if not callable(function):
        _misuse(f"{name} is {what(function)}: pass a function, {usage}")
    if _is_any(function, inspect.iscoroutinefunction, inspect.isasyncgenfunction):
        _misuse(f"{name} is an async function: write it with def; the server calls it in a thread")
    if _is_any(function, inspect.isgeneratorfunction):
        _misuse(f"{name} is a generator: return the response, with no yield")
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        _misuse(f"{name} takes other arguments: write it as {usage}")
    except ValueError:  # a function in C may have no signature
        return


def check_children(children: Any, parent: Kind | None, optional: Any = ()) -> None:  # noqa: ANN401 - as passed
    """Raise MisusedController if *children* is no tuple of different kinds that *parent* can have."""
    if isinstance(children, type):
        _misuse(f"children is a class: write children=({children.__name__},), a tuple")
    if not isinstance(children, tuple):
        _misuse(f"children is {what(children)}: write a tuple of classes, such as (ConfigMap,)")
    for struct in children:
        if not (isinstance(struct, type) and issubclass(struct, Object) and hasattr(struct, "KIND")):
            _misuse("children has an item that is not a subclass of metahook.Object with a KIND")
        if parent and parent.namespaced and not struct.KIND.namespaced:
            _misuse(
                f"{struct.KIND.kind} is cluster-scoped and {parent.kind} is not: Kubernetes would delete such a child"
            )
    _check_different(struct.KIND for struct in children)
    if not set(optional) <= set(children):
        _misuse("optional_kinds has a class that is not in children: add it there, too")


def _check_different(kinds: Iterable[Kind]) -> None:
    keys = [kind.group_key for kind in kinds]
    for key in keys:
        if keys.count(key) > 1:
            _misuse(f"children has two classes for {key}: leave one out")


def _is_any(function: Any, *checks: Callable[[Any], bool]) -> bool:  # noqa: ANN401 - what an author passes
    """Tell whether one of *checks* holds for *function*, or for the method by which an object is called."""
    return any(check(function) or check(getattr(function, "__call__", None)) for check in checks)  # noqa: B004 - the method


def what(value: object) -> str:
    """Return what a message calls *value*: ``None``, or ``a dict``."""
    return "None" if value is None else f"a {type(value).__name__}"


def _misuse(problem: str) -> NoReturn:
    raise MisusedController(problem) from None


Kinds = Mapping[tuple[str, str], Kind]
"""The kinds of the children that a controller may list, by API version and kind."""

MAX_RESPONSE = 1024 * 1024

RESERVED_METADATA = {
    "finalizers",
    "generateName",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "uid",
}

_LOG_FIELD = re.compile("[a-z][a-z0-9_]{0,62}")


class RefusedResponse(Exception):
    """Raised when a response would do damage. Its text names the kind of damage, never a value.

    ``detail`` says more, for whoever writes the hook: it names the child, and the path in it.
    """

    def __init__(self, problem: str, detail: str = "") -> None:
        super().__init__(problem)
        self.detail = detail or problem


def kinds_of(*structs: type[Object]) -> Kinds:
    """Return *structs* as the gate compares them."""
    return {(struct.KIND.api_version, struct.KIND.kind): struct.KIND for struct in structs}


def check_response(response: Response, parent: Parent, kinds: Kinds) -> list[Identity]:
    """Return the identities of the children in *response*; raise RefusedResponse if it is not safe for *parent*."""
    _check_fields(response)
    for child in response.children:
        if not isinstance(child, EncodedManifest):
            _check_child(child, parent, kinds)
        elif child.accepted_for != (parent.namespace, kinds):
            # The JSON is what is sent, and nothing can change it. Drift compares the values of the manifest.
            _check_child(msgspec.json.decode(child.json), parent, kinds)
            _check_values(child)
            child.accepted_for = (parent.namespace, kinds)
    for child in response.kept:
        _check_identity(msgspec.json.decode(child.json) if isinstance(child, EncodedManifest) else child, parent, kinds)
    identities = [identity_of(child, parent.namespace) for child in (*response.children, *response.kept)]
    _check_identities(identities, parent)
    return identities


def _check_identities(identities: list[Identity], parent: Parent) -> None:
    """Raise RefusedResponse if two children have one of *identities*, or one has that of *parent*."""
    if len(set(identities)) < len(identities):
        twin = next(each for each in identities if identities.count(each) > 1)
        group, namespace, name = twin
        place = f" in namespace {namespace}" if namespace else ""
        _refuse("two children of one kind and name", f"two children {group} {name}{place}: list each one once")
    namesakes = {group for group, namespace, name in identities if (namespace, name) == (parent.namespace, parent.name)}
    if namesakes and group_key(kind=parent.kind, api_version=parent.api_version) in namesakes:
        # Server-side apply would make it its own owner, and a later response without it would delete it.
        _refuse("a child that is the parent itself", f"{parent.kind} {parent.name} is the parent: use another name")


def check_kept(listed: list[Identity], children: Children) -> None:
    """Raise RefusedResponse if a response that keeps some of the observed *children* has not all of them *listed*."""
    if left := children.identities().difference(listed):
        group, _, name = min(left)
        _refuse(
            "children kept, but not all that are observed",
            f"{group} {name} is observed and neither kept nor listed, so it would be deleted",
        )


def check_managed(listed: list[Identity], children: Children) -> None:
    """Raise RefusedResponse if a child that is *listed* is of a kind that the controller in the cluster does not list.

    Metacontroller would create it, never observe it, and fail from then on.
    """
    if found := children.unmanaged.intersection([group for group, _, _ in listed]):
        _refuse(
            "a child of a kind that the controller in the cluster does not list",
            f"the request has no group {min(found)}: ask request.children.manages before you return such a child",
        )


def check_customize(rules: list[RelatedRule], parent: Parent, *, is_confined: bool = True) -> None:
    """Raise RefusedResponse if one of *rules* is wrong, selects all objects of a kind, or more than *parent* may see.

    A *confined* parent sees its own namespace. Source: Metacontroller, pkg/controller/common/customize; it takes empty
    names for no names.
    """
    if not isinstance(rules, list):
        _refuse(f"customize returned {what(rules)}: return a list of rules")
    for index, rule in enumerate(rules):
        if problem := _problem_of_rule(rule, parent, is_confined=is_confined):
            _refuse(problem, f"{problem}: rule {index}, for {rule.get('resource')} in {rule.get('namespace')!r}")


def check_size(encoded: bytes) -> bytes:
    """Return *encoded*; raise RefusedResponse if it is too large to send."""
    if len(encoded) > MAX_RESPONSE:
        _refuse("a response over 1 MiB")
    return encoded


def check_type(response: object, expected: type, function: str) -> None:
    """Raise RefusedResponse if *response*, of the hook's *function*, is not of the type *expected*."""
    if type(response) is not expected:
        remedy = "is a return missing?" if response is None else f"return a {expected.__name__}"
        _refuse(f"{function} returned {what(response)}: {remedy}")


def _refuse(problem: str, detail: str = "") -> NoReturn:
    raise RefusedResponse(problem, detail)


def _problem_of_rule(rule: RelatedRule, parent: Parent, *, is_confined: bool) -> str | None:
    has_selector = rule.get("labelSelector") or rule.get("namespaceSelector")
    if is_confined and rule.get("namespace") != parent.namespace:
        return "a related rule of another namespace, without selects_everywhere=True in the Controller"
    if rule.get("names") and has_selector:
        return "a related rule with names and a selector"
    if rule.get("namespace") and rule.get("namespaceSelector"):
        return "a related rule with a namespace and a selector of namespaces"
    if not rule.get("names") and not has_selector:
        return "a related rule that selects every object of a kind"
    return None


def _check_fields(response: Response) -> None:
    """Raise RefusedResponse for a field of *response*; of the children it looks at none."""
    _check_status(response)
    for name, listed in (("children", response.children), ("kept", response.kept)):
        if not isinstance(listed, (list, tuple)):  # an iterator has no children left once they are checked
            _refuse(f"{name} that are not a list", f"{name} is {what(listed)}: write a list")
    if isinstance(response, (DecoratorResponse, DecoratorFinalizeResponse)):
        _check_texts("labels", response.labels)
        _check_texts("annotations", response.annotations)
    if response.resync_after is not None:
        _check_resync(response.resync_after)
    if response.log:
        _check_log(response.log)
    if isinstance(response, (FinalizeResponse, DecoratorFinalizeResponse)) and type(response.finalized) is not bool:
        _refuse("finalized is neither True nor False")


def _check_status(response: Response) -> None:
    status: object = response.status
    is_decorator = isinstance(response, (DecoratorResponse, DecoratorFinalizeResponse))
    if status is None and is_decorator:
        return
    if not isinstance(status, dict) or not status:
        remedy = ", or None to leave that of the object" if is_decorator else ": it replaces the whole observed one"
        _refuse("no status", f"{type(response).__name__} needs a status{remedy}")
    if not is_plain_json(status):
        _refuse("a null, or what JSON can't say, in the status", first_wrong(status, "status"))


def _check_texts(name: str, texts: Mapping[Any, Any]) -> None:
    for key, text in texts.items():
        if not isinstance(key, str) or not (text is None or isinstance(text, str)):
            _refuse(f"{name} with values that are not text", f"{name}[{key!r}] must be text, or None to remove it")


def _check_resync(seconds: object) -> None:
    if not isinstance(seconds, int) or isinstance(seconds, bool):
        _refuse(
            "a resync that is not a whole number of seconds",
            f"resync_after is {seconds!r}: write whole seconds, as a hook that is called more often than once a second "
            "keeps Metacontroller from other parents",
        )
    if not 1 <= seconds <= MAX_RESYNC:
        _refuse(
            f"a resync outside 1 to {MAX_RESYNC} seconds",
            f"resync_after is {seconds}: write 1 to {MAX_RESYNC} seconds, or None for no resync",
        )


def _check_log(fields: Mapping[Any, Any]) -> None:
    """Raise RefusedResponse if *fields* can't be in the log: then the mistake is one of the code, and not of a user."""
    if len(fields) > MAX_LOG_FIELDS:
        _refuse(f"more than {MAX_LOG_FIELDS} fields for the log")
    for name, value in fields.items():
        if not isinstance(name, str) or not _LOG_FIELD.fullmatch(name) or name in RESERVED_LOG_FIELDS:
            _refuse(
                "a field for the log with a name that can't be used",
                f"log={{{name!r}: ...}}: write small letters, digits and _, and none of {sorted(RESERVED_LOG_FIELDS)}",
            )
        if not isinstance(value, str | int | float) or not is_plain_json(value):
            path = f"log[{name!r}]"
            shown = first_wrong(value, path) if isinstance(value, str | int | float) else f"{path} is {what(value)}"
            _refuse("a field for the log that is neither text nor a number", shown)


def _check_child(child: Manifest, parent: Parent, kinds: Kinds) -> None:
    _check_identity(child, parent, kinds)
    _check_values(child)


def _check_values(child: Manifest) -> None:
    if not is_plain_json(child):
        _refuse("a null, or what JSON can't say, in a child", f"{_named(child)}: {first_wrong(child)}")


def _check_identity(child: object, parent: Parent, kinds: Kinds) -> None:
    if not isinstance(child, dict) or not isinstance(child.get("metadata"), dict):
        _refuse("a child that is not an object", f"{_named(child)} is not an object with metadata")
    metadata = child["metadata"]
    try:
        kind = kinds.get((child.get("apiVersion"), child.get("kind")))  # type: ignore[arg-type] # of any type
    except TypeError:  # not even hashable
        kind = None
    if kind is None:
        _refuse_kind(child, kinds)
    if not isinstance(metadata.get("name"), str) or not metadata["name"]:
        _refuse("a child without a name", f"a {kind.kind} without metadata.name")
    if parent.namespace or not kind.namespaced:
        _check_namespace(child, kind, parent)
    elif not isinstance(metadata.get("namespace"), str) or not metadata["namespace"]:
        _refuse(
            "a child without a namespace",
            f"{_named(child)}: set metadata.namespace, because the parent is in none; or, if the kind is "
            "cluster-scoped, namespaced=False in its Kind",
        )
    reserved = [field for field in sorted(RESERVED_METADATA) if field in metadata]
    if "status" in child or reserved or "controller-uid" in (metadata.get("labels") or ()):
        field = f"metadata.{reserved[0]}" if reserved else "status" if "status" in child else "the label controller-uid"
        _refuse(
            "a child with a field that only Metacontroller or the API server sets", f"{_named(child)}: remove {field}"
        )


def _check_namespace(child: Manifest, kind: Kind, parent: Parent) -> None:
    """Raise RefusedResponse if *child* is not in the namespace of *parent*, or in none if *kind* is cluster-scoped."""
    namespace = child["metadata"].get("namespace", parent.namespace)
    if not kind.namespaced and parent.namespace:
        _refuse(
            "a cluster-scoped child of a parent in a namespace",
            f"{_named(child)}: Kubernetes deletes it, because its owner is in a namespace",
        )
    if namespace != parent.namespace:
        remedy = "leave out metadata.namespace" if kind.namespaced else "its kind is in no namespace"
        _refuse("a child in another namespace", f"{_named(child)}: {remedy}")


def _refuse_kind(child: Manifest, kinds: Kinds) -> NoReturn:
    for field in ("apiVersion", "kind"):
        if not isinstance(child.get(field), str):
            _refuse(f"a child without {field}", f"{_named(child)} has no {field}")
    declared = [kind for kind in kinds.values() if kind.kind == child["kind"]]
    if declared:
        versions = " or ".join(kind.api_version for kind in declared)
        _refuse(
            f"a child of an undeclared API version: {declared[0].kind} is declared as {versions}",
            f"{_named(child)}: its apiVersion is {versions}, not {child['apiVersion']}",
        )
    _refuse(str(UndeclaredKind(child["kind"])))


def _named(child: object) -> str:
    """Return the kind and the name of *child*, as far as it has them."""
    if not isinstance(child, dict):
        return f"a child that is {what(child)}"
    metadata = child.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return f"{child.get('kind') or 'a child'} {name or 'without a name'}"
