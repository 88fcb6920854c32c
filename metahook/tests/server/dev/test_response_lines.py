"""The difference between two responses, in lines."""

from typing import Any

import pytest

from metahook.server.dev.response_lines import LONGEST, LONGEST_LINE, difference_lines

Json = dict[str, Any]

CONTAINER = {"name": "main", "image": "nginx:1.27"}


def deployment(*containers: Json, name: str = "web-deployment") -> Json:
    template = {"spec": {"containers": list(containers or (CONTAINER,))}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {"template": template}}


def service(**fields: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, **fields}


def secret(**fields: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}, **fields}


def condition(status: str, reason: str, **fields: Any) -> Json:
    return {"type": "Ready", "status": status, "reason": reason, **fields}


def children(*listed: Json) -> Json:
    return {"children": list(listed), "status": {"state": "Ready"}}


def status(**fields: Any) -> Json:
    return {"children": [], "status": fields}


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param([deployment()], [deployment()], [], id="the same"),
        pytest.param([], [service()], ["+ Service web"], id="a new child"),
        pytest.param([service()], [], ["- Service web"], id="a child that is gone"),
        pytest.param(
            [deployment()],
            [deployment({**CONTAINER, "image": "nginx:9"})],
            ["~ Deployment web-deployment: spec.template.spec.containers[main].image"],
            id="a changed field",
        ),
        pytest.param(
            [deployment()],
            [deployment(CONTAINER, {"name": "side"})],
            ["~ Deployment web-deployment: spec.template.spec.containers[side]"],
            id="a new item of a list",
        ),
        pytest.param(
            [service()],
            [{**service(), "apiVersion": "serving.knative.dev/v1"}],
            ["+ Service web", "- Service web"],
            id="a kind of the same name in another group",
        ),
    ],
)
def test_children_are_compared_by_kind_and_name(old: list[Json], new: list[Json], lines: list[str]) -> None:
    assert sorted(difference_lines(children(*old), children(*new))) == lines


def test_a_value_of_a_child_is_never_shown() -> None:
    lines = difference_lines(children(service(spec={"a": "canary-1"})), children(service(spec={"a": "canary-2"})))

    assert lines == ["~ Service web: spec.a"]
    assert "canary-2" in "".join(difference_lines(status(a="canary-1"), status(a="canary-2")))


@pytest.mark.parametrize("field", ["data", "stringData"])
def test_of_a_secret_not_even_the_names_of_its_data_are_shown(field: str) -> None:
    old, new = secret(**{field: {"canary": "eA=="}}), secret(**{field: {"canary": "eQ=="}})
    as_config_map = [children({**item, "kind": "ConfigMap"}) for item in (old, new)]

    assert difference_lines(children(old), children(new)) == [f"~ Secret token: {field}"]
    assert difference_lines(*as_config_map) == [f"~ ConfigMap token: {field}.canary"]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param({"state": "Building"}, {"state": "Ready"}, ["~ status.state: Building -> Ready"], id="changed"),
        pytest.param({}, {"replicas": 2}, ["+ status.replicas: 2"], id="new"),
        pytest.param({"waiting": {"what": "x"}}, {}, ["- status.waiting"], id="gone"),
        pytest.param({"ports": []}, {"ports": [80, 443]}, ["~ status.ports: [] -> [80,443]"], id="a list"),
        pytest.param(
            {"conditions": [condition("False", "RollingOut", message="Wait.", lastTransitionTime="1")]},
            {"conditions": [condition("True", "Available", message="Done.", lastTransitionTime="2")]},
            [
                "~ status.conditions[Ready].status: False -> True",
                "~ status.conditions[Ready].reason: RollingOut -> Available",
                "~ status.conditions[Ready].message: Wait. -> Done.",
                "~ status.conditions[Ready].lastTransitionTime: 1 -> 2",
            ],
            id="a condition with another status",
        ),
        pytest.param(
            {"conditions": [condition("True", "Available", message="Done.")]},
            {"conditions": []},
            ["- status.conditions[Ready]"],
            id="a condition that is gone",
        ),
        pytest.param(
            {"conditions": ["odd"]}, {"conditions": [5]}, ["~ status.conditions[0]: odd -> 5"], id="no conditions"
        ),
        pytest.param({"conditions": 1}, {"conditions": 2}, ["~ status.conditions: 1 -> 2"], id="no list"),
    ],
)
def test_the_status_is_shown_with_its_values(old: Json, new: Json, lines: list[str]) -> None:
    assert difference_lines(status(**old), status(**new)) == lines


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(children(service(data={"x" * 5_000: 1})), id="a field"),
        pytest.param(children({**service(), "metadata": {"name": "x" * 5_000}}), id="a child"),
        pytest.param(status(**{"x" * 5_000: 1}), id="a field of the status"),
        pytest.param({"relatedResources": [{"resource": "pods", "names": ["x" * 5_000]}]}, id="a rule"),
    ],
)
def test_a_long_line_is_cut(new: Json) -> None:
    lines = difference_lines(children(service(data={})), new)

    assert max(len(line) for line in lines) == LONGEST_LINE + len("...")


def test_a_long_value_is_cut() -> None:
    (line,) = difference_lines(status(), status(message="x" * (LONGEST + 1)))

    assert line == f"+ status.message: {'x' * LONGEST}..."


def test_the_time_of_the_next_sync_is_no_difference() -> None:
    assert difference_lines({**status(), "resyncAfterSeconds": 5}, {**status(), "resyncAfterSeconds": 4}) == []


def test_rules_are_shown_in_short() -> None:
    rules: list[Json] = [
        {"apiVersion": "v1", "resource": "configmaps", "namespace": "default", "names": ["a", "b"]},
        {"apiVersion": "v1", "resource": "pods", "namespace": "default", "labelSelector": {"matchLabels": {"a": "b"}}},
        {"apiVersion": "v1", "resource": "secrets", "namespace": "default"},
    ]

    assert difference_lines({}, {"relatedResources": rules}) == [
        "+ rule configmaps a, b",
        "+ rule pods by labels",
        "+ rule secrets all",
    ]
    assert difference_lines({"relatedResources": rules}, {"relatedResources": rules[1:]}) == ["- rule configmaps a, b"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    (line,) = difference_lines(children(), children(deployment(name="web\x1b[2J\nforged")))

    assert line == "+ Deployment web?[2J?forged"
