"""Every CEL rule of the CRD against objects that it accepts and objects that it alone refuses.

The rule, evaluated by cel-python, and the hook, which says the same in Python, must agree on each.
"""

import re
from collections import Counter
from typing import Any, Literal

import pytest

from app.api.reading import InvalidSpec
from app.api.spec import MyResourceSpec
from tests.api.apiserver import SCHEMA, Node, Refusal, at, is_transition, nodes, read_stored, refusals, stored
from tests.api.examples.all_rules import EXAMPLES, numbered
from tests.api.examples.case import Example
from tests.requests.builders import Json, finished, my_resource, reason, sync
from tests.support.rules import holds

NODES = list(nodes(SCHEMA))


def _rules(found: list[Node]) -> list[tuple[str, Json]]:
    return [(node.path, rule) for node in found for rule in node.rules() if not is_transition(rule)]


RULES = _rules(NODES)


def _examples(path: str, rule: Json) -> list[Example]:
    return [example for example in EXAMPLES if example.path == path and rule["message"].startswith(example.says)]


def _lacking(found: list[Node]) -> list[str]:
    """Return the rules without an accepted or without a refused example."""
    return [
        f"{path}: {rule['message']}"
        for path, rule in _rules(found)
        if not any(example.good for example in _examples(path, rule))
        or not any(example.bad for example in _examples(path, rule))
    ]


def _rule(example: Example) -> str:
    (rule,) = [
        rule["rule"] for path, rule in RULES if path == example.path and rule["message"].startswith(example.says)
    ]
    return str(rule)


def _cases(side: Literal["good", "bad"], *, crd_only: bool | None = None) -> list[Any]:
    """Return the examples of *side*, of all rules or of those that are in the CRD only, or not."""
    return [
        pytest.param(example, stored(my_resource(**fields)), id=name)
        for name, example, fields in numbered(side)
        if crd_only in (None, example.crd_only)
    ]


def test_every_rule_has_an_accepted_and_a_refused_example() -> None:
    assert _lacking(NODES) == []


def test_a_new_rule_lacks_its_examples() -> None:
    new = Node("spec.replicas", {"x-kubernetes-validations": [{"rule": "self < 9", "message": "must be few"}]})

    assert _lacking([*NODES, new]) == ["spec.replicas: must be few"]


def test_no_rule_stands_twice_at_one_place() -> None:
    times = Counter((path, rule["message"]) for path, rule in _rules(NODES))

    assert set(times.values()) == {1}


@pytest.mark.parametrize(("example", "resource"), _cases("good"))
def test_cel_and_the_hook_accept(example: Example, resource: Json) -> None:
    verdicts = [holds(_rule(example), value) for value in at(example.path, resource)]

    assert verdicts
    assert all(verdicts), f"CEL refuses {resource['spec']}"
    assert refusals(resource) == []
    assert isinstance(read_stored(resource), MyResourceSpec), f"the hook refuses {resource['spec']}"


def refused_by_cel(example: Example, resource: Json) -> list[Refusal]:
    """Return why CEL refuses *resource*, which is for the rule of *example* alone."""
    verdicts = [holds(_rule(example), value) for value in at(example.path, resource)]
    refused = refusals(resource)

    assert not all(verdicts), f"CEL accepts {resource['spec']}"
    assert {refusal.path for refusal in refused} == {example.path}
    assert [refusal for refusal in refused if not refusal.why.startswith(example.says)] == []
    return refused


@pytest.mark.parametrize(("example", "resource"), _cases("bad", crd_only=False))
def test_cel_refuses_for_this_rule_alone_and_the_hook_in_the_same_words(example: Example, resource: Json) -> None:
    refused = refused_by_cel(example, resource)
    problem = read_stored(resource)

    assert isinstance(problem, InvalidSpec), f"the hook accepts {resource['spec']}"
    place, _, message = problem.problem.partition(": ")
    assert message.startswith(example.says)
    assert Refusal(example.path, message) in refused
    assert re.sub(r"\[[0-9]+\]", "[]", place).startswith(example.path.removesuffix("{}"))


@pytest.mark.parametrize(("example", "resource"), _cases("bad", crd_only=True))
def test_a_stored_spec_that_breaks_a_rule_of_the_crd_only_is_still_made_and_gets_ready(
    example: Example, resource: Json
) -> None:
    assert refused_by_cel(example, resource)
    assert reason(sync(resource)) == "Building"
    assert reason(sync(resource, *finished(resource))) == "Available"
