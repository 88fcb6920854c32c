"""What only the operator knows: the parameters of the toolkit's commands, and what is wrong with a MyResource."""

from functools import cache
from pathlib import Path

import msgspec

import app
from app import Json
from app.api import reading
from app.api.generated_schema import Schema, schema
from app.api.names import API_VERSION, KIND, PLURAL
from app.cli.options import with_watch
from app.cli.wrapping import wrap
from app.core.child_metadata import GENERATION_STAMP, PASSING_ANNOTATIONS
from app.core.controller import controller
from app.core.reasons import INVALID_SPEC
from app.core.status.conditions import foreign_fields
from app.core.watch import Watch
from metahook import Kind, Service
from metahook.commands import SERVED, Binding, Mode, Settings, Uncompared, Words, custom_rules, with_defaults

_HERE = Path(app.__file__).parent
SCENARIOS = (_HERE / "scenarios", _HERE.parent / "examples" / "scenarios")
"""Folders with scenarios: that of an installed package, and that of a checkout."""

COLLECT_COMMANDS = """\
umask 077
kubectl get myresources.mygroup.example.com --all-namespaces --show-managed-fields -o json > myresources.json
kubectl get deployments.apps --all-namespaces -l controller-uid --show-managed-fields -o json > deployments.json
kubectl get services,ingress,hpa,pdb --all-namespaces --show-managed-fields -o json > others.json
kubectl get configmaps --all-namespaces -o json > configmaps.json
myresource replay myresources.json deployments.json others.json configmaps.json"""
"""The label is the one that Metacontroller sets on children. The other kinds are collected whole: an object of
another owner may have the name of a child. No Secrets are, because their values do not belong in a file."""


EXAMPLES = ("web", "minimal", "restricted")
"""Those of a checkout that need no other object, for a page to begin with."""

Problem = custom_rules.Problem

_JUDGED = ("metadata", "spec")


class _WatchedKind(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A kind that MyResources may depend on."""

    api_version: str
    resource: str
    kind: str


class _WatchedObjects(msgspec.Struct, forbid_unknown_fields=True):
    """The chart's values of the same names, in a scenario."""

    pods: bool = True
    secrets: bool = False
    dependencies: list[_WatchedKind] = []


def watch_of(written: Json) -> Watch:
    """Return the operator's settings for what a scenario has written; raise ValueError."""
    try:
        watched = msgspec.convert(written, _WatchedObjects)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    kinds = (Kind(kind.api_version, kind.kind, kind.resource) for kind in watched.dependencies)
    return Watch(watched.pods, watched.secrets, tuple(kinds))


def settings(mode: Mode, watch: Watch) -> Settings:
    """Return the settings of a cluster that serves the kinds that *watch* names."""
    served = (*SERVED, *watch.dependencies)
    children = tuple(child.KIND for child in controller(watch).children)
    return Settings(Kind(API_VERSION, KIND, PLURAL), children, mode=mode, served=served)


def _example(name: str) -> Path:
    return _HERE.parent / "examples" / f"{name}.yaml"


def _has_schedule(parent: Json) -> bool:
    """Tell whether *parent* has a schedule, whose next transition is always left to do."""
    return "schedule" in (parent.get("spec") or {})


def binding() -> Binding:
    return Binding(
        controller=controller,
        settings=settings,
        with_own=with_watch,
        own_of=watch_of,
        problems=problems,
        invalid_reason=INVALID_SPEC.name,
        started={"readyGeneration": 1},
        stays_busy=_has_schedule,
        scenarios=SCENARIOS,
        examples=tuple(str(file) for file in map(_example, EXAMPLES) if file.exists()),
        schema=known_fields,
        until=("ready", "quiet"),
        uncompared=Uncompared(
            fields=frozenset({"override"}),  # it has times, and managers, which a redacted request does not name
            times={"waiting": "since"},
            conditions=frozenset(
                {foreign_fields.TYPE.name}
            ),  # it depends on managedFields, which a recording leaves out
            annotations=PASSING_ANNOTATIONS,  # they depend on times, and on managedFields
        ),
        hidden=frozenset({GENERATION_STAMP, *PASSING_ANNOTATIONS}),
        replays_redacted=True,
        collected=(Service.KIND.group_key,),
        words=Words(
            parent=KIND,
            example="examples/web.yaml",
            serve="myresource serve",
            collect=COLLECT_COMMANDS,
            bad_states=frozenset({"Failed", "Degraded"}),
            wrap=wrap,
        ),
    )


def problems(parent: Json, old: Json | None = None) -> list[Problem]:
    """Return all that is wrong with *parent*, a MyResource that is new, or that replaces the stored *old*.

    The API server accepts what is wrong in *old*, too. Its names other than ``metadata.name`` are those of any object.
    """
    judged, stored = (with_defaults(_judged(item), known_fields()) for item in (parent, old or {}))
    encoded = [msgspec.json.encode(item.get("spec")) for item in (judged, stored)]
    by_rule = [
        (custom_rules.HookProblem if found.is_stored else Problem)(found.path, found.message)
        for found in reading.problems(parent["metadata"]["name"], *encoded[: 2 if old else 1])
    ]
    # A rule says in words what a pattern of the schema says, too.
    named = {problem.path for problem in by_rule}
    by_schema = [
        each
        for each in custom_rules.problems(judged, known_fields())
        if each.path not in named and not (isinstance(each.path[-1], int) and each.path[:-1] in named)
    ]
    wrong = [
        each
        for each in (*by_rule, *by_schema)
        if not (old and custom_rules.is_unchanged(each.path, judged, stored, known_fields()))
    ]
    # Users do not write the status.
    written = {name: value for name, value in parent.items() if name not in ("metadata", "status")}
    return [*custom_rules.unknown_fields(written, known_fields()), *wrong]


@cache
def known_fields() -> Schema:
    """Return the schema of a MyResource, cached: reading it takes longer than checking a MyResource."""
    return {**schema(), "required": list(_JUDGED)}


def _judged(item: Json) -> Json:
    return {name: item[name] for name in _JUDGED if name in item}
