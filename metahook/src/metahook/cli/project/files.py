"""The text of each file of a project."""

from importlib.metadata import PackageNotFoundError, distribution
from types import SimpleNamespace
from typing import Any

import msgspec

from metahook.cli.files.yaml_documents import dump_yaml
from metahook.cli.project.children import (
    WIDTH,
    child_function,
    children_module,
    default_expression,
    import_statement,
    is_struct,
    namespace_expression,
)
from metahook.cli.project.expectations import OTHER, field_lines, reference_lines
from metahook.cli.project.names import Project
from metahook.cli.project.templates import FIELDS, MANIFESTS, function_name, template
from metahook.protocol.kind import Kind

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
    files["children.py"] = children_module(project)
    if not project.is_decorator:
        files["model.py"] = _model(project)
    files["example.yaml"] = dump_yaml(_example(project))
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
        "finalize": _finalize(project),
        "finalize_hook": _finalize_hook(project),
        "before_removal": _before_removal(project),
        "imports": _hook_imports(project, functions),
        **_tests(project),
        "modules": "hook.py children.py" if project.is_decorator else "hook.py model.py children.py",
        "generate": "" if project.is_decorator else template("generate").substitute(),
        "manifests": "-k controller.yaml" if project.is_decorator else "-k crd.yaml -k controller.yaml",
        "manifest_files": '"controller.yaml"' if project.is_decorator else '"crd.yaml", "controller.yaml"',
        "resources": "controller.yaml, deploy" if project.is_decorator else "crd.yaml, controller.yaml, deploy",
        "a_children": _words(structs),
        "files": _rows(project),
    }


def _tests(project: Project) -> dict[str, str]:
    """Return what the template of the tests is filled with."""
    prefix = "CHILDREN = ["
    keys = [_key(project, child, project.suffix) for child in project.children]
    values = {"keys": f"{prefix}{_joined(prefix, keys)}]"}
    more = [_test("references", reference_lines(project))]
    if project.has_finalize:
        more.append(template("test_finalize").substitute(parent_key=_key(project, project.parent, "")))
    if not project.is_decorator:
        fields = _used_fields(project)
        lines = field_lines(project, children_module(project), fields, _defaults(fields))
        more.insert(0, _test("fields", lines))
        values |= _ready_tests(project, fields, has_fields=bool(lines))
    return {**values, "more_tests": "".join(more)}


def _ready_tests(project: Project, fields: list[str], *, has_fields: bool) -> dict[str, str]:
    """Return what the tests of the condition Ready need; *has_fields* tells whether a child has one of the *fields*."""
    has_rollout = any(child.kind == "Deployment" for child in project.children)
    spec = _joined("OTHER_SPEC = {", [f'"{name}": {_literal(OTHER[name])}' for name in fields], "}")
    return {
        "field": fields[0],
        "model_imports": ", Spec" if has_fields else "",
        "other_spec": f"OTHER_SPEC = {{{spec}}}\n" if has_fields else "",
        "not_ready": template("test_rollout").substitute().rstrip() if has_rollout else "",
    }


def _test(name: str, lines: list[str]) -> str:
    """Return the tests in the template *name* with *lines*, or nothing without any."""
    return template(f"test_{name}").substitute(lines="\n".join(f"    {line}" for line in lines)) if lines else ""


def _child_resource(child: Kind) -> str:
    method = "OnDelete" if child.kind in _ONCE else "InPlace"
    return f"    - {{apiVersion: {child.api_version}, resource: {child.plural}, updateStrategy: {{method: {method}}}}}"


def _joined(prefix: str, items: list[str], suffix: str = "]") -> str:
    """Return *items* as they stand in a list that begins with *prefix*, on a line each if one is too short."""
    line = ", ".join(items)
    if len(prefix) + len(line) + len(suffix) <= WIDTH - 1:
        return line
    indent = " " * (len(prefix) - len(prefix.lstrip()))
    return "".join(f"\n{indent}    {item}," for item in items) + f"\n{indent}"


def _controller(project: Project) -> str:
    """Return the call that makes the controller."""
    kinds = [child.kind for child in project.children]
    methods = [f'{kind}: "OnDelete"' for kind in kinds if kind in _ONCE]
    structs = f"({', '.join(kinds)}{',' if len(kinds) == 1 else ''})"
    arguments = ["sync", structs, "parent=PARENT", *([f"update_methods={{{', '.join(methods)}}}"] if methods else [])]
    arguments += ["finalize=finalize"] if project.has_finalize else []
    name = "Decorator" if project.is_decorator else "Controller"
    prefix = f"CONTROLLER = {name}("
    if len(prefix) + len(structs) > WIDTH // 2:
        arguments[1] = "".join(["(", *(f"\n        {kind}," for kind in kinds), "\n    )"])
    return f"{prefix}{_joined(prefix, arguments, ')')})"


