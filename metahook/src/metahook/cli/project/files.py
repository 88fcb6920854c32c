"""The text of each file of a project."""

from importlib.metadata import PackageNotFoundError, distribution
from types import SimpleNamespace
from typing import Any

import msgspec
import yaml

import metahook
from metahook.cli.project.names import Project
from metahook.cli.project.templates import FIELDS, MANIFESTS, function_name, template
from metahook.protocol.kind import Kind
from metahook.protocol.objects import Object

_WIDTH = 120
"""Characters of a line of code."""

_ONCE = {"Job"}
"""Kinds whose objects can't be changed, so that their update method is OnDelete."""

_DEPLOY = ("deployment", "kustomization", "namespace", "networkpolicy", "poddisruptionbudget", "service")


def project_files(project: Project) -> dict[str, str]:
    """Return the text of each file of *project*, by its path, except of ``crd.yaml``, which its model makes."""
    values = _values(project)
    names = {
        "Dockerfile": "Dockerfile",
        "Makefile": "Makefile",
        "README.md": "README.md",
        ".gitignore": "gitignore",
        "pyproject.toml": "pyproject.toml",
        "kustomization.yaml": "kustomization.yaml",
        ".github/workflows/ci.yml": "workflows/ci.yml",
        "controller.yaml": "decoratorcontroller.yaml" if project.is_decorator else "controller.yaml",
        "hook.py": "decorator.py" if project.is_decorator else "hook.py",
        "test_hook.py": "test_decorator.py" if project.is_decorator else "test_hook.py",
        **{f"deploy/{name}.yaml": f"deploy/{name}.yaml" for name in _DEPLOY},
    }
    files = {path: template(name).substitute(values) for path, name in names.items()}
    files["children.py"] = _children(project)
    if not project.is_decorator:
        files["model.py"] = _model(project)
    files["example.yaml"] = _yaml(_example(project))
    return dict(sorted(files.items()))


def _values(project: Project) -> dict[str, str]:
    """Return what the templates are filled with."""
    parent, children = project.parent, project.children
    functions = [function_name(child.kind) for child in children]
    arguments = "(parent)" if project.is_decorator else "(parent, spec)"
    prefix = "    return DecoratorResponse(children=[" if project.is_decorator else "    children = ["
    structs = [child.kind for child in children]
    return {
        "name": project.name,
        "example": project.example,
        "kind": parent.kind,
        "plural": parent.plural,
        "api_version": parent.api_version,
        "scope": "" if parent.namespaced else ", namespaced=False",
        "metahook": _source(),
        "children": "\n".join(_child_resource(child) for child in children),
        "calls": _joined(prefix, [f"{name}{arguments}" for name in functions]),
        "controller": _controller(project),
        "rolled_out": _rolled_out(project),
        "imports": _hook_imports(project, functions),
        "keys": _joined("CHILDREN = [", [_key(project, child) for child in children]),
        "modules": "hook.py children.py" if project.is_decorator else "hook.py model.py children.py",
        "generate": "" if project.is_decorator else template("generate").substitute(),
        "manifests": "-k controller.yaml" if project.is_decorator else "-k crd.yaml -k controller.yaml",
        "manifest_files": '"controller.yaml"' if project.is_decorator else '"crd.yaml", "controller.yaml"',
        "resources": "controller.yaml, deploy" if project.is_decorator else "crd.yaml, controller.yaml, deploy",
        "a_children": _words(structs),
        "files": _rows(project),
    }


def _child_resource(child: Kind) -> str:
    method = "OnDelete" if child.kind in _ONCE else "InPlace"
    return f"    - {{apiVersion: {child.api_version}, resource: {child.plural}, updateStrategy: {{method: {method}}}}}"


