"""The objects in the files of ``-f``: parents of the controller, and others that are in the cluster beside them.

A custom resource is refused as an API server does by the CRD of its kind, be it new, or an update of a stored one.

Source: Kubernetes 1.36, apiextensions-apiserver, pkg/apiserver/validation/ratcheting.go, and pkg/apiserver/schema/cel.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from metahook.cli.binding import traits, words
from metahook.cli.errors import InputError, Refused, program_name
from metahook.cli.files.manifests import FileManifest, files_in, missing, misspelt, read_manifests
from metahook.cli.files.metadata import FIELDS, SERVER_FIELDS, present_fields, type_problems
from metahook.protocol.objects import Json
from metahook.simulator.apiserver.built_in_kinds import undeclared_field
from metahook.simulator.apiserver.custom_rules import (
    CEL,
    KEEPS_ALL,
    SYSTEM,
    HookProblem,
    Path,
    Problem,
    Schema,
    custom_defaults,
    identity,
    is_unchanged,
    own_fields,
    problems,
    schemas,
    unknown_fields,
    validation,
    with_defaults,
)
from metahook.simulator.apiserver.store import Admission, ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import History
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Key, key_of
from metahook.simulator.scenarios import InvalidPath, path_steps
from metahook.simulator.world import World


def custom_validation(crds: Iterable[Json]) -> Admission:
    """Return the admission that refuses what the schemas of *crds* do not allow."""
    by_kind = schemas(crds)

    def judge(new: Json, old: Json | None) -> list[Problem]:
        schema = by_kind.get((new["apiVersion"], new["kind"]))
        return refused(new, old, schema) if schema else []

    return validation(judge)


def refused(new: Json, old: Json | None, schema: Json) -> list[Problem]:
    """Return what the *schema* of its CRD refuses of *new*, which replaces *old* if that is stored.

    What is wrong with a value that does not change is accepted. A status is written by itself.
    """
    required = [name for name in schema.get("required") or () if name not in SYSTEM]
    own = {**own_fields(schema), "required": required}
    value, before = (
        with_defaults({name: field for name, field in (item or {}).items() if name not in SYSTEM}, own)
        for item in (new, old)
    )
    found = [each for each in problems(value, own) if old is None or not is_unchanged(each.path, value, before, own)]
    # As on the API server, no rule runs on an object whose structure is wrong.
    named = (_named(new, value), _named(old, before) if old else None)
    return found or list(broken_rules(*named, _without_status(schema)))


def _named(item: Json, own: Json) -> Json:
    """Return *own*, with what the CEL rules of *item* may know besides: its kind, and how it is called."""
    names = {name: value for name, value in item["metadata"].items() if name in ("name", "generateName")}
    return {**own, "apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": names}


def _without_status(schema: Json) -> Json:
    fields = {name: field for name, field in (schema.get("properties") or {}).items() if name != "status"}
    return {**schema, "properties": fields}


def broken_rules(value: Any, old: Any, schema: Schema, path: Path = ()) -> Iterator[Problem]:
    """Yield the CEL rules of *schema* that *value*, at *path*, breaks. It replaces *old*; that may be None.

    A rule of a value that does not change is not checked, unless it is about changes. One that can't be evaluated here
    counts as kept; :func:`unknown_rules` has these.
    """
    if CEL in schema:
        from metahook.cli.files import cel  # noqa: PLC0415 - few schemas have rules, and it takes time

        now, before = cel.cel_value(value, schema), cel.cel_value(old, schema)
        for rule in schema[CEL]:
            is_due = old is not None if "oldSelf" in rule["rule"] else old is None or value != old
            if is_due and not cel.unknown_part(rule["rule"]) and not cel.evaluates(rule["rule"], now, before):
                said = cel.evaluates(rule["messageExpression"], now, before) if "messageExpression" in rule else ""
                yield Problem(path, said or rule.get("message") or f"must keep the rule: {rule['rule']}")
    if isinstance(value, list):
        keys = {str(key): item for item in old or () if (key := identity(item, schema)) is not None}
        for index, item in enumerate(value):
            same = item if value == old else keys.get(str(identity(item, schema)))
            yield from broken_rules(item, same, schema.get("items") or {}, (*path, index))
    elif isinstance(value, dict):
        fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
        for name, inner in value.items():
            below = fields.get(name, others if isinstance(others, dict) else {})
            yield from broken_rules(inner, (old or {}).get(name), below, (*path, name))


def unknown_rules(schema: Schema) -> Iterator[str]:
    """Yield what of the CEL rules in *schema* can't be evaluated here: a function, or a rule."""
    if CEL in schema:
        from metahook.cli.files import cel  # noqa: PLC0415 - as above

        yield from filter(None, (cel.unknown_part(rule["rule"]) for rule in schema[CEL]))
    for inner in (*(schema.get("properties") or {}).values(), schema.get("additionalProperties"), schema.get("items")):
        if isinstance(inner, dict):
            yield from unknown_rules(inner)


