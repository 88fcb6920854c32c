"""Manifests in files, with the line of each of their fields; and those of a controller, checked before anything runs.

The API server drops a field of a controller that it does not know, so that a misspelt one has no effect. Source of
these fields: Metacontroller 4.17, its CRDs.
"""

import difflib
import itertools
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from metahook.cli.errors import InputError
from metahook.cli.files.documents import Document, documents_in, read_text
from metahook.cli.files.metadata import present_fields, type_problems
from metahook.protocol.objects import Json, Kind
from metahook.simulator.apiserver.custom_rules import KEEPS_ALL, Path as FieldPath, Problem, unknown_field, written
from metahook.simulator.metacontroller.settings import Mode, NotSimulated, Settings, UnknownResource
from metahook.simulator.scenarios import path_steps

SUFFIXES = (".yaml", ".yml", ".json")


class FileManifest(msgspec.Struct, frozen=True):
    """An object in the *file*: the value at a path in one of its documents."""

    content: Json
    file: str
    _document: Document | None = None
    _path: tuple[str | int, ...] = ()

    @property
    def kind(self) -> str:
        return str(self.content["kind"])

    @property
    def api_version(self) -> str:
        return str(self.content["apiVersion"])

    @property
    def name(self) -> str:
        """The name, as YAML has it if it is no text; empty if it has none."""
        metadata = self.content.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return name if isinstance(name, str) else msgspec.json.encode(name).decode() if name else ""

    def line_of(self, *path: str | int) -> int:
        """Return the line of the field at *path*, such as ``"spec", "hooks", "sync"``; 0 where no line is known."""
        return self._document.line_of((*self._path, *path)) if self._document else 0

    def place(self, *path: str | int) -> str:
        """Return file and line of the field at *path*, such as ``controller.yaml:14``; the file alone without one."""
        line = self.line_of(*path)
        return f"{self.file}:{line}" if line else self.file

    def error(self, problem: str, *path: str | int) -> InputError:
        """Return the error that names the *problem* at *path*, with its line."""
        return InputError(f"{self.place(*path)}: {problem}")

    def named(self) -> "FileManifest":
        """Return this, if it has a name; raise InputError."""
        metadata = self.content.get("metadata")
        if not isinstance(metadata, dict) or metadata.get("name") is None:
            problem = f"a {self.kind} has no metadata.name; give it one"
            raise self.error(problem, "metadata")
        return self

    def checked(self) -> "FileManifest":
        """Return this, if it has a name, and metadata of the right types; raise InputError."""
        for wrong in type_problems(self.named().content["metadata"]):
            problem = f"{f'{self.kind} {self.name}'.strip()}: {wrong}"
            raise self.error(problem, *wrong.partition(":")[0].split("."))
        return self


def read_manifests(path: str) -> list[FileManifest]:
    """Return the objects in the file *path* (``-`` is standard input), those of a List one by one; raise InputError."""
    return manifests_in(read_text(path), path)


def manifests_in(text: str, path: str) -> list[FileManifest]:
    """Return the objects in the *text* of the file *path*, as read_manifests does."""
    return [manifest for document in documents_in(text, path) for manifest in manifests_of(document, path)]


def load(path: str) -> list[Json]:
    """Return the objects in the file *path*, as read_manifests does, with metadata that an object has."""
    return [present(manifest) for manifest in read_manifests(path)]


def present(manifest: FileManifest) -> Json:
    """Return the object of *manifest*, with metadata that an object has; raise InputError."""
    content = manifest.checked().content
    return {**content, "metadata": present_fields(content["metadata"])}


def files_in(path: str) -> list[str]:
    """Return the manifests' files in the directory *path*, sorted, without hidden ones; or the file itself.

    Raise InputError for a directory that can't be read.
    """
    if not os.path.isdir(path):  # noqa: PTH112 - an empty path is no directory here
        return [path]
    try:
        found = [Path(folder) / name for folder, _, names in os.walk(path, onerror=_fail) for name in names]
    except OSError as error:
        message = f"{error.filename}: {(error.strerror or 'cannot be read').lower()}; name a file"
        raise InputError(message) from error
    return sorted(str(file) for file in found if file.suffix in SUFFIXES and not _is_hidden(file.relative_to(path)))


def _fail(error: OSError) -> None:
    raise error


def _is_hidden(file: Path) -> bool:
    """Tell whether *file* or a folder above it is hidden, such as .github, or *file* is one of Kustomize."""
    return file.stem.lower() == "kustomization" or any(part.startswith(".") for part in file.parts)


