"""What only the operator knows: the parameters of the toolkit's commands."""

from pathlib import Path

import msgspec

import app
from app.api.names import API_VERSION, KIND, PLURAL
from app.cli.options import with_watch
from app.cli.validation import problems
from app.cli.wrapping import wrap
from app.core.child_metadata import GENERATION_STAMP, PASSING_ANNOTATIONS
from app.core.controller import controller
from app.core.reasons import INVALID_SPEC
from app.core.status.conditions import FOREIGN_FIELDS
from app.core.watch import Watch
from metahook import Kind, Service
from metahook.commands import SERVED, Binding, Json, Mode, Settings, Uncompared, Words

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


def _has_schedule(parent: Json) -> bool:
    """Tell whether *parent* has a schedule, whose next transition is always left to do."""
    return "schedule" in (parent.get("spec") or {})


def binding() -> Binding:
    """Return what the toolkit's commands are bound to."""
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
        until=("ready", "quiet"),
        uncompared=Uncompared(
            fields=frozenset({"override"}),  # it has times, and managers, which a redacted request does not name
            times={"waiting": "since"},
            conditions=frozenset({FOREIGN_FIELDS.type}),  # it depends on managedFields, which a recording leaves out
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
