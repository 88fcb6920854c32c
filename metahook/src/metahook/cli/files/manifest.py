"""A manifest: an object in a file, and the line of each of its fields."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from metahook.cli.errors import DocumentError, InputError
from metahook.cli.files.documents import documents, parsed, read_text
from metahook.cli.files.metadata import present_fields, type_problems
from metahook.protocol.objects.plain_json import Json

if TYPE_CHECKING:
    import yaml


SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class FileManifest:
    """An object in the *file*."""

    content: Json
    file: str
    _node: "yaml.Node | None" = field(repr=False, compare=False, default=None)

    @property
    def kind(self) -> str:
        """The kind."""
        return str(self.content["kind"])

    @property
    def name(self) -> str:
        """The name; empty if it has none."""
        metadata = self.content.get("metadata")
        return str(metadata.get("name") or "") if isinstance(metadata, dict) else ""

    def line_of(self, *path: str | int) -> int:
        """Return the line of the field at *path*, such as ``"spec", "hooks", "sync"``, or of what exists of it."""
        if not self._node:
            return 1
        from metahook.cli.files.yaml_documents import line_of  # noqa: PLC0415 - the image has no YAML

        return line_of(self._node, path)

    def place(self, *path: str | int) -> str:
        """Return file and line of the field at *path*, such as ``controller.yaml:14``; the file alone in JSON."""
        return f"{self.file}:{self.line_of(*path)}" if self._node else self.file

    def error(self, problem: str, *path: str | int) -> InputError:
        """Return the error that names the *problem* at *path*, with its line."""
        return InputError(f"{self.place(*path)}: {problem}")

    def named(self) -> "FileManifest":
        """Return this, if it has a name; raise InputError."""
        metadata = self.content.get("metadata")
        if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
            problem = f"a {self.kind} has no metadata.name; give it one"
            raise self.error(problem, "metadata")
        return self

    def checked(self) -> "FileManifest":
        """Return this, if it has a name, and metadata of the right types; raise InputError."""
        for wrong in type_problems(self.named().content["metadata"]):
            problem = f"{self.kind} {self.name}: {wrong}"
            raise self.error(problem, "metadata")
        return self


def read_manifests(path: str) -> list[FileManifest]:
    """Return the objects in the file *path* (``-`` is standard input), those of a List one by one; raise InputError."""
    return manifests_in(read_text(path), path)


def manifests_in(text: str, path: str) -> list[FileManifest]:
    """Return the objects in the *text* of the file *path*, as read_manifests does."""
    found = ((content, node or _node_of_json(text)) for content, node in parsed(text, path))
    return [manifest for content, node in found for manifest in _objects(content, node, path)]


def load(path: str) -> list[Json]:
    """Return the objects in the file *path*, as read_manifests does, with metadata that an object has."""
    return objects(documents(path), path)


def objects(found: list[object], path: str) -> list[Json]:
    """Return the objects in the documents *found* in the file *path*, as load does."""
    checked = [manifest.checked().content for document in found for manifest in _objects(document, None, path)]
    return [{**content, "metadata": present_fields(content["metadata"])} for content in checked]


def files_in(path: str) -> list[str]:
    """Return the manifests' files in the directory *path*, sorted, without hidden ones; or the file itself."""
    directory = Path(path)
    if not directory.is_dir():
        return [path]
    inner = (file for file in directory.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    return sorted(str(file) for file in inner if not _is_hidden(file.relative_to(directory)))


def _is_hidden(file: Path) -> bool:
    """Tell whether *file* or a folder above it is hidden, such as .github, or *file* is one of Kustomize."""
    return file.stem.lower() == "kustomization" or any(part.startswith(".") for part in file.parts)


def _node_of_json(text: str) -> "yaml.Node | None":
    """Return the node of JSON, for its lines: nearly all JSON is YAML, too."""
    try:
        from metahook.cli.files.yaml_documents import load_with_nodes  # noqa: PLC0415 - the image has no YAML

        return load_with_nodes(text)[0][1]
    except (DocumentError, ModuleNotFoundError):
        return None


def _objects(content: object, node: "yaml.Node | None", path: str) -> Iterator[FileManifest]:
    if not isinstance(content, dict) or not all(isinstance(content.get(key), str) for key in ("apiVersion", "kind")):
        problem = "not a Kubernetes object; each needs apiVersion and kind"
        raise FileManifest({}, path, node).error(problem)
    items = content.get("items")
    if not content["kind"].endswith("List") or not isinstance(items, list):
        yield FileManifest(content, path, node)
        return
    nodes = _items(node)
    for index, item in enumerate(items):
        yield from _objects(item, nodes[index] if index < len(nodes) else None, path)


def _items(node: "yaml.Node | None") -> "list[yaml.Node]":
    pairs = node.value if node else []
    return next((value.value for key, value in pairs if key.value == "items"), [])