def manifests_of(document: Document, file: str) -> Iterator[FileManifest]:
    """Yield the objects of *document* in the *file*; raise InputError if it is no Kubernetes object."""
    yield from _objects(FileManifest({}, file, document), document.value)


def _objects(outer: FileManifest, content: object) -> Iterator[FileManifest]:
    if not isinstance(content, dict) or not all(isinstance(content.get(key), str) for key in ("apiVersion", "kind")):
        problem = "not a Kubernetes object; each needs apiVersion and kind"
        raise outer.error(problem)
    items = content.get("items")
    if not content["kind"].endswith("List") or not isinstance(items, list):
        yield replace(outer, content=content)
        return
    for index, item in enumerate(items):
        yield from _objects(replace(outer, _path=(*outer._path, "items", index)), item)  # noqa: SLF001 - of this class


def misspelt(kinds: Collection[Kind], found: Iterable[FileManifest], *, is_one_there: bool) -> InputError | None:
    """Return the error about an object of *found*, whose kinds nothing serves, that is nearly of one of *kinds*.

    If an object of *kinds* is there, too, another one of the same kind in a group that is quite different is none.
    """
    for item, kind in itertools.product(found, kinds):
        is_close = [
            difflib.SequenceMatcher(None, one.lower(), other.lower()).ratio() > _CLOSE
            for one, other in ((item.kind, kind.kind), (item.api_version, kind.api_version))
        ]
        if all(is_close) or (item.kind == kind.kind and not is_one_there):
            problem = f"nothing serves {item.kind} of {item.api_version}"
            remedy = f"did you mean {kind.kind} of {kind.api_version}?"
            return item.error(f"{problem}; {remedy}", "kind" if item.kind != kind.kind else "apiVersion")
    return None


_CLOSE = 0.8
"""Similarity of two words of which one may be a slip of the other."""


def missing(kinds: Collection[Kind], found: list[FileManifest], where: str, remedy: str) -> InputError:
    """Return the error that none of *kinds* is among the objects *found* in the files *where*, with what is there."""
    wanted = " or ".join(f"{kind.kind} of {kind.api_version}" for kind in kinds)
    if not found:
        files = f" in files that end in {', '.join(SUFFIXES)}" if os.path.isdir(where) else ""  # noqa: PTH112 - see above
        return InputError(f"{where}: no {wanted}, and no other object{files}; {remedy}")
    counted = Counter(f"{item.kind} of {item.api_version}" for item in found)
    first = {f"{item.kind} of {item.api_version}": item for item in reversed(found)}
    told = [f"{count if count > 1 else 'a'} {name} ({first[name].place()})" for name, count in counted.items()]
    more = [f"{len(told) - _TOLD} other kinds"] if len(told) > _TOLD else []
    return InputError(f"{where}: no {wanted}, but {', '.join([*told[:_TOLD], *more])}; {remedy}")


_TOLD = 3
"""Kinds that the error about a missing one names."""


TEXT, NUMBER, SWITCH = "a string", "a whole number", "true or false"
_TYPES: dict[str, type] = {TEXT: str, NUMBER: int, SWITCH: bool}

Fields = Any
"""What a field holds: TEXT, NUMBER, SWITCH; a tuple of words, one of which it is; a list of what its items hold; or the
fields of an object, of which a name with ``!`` at its end is required, and ``*`` is any name."""


_SECRET: Fields = {"name!": TEXT, "namespace": TEXT}
_KEY: Fields = {**_SECRET, "key": TEXT}
_ENDPOINT: Fields = {
    "authorization": {"secretRef!": _KEY, "type": TEXT},
    "basicAuth": {"secretRef!": _SECRET, "usernameKey": TEXT, "passwordKey": TEXT},
    "caBundle": {"configMapRef": _KEY, "secretRef": _KEY, "inline": TEXT},
    "clientTLS": {"secretRef!": _SECRET, "certKey": TEXT, "privateKeyKey": TEXT},
}
_WEBHOOK: Fields = {
    **_ENDPOINT,
    "etag": {"enabled": SWITCH, "cacheCleanupSeconds": NUMBER, "cacheTimeoutSeconds": NUMBER},
    "path": TEXT,
    "responseUnMarshallMode": ("strict", "loose"),
    "service": {"name!": TEXT, "namespace!": TEXT, "port": NUMBER, "protocol": TEXT},
    "timeout": TEXT,
    "url": TEXT,
}
_HOOK: Fields = {"version": ("v1", "v2"), "webhook": _WEBHOOK}
_HOOKS: Fields = {"sync!": _HOOK, "customize": _HOOK, "finalize": _HOOK}
_EXPRESSIONS: Fields = [{"key!": TEXT, "operator!": ("In", "NotIn", "Exists", "DoesNotExist"), "values": [TEXT]}]
_RESOURCE: Fields = {"apiVersion!": TEXT, "resource!": TEXT}
_PARENT: Fields = {
    **_RESOURCE,
    "ignoreStatusChanges": SWITCH,
    "labelSelector": {"matchLabels": {"*": TEXT}, "matchExpressions": _EXPRESSIONS},
}
_METHOD = ("InPlace", "OnDelete", "Recreate", "RollingInPlace", "RollingRecreate")
_CONDITIONS: Fields = [{"type!": TEXT, "status": TEXT, "reason": TEXT}]
_COMMON: Fields = {"resyncPeriodSeconds": NUMBER, "endpointConfigs": [{"host!": TEXT, **_ENDPOINT}]}

