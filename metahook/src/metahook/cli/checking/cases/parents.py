"""Other parents: with fields left out or null, and generated from the schema of their CRD."""

import copy
import re
import warnings
from collections.abc import Callable, Iterator

from metahook.cli.checking.calls import Stopped
from metahook.cli.checking.results import CheckResult
from metahook.simulator.apiserver.custom_rules import CEL, Path, fits, written
from metahook.simulator.objects import Json, to_json
from metahook.simulator.scenarios import set_value

EXAMPLES = 40
"""Generated parents, without those by which an example becomes smaller."""

MOST = 100
"""The most for a whole number for which the CRD has none, as it may be the number of children; the least is 0."""

_DEEPEST = 4
"""Levels of fields that are left out."""

_CONTROL = re.compile(r"[\x7f-\x9f]|\\u00[01]|\\[bfrt]")
"""A control character in JSON, but for the end of a line."""

_BODY = ("apiVersion", "kind", "metadata", "status")


def variants(parent: Json, schema: Json | None) -> Iterator[Json]:
    """Yield *parent* without each of its fields that *schema* does not require, and with each null that it allows."""
    if parent["metadata"].get("labels") or parent["metadata"].get("annotations"):
        own = {name: value for name, value in parent["metadata"].items() if name not in ("labels", "annotations")}
        yield {**copy.deepcopy(parent), "metadata": own}
    if schema is None:
        return
    body = {name: value for name, value in parent.items() if name not in _BODY}
    for smaller in _without_one(body, schema, _DEEPEST):
        yield {name: value for name, value in parent.items() if name in _BODY} | copy.deepcopy(smaller)


def _without_one(value: Json, schema: Json, depth: int) -> Iterator[Json]:
    """Yield *value* with one field less, or with a null, at each place."""
    fields, required = schema.get("properties") or {}, schema.get("required") or ()
    for name, inner in value.items():
        others = {other: kept for other, kept in value.items() if other != name}
        field = fields.get(name, {})
        if name not in required:
            yield others
        if field.get("nullable"):
            yield {**others, name: None}
        if isinstance(inner, dict) and depth and not _is_of_kubernetes(field, inner):
            for smaller in _without_one(inner, field, depth - 1):
                yield {**value, name: smaller}


def edited(parent: Json, schema: Json | None) -> Iterator[tuple[str, Json]]:
    """Yield *parent* with one value changed, for each text and number that *schema* lets change.

    Before it comes the change, as in ``spec.image=nginx:11``. CEL rules may forbid any, so a field with such rules
    stays.
    """
    body = {name: value for name, value in parent.items() if name not in _BODY}
    for path, value in _other_values(body, schema or {}, ()):
        changed = copy.deepcopy(parent)
        set_value(changed, written(path), value)
        yield f"{written(path)}={value}", changed


def _other_values(value: Json, schema: Json, path: Path) -> Iterator[tuple[Path, str | int]]:
    """Yield the path of each text and number in *value*, with another one that *schema* allows there."""
    for name, inner in () if CEL in schema else value.items():
        field = (schema.get("properties") or {}).get(name, {})
        if isinstance(inner, dict) and not _is_of_kubernetes(field, inner):
            yield from _other_values(inner, field, (*path, name))
        elif isinstance(inner, str | int) and not isinstance(inner, bool) and CEL not in field:
            near = [f"{inner}1"] if isinstance(inner, str) else [inner + 1, inner - 1]
            found = next(
                (each for each in (*near, *field.get("enum", ())) if each != inner and fits(each, field)), None
            )
            if found is not None:
                yield (*path, name), found


def crd_as_given(crd: Json, version: int, given: Json) -> Json:
    """Return *crd*, of whose *version* no part that Kubernetes has rules for has another value than in *given*.

    A CRD lacks these rules: a selector with nothing in it, or half a Pod template, is nothing that a user would write.
    """
    versions = [*crd["spec"]["versions"]]
    schema = _as_given(versions[version]["schema"]["openAPIV3Schema"], given)
    versions[version] = {**versions[version], "schema": {"openAPIV3Schema": schema}}
    return {**crd, "spec": {**crd["spec"], "versions": versions}}


def _as_given(schema: Json, given: Json) -> Json:
    fields = {}
    for name, field in (schema.get("properties") or {}).items():
        known = given.get(name)
        if field.get("type") == "integer":
            least, most = min(0, field.get("maximum", 0)), max(MOST, field.get("minimum", 0))
            fields[name] = {"minimum": least, "maximum": most, **field}
        elif not _is_of_kubernetes(field, known):
            fields[name] = _as_given(field, known if isinstance(known, dict) else {})
        elif known:
            fields[name] = {"enum": [known]}
    required = [name for name in schema.get("required") or () if name in fields]
    return {**schema, "properties": fields, "required": required} if fields else schema


def _is_of_kubernetes(schema: Json, value: object) -> bool:
    """Tell whether *value*, of *schema*, is a selector of Kubernetes, an object or a template; or a list of these."""
    if schema.get("type") == "array" or isinstance(value, list):
        return _is_of_kubernetes(schema.get("items") or {}, value[0] if isinstance(value, list) and value else {})
    fields = {**(schema.get("properties") or {}), **(value if isinstance(value, dict) else {})}.keys()
    return bool(fields & {"matchLabels", "containers"}) or {"metadata", "spec"} <= fields


class _Harmful(Exception):
    """Raised for an example with a finding."""


def generated(crd: Json, version: str, check: Callable[[Json], CheckResult | None]) -> Iterator[CheckResult]:
    """Yield what *check* finds for the smallest parent among those that are generated from *crd*; raise NotGenerated.

    The parents are the same each time. They have no control characters, as server-side apply refuses these in any text.
    """
    from hypothesis import HealthCheck, Phase, given, settings  # noqa: PLC0415 - it takes time to import
    from hypothesis.errors import HypothesisWarning  # noqa: PLC0415 - the same

    from metahook.testing import parents  # noqa: PLC0415 - it imports Hypothesis

    smallest: list[CheckResult] = []

    def examine(parent: Json) -> None:
        found = check(parent)
        if found:
            smallest[:] = [found]
            raise _Harmful

    run = settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    strategy = parents(crd, version).filter(lambda parent: not _CONTROL.search(to_json(parent)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)  # the text of a strategy is long, and nobody sees it
            run(given(strategy)(examine))()
    except (_Harmful, Stopped) as end:
        yield from smallest
        if isinstance(end, Stopped):
            raise


def has_cel_rules(schema: object) -> bool:
    """Tell whether *schema* has rules in CEL, which generated parents may break."""
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return (isinstance(schema, dict) and CEL in schema) or any(map(has_cel_rules, inner))
