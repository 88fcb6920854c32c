"""The files of a project, from the templates beside this module, which are files of projects themselves.

A template has every kind of child, and the names ``my-hook`` and ``MyKind``. A line that ends in ``# only: WORDS``, or
what is between such a line and ``# end``, is for projects with one of these words; ``# each child`` repeats a line.
"""

import re
from importlib.metadata import PackageNotFoundError, distribution

import msgspec

import metahook
from metahook.cli.project.names import TEMPLATES, Project, function_name
from metahook.protocol.objects import Kind, Object

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