SPECS: dict[str, Fields] = {
    "CompositeController": {
        **_COMMON,
        "parentResource!": {**_PARENT, "revisionHistory": {"fieldPaths": [TEXT]}},
        "childResources": [
            {**_RESOURCE, "updateStrategy": {"method": _METHOD, "statusChecks": {"conditions": _CONDITIONS}}}
        ],
        "generateSelector": SWITCH,
        "hooks!": {**_HOOKS, "preUpdateChild": _HOOK, "postUpdateChild": _HOOK},
    },
    "DecoratorController": {
        **_COMMON,
        "resources!": [
            {**_PARENT, "annotationSelector": {"matchAnnotations": {"*": TEXT}, "matchExpressions": _EXPRESSIONS}}
        ],
        "attachments": [{**_RESOURCE, "updateStrategy": {"method": _METHOD}}],
        "hooks!": _HOOKS,
    },
}
"""The spec of each kind of controller."""


def field_problems(value: object, fields: Fields, path: FieldPath = ()) -> Iterator[Problem]:
    """Yield what is wrong with *value*, at *path*, which is to hold *fields*. Null counts as absent."""
    if isinstance(fields, dict):
        yield from _object_problems(value, fields, path)
    elif isinstance(fields, list):
        if not isinstance(value, list):
            yield Problem(path, "must be a list")
            return
        for index, item in enumerate(value):
            yield from field_problems(item, fields[0], (*path, index))
    elif isinstance(fields, tuple):
        if value not in fields:
            yield Problem(path, f"must be one of {', '.join(fields)}")
    elif type(value) is not _TYPES[fields]:
        yield Problem(path, f"must be {fields}")


def _object_problems(value: object, fields: Fields, path: FieldPath) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(path, "must be an object")
        return
    inner = {name.removesuffix("!"): field for name, field in fields.items()}
    for name, content in value.items():
        if name not in inner and "*" not in inner:
            yield unknown_field((*path, name), inner)
        elif content is not None:
            yield from field_problems(content, inner.get(name, inner.get("*")), (*path, name))
    for name in fields:
        if name.endswith("!") and value.get(name.removesuffix("!")) is None:
            yield Problem((*path, name.removesuffix("!")), "missing; add it")


_GROUP = "metacontroller.k8s.io/"
_CRD = "apiextensions.k8s.io/v1"
_CONTROLLERS = [Kind(f"{_GROUP}v1alpha1", kind, f"{kind.lower()}s") for kind in SPECS]


class _Names(msgspec.Struct):
    kind: str
    plural: str


class _Version(msgspec.Struct):
    name: str
    subresources: dict[str, Any] | None = None


class _Spec(msgspec.Struct):
    group: str
    names: _Names
    versions: list[_Version]


