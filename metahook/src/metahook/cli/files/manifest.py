"""A manifest: an object in a file, and the line of each of its fields."""

import difflib
import itertools
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from metahook.cli.errors import InputError
from metahook.cli.files.documents import Document, documents_in, read_text
from metahook.cli.files.metadata import present_fields, type_problems
from metahook.protocol.objects import Json, Kind

SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class FileManifest:
    """An object in the *file*: the value at a path in one of its documents."""

    content: Json
    file: str
    _document: Document | None = field(repr=False, compare=False, default=None)
    _path: tuple[str | int, ...] = field(repr=False, compare=False, default=())

    @property
    def kind(self) -> str:
        """The kind."""
        return str(self.content["kind"])

    @property
    def api_version(self) -> str:
        """The apiVersion."""
        return str(self.content["apiVersion"])

    @property
    def name(self) -> str:
        """The name; empty if it has none."""
        metadata = self.content.get("metadata")
        return str(metadata.get("name") or "") if isinstance(metadata, dict) else ""

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
            raise self.error(problem, "metadata")
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
    """Yield the objects in the *content* of *outer*."""
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
