"""``metahook new``: writes a project with a hook that runs, its tests, and what a cluster needs for it.

Its files come from templates, which are files of projects themselves. A template has every kind of child, and the names
``my-hook`` and ``MyKind``. A line that ends in ``# only: WORDS``, or what is between such a line and ``# end``, is for
projects with one of these words; ``# each child`` repeats a line. Those in ``shared`` are for composite controllers and
decorators.
"""

import re
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click
import msgspec

import metahook
from metahook.cli.errors import InputError, input_errors
from metahook.cli.files.yaml_documents import dump_yaml
from metahook.cli.hooks.named_hook import load_file
from metahook.protocol.objects import Kind, Object
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
_PARENT = re.compile(
    r"(?P<group>[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+)"
    r"/(?P<version>v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?)/(?P<kind>[A-Z][A-Za-z0-9]{0,62})"
)
TEMPLATES = Path(__file__).parent.parent / "templates"

LONGEST_NAME = 52
"""Characters of the name of an attachment, as in the template of the children: a CronJob adds 11 for its Jobs."""


def function_name(kind: str) -> str:
    """Return the name of the function that returns a child of *kind*, such as ``config_map``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()


_FUNCTIONS = re.findall(r"^def (\w+)", (TEMPLATES / "shared/children.py").read_text(encoding="utf-8"), re.MULTILINE)
OFFERED = {kind.kind: kind for kind in BUILT_IN if function_name(kind.kind) in _FUNCTIONS}
"""The kinds of Kubernetes that have a function in the template of the children."""

_PROTECTED = ("k8s.io", "kubernetes.io")


@dataclass(frozen=True)
class Project:
    """A checked request for a project. A decorator's ``parent`` is a kind that exists already."""

    name: str
    parent: Kind
    children: tuple[Kind, ...]
    is_decorator: bool
    has_finalize: bool

    @property
    def example(self) -> str:
        """The name of the example, which is so short that the names of its children are not cut."""
        return self.name[: LONGEST_NAME - len(self.suffix)].rstrip("-") if self.parent.namespaced else "example"

    @property
    def has_namespaces(self) -> bool:
        """Whether each parent has a namespace for its children, whose name has a prefix: no parent gets kube-system."""
        return not (self.parent.namespaced or self.is_decorator)

    @property
    def suffix(self) -> str:
        """What the name of a child has after that of its parent.

        An attachment has one: a Service, Secret or ServiceAccount with the name of the object may be its user's own.
        """
        return f"-{self.name}" if self.is_decorator else ""

    def namespace_of(self, parent: str) -> str:
        """Return the namespace of the children of *parent*, which is cluster-scoped; a decorated Namespace is it."""
        return f"{self.parent.kind.lower()}-{parent}" if self.has_namespaces else parent


def read_project(  # noqa: PLR0913 - one argument an option
    name: str,
    parent: str | None,
    decorated: str | None,
    children: Iterable[str],
    *,
    cluster_scoped: bool,
    finalize: bool,
) -> Project:
    """Return the project that the arguments ask for; raise InputError."""
    if not _NAME.fullmatch(name):
        message = (
            "NAME: must be lower case letters, digits and '-', begin with a letter, and have at most 40 characters"
        )
        raise InputError(message)
    if (parent is None) == (decorated is None):
        message = "give --parent for objects of a new kind, or --decorate for those of a kind of Kubernetes"
        raise InputError(message)
    if decorated is not None and cluster_scoped:
        message = "--cluster-scoped is for --parent: leave it out"
        raise InputError(message)
    kind = _new_kind(parent, namespaced=not cluster_scoped) if parent else built_in("--decorate", str(decorated))
    kinds = tuple(dict.fromkeys(built_in("--child", each) for each in children))
    project = Project(name, kind, kinds, is_decorator=not parent, has_finalize=finalize)
    _check(project)
    return project