class Manifests(msgspec.Struct, frozen=True):
    """A CompositeController or DecoratorController, with the CRDs beside it."""

    controller: FileManifest
    crds: tuple[FileManifest, ...]

    @classmethod
    def read(cls, paths: Iterable[str], name: str | None = None, *, check: bool = True) -> "Manifests":
        """Return what the files and directories *paths* have; raise InputError.

        *name* is that of the controller, needed if there are several. Other objects are ignored. A field that is wrong
        is an error, unless the caller is to *check* them itself, by ``problems``.
        """
        paths = list(paths)
        found = [manifest for path in paths for file in files_in(path) for manifest in read_manifests(file)]
        controllers = [item for item in found if item.kind in SPECS and _version(item).startswith(_GROUP)]
        manifests = cls(
            _the_one(controllers, name, ", ".join(paths), found),
            tuple(item for item in found if (_version(item), item.kind) == (_CRD, "CustomResourceDefinition")),
        )
        for manifest, problem in manifests.problems() if check else ():
            raise manifest.error(problem.text, *problem.path)
        return manifests

    def settings(self, mode: Mode) -> Settings:
        """Return the settings of a simulated cluster with them, and the apply strategy *mode*; raise InputError."""
        try:
            return Settings.read(self.controller.content, [crd.content for crd in self.crds], mode)
        except (NotSimulated, UnknownResource) as error:
            first = str(error).partition(" ")[0]
            path = path_steps(first) if first.startswith("spec.") else ["spec"]
            raise self.controller.error(str(error), *path) from error

    def path_of(self, hook: str) -> str:
        """Return the path of *hook*, such as ``/sync``, in the URL at which Metacontroller calls it."""
        webhook = (self.controller.content["spec"]["hooks"].get(hook) or {}).get("webhook") or {}
        path = webhook.get("path") or str(webhook.get("url") or "").partition("://")[2].partition("/")[2]
        path = path.partition("?")[0].strip("/")
        return f"/{path or hook}"

    def problems(self) -> Iterator[tuple[FileManifest, Problem]]:
        """Yield the fields of the controller and of the CRDs that are wrong, each with the manifest that it is in."""
        controller = self.controller
        for path, text in field_problems(controller.content.get("spec"), SPECS[controller.kind], ("spec",)):
            yield controller, Problem(path, f"{written(path)}: {text}")
        for crd in self.crds:
            yield from ((crd, problem) for problem in self._problems_of(crd))

    def _problems_of(self, crd: FileManifest) -> Iterator[Problem]:
        try:
            spec = msgspec.convert(crd.content.get("spec"), _Spec)
        except msgspec.ValidationError:
            message = "not a CRD: it needs spec.group, spec.names and spec.versions; give the one that you apply"
            yield Problem(("spec",), message)
            return
        # Only the status of a CompositeController's parent is written whatever the hook returns.
        if self.controller.kind != "CompositeController":
            return
        parent = (self.controller.content.get("spec") or {}).get("parentResource") or {}
        for index, version in enumerate(spec.versions):
            is_parent = (f"{spec.group}/{version.name}", spec.names.plural) == (
                parent.get("apiVersion"),
                parent.get("resource"),
            )
            if is_parent and "status" not in (version.subresources or {}):
                message = (
                    f"spec.versions[{index}] has no status, so Metacontroller ignores the controller; "
                    "add subresources: {status: {}}"
                )
                yield Problem(("spec", "versions", index), message)


def schema_of(kind: Kind, crds: tuple[FileManifest, ...]) -> tuple[FileManifest, FieldPath, Json] | None:
    """Return the CRD of *kind*, and the path and the value of its schema; None if no CRD of *crds* has one."""
    for crd in crds:
        spec = crd.content["spec"]
        for index, version in enumerate(spec["versions"]):
            api_version = f"{spec['group']}/{version['name']}"
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if (api_version, spec["names"]["kind"]) == (kind.api_version, kind.kind) and isinstance(schema, dict):
                return crd, ("spec", "versions", index, "schema", "openAPIV3Schema"), schema
    return None


def property_of(schema: Json, *names: str) -> Json | None:
    """Return the schema of the field at *names*; None if it is dropped, and one for any value if any is kept there."""
    for name in names:
        below = (schema.get("properties") or {}).get(name)
        if below is None:
            return {KEEPS_ALL: True} if schema.get(KEEPS_ALL) or schema.get("additionalProperties") else None
        schema = below
    return schema


def _version(manifest: FileManifest) -> str:
    return str(manifest.content["apiVersion"])


def _the_one(controllers: list[FileManifest], name: str | None, where: str, found: list[FileManifest]) -> FileManifest:
    """Return the controller called *name*, or the only one, of all objects *found* in *where*; raise InputError."""
    chosen = [item for item in controllers if name in (None, item.name)]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(sorted(item.name for item in controllers))
    if not controllers:
        error = misspelt(_CONTROLLERS, found, is_one_there=False)
        raise error or missing(_CONTROLLERS, found, where, "name a file that has one with --manifests")
    if not chosen:
        message = f"{where}: no controller has the name in --controller; choose one of {names}"
    elif name is None:
        message = f"{where}: {len(chosen)} controllers; choose one with --controller: {names}"
    else:
        message = f"{chosen[1].place()}: a second controller of that name; remove one"
    raise InputError(message)
