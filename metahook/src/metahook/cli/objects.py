"""The objects in the files of ``-f``: parents of the controller, and others that are in the cluster beside them."""

from dataclasses import dataclass

from metahook.cli.errors import InputError
from metahook.cli.files.manifest import Json, Manifest, files_in, read_manifests
from metahook.cli.files.metadata import SERVER_FIELDS, type_problems, without_nulls
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Key, key_of
from metahook.simulator.world import World


@dataclass(frozen=True)
class Objects:
    """The *parents*, of which there is at least one, and *others*."""

    parents: tuple[Manifest, ...]
    others: tuple[Manifest, ...]

    @classmethod
    def read(cls, paths: tuple[str, ...], settings: Settings) -> "Objects":
        """Return the objects in the files and directories *paths*; raise InputError if none is a parent."""
        found = [_checked(manifest) for path in paths for file in files_in(path) for manifest in read_manifests(file)]
        parents = tuple(item for item in found if _is_parent(item, settings))
        if not parents:
            kinds = " or ".join(f"{parent.kind.kind} of {parent.kind.api_version}" for parent in settings.parents)
            message = f"{', '.join(paths)}: no {kinds}; name a file that has one"
            raise InputError(message)
        return cls(parents, tuple(item for item in found if item not in parents))

    def create(self, world: World) -> list[Key]:
        """Create all in *world*, the parents last; return the keys of the parents; raise InputError."""
        for item in (*self.others, *self.parents):
            apply(item, world)
        return [key_of(world.api.placed(item.content)) for item in self.parents]


def apply(item: Manifest, world: World) -> None:
    """Apply *item* in *world*; raise InputError if the API server refuses it."""
    try:
        world.apply(created(item.content))
    except ApiError as error:
        problem = f"the API server refuses {item.kind} {item.name}: {error}"
        raise item.error(problem, "metadata") from error


def created(content: Json) -> Json:
    """Return an object as a user creates it: without a status, and without the metadata that the API server sets."""
    users = {name: value for name, value in without_nulls(content["metadata"]).items() if name not in SERVER_FIELDS}
    return {**{name: value for name, value in content.items() if name != "status"}, "metadata": users}


def _is_parent(item: Manifest, settings: Settings) -> bool:
    kind = settings.kind(item.content["apiVersion"], item.kind)
    return any(parent.kind == kind for parent in settings.parents)


def _checked(item: Manifest) -> Manifest:
    """Return *item*, if it has a name, and metadata of the right types; raise InputError."""
    metadata = item.content.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        problem = f"a {item.kind} has no metadata.name; give it one"
        raise item.error(problem, "metadata")
    for wrong in type_problems(metadata):
        problem = f"{item.kind} {item.name}: {wrong}"
        raise item.error(problem, "metadata")
    return item
