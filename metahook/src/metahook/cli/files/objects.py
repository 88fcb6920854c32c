"""The objects in the files of ``-f``: parents of the controller, and others that are in the cluster beside them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from metahook.cli.binding import binding, words
from metahook.cli.errors import InputError, program_name
from metahook.cli.files.manifest import FileManifest, files_in, missing, misspelt, read_manifests
from metahook.cli.files.metadata import SERVER_FIELDS, present_fields
from metahook.protocol.objects.plain_json import Json
from metahook.simulator.apiserver.custom_rules import Problem, dropped, problems, schemas
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Key, key_of
from metahook.simulator.world import World

_CHECKED_ELSEWHERE = {"apiVersion", "kind", "metadata", "status"}


@dataclass(frozen=True)
class Objects:
    """The *parents*, of which there is at least one, and *others*."""

    parents: tuple[FileManifest, ...]
    others: tuple[FileManifest, ...]

    @classmethod
    def read(cls, paths: tuple[str, ...], settings: Settings) -> "Objects":
        """Return the objects in the files and directories *paths*; raise InputError if one can't be applied."""
        found = [manifest for path in paths for file in files_in(path) for manifest in read_manifests(file)]
        return cls.of(found, ", ".join(paths), settings).checked()

    @classmethod
    def of(cls, manifests: Iterable[FileManifest], where: str, settings: Settings) -> "Objects":
        """Return *manifests*, of the files *where*; raise InputError if none is a parent."""
        found = [manifest.checked() for manifest in manifests]
        for item in found:
            for problem in _problems_by_crd(item.content, settings):
                raise item.error(str(problem), *problem.path)
        parents = tuple(item for item in found if _is_parent(item, settings))
        kinds = [parent.kind for parent in settings.parents]
        unknown = [item for item in found if not settings.kind(item.api_version, item.kind)]
        if error := misspelt(kinds, unknown, is_one_there=bool(parents)):
            raise error
        if not parents:
            example = words().example
            remedy = f"name a file that has one{f', such as {example}' if example else ''}"
            raise missing(kinds, found, where, remedy)
        return cls(parents, tuple(item for item in found if item not in parents))

    def problems(self) -> list[str]:
        """Return what is wrong with the parents, as the program that runs knows them; raise InputError."""
        bound = binding()
        if not bound or not bound.problems:
            return []
        return [problem for item in self.parents for problem in bound.problems(item.content, item.file)]

    def checked(self) -> "Objects":
        """Return these, if nothing is wrong with the parents; raise InputError."""
        wrong = self.problems()
        if wrong:
            more = f" (and {len(wrong) - 1} more; see: {program_name()} render -f {self.parents[0].file})"
            raise InputError(wrong[0] + (more if wrong[1:] else ""))
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
        """Return the keys of the parents in *world*."""
        return [key_of(world.api.placed(item.content)) for item in self.parents]


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


def _is_parent(item: FileManifest, settings: Settings) -> bool:
    kind = settings.kind(item.content["apiVersion"], item.kind)
    return any(parent.kind == kind for parent in settings.parents)


def check_edited(parent: Json, settings: Settings, change: str, file: str) -> None:
    """Raise InputError if the *parent* in *file* after a *change* by ``--set`` is not one that its CRD allows."""
    bound = binding()
    known = bound.problems(parent, file) if bound and bound.problems else ()
    for problem in (*_problems_by_crd(parent, settings), *known):
        message = f"--set {change.partition('=')[0]}: {problem}"
        raise InputError(message)


def _problems_by_crd(item: Json, settings: Settings) -> Iterator[Problem]:
    """Yield what an API server drops from *item*, and what it refuses, if its kind has a CRD."""
    schema = schemas(settings.crds).get((item["apiVersion"], item["kind"]))
    if not schema:
        return
    own = {name: value for name, value in item.items() if name not in _CHECKED_ELSEWHERE}
    try:
        required = [name for name in schema.get("required") or () if name not in _CHECKED_ELSEWHERE]
        for path in dropped(own, schema):
            yield Problem(path, "is not in the CRD's schema; remove it")
        yield from problems(own, {**schema, "required": required})
    except (AttributeError, KeyError, TypeError) as error:
        message = f"the CRD of {item['kind']}: no API server accepts its schema; give the one that you apply"
        raise InputError(message) from error
