"""Other parents that a hook is put through, besides those that are given.

They have fields left out or null, or are generated from the schema of their CRD. Twins differ in little but their
names, which shows what they share by mistake. Edits give a parent another spec, and compare what the hook responds
then with what it responds for a parent that is new.
"""

import copy
import itertools
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import cached_property

from msgspec import Struct, field

from metahook.cli.checking.calls import OK, CheckedHook, Stopped
from metahook.cli.checking.results import CheckResult
from metahook.cli.files.manifests import property_of
from metahook.cli.hooks.requests import children_of
from metahook.protocol.purity import differing
from metahook.simulator.apiserver.custom_rules import CEL, Path, fits, written
from metahook.simulator.apiserver.validation import name_problem
from metahook.simulator.clock import START
from metahook.simulator.findings.evidence import AnsweredSync, answered_sync
from metahook.simulator.findings.rules import words
from metahook.simulator.history import Call, History
from metahook.simulator.objects import Json, Key, to_json, with_metadata
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
    for name, inner in (schema.get("properties") or {}).items():
        known = given.get(name)
        if inner.get("type") == "integer":
            least, most = min(0, inner.get("maximum", 0)), max(MOST, inner.get("minimum", 0))
            fields[name] = {"minimum": least, "maximum": most, **inner}
        elif not _is_of_kubernetes(inner, known):
            fields[name] = _as_given(inner, known if isinstance(known, dict) else {})
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


TWIN = "-twin"
"""The end of the name of a twin. No child of the first parent has such a name, as with a number at its end."""

LENGTHS = (100, 63)
"""Characters of a long name, if its kind can have one: most can have 253. A label or the name of a Service has 63."""

_A_WORD = 3
"""Characters of a text that is no part of a name by accident."""


def with_twins(parents: Iterable[Json]) -> list[Json]:
    """Return *parents*, each with a twin of another name and another label."""
    found = []
    for parent in parents:
        metadata = parent["metadata"]
        labels = {**(metadata.get("labels") or {}), "example.com/twin": "second"}
        found += [parent, with_metadata(copy.deepcopy(parent), name=f"{metadata['name']}{TWIN}", labels=labels)]
    return found


def long_named(parent: Json, schema: Json | None) -> list[Json]:
    """Return twins of *parent* with long names that *schema* allows, which differ in the last letter; or none.

    There are none if a CEL rule is about the name, as it may limit it.
    """
    schema = schema or {}
    field = property_of(schema, "metadata", "name") or {}
    if "metadata.name" in to_json(schema.get(CEL, "")) or CEL in field:
        return []
    for length in (min(field.get("maxLength", LENGTHS[0]), LENGTHS[0]), *LENGTHS[1:]):
        start = f"{parent['metadata']['name']}-".ljust(length - 1, "x")[: length - 1]
        twins = [with_metadata(copy.deepcopy(parent), name=start + end) for end in "ab"]
        if all(fits(each["metadata"]["name"], field) and name_problem(each) is None for each in twins):
            return twins
    return []


def constant_names(syncs: Iterable[AnsweredSync]) -> Iterator[str]:
    """Yield a sentence for each child that two parents list under a name that nothing in their requests contains."""
    for key, other, sync in listed_by_two(syncs):
        if not _is_given(key, sync):
            message = f"{key}: both {other} and {sync.key} list it, and only one gets it"
            yield f"{message}; put the name of the parent into its name"


def constant_ports(syncs: Iterable[AnsweredSync]) -> Iterator[str]:
    """Yield a sentence for each Service with a port of the nodes that another parent's has, and no spec asks for."""
    first: dict[int, Key] = {}
    for sync in syncs:
        spec = to_json(sync.call.parent.get("spec"))
        services = (child.get("spec") or {} for key, child in sync.children.items() if key.kind == "Service")
        for number in (port.get("nodePort") for service in services for port in service.get("ports") or ()):
            other = first.setdefault(number, sync.key) if number and str(number) not in spec else sync.key
            if other != sync.key:
                message = f"Services of {other} and of {sync.key} have nodePort {number}, and only one gets it"
                yield f"{message}; leave it out, and Kubernetes finds a free one"


def cut_names(syncs: Iterable[AnsweredSync], known: Iterable[Key]) -> Iterator[str]:
    """Yield a sentence for each child of two parents with long names; those that are *known* have a constant name."""
    for key, _, _ in listed_by_two(syncs):
        if key not in known:
            message = f"{key}: parents whose long names begin alike both list it, and only one gets it"
            yield f"{message}; end a name that was cut with a hash of the whole"


def listed_by_two(syncs: Iterable[AnsweredSync]) -> Iterator[tuple[Key, Key, AnsweredSync]]:
    """Yield each child that another parent has listed before, that parent, and the sync."""
    first: dict[Key, Key] = {}
    for sync in syncs:
        for key in sync.children:
            other = first.setdefault(key, sync.key)
            if other != sync.key:
                yield key, other, sync