def _new_kind(text: str, *, namespaced: bool) -> Kind:
    found = _PARENT.fullmatch(text)
    if not found:
        message = "--parent: write GROUP/VERSION/KIND, with a domain as the group, such as example.com/v1/StaticSite"
        raise InputError(message)
    if found["group"].endswith(_PROTECTED):
        message = "--parent: k8s.io and kubernetes.io are Kubernetes' own groups; use a domain of yours"
        raise InputError(message)
    return Kind(f"{found['group']}/{found['version']}", found["kind"], plural(found["kind"]), namespaced)


def plural(kind: str) -> str:
    """Return the plural of *kind*, as Kubernetes' own kinds have it."""
    word = kind.lower()
    if re.search(r"(s|x|z|ch|sh)$", word):
        return f"{word}es"
    return f"{word[:-1]}ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


def built_in(option: str, text: str) -> Kind:
    """Return the kind of Kubernetes that *text* names, such as ``Deployment`` or ``apps/v1/Deployment``."""
    api_version, _, word = text.rpartition("/")
    kind = OFFERED.get(word)
    if kind is None or api_version not in ("", kind.api_version):
        message = f"{option}: no template for this kind; choose one of {', '.join(sorted(OFFERED))}"
        raise InputError(message)
    return kind


def _check(project: Project) -> None:
    """Raise InputError if the parents of *project* can't have its children."""
    if project.is_decorator and project.parent in project.children:
        message = "--child: is the kind of --decorate, so a child would have the name of its parent; choose another"
        raise InputError(message)
    in_namespaces = [child for child in project.children if child.namespaced]
    if project.parent.namespaced and len(in_namespaces) < len(project.children):
        message = (
            "--child: a cluster-scoped kind, such as Namespace, needs cluster-scoped parents: add --cluster-scoped"
        )
        raise InputError(message)
    has_namespace = any(child.kind == "Namespace" for child in (project.parent, *project.children))
    if not project.parent.namespaced and in_namespaces and not has_namespace:
        message = "--child: children of a cluster-scoped parent need a namespace: add --child Namespace"
        raise InputError(message)


WIDTH = 120
"""Characters of a line of code."""

_SELECTING = {"DaemonSet", "Deployment", "StatefulSet"}
"""Kinds of which each object selects the Pods that it creates."""

_RUNNING = {"CronJob", "Job", *_SELECTING}
"""Kinds with a template of Pods."""

_ONCE = {"Job"}
"""Kinds whose objects can't be changed, so that their update method is OnDelete."""

_ONLY = re.compile(r" *(?:#|<!--) only: ([-\w ]+?)(?: -->)?$")
_EACH_LINE = re.compile(r"^(.*\S) +# each ([-\w]+)\n", re.MULTILINE)
_EACH_BLOCK = re.compile(r"^# each ([-\w]+)\n(.*?)^# end\n", re.MULTILINE | re.DOTALL)
_END = {"# end", "<!-- end -->"}
_DEFAULT = re.compile(r"^    (\w+): Annotated.* = (.+)$", re.MULTILINE)
_BRACKETS = re.compile(r"^(.*[\[({])\n((?: +.+,\n)+) *([\])}].*)$", re.MULTILINE)
"""Brackets with an item on each line."""

_EMPTY = re.compile(r"^from \S+ import \(\n\)\n|(?<=\n\n\n)\n+", re.MULTILINE)
"""What is left to remove: an import of no name, and all but two of the empty lines in a row."""


def project_files(project: Project) -> dict[str, str]:
    """Return the text of each file of *project*, by its path, except of ``crd.yaml``, which its model makes."""
    folders = [TEMPLATES / name for name in ("shared", "decorator" if project.is_decorator else "composite")]
    files = {str(file.relative_to(folder)): file for folder in folders for file in folder.rglob("*")}
    texts = {
        path: _repeated(file.read_text(encoding="utf-8"), project)
        for path, file in sorted(files.items())
        if file.is_file() and file.parent.name != "__pycache__"  # of the installer
    }
    words = _words(project)
    fields = set(re.findall(r"spec\.(\w+)", _kept(texts["children.py"], words)))
    words |= {"fields", *fields} if fields else {"text"}
    names = _names(project)
    return {path: _joined(_named(_kept(text, words), names)) for path, text in texts.items()}


