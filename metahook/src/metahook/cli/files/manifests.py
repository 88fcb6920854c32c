"""The manifests of a controller: the controller and the CRDs, as files have them, checked before anything runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from metahook.cli.errors import InputError
from metahook.cli.files.controller_fields import SPECS, field_problems
from metahook.cli.files.manifest import FileManifest, files_in, missing, misspelt, read_manifests
from metahook.protocol.objects import Json, Kind
from metahook.simulator.apiserver.custom_rules import KEEPS_ALL, Path, Problem, written
from metahook.simulator.metacontroller.settings import Mode, NotSimulated, Settings, UnknownResource
from metahook.simulator.scenarios import path_steps

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


@dataclass(frozen=True)
class Manifests:
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


def schema_of(kind: Kind, crds: tuple[FileManifest, ...]) -> tuple[FileManifest, Path, Json] | None:
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
