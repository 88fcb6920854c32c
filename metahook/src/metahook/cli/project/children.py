"""The text of ``children.py``: a function for each child, with what it needs."""

import metahook
from metahook.cli.project.names import SELECTING, Project
from metahook.cli.project.templates import FIELDS, MANIFESTS, function_name, template
from metahook.protocol.kind import Kind
from metahook.protocol.objects import Object

WIDTH = 120
"""Characters of a line of code."""


def children_module(project: Project) -> str:
    """Return the text of ``children.py``."""
    functions = [child_function(project, child) for child in project.children]
    text = "\n\n\n".join(functions)
    structs = "".join(_struct(child) for child in project.children if not is_struct(child))
    used = [name for name in ("pod", "selector") if f"_{name}(" in text]
    helpers = "".join(f"\n\n\n{template(name).substitute(kind=project.parent.kind).rstrip()}" for name in used)
    names = ["Manifest", "Parent", *(["Kind", "Object"] if structs else [])]
    typing = [*(["ClassVar"] if structs else []), *(["Any"] if used else [])]
    standard = ["from base64 import b64encode"] if "b64encode" in text else []
    standard += [import_statement("typing", typing)] if typing else []
    local = [] if "Spec" not in text else ["from model import Spec"]
    others = [import_statement("metahook", names), *(["from msgspec import json"] if "selector" in used else [])]
    sections = [standard, others, local]
    imports = "\n\n".join("\n".join(section) for section in sections if section)
    return template("children.py").substitute(imports=imports, structs=f"{structs}\n", functions=text + helpers)


def _struct(kind: Kind) -> str:
    scope = "" if kind.namespaced else ", namespaced=False"
    known = f'Kind("{kind.api_version}", "{kind.kind}", "{kind.plural}"{scope})'
    lines = [f"class {kind.kind}(Object, frozen=True):", f'    """An observed {kind.kind}."""', ""]
    return "\n".join(["", *lines, f"    KIND: ClassVar[Kind] = {known}", "", ""])


def child_function(project: Project, child: Kind) -> str:
    """Return the function that returns the *child*."""
    found = MANIFESTS[function_name(child.kind)]
    suffix = project.suffix if child != project.parent else ""
    own_name = f'f"{{parent.name}}{suffix}"' if suffix else "parent.name"
    name = namespace_expression(project) if child.kind == "Namespace" and child != project.parent else own_name
    namespace = (
        f', "namespace": {namespace_expression(project)}' if child.namespaced and not project.parent.namespaced else ""
    )
    fields = {name: default_expression(name) if project.is_decorator else f"spec.{name}" for name in FIELDS}
    return found.substitute(
        fields,
        arguments="parent: Parent" if project.is_decorator else "parent: Parent, spec: Spec",
        metadata=f'{{"name": {name}{namespace}}}',
        own_name=own_name,
        **_pods(project, own_name),
    )


def _pods(project: Project, own_name: str) -> dict[str, str]:
    """Return how a child selects Pods, as expressions: those of the decorated object, if that has a selector."""
    if project.is_decorator and project.parent.kind in SELECTING:
        return {"pod_selector": "_selector(parent)", "pod_labels": '_selector(parent).get("matchLabels", {})'}
    labels = f'{{"app": {own_name}}}'
    return {"pod_selector": f'{{"matchLabels": {labels}}}', "pod_labels": labels}


def namespace_expression(project: Project) -> str:
    """Return the namespace of the children of a parent in no namespace, as an expression."""
    return f'f"{project.namespace_of("{parent.name}")}"' if project.has_namespaces else "parent.name"


def default_expression(field: str) -> str:
    """Return the default of a *field* of a spec, as an expression."""
    return FIELDS[field].splitlines()[0].rpartition(" = ")[2]


def is_struct(kind: Kind) -> bool:
    """Tell whether metahook has a struct for the objects of *kind*."""
    found = getattr(metahook, kind.kind, None)
    return isinstance(found, type) and issubclass(found, Object) and kind == found.KIND


def import_statement(module: str, names: list[str]) -> str:
    """Return an import of *names* as isort sorts it: constants, classes, functions."""
    ordered = sorted(set(names), key=lambda name: (not name.isupper(), name[0].islower(), name))
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in ordered), ")"])