def _words(project: Project) -> set[str]:
    """Return the words of lines for *project*, except its fields."""
    kinds = {child.kind for child in project.children}
    has_selector = project.is_decorator and project.parent.kind in _SELECTING
    return {
        *kinds,
        "decorator" if project.is_decorator else "composite",
        "namespaced" if project.parent.namespaced else "cluster-scoped",
        "selecting" if has_selector and kinds & {"PodDisruptionBudget", "Service"} else "not-selecting",
        f"on-{project.parent.kind}",
        *(["finalize"] if project.has_finalize else []),
        *(["own-structs"] if not all(map(_has_struct, project.children)) else []),
        *(["pods-run"] if kinds & _RUNNING else []),
    }


def _has_struct(kind: Kind) -> bool:
    """Tell whether metahook has a struct for the objects of *kind*."""
    found = getattr(metahook, kind.kind, None)
    return isinstance(found, type) and issubclass(found, Object) and kind == found.KIND


def _names(project: Project) -> dict[str, str]:
    """Return what replaces each name of the templates, and each expression that differs in *project*."""
    parent = project.parent
    names = {
        "my-hook": project.name,
        "my-example": project.example,
        "my.example.com/v1": parent.api_version,
        "MyKind": parent.kind,
        "mykinds": parent.plural,
        "mykind": parent.kind.lower(),
        "MyChildren": ", ".join(child.kind for child in project.children),
        "my-source": _source(),
    }
    own_name = "parent.name"
    if project.is_decorator:
        model = (TEMPLATES / "composite/model.py").read_text(encoding="utf-8")
        names |= {f"spec.{field}": default for field, default in _DEFAULT.findall(model)}
        names |= {", spec: Spec": "", ", spec)": ")"}
        own_name = names["parent.name"] = "_name(parent)"
        names["{parent.name}"] = "{parent.name}"  # which _name itself has
    namespace = f'f"{project.namespace_of("{parent.name}")}"' if project.has_namespaces else "parent.name"
    metadata = f'"name": {own_name}'
    if not parent.namespaced:
        metadata += f', "namespace": {namespace}'
        names['"mykinds")'] = f'"{parent.plural}", namespaced=False)'
    return {**names, '{"name": parent.name}': f"{{{metadata}}}"}


def _child_names(project: Project, child: Kind) -> dict[str, str]:
    """Return what replaces the names of a child in lines that are there for each *child*."""
    name, namespace = f"{project.example}{project.suffix}", project.namespace_of(project.example)
    return {
        "MyChild": child.kind,
        "my_child": function_name(child.kind),
        "mychildren": child.plural,
        "child/v1": child.api_version,
        "my-method": "OnDelete" if child.kind in _ONCE else "InPlace",
        "my-namespace": "" if not child.namespaced else "default" if project.parent.namespaced else namespace,
        "my-child": namespace if child.kind == "Namespace" else name,
    }


def _repeated(text: str, project: Project) -> str:
    """Return *text* with the lines that are there for each child."""
    children = {
        "child": project.children,
        "own-struct": [child for child in project.children if not _has_struct(child) and child.kind != "StatefulSet"],
    }

    def each(line: str, word: str) -> str:
        return "".join(_named(line, _child_names(project, child)) for child in children[word])

    text = _EACH_BLOCK.sub(lambda block: each(block[2], block[1]), text)
    return _EACH_LINE.sub(lambda line: each(f"{line[1]}\n", line[2]), text)