def shared_selectors(syncs: Iterable[AnsweredSync]) -> Iterator[str]:
    """Yield a sentence for each child with the selector of another parent's, and with nothing of a request in it."""
    first: dict[tuple[str, str, str], AnsweredSync] = {}
    for sync in syncs:
        for key, child in sync.children.items():
            spec = child.get("spec") or {}
            selector = spec.get("selector") if "template" in spec else None
            other = first.setdefault((key.kind, key.namespace, to_json(selector)), sync) if selector else sync
            if other.key != sync.key and not _are_given(words([selector]), sync):
                message = f"{key}: those of {other.key} and of {sync.key} select the same Pods"
                yield f"{message}; put the name of the parent into a label of their selectors and templates"


def _is_given(key: Key, sync: AnsweredSync) -> bool:
    """Tell whether the name in *key* contains a text of the parent, or of an object that is related to it.

    So may its namespace, if it is not that of the parent.
    """
    return _are_given({key.name, key.namespace} - {sync.key.namespace}, sync)


def _are_given(names: Iterable[str], sync: AnsweredSync) -> bool:
    """Tell whether one of *names* contains a text of the parent, or of an object that is related to it."""
    request = json.loads(sync.call.request)
    parent = {
        field: value for field, value in sync.call.parent.items() if field not in ("apiVersion", "kind", "status")
    }
    texts = words([{**parent, "metadata": _texts_of(parent)}, request.get("related")])
    return any(text == name or (len(text) >= _A_WORD and text in name) for text in texts for name in names)


def _texts_of(parent: Json) -> list[Json]:
    return [parent["metadata"].get(field) for field in ("labels", "annotations")]


_INVALID = re.compile("invalid|error|fail|wrong|refused|rejected", re.IGNORECASE)
"""What a status says of a spec that the hook can't use."""

_OF_PARENT = ("metadata", "status")


class Edits(Struct, frozen=True, dict=True):
    """Sends requests for parents that had another spec before, in the *calls* of sync of a run."""

    hook: CheckedHook
    calls: tuple[Call, ...]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def to_spec_of(self, history: History) -> Iterator[tuple[str, str]]:
        """Yield rule and sentence for what the hook does wrong if a parent gets the spec of the one in *history*."""
        call = next((call for call in history.calls() if call.status == OK), None)
        if call and self.calls:
            yield from self._remembered(call)
            yield from self._dropped(call)

    def _remembered(self, call: Call) -> Iterator[tuple[str, str]]:
        """Yield a response that a new parent of another name does not get: the hook has kept something of this one."""
        paths = self._differing(call) if self._is_renamed_alike else ""
        if paths:
            message = f"{call.key}: a parent of another name with the same spec gets another response, in {paths}"
            yield "NotPure", f"{message}; keep nothing of earlier requests"

    @cached_property
    def _is_renamed_alike(self) -> bool:
        """Whether another name changes a response only where it has the name; not so for a hash of it."""
        return not self._differing(self.calls[0])

    def _differing(self, call: Call) -> str:
        """Return the paths at which the response to *call* differs from that for the same parent with a new name."""
        end = f"-e{next(self._numbers):03}"
        request = json.loads(call.request)
        metadata = _parent_in(request)["metadata"]
        old = [metadata["name"], metadata["uid"]]
        metadata.update(name=f"{old[0]}{end}", uid=f"{old[1]}{end}")
        response = self._response(call, request)
        if response is None or call.status != OK:
            return ""
        for text in old:
            response = response.replace(f"{text}{end}".encode(), text.encode())
        return differing(call.response, response, stored=False)

    def _dropped(self, call: Call) -> Iterator[tuple[str, str]]:
        """Yield an edit that deletes all children, because the hook can't use the spec."""
        sync, base = answered_sync(call), answered_sync(self.calls[-1])
        if not sync or not base or sync.children or not base.observed or not _is_invalid(sync.response.status or {}):
            return
        request = json.loads(base.call.request)
        parent, new = _parent_in(request), sync.call.parent
        for name in {*parent, *new}.difference(_OF_PARENT):
            parent[name] = new.get(name)
        parent["metadata"]["generation"] = parent["metadata"].get("generation", 0) + 1
        response = self._response(base.call, request)
        if response is not None and not children_of(response):
            gone = min(map(str, base.observed))
            message = f"{sync.key}: an edit to this spec, which the status calls invalid, deletes {gone} and all others"
            yield "DroppedChildren", f"{message}; go on listing them, in Python with kept=request.children.kept()"

    def _response(self, call: Call, request: Json) -> bytes | None:
        """Return the response to *request*, in place of that of *call*; None if it fails, which is no finding."""
        before = len(self.hook.failures)
        response = self.hook.response(call.hook, json.dumps(request).encode(), START + timedelta(seconds=call.at))
        del self.hook.failures[before:]
        return response


def _parent_in(request: Json) -> Json:
    parent: Json = request.get("parent") or request["object"]
    return parent


def _is_invalid(status: Json) -> bool:
    """Tell whether *status* says that the spec can't be used: as reason of Ready, as state or phase, or as an error."""
    conditions = status.get("conditions") or ()
    words = [each.get("reason") for each in conditions if (each.get("type"), each.get("status")) == ("Ready", "False")]
    words += [name for name, value in status.items() if value and isinstance(value, str | list)]
    return any(_INVALID.search(str(word)) for word in (*words, status.get("state"), status.get("phase")))