def _key(project: Project, child: Kind, suffix: str) -> str:
    own, name = project.namespace_of(project.example), f"{project.example}{suffix}"
    namespace = "" if not child.namespaced else "default" if project.parent.namespaced else own
    name = own if child.kind == "Namespace" and child in project.children else name
    return f'Key("{child.kind}", "{namespace}", "{name}")'


def _rolled_out(project: Project) -> str:
    if not any(child.kind == "Deployment" for child in project.children):
        return ""
    namespace = "" if project.parent.namespaced else f", {namespace_expression(project)}"
    return f"\n    is_ready = is_ready and rolled_out(request.children.get(Deployment, parent.name{namespace}))"


def _finalize(project: Project) -> str:
    """Return the function ``finalize``, or nothing."""
    if not project.has_finalize:
        return ""
    name = "finalize_decorator" if project.is_decorator else "finalize"
    return template(name).substitute(kind=project.parent.kind).rstrip()


def _before_removal(project: Project) -> str:
    """Return what the README says of the finalizers, or nothing."""
    if not project.has_finalize:
        return ""
    release = f"remove the label `{project.name}` from" if project.is_decorator else "delete"
    return template("before_removal").substitute(release=release, kind=project.parent.kind)


def _finalize_hook(project: Project) -> str:
    """Return the hook in the manifest of the controller, or nothing."""
    return f"\n{template('finalize_hook').substitute(name=project.name).rstrip()}" if project.has_finalize else ""


def _hook_imports(project: Project, functions: list[str]) -> str:
    own = [child.kind for child in project.children if not is_struct(child)]
    structs = [child.kind for child in project.children if is_struct(child)]
    if project.is_decorator:
        names = ["Address", "Decorator", "DecoratorResponse", "Kind", "SyncRequest", "serve", *structs]
        names += ["DecoratorFinalizeResponse"] if project.has_finalize else []
        return f"{import_statement('metahook', names)}\n\n{import_statement('children', own + functions)}"
    names = ["Address", "Controller", "SyncRequest", "SyncResponse", "drifted_field", "serve", "try_read", *structs]
    names += ["rolled_out"] if "Deployment" in structs else []
    names += ["FinalizeResponse"] if project.has_finalize else []
    local = (
        f"{import_statement('children', own + functions)}\n{import_statement('model', ['PARENT', 'Spec', 'status'])}"
    )
    return f"{import_statement('metahook', names)}\n\n{local}"


def _defaults(fields: list[str]) -> dict[str, Any]:
    return {name: msgspec.json.decode(default_expression(name)) for name in fields}


def _literal(value: Any) -> str:  # noqa: ANN401 - a value of a field
    return msgspec.json.encode(value).decode()


def _used_fields(project: Project) -> list[str]:
    """Return the fields of the spec that the children are made from; text if there are none."""
    used = [MANIFESTS[function_name(child.kind)].get_identifiers() for child in project.children]
    return [name for name in FIELDS if any(name in each for each in used)] or ["text"]


def _model(project: Project) -> str:
    """Return the text of ``model.py``."""
    fields = "\n    ".join(FIELDS[name] for name in _used_fields(project))
    standard = "from datetime import datetime\nfrom typing import Annotated, Any, Literal"
    ours = import_statement("metahook", ["Conditions", "Kind", "Parent", "crd", "set_condition"])
    imports = f"{standard}\n\n{ours}\n{import_statement('msgspec', ['Meta', 'Struct'])}"
    return template("model.py").substitute(_values(project), imports=imports, fields=fields)


def _example(project: Project) -> dict[str, Any]:
    """Return an object to try the hook with: of the new kind, or of the kind that is decorated."""
    parent = project.parent
    if not project.is_decorator:
        spec = _defaults(_used_fields(project))
        head = {"apiVersion": parent.api_version, "kind": parent.kind, "metadata": {"name": project.example}}
        return {**head, "spec": spec}
    code = f"{template('pod').substitute()}\n\n{child_function(project, parent)}"
    scope: dict[str, Any] = {"Any": Any, "Manifest": dict, "Parent": object}
    exec("from base64 import b64encode\n" + code, scope)  # noqa: S102 - a template of this package
    item: dict[str, Any] = scope[function_name(parent.kind)](SimpleNamespace(name=project.example))
    return {**item, "metadata": {**item["metadata"], "labels": {project.name: "enabled"}}}


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
