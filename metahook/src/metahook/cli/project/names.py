"""What a user gives for a project: its name, the kind of its parents, and the kinds of its children."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from metahook.cli.errors import InputError
from metahook.protocol.objects import Kind
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
_PARENT = re.compile(
    r"(?P<group>[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+)"
    r"/(?P<version>v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?)/(?P<kind>[A-Z][A-Za-z0-9]{0,62})"
)
TEMPLATES = Path(__file__).parent / "templates"

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
