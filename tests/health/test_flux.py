"""What Flux concludes from all statuses that the hook writes: by kstatus, and by the expressions of examples/flux."""

from collections.abc import Callable, Iterable, Iterator

import pytest

from app.api.names import API_VERSION, KIND
from tests.health.statuses import Json, is_true, kstatus, myresources
from tests.health.test_examples import find
from tests.support.rules import holds

(EXPRESSIONS,) = find("Kustomization", "applications")["spec"]["healthCheckExprs"]


def expected(item: Json) -> str:
    return "Current" if is_true(item, "Ready") else "Failed" if is_true(item, "Stalled") else "InProgress"


def by_expressions(item: Json, expressions: Json = EXPRESSIONS) -> str:
    """Return the health that Flux derives. Source: ``StatusEvaluator`` in ``runtime/cel`` of Flux's packages."""
    observed = item.get("status", {}).get("observedGeneration")
    if observed is not None and observed != item["metadata"]["generation"]:
        return "InProgress"
    for name, health in (("failed", "Failed"), ("current", "Current")):
        if holds(_with_self(expressions[name]), item):  # an expression that fails does not hold: Flux tries again
            return health
    return "InProgress"


def _with_self(expression: str) -> str:
    """Return *expression* with the fields of ``self`` in place of variables."""
    return expression.replace("status.", "self.status.").replace("c.self.", "c.").replace("metadata.", "self.metadata.")


def problems(judge: Callable[[Json], str], items: Iterable[Json] | None = None) -> Iterator[str]:
    for item in myresources() if items is None else items:
        if (found := judge(item)) != expected(item):
            yield f"{found} instead of {expected(item)}: {item['metadata']}, {item.get('status')}"


def test_kstatus_is_current_for_ready_failed_for_stalled_terminating_for_deleted_and_otherwise_in_progress() -> None:
    deleted = [item for item in myresources() if "deletionTimestamp" in item["metadata"]]
    with_status = [item for item in myresources() if item.get("status") and item not in deleted]

    assert list(problems(kstatus, with_status)) == []
    assert {kstatus(item) for item in with_status} == {"Current", "Failed", "InProgress"}
    assert {kstatus(item) for item in deleted} == {"Terminating"}


def test_the_expressions_agree_also_before_the_first_status() -> None:
    assert list(problems(by_expressions)) == []
    assert (EXPRESSIONS["apiVersion"], EXPRESSIONS["kind"]) == (API_VERSION, KIND)


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        ("failed", "'Stalled'", "'Reconciling'"),
        ("current", " && c.status == 'True'", ""),
    ],
)
def test_an_expression_with_a_mistake_is_found(name: str, text: str, other: str) -> None:
    assert text in EXPRESSIONS[name]
    damaged = {**EXPRESSIONS, name: EXPRESSIONS[name].replace(text, other)}

    assert next(problems(lambda item: by_expressions(item, damaged)), None)
