"""What an import of any field loses is said, what it says is lost, and each reason is true."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from app.cli.importing import comparison, conversion, kubernetes, translation
from app.cli.importing.kubernetes import UnacceptableError
from tests.cli.importing.every_field import FIELDS, TYPES, judge, stored, values, with_neighbours, without
from tests.cli.importing.given import container, deployment
from tests.support.kubernetes_objects import Field
from toolkit.slow import short_or_whole

KINDS = sorted({each.kind for each in FIELDS})


def wrong(each: Field, sort: str, new: Any) -> Iterator[str]:
    """Yield what is wrong with an import of an object that has *new* in a field."""
    where = f"{each.kind} {'.'.join(map(str, each.path))}, which {sort}"
    deployment, others = with_neighbours(each, new)
    verdicts = judge(deployment, others)
    for verdict in verdicts:
        yield from (f"{where}: {found}" for found in (*verdict.silent, *verdict.false))
    item = others[0] if others else deployment
    plain = without(item, each.path)
    if each.name not in TYPES[each.owner].get("required", ()) and stored(item) == stored(plain):
        same = judge(plain, []) if item is deployment else judge(deployment, [plain, *others[1:]])
        if [same[0].result.my_resource, same[0].result.said] != [
            verdicts[0].result.my_resource,
            verdicts[0].result.said,
        ]:
            yield f"{where}: it means nothing, and makes a difference"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_in_silence_and_nothing_is_said_that_is_not_so(kind: str, random_seed: int) -> None:
    of_kind = [each for each in FIELDS if each.kind == kind]
    chance = random.Random(random_seed)  # noqa: S311 - no secret
    chosen = chance.sample(of_kind, min(len(of_kind), short_or_whole(60, len(of_kind))))
    found: list[str] = []
    read = Counter[bool]()
    for each in chosen:
        for sort, new in values(each):
            try:
                found += wrong(each, sort, new)
                read[True] += 1
            except UnacceptableError:
                read[False] += 1

    assert found == []
    assert read[True] > read[False]


def field(kind: str, *path: str | int) -> Field:
    return next(each for each in FIELDS if each.kind == kind and each.path == path)


POD = ("spec", "template", "spec")
MAIN = (*POD, "containers", 0)
TERM = (*POD, "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution", 0)


def a_default_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    unset = kubernetes._schema()["types"]["core.v1.PodSpec"]["unset"]  # noqa: SLF001 - it is the mistake
    monkeypatch.setitem(unset, "hostUsers", False)  # noqa: FBT003 - it is the value


def a_zero_that_is_taken_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubernetes, "_MATCHES_ALL", set())


def a_field_that_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubernetes, "_NO_PODS", {"finalizers"})


def a_loss_without_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "_say", lambda *_: None)


def a_reason_for_another_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "brief", lambda spec, _: {**spec, "template": {**spec["template"], "metadata": {}}})


def a_part_under_another_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        translation, "steps_of", lambda items, _: {f"[{index + 1}]": item for index, item in enumerate(items)}
    )


def a_reason_that_is_no_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "_PREDICATE", re.compile(""))


def a_zero_that_counts_as_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = TYPES["core.v1.Probe"]
    types = {**kubernetes._schema()["types"], "core.v1.Probe": {**probe, "kept": ["timeoutSeconds"]}}  # noqa: SLF001 - the same
    whole = {**kubernetes._schema(), "types": types}  # noqa: SLF001 - the same
    monkeypatch.setattr(kubernetes, "_schema", lambda: whole)


MISTAKES = {
    a_default_too_many: field("Deployment", *POD, "hostUsers"),
    a_zero_that_is_taken_for_nothing: field("Deployment", *TERM, "namespaceSelector"),
    a_field_that_is_forgotten: field("Deployment", "spec", "template", "metadata", "finalizers"),
    a_loss_without_a_sentence: field("Deployment", *MAIN, "tty"),
    a_reason_for_another_field: field("Deployment", "spec", "template", "metadata", "labels"),
    a_part_under_another_number: field("Deployment", *TERM, "namespaceSelector"),
    a_reason_that_is_no_sentence: field("Deployment", *TERM, "labelSelector"),
    a_zero_that_counts_as_a_value: field("Deployment", *MAIN, "livenessProbe", "timeoutSeconds"),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_the_judge_sees_a_mistake_of_each_kind(mistake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    each = MISTAKES[mistake]
    assert [found for sort, new in values(each) for found in wrong(each, sort, new)] == []

    mistake(monkeypatch)

    assert [found for sort, new in values(each) for found in wrong(each, sort, new)]


def test_a_whole_object_is_stored_with_its_defaults() -> None:
    """The judge's own model of an API server fills in defaults; tests/e2e compares it with a real one."""
    spec = stored(deployment(container(livenessProbe={"tcpSocket": {"port": 80}})))["spec"]

    assert spec["template"]["spec"]["containers"][0]["livenessProbe"]["timeoutSeconds"] == 1
    assert spec["strategy"]["rollingUpdate"]["maxSurge"] == "25%"