def _joined(prefix: str, items: list[str], suffix: str = "]") -> str:
    """Return *items* as they stand in a list that begins with *prefix*, on a line each if one is too short."""
    line = ", ".join(items)
    if len(prefix) + len(line) + len(suffix) <= _WIDTH - 1:
        return line
    indent = " " * (len(prefix) - len(prefix.lstrip()))
    return "".join(f"\n{indent}    {item}," for item in items) + f"\n{indent}"


def _controller(project: Project) -> str:
    """Return the call that makes the controller."""
    kinds = [child.kind for child in project.children]
    methods = [f'{kind}: "OnDelete"' for kind in kinds if kind in _ONCE]
    structs = f"({', '.join(kinds)}{',' if len(kinds) == 1 else ''})"
    arguments = ["sync", structs, "parent=PARENT", *([f"update_methods={{{', '.join(methods)}}}"] if methods else [])]
    name = "Decorator" if project.is_decorator else "Controller"
    prefix = f"CONTROLLER = {name}("
    if len(prefix) + len(structs) > _WIDTH // 2:
        arguments[1] = "".join(["(", *(f"\n        {kind}," for kind in kinds), "\n    )"])
    return f"{prefix}{_joined(prefix, arguments, ')')})"


def _key(project: Project, child: Kind) -> str:
    own = project.namespace_of(project.example)
    namespace = "" if not child.namespaced else "default" if project.parent.namespaced else own
    return f'Key("{child.kind}", "{namespace}", "{own if child.kind == "Namespace" else project.example}")'


def _rolled_out(project: Project) -> str:
    if not any(child.kind == "Deployment" for child in project.children):
        return ""
    namespace = "" if project.parent.namespaced else f", {_namespace(project)}"
    return f"\n    is_ready = is_ready and rolled_out(request.children.get(Deployment, parent.name{namespace}))"


def _hook_imports(project: Project, functions: list[str]) -> str:
    own = [child.kind for child in project.children if not _is_struct(child)]
    structs = [child.kind for child in project.children if _is_struct(child)]
    if project.is_decorator:
        names = ["Address", "Decorator", "DecoratorResponse", "Kind", "SyncRequest", "serve", *structs]
        return f"{_import('metahook', names)}\n\n{_import('children', own + functions)}"
    names = ["Address", "Controller", "SyncRequest", "SyncResponse", "drifted_field", "serve", "try_read", *structs]
    names += ["rolled_out"] if "Deployment" in structs else []
    local = f"{_import('children', own + functions)}\n{_import('model', ['PARENT', 'Spec', 'status'])}"
    return f"{_import('metahook', names)}\n\n{local}"


def _is_struct(kind: Kind) -> bool:
    """Tell whether metahook has a struct for the objects of *kind*."""
    found = getattr(metahook, kind.kind, None)
    return isinstance(found, type) and issubclass(found, Object) and kind == found.KIND


def _import(module: str, names: list[str]) -> str:
    """Return an import of *names* as isort sorts it: constants, classes, functions."""
    ordered = sorted(set(names), key=lambda name: (not name.isupper(), name[0].islower(), name))
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in ordered), ")"])


def _children(project: Project) -> str:
    """Return the text of ``children.py``."""
    functions = [_function(project, child) for child in project.children]
    text = "\n\n\n".join(functions)
    structs = "".join(_struct(child) for child in project.children if not _is_struct(child))
    pod = f"\n\n\n{template('pod').substitute().rstrip()}" if "_pod(" in text else ""
    names = ["Manifest", "Parent", *(["Kind", "Object"] if structs else [])]
    typing = [*(["ClassVar"] if structs else []), *(["Any"] if pod else [])]
    standard = ["from base64 import b64encode"] if "b64encode" in text else []
    standard += [_import("typing", typing)] if typing else []
    local = [] if "Spec" not in text else ["from model import Spec"]
    sections = [standard, [_import("metahook", names)], local]
    imports = "\n\n".join("\n".join(section) for section in sections if section)
    return template("children.py").substitute(imports=imports, structs=f"{structs}\n", functions=text + pod)


