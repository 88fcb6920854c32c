"""Beyond examples: whatever a spec says, the API server and the hook give one verdict on it."""

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.model import Model
from app.api.reading import InvalidSpec
from app.api.spec import MyResourceSpec
from app.cli.bound import problems
from metahook.cli.files.objects import refused
from metahook.simulator.apiserver.custom_rules import HookProblem
from tests.api.apiserver import SCHEMA, read_stored, refusals, stored
from tests.api.examples.all_rules import EXAMPLES
from tests.api.refused import HOOK_ONLY as NOT_IN_CEL
from tests.requests.builders import Json, my_resource
from toolkit.slow import short_or_whole

ODD = [
    "", "a", "A b", "0", "80", "é", "a" * 5000, 0, 1, -1, 1.5, 2**63 - 1, True, False, None, [], [None], [{}], {},
    {"a": 1},
]  # fmt: skip
FULL: Json = yaml.safe_load(Path("examples/full.yaml").read_text(encoding="utf-8"))["spec"]
APART = {
    "livenessProbe",  # needs ports
    "volumeMounts",  # needs volumes
    "restartedAt",  # the hook copies it as text, whatever it says
}
PARTS = [{field: value} for field, value in FULL.items() if field not in APART]
WHOLE = [fields for example in EXAMPLES for fields in example.good] + PARTS


def _models(model: type[Model] = Model) -> Iterator[type[Model]]:
    for below in model.__subclasses__():
        yield below
        yield from _models(below)


HOOK_ONLY = [
    rule
    for model in _models()
    if model.__module__.startswith("app.")  # not those of other tests
    for rule in model.rules
    if rule.cel is None
]
"""The rules that CEL can't say."""

CRD_ONLY = {(example.path, example.says) for example in EXAMPLES if example.crd_only}
"""The rules that the hook reads past, by path and by how their messages begin."""


def _admitted(fields: Json, *, new: bool = False) -> bool:
    """Tell whether the API server admits *fields*, or did before there were rules that are for *new* ones alone."""
    return all(
        not new and any(refusal.path == path and refusal.why.startswith(says) for path, says in CRD_ONLY)
        for refusal in refusals(stored(my_resource(**fields)))
    )


def _read(fields: Json) -> bool:
    """Tell whether the hook can read *fields*, but for what CEL can't say."""
    found = read_stored(stored(my_resource(**fields)))
    return isinstance(found, MyResourceSpec) or any(rule.message in found.problem for rule in HOOK_ONLY)


def _previewed(fields: Json) -> bool:
    """Tell whether a preview accepts *fields*, but for unknown ones, which kubectl refuses, and what CEL can't say."""
    found = problems(my_resource(**fields))
    return all(isinstance(each, HookProblem) or each.text.startswith("unknown field") for each in found)


def _spots(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in *value* as a container and the key in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [spot for key in keys for spot in [(value, key), *_spots(value[key])]]


OTHERS: dict[Any, list[Any]] = defaultdict(list)
"""By key, what stands there in the accepted and the refused examples."""
for each in EXAMPLES:
    for container, key in _spots([*each.good, *each.bad]):
        OTHERS[key].append(container[key])


@st.composite
def spoilt(draw: st.DrawFn) -> Json:
    """Make valid fields with an odd value or another example's in one place, or with a key less or an item more."""
    fields: Json = deepcopy(draw(st.sampled_from(WHOLE).filter(bool)))
    container, key = draw(st.sampled_from(_spots(fields)))
    match draw(st.sampled_from(["odd", "other", "other", "less", "more"])):
        case "less":
            del container[key]
        case "more" if isinstance(container, list):
            container.append(deepcopy(container[key]))
        case "other" if isinstance(key, str):
            container[key] = deepcopy(draw(st.sampled_from(OTHERS.get(key) or ODD)))
        case _:
            container[key] = deepcopy(draw(st.sampled_from(ODD)))
    return fields


@pytest.mark.slow
@settings(max_examples=short_or_whole(240, 2000))
@given(spoilt().filter(lambda fields: isinstance(fields.get("name", ""), str)))
def test_the_api_server_the_hook_and_a_preview_agree_on_spoilt_examples(fields: Json) -> None:
    assert _admitted(fields) == _read(fields)
    assert _admitted(fields, new=True) == _previewed(fields)
    assert _admitted(fields, new=True) == (refused(my_resource(**fields), None, SCHEMA) == [])


def test_only_the_hook_refuses_what_cel_cannot_say_and_each_such_rule_does() -> None:
    specs = [fields for each in NOT_IN_CEL.values() for fields in each]
    verdicts = [read_stored(stored(my_resource(**fields))) for fields in specs]
    found = [verdict.problem for verdict in verdicts if isinstance(verdict, InvalidSpec)]

    assert [fields for fields in specs if not (_admitted(fields) and _read(fields))] == []
    assert len(found) == len(specs)
    assert HOOK_ONLY
    assert [rule.message for rule in HOOK_ONLY if not any(rule.message in problem for problem in found)] == []