_CHECKED_ELSEWHERE = {"apiVersion", "kind", "metadata", "status"}


class Objects(Struct, frozen=True):
    """The *parents*, of which there is at least one, and *others*."""

    parents: tuple[FileManifest, ...]
    others: tuple[FileManifest, ...]

    @classmethod
    def read(cls, paths: tuple[str, ...], settings: Settings) -> "Objects":
        """Return the objects in the files and directories *paths*, which are new; raise InputError and Refused."""
        return cls.found(paths, settings).accepted(settings)

    @classmethod
    def found(cls, paths: tuple[str, ...], settings: Settings) -> "Objects":
        """Return the objects in the files and directories *paths*; raise InputError if none is a parent."""
        manifests = [manifest for path in paths for file in files_in(path) for manifest in read_manifests(file)]
        found = cls.of(manifests, ", ".join(paths), settings)
        _tell_unknown_rules((*found.parents, *found.others), settings)
        return found

    @classmethod
    def of(cls, manifests: Iterable[FileManifest], where: str, settings: Settings) -> "Objects":
        """Return *manifests*, of the files *where*; raise InputError if none is a parent."""
        found = [manifest.named() for manifest in manifests]
        parents = tuple(item for item in found if is_parent(item.content, settings))
        kinds = [parent.kind for parent in settings.parents]
        unknown = [item for item in found if not settings.kind(item.api_version, item.kind)]
        if error := misspelt(kinds, unknown, is_one_there=bool(parents)):
            raise error
        if not parents:
            example = words().example
            remedy = f"name a file that has one{f', such as {example}' if example else ''}"
            raise missing(kinds, found, where, remedy)
        return cls(parents, tuple(item for item in found if item not in parents))

    def accepted(self, settings: Settings, stored: "Objects | None" = None) -> "Objects":
        """Return these, if a cluster accepts each as a new object, or as what replaces one of *stored*; raise Refused.

        Also the same object twice is refused: the last one would win.
        """
        old = {_identity(item, settings): item.content for item in (stored.parents if stored else ())}
        same: dict[tuple[str, ...], list[FileManifest]] = defaultdict(list)
        problems: list[tuple[FileManifest, int, str]] = []
        for item in (*self.parents, *self.others):
            key = _identity(item, settings)
            same[key].append(item)
            found = object_problems(item.content, old.get(key), settings)
            problems += [(item, item.line_of(*each.path), refusal(item, each)) for each in found]
        for items in (items for items in same.values() if len(items) > 1):
            first, *others = sorted(items, key=_place)
            what = f"the same object as in {first.place()}; remove one of them"
            problems += [(item, 0, f"{item.place()}: {item.kind} {item.name}: {what}") for item in others]
        if problems:
            raise Refused(
                *(text for item, line, text in sorted(problems, key=lambda each: (*_place(each[0]), each[1])))
            )
        return self

    def in_namespace(self, namespace: str | None) -> "Objects":
        """Return these, with the parents in *namespace* if it is known, and they name none."""
        own = {"namespace": namespace} if namespace else {}
        metadata = [{**own, **present_fields(item.content["metadata"])} for item in self.parents]
        placed = zip(self.parents, metadata, strict=True)
        return replace(
            self, parents=tuple(replace(item, content={**item.content, "metadata": each}) for item, each in placed)
        )

    def with_one_parent(self, file: str) -> "Objects":
        """Return these, which are in *file*, if they have one parent; raise InputError."""
        if len(self.parents) > 1:
            noun = words().parent
            message = f"{file}: {len(self.parents)} {noun}s; give a file with one {noun}"
            raise InputError(message)
        return self

    def create(self, world: World) -> None:
        """Create all in *world*, the parents last; raise InputError."""
        for item in (*self.others, *self.parents):
            apply(item, world)

    def keys(self, world: World) -> list[Key]:
        return [key_of(world.api.placed(item.content)) for item in self.parents]


def _place(item: FileManifest) -> tuple[str, int]:
    """Return the file and the line where *item* begins."""
    return item.file, item.line_of()


def apply(item: FileManifest, world: World) -> None:
    """Apply *item* in *world*; raise InputError if the API server refuses it."""
    try:
        world.apply(created(item.content))
    except ApiError as error:
        problem = f"the API server refuses {item.kind} {item.name}: {error}"
        raise item.error(problem, "metadata") from error


def created(content: Json) -> Json:
    """Return an object as a user creates it: without a status, and without the metadata that the API server sets."""
    users = {name: value for name, value in present_fields(content["metadata"]).items() if name not in SERVER_FIELDS}
    return {**{name: value for name, value in content.items() if name != "status"}, "metadata": users}