def _kept(text: str, words: set[str]) -> str:
    """Return the lines of *text* for a project with *words*, without their marks."""
    lines: list[str] = []
    blocks: list[bool] = []
    for line in text.splitlines():
        mark = _ONLY.search(line)
        code = line[: mark.start()] if mark else line
        is_kept = all(blocks) and (not mark or not words.isdisjoint(mark[1].split()))
        if line.strip() in _END:
            blocks.pop()
        elif mark and not code:
            blocks.append(is_kept)
        elif is_kept:
            lines.append(code)
    return "\n".join(lines).rstrip() + "\n"


def _named(text: str, names: dict[str, str]) -> str:
    """Return *text* with other *names*; the longest of them go first."""
    longest_first = sorted(names, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: names[found[0]], text)


def _joined(text: str) -> str:
    """Return *text* with the items of brackets on one line where they fit, as ``ruff format`` has them."""

    def joined(brackets: re.Match[str]) -> str:
        start, items, end = brackets[1], [line.strip(" ,") for line in brackets[2].splitlines()], brackets[3]
        if start.endswith(" import ("):
            start, end = start[:-1], ""
        elif start.endswith(" (") and len(items) == 1:
            end = f",{end}"
        line = f"{start}{', '.join(items)}{end}"
        return line if len(line) <= WIDTH else brackets[0]

    return _BRACKETS.sub(joined, _EMPTY.sub("", text))


def _source() -> str:
    """Return from where pip has installed metahook, as PEP 610 records it; "" if that is not known."""
    try:
        recorded = distribution("metahook").read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    origin = msgspec.json.decode(recorded) if recorded else {}
    url, vcs = str(origin.get("url") or ""), origin.get("vcs_info")
    folder = f"#subdirectory={origin['subdirectory']}" if origin.get("subdirectory") else ""
    return f"{vcs['vcs']}+{url}@{vcs['commit_id']}{folder}" if vcs else url


@click.command("new")
@click.argument("name")
@click.option(
    "--parent", metavar="GROUP/VERSION/KIND", help="New kind of the parents, such as example.com/v1/StaticSite."
)
@click.option(
    "--decorate", metavar="KIND", help="Kind of Kubernetes whose objects get the children, instead of --parent."
)
@click.option(
    "--child", "children", multiple=True, required=True, metavar="KIND", help="Kind of a child. May be repeated."
)
@click.option(
    "--cluster-scoped", is_flag=True, help="Parents are in no namespace; the children of each are in one of its own."
)
@click.option(
    "--finalize", is_flag=True, help="The hook has finalize: a deleted parent waits until its children are gone."
)
@click.option("-o", "--output", "folder", metavar="DIR", help="Directory to create; default is NAME.")
@input_errors()
def command(  # noqa: PLR0913 - one argument an option
    name: str,
    parent: str | None,
    decorate: str | None,
    children: tuple[str, ...],
    folder: str | None,
    *,
    cluster_scoped: bool,
    finalize: bool,
) -> None:
    """Write a project with a hook that runs: hook, CRD, controller, tests, image, manifests and CI."""
    project = read_project(name, parent, decorate, children, cluster_scoped=cluster_scoped, finalize=finalize)
    target = Path(folder or name)
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        message = f"{target}: exists already; choose another directory with -o"
        raise InputError(message)
    files = project_files(project)
    try:
        _write(target, files)
    except OSError as error:
        message = f"{target}: can't be written: {(error.strerror or 'unknown error').lower()}; choose another with -o"
        raise InputError(message) from error
    lines = files["hook.py"].count("\n")
    print(f"wrote {target}/: hook.py ({lines} lines), its tests, manifests, image and CI")
    print(f"next: cd {target} && make test")


def _write(target: Path, files: dict[str, str]) -> None:
    """Write *files* and the CRD into a directory beside *target*, and then give it the name: all of them or none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as temporary:
        folder = Path(temporary) / "project"
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if "model.py" in files:
            crd = dump_yaml(load_file(folder / "model.py").CRD)
            (folder / "crd.yaml").write_text(crd, encoding="utf-8")
            shutil.rmtree(folder / "__pycache__", ignore_errors=True)  # of the model, which was run
        shutil.move(folder, target) if not target.exists() else folder.replace(target)