def _struct(kind: Kind) -> str:
    scope = "" if kind.namespaced else ", namespaced=False"
    known = f'Kind("{kind.api_version}", "{kind.kind}", "{kind.plural}"{scope})'
    lines = [f"class {kind.kind}(Object, frozen=True):", f'    """An observed {kind.kind}."""', ""]
    return "\n".join(["", *lines, f"    KIND: ClassVar[Kind] = {known}", "", ""])


def _function(project: Project, child: Kind) -> str:
    """Return the function that returns the *child*."""
    found = MANIFESTS[function_name(child.kind)]
    name = _namespace(project) if child.kind == "Namespace" and child != project.parent else "parent.name"
    namespace = f', "namespace": {_namespace(project)}' if child.namespaced and not project.parent.namespaced else ""
    fields = {name: _default(name) if project.is_decorator else f"spec.{name}" for name in FIELDS}
    return found.substitute(
        fields,
        arguments="parent: Parent" if project.is_decorator else "parent: Parent, spec: Spec",
        metadata=f'{{"name": {name}{namespace}}}',
    )


def _namespace(project: Project) -> str:
    """Return the namespace of the children of a parent in no namespace, as an expression."""
    return f'f"{project.namespace_of("{parent.name}")}"' if project.has_namespaces else "parent.name"


def _default(field: str) -> str:
    """Return the default of a *field* of a spec, as an expression."""
    return FIELDS[field].splitlines()[0].rpartition(" = ")[2]


def _used_fields(project: Project) -> list[str]:
    """Return the fields of the spec that the children are made from; text if there are none."""
    used = [MANIFESTS[function_name(child.kind)].get_identifiers() for child in project.children]
    return [name for name in FIELDS if any(name in each for each in used)] or ["text"]


def _model(project: Project) -> str:
    """Return the text of ``model.py``."""
    fields = "\n    ".join(FIELDS[name] for name in _used_fields(project))
    standard = "from datetime import datetime\nfrom typing import Annotated, Any, Literal"
    ours = _import("metahook", ["Conditions", "Kind", "Parent", "crd", "set_condition"])
    imports = f"{standard}\n\n{ours}\n{_import('msgspec', ['Meta', 'Struct'])}"
    return template("model.py").substitute(_values(project), imports=imports, fields=fields)


def _example(project: Project) -> dict[str, Any]:
    """Return an object to try the hook with: of the new kind, or of the kind that is decorated."""
    parent = project.parent
    if not project.is_decorator:
        spec = {name: msgspec.json.decode(_default(name)) for name in _used_fields(project)}
        head = {"apiVersion": parent.api_version, "kind": parent.kind, "metadata": {"name": project.example}}
        return {**head, "spec": spec}
    code = f"{template('pod').substitute()}\n\n{_function(project, parent)}"
    scope: dict[str, Any] = {"Any": Any, "Manifest": dict, "Parent": object}
    exec("from base64 import b64encode\n" + code, scope)  # noqa: S102 - a template of this package
    item: dict[str, Any] = scope[function_name(parent.kind)](SimpleNamespace(name=project.example))
    return {**item, "metadata": {**item["metadata"], "labels": {project.name: "enabled"}}}


def _yaml(item: dict[str, Any]) -> str:
    text: str = yaml.safe_dump(item, sort_keys=False)
    return text


def _words(kinds: list[str]) -> str:
    named = [f"{'an' if kind[0] in 'AEIO' else 'a'} {kind}" for kind in kinds]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def _rows(project: Project) -> str:
    """Return the rows of the table of files in the README that differ."""
    rows = {"hook.py": "the decisions: from a request to children and a status", "children.py": "the children"}
    if not project.is_decorator:
        rows |= {"model.py": "spec and status", "crd.yaml": "the CRD, made from `model.py` by `make generate`"}
    return "\n".join(f"| `{path}` | {text} |" for path, text in rows.items())


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
