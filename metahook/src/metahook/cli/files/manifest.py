"""A manifest: an object in a file, and the line of each of its fields."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metahook.cli.errors import DocumentError, InputError
from metahook.cli.files.documents import parse_json, read_text
from metahook.cli.files.yaml_documents import line_of, load_with_nodes
from metahook.protocol.plain_json import Json

if TYPE_CHECKING:
    import yaml


SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Manifest:
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
        return line_of(self._node, path) if self._node else 1

    def place(self, *path: str | int) -> str:
        """Return file and line of the field at *path*, such as ``controller.yaml:14``."""
        return f"{self.file}:{self.line_of(*path)}"

    def error(self, problem: str, *path: str | int) -> InputError:
        """Return the error that names the *problem* at *path*, with its line."""
        return InputError(f"{self.place(*path)}: {problem}")


def read_manifests(path: str) -> list[Manifest]:
    """Return the objects in the file *path* (``-`` is standard input), those of a List one by one; raise InputError."""
    return [manifest for content, node in _documents(path) for manifest in _objects(content, node, path)]


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


def _documents(path: str) -> Iterator[tuple[object, "yaml.Node | None"]]:
    text = read_text(path)
    try:
        if not text.lstrip().startswith("{"):
            yield from ((content, node) for content, node in load_with_nodes(text) if content is not None)
            return
        content = parse_json(text)
        yield content, _node_of_json(text)
    except DocumentError as error:
        place = f"{path}:{error.line}" if error.line else path
        message = f"{place}: not YAML or JSON: {error.problem}"
        raise InputError(message) from error


def _node_of_json(text: str) -> "yaml.Node | None":
    """Return the node of JSON, for its lines: nearly all JSON is YAML, too."""
    try:
        return load_with_nodes(text)[0][1]
    except DocumentError:
        return None


def _objects(content: object, node: "yaml.Node | None", path: str) -> Iterator[Manifest]:
    place = f"{path}:{line_of(node, ())}" if node else path
    if not isinstance(content, dict) or not all(isinstance(content.get(key), str) for key in ("apiVersion", "kind")):
        message = f"{place}: not a Kubernetes object; each needs apiVersion and kind"
        raise InputError(message)
    items = content.get("items")
    if not content["kind"].endswith("List") or not isinstance(items, list):
        yield Manifest(content, path, node)
        return
    nodes = _items(node)
    for index, item in enumerate(items):
        yield from _objects(item, nodes[index] if index < len(nodes) else None, path)


def _items(node: "yaml.Node | None") -> "list[yaml.Node]":
    pairs = node.value if node else []
    return next((value.value for key, value in pairs if key.value == "items"), [])
