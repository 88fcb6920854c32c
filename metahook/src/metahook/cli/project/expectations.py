"""What the tests of a project expect of its children: where each field of a spec is in them, and what they refer to."""

import json
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from metahook.cli.project.names import SELECTING, Project
from metahook.cli.project.templates import function_name

OTHER = {
    "host": "shop.example.com",
    "image": "web:2",
    "pods": 20,
    "port": 9090,
    "replicas": 3,
    "schedule": "30 4 * * *",
    "size": "2Gi",
    "text": "bye",
    "user": "joe",
}
"""Another value than the default for each field of a spec."""

NAMED = "other"
"""The name of the parent whose children are asked what they refer to: not the name of the example."""

_PODS = '["spec"]["template"]["metadata"]["labels"]'
_SELECTORS = {
    "PodDisruptionBudget": '["spec"]["selector"]["matchLabels"]',
    "Service": '["spec"]["selector"]',
}
_REFERENCES = {
    "Ingress": ("Service", '["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]["name"]'),
    "RoleBinding": ("Role", '["roleRef"]["name"]'),
    "StatefulSet": ("Service", '["spec"]["serviceName"]'),
}


def field_lines(project: Project, code: str, fields: Iterable[str], defaults: dict[str, Any]) -> list[str]:
    """Return the assertions that the children of *code* have the OTHER values of *fields*, in place of *defaults*."""
    scope: dict[str, Any] = {"Spec": object}
    exec(code.replace("from model import Spec\n", ""), scope)  # noqa: S102 - from templates of this package
    parent = SimpleNamespace(name=project.example)
    specs = [SimpleNamespace(**each) for each in (defaults, {name: OTHER[name] for name in fields})]
    lines = []
    for child in project.children:
        usual, other = (scope[function_name(child.kind)](parent, spec) for spec in specs)
        lines += [f'assert children["{child.kind}"]{path}' for path in _differences(usual, other)]
    return lines


def _differences(usual: Any, other: Any) -> Iterator[str]:  # noqa: ANN401 - parts of manifests
    """Yield the index of each value of *other* that *usual* has not, and the value, as Python writes them."""
    if isinstance(other, dict | list):
        for key, value in other.items() if isinstance(other, dict) else enumerate(other):
            yield from (f"[{json.dumps(key)}]{rest}" for rest in _differences(usual[key], value))
    elif usual != other:
        yield f" == {json.dumps(other)}"


def reference_lines(project: Project) -> list[str]:
    """Return the assertions that the children of the parent NAMED select the Pods, and name other children."""
    kinds = {child.kind for child in project.children}
    own = json.dumps({"app": f"{NAMED}{project.suffix}"})
    pods = f"EXAMPLE{_PODS}" if project.is_decorator and project.parent.kind in SELECTING else own
    selecting = [f'assert children["{kind}"]{path} == pods' for kind, path in _SELECTORS.items() if kind in kinds]
    return [
        *(f'assert children["{kind}"]{_PODS} == {own}' for kind in sorted(kinds & SELECTING)),
        *([f"pods = {pods}", *selecting] if selecting else []),
        *(
            f'assert children["{kind}"]{path} == "{NAMED}{project.suffix}"'
            for kind, (named, path) in _REFERENCES.items()
            if {kind, named} <= kinds
        ),
    ]