def is_parent(item: Json, settings: Settings) -> bool:
    kind = settings.kind(item["apiVersion"], item["kind"])
    return any(parent.kind == kind for parent in settings.parents)


def _tell_unknown_rules(items: tuple[FileManifest, ...], settings: Settings) -> None:
    """Print which rules of the CRDs of *items* are not checked."""
    kinds = {(item.content["apiVersion"], item.kind) for item in items}
    for key, schema in schemas(settings.crds).items():
        for part in unknown_rules(schema) if key in kinds else ():
            what = f"a rule in CEL is not checked, because {part} is not known here"
            print(f"{program_name()}: the CRD of {key[1]}: {what}", file=sys.stderr)


def refusal(item: FileManifest, problem: Problem) -> str:
    """Return the line that says what is wrong with *item*, with the value that is wrong unless it is of a Secret."""
    about = problem.about({} if item.kind == "Secret" else item.content)
    return f"{item.place(*problem.path)}: {item.kind} {item.name}: {about}"


def problem_of(text: str) -> Problem:
    """Return the problem that *text* names after a path and a colon."""
    path, _, message = text.partition(": ")
    try:
        return Problem(tuple(path_steps(path)), message)
    except InvalidPath:
        return Problem((), text)


def object_problems(item: Json, old: Json | None, settings: Settings) -> Iterator[Problem]:
    """Yield what kubectl and the API server refuse of *item*, a new object, or one that replaces *old*.

    What the hook alone refuses of a parent is refused, too: the cluster would store it, and nothing would run.
    """
    wrong = [problem_of(text) for text in type_problems(item["metadata"])]
    yield from (*wrong, *unknown_fields({"metadata": item["metadata"]}, _METADATA))
    if wrong:
        return
    problems = traits().problems
    schema = schemas(settings.crds).get((item["apiVersion"], item["kind"]))
    if problems and is_parent(item, settings):
        yield from problems(item, old)
    elif schema:
        yield from _problems_by_crd(item, old, schema)
    yield from _problems_in_cluster(item, settings)


_METADATA: Json = {"properties": {"metadata": {"properties": {name: {KEEPS_ALL: True} for name in FIELDS}}}}


def _problems_by_crd(item: Json, old: Json | None, schema: Json) -> Iterator[Problem]:
    own = {name: value for name, value in item.items() if name not in _CHECKED_ELSEWHERE}
    try:
        yield from unknown_fields(own, schema)
        yield from refused(item, old, schema)
    except (AttributeError, KeyError, TypeError) as error:
        message = f"the CRD of {item['kind']}: no API server accepts its schema; give the one that you apply"
        raise InputError(message) from error


def _problems_in_cluster(item: Json, settings: Settings) -> Iterator[Problem]:
    """Yield why an empty cluster refuses *item*, by the rules of all kinds and of the built-in ones."""
    api = ApiServer(Clock(), History(), (kind.kind for kind in settings.kinds if not kind.namespaced))
    try:
        if path := undeclared_field(item):
            yield problem_of(f"{path.removeprefix('.')}: unknown field; remove it")
        api.create(created(item), "you")
    except ApiError as error:
        yield from map(problem_of, error.messages)


def refuse_invalid(settings: Settings) -> Admission:
    """Return the admission of parents whose rules only the program that runs knows."""
    problems = traits().problems

    def judge(new: Json, old: Json | None) -> list[Problem]:
        found = problems(new, old) if problems and is_parent(new, settings) else []
        return [problem for problem in found if not isinstance(problem, HookProblem)]

    return validation(judge)


def place(item: FileManifest, world: World) -> None:
    """Store the parent *item* in *world* as it was once accepted, by whichever rules."""
    kept = created(item.content)
    stored = {**kept, "metadata": {**kept["metadata"], "generation": 1}}
    world.api.place(custom_defaults(world.settings.crds)(stored, None))


def _identity(item: FileManifest, settings: Settings) -> tuple[str, ...]:
    """Return what no other object in a cluster has: all versions of a group are of the same object."""
    api_version, metadata = item.content["apiVersion"], item.content["metadata"]
    kind = settings.kind(api_version, item.kind)
    namespace = str(metadata.get("namespace") or "default") if kind is None or kind.namespaced else ""
    return api_version.rpartition("/")[0], item.kind, namespace, item.name


def check_edited(parent: Json, old: Json, settings: Settings, change: str) -> None:
    """Raise Refused if the *parent* that a *change* by ``--set`` made of *old* is not one that a cluster accepts."""
    found = [
        f"--set {change.partition('=')[0]}: {each.about(parent)}" for each in object_problems(parent, old, settings)
    ]
    if found:
        raise Refused(*found)
