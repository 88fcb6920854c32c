"""The checks, one after the other: the manifests, the calls, the lives, the generated parents, the faults."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec

from metahook.cli.checking.calls import CheckedHook, Stopped
from metahook.cli.checking.finding import Finding
from metahook.cli.checking.lives import POSITIONED, Fault, Life, Lives, twins
from metahook.cli.checking.parents import generated, has_cel_rules, variants
from metahook.cli.checking.purity import impurities, requests_of
from metahook.cli.checking.responses import dropped_status, stored_otherwise, undeclared_children
from metahook.cli.checking.rules import manifest_findings
from metahook.cli.checking.schemas import Path, schema_of
from metahook.cli.errors import InputError
from metahook.cli.files.manifest import Manifest
from metahook.cli.files.yaml_documents import dump_yaml
from metahook.cli.manifests import Manifests
from metahook.cli.simulation.faults import delay, lose
from metahook.protocol.changes import changed_paths
from metahook.simulator.controllers.pod_lifecycle import Failure
from metahook.simulator.evidence import Evidence
from metahook.simulator.findings import HarmFinding, findings
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.objects import Json

FAILURES = (Failure.CRASH, Failure.UNREADY, Failure.UNSCHEDULABLE, Failure.EVICTED)
"""Failures of containers, which a hook that has Pods sees."""

LOST = "25%"
"""Responses of the hook that are lost."""

POSITIONS = 4
"""Positions of each fault that has one."""

_CONSEQUENCES = {
    "EndsDifferently": {"MixedParents", "NotPure", "WrongDelete"},
    "GrowingChildren": {"WrongDelete"},
    "NeedsResync": {"NotPure"},
    "NoOpWrites": {"NotPure", "PrunedStatus"},
    "RemovedField": {"MixedParents", "NotPure"},
    "RepeatedWrites": {"GrowingChildren", "MixedParents", "NotPure", "PrunedStatus", "WrongDelete"},
    "StoredOtherwise": {"NotPure", "UnknownField"},
    "CallStorm": {"GrowingChildren", "NotPure", "RepeatedWrites", "WrongDelete"},
}
"""Rules that are also broken once one of these others is."""

Check = tuple[str, Callable[[], Iterable[Finding]]]
Command = Callable[..., str]
"""Returns the command line that repeats a finding, given options that it adds; see the command."""


@dataclass
class Results:
    """The *checks* that ran, each with its findings, and why the others did not run."""

    checks: list[tuple[str, list[Finding]]] = field(default_factory=list)
    stopped: str = ""
    notes: list[str] = field(default_factory=list)
    """What was not checked."""

    @property
    def findings(self) -> list[Finding]:
        """All findings."""
        return [finding for _, found in self.checks for finding in found]


@dataclass(frozen=True)
class Checks:
    """The checks of a hook with *parents*; *others* are the objects that exist beside them."""

    manifests: Manifests
    hook: CheckedHook
    lives: Lives
    parents: tuple[Json, ...]
    simulate: Command
    check: Command

    def run(self, results: Results, only: str | None = None) -> None:
        """Run the checks, or *only* the one of this name, and add to *results*."""
        try:
            base = self.lives.begin(self.parents)
            if base.refused:
                self._add(results, "life", [Finding("RefusedParent", "-f", base.refused)])
                return
            names = []
            for name, check in self._checks(base, results):
                names.append(name)
                if only in (None, name):
                    self._add(results, name, check())
            if only not in (None, *names):
                message = f"--only {only}: no such check; choose one of {', '.join(names)}"
                raise InputError(message)
        except Stopped as stop:
            self._add(results, "calls", self._failures())
            results.stopped = str(stop)

    def _add(self, results: Results, name: str, found: Iterable[Finding]) -> None:
        """Add what is *found* to *results*, without what was found before, and what follows from that."""
        new: list[Finding] = []
        for finding in found:
            known = [*results.findings, *new]
            is_consequence = _CONSEQUENCES.get(finding.name, set()) & {each.name for each in known}
            if not is_consequence and _kind(finding) not in map(_kind, known):
                new.append(finding)
        results.checks.append((name, new))

    def _checks(self, base: Life, results: Results) -> Iterator[Check]:
        """Yield the name of each check after the first life, and a function that returns its findings."""
        created = list(self._of_life(base, self.simulate()))
        yield "purity", lambda: self._impurities(base)
        yield "life", lambda: [*created, *self._rest_of(base)]
        if base.loop or not Evidence(base.world.history).syncs:
            why = "the cluster does not become quiet" if base.loop else "no sync succeeds"
            results.notes.append(f"no more was checked, because {why}")
            return
        yield "twins", self._twins
        yield "smaller", self._smaller
        yield "generated", partial(self._generated, results)
        for name, (fault, command) in dict(self._faults(base)).items():
            yield name, partial(self._of_fault, fault, command, base, is_lasting=name.startswith("fail-"))

    def _impurities(self, base: Life) -> Iterator[Finding]:
        for each in impurities(self.hook, requests_of(base.world.history)):
            message = f"{each.key}: {each.message}"
            if each.rule == "NeedsResync":
                period = self.manifests.controller.content["spec"].get("resyncPeriodSeconds")
                message += f"; resyncPeriodSeconds is {period}" if period else ", nor resyncPeriodSeconds"
            yield Finding(each.rule, f"/{each.hook}", message, self.check("--only", "purity"))
        yield from self._failures()

    def _rest_of(self, life: Life) -> Iterator[Finding]:
        """Yield the findings of the rest of *life*."""
        command = self.check("--only", "life")
        self.lives.change(life)
        yield from self._of_life(life, command)
        self.lives.end(life)
        yield from self._of_life(life, command)
        for key in () if life.loop else life.remaining():
            message = f"{key}: still exists ten minutes after its deletion; respond with finalized: true"
            yield Finding("NotFinalized", "/finalize", message, command)

    def _of_parents(self, parents: list[Json], *, brief: bool = False) -> Iterator[Finding]:
        """Yield the findings of the life of *parents*, which are the example."""
        life = self.lives.begin(parents, brief=brief, controllers=not brief)
        if not life.refused:
            example = "---\n".join(dump_yaml(item) for item in (*self.lives.others, *parents))
            for finding in self._of_life(life, self.simulate(example=True)):
                yield replace(finding, example=example)

    def _twins(self) -> Iterator[Finding]:
        """Yield what a hook mixes up. Copies may break other rules, if their specs have the names of children."""
        return (finding for finding in self._of_parents(twins(self.parents)) if finding.name == "MixedParents")

    def _smaller(self) -> Iterator[Finding]:
        for parent in self.parents:
            for variant in variants(parent, self._schema(parent)):
                yield from self._of_parents([variant], brief=True)

    def _generated(self, results: Results) -> Iterator[Finding]:
        """Yield the first new finding of parents that are generated for each kind of the given ones."""
        from metahook.testing import NotGenerated  # noqa: PLC0415 - it imports Hypothesis

        known = {finding.name for finding in results.findings}
        for kind in dict.fromkeys((parent["apiVersion"], parent["kind"]) for parent in self.parents):
            found = self._crd_of(dict(zip(("apiVersion", "kind"), kind, strict=True)))
            if found is None:
                continue
            crd, _, schema = found
            condition = " (if the CEL rules of the CRD allow this parent)" if has_cel_rules(schema) else ""
            try:
                for finding in generated(crd.content, kind[0].partition("/")[2], partial(self._first_new, known)):
                    yield replace(finding, message=finding.message + condition)
            except NotGenerated as error:
                results.notes.append(f"no {kind[1]} was generated: {error}")

    def _first_new(self, known: set[str], parent: Json) -> Finding | None:
        return next((each for each in self._of_parents([parent], brief=True) if each.name not in known), None)

    def _faults(self, base: Life) -> Iterator[tuple[str, tuple[Fault, str]]]:
        """Yield name, fault and command of each fault, at most at some positions."""
        settings = self.lives.settings
        yield "stale-parent", (lambda world: delay(world, ("parent",)), self.simulate("--stale", "parent"))
        for kind in settings.children:
            yield f"stale-{kind.kind}", (_stale(kind.kind), self.simulate("--stale", kind.kind))
        yield "lose", (lambda world: lose(world, LOST), self.simulate("--lose", LOST))
        if any(write.key.kind == "Pod" for write in base.world.history.writes()):
            for failure in FAILURES:
                yield f"fail-{failure.value}", (_fail(failure), self.simulate("--fail", failure.value))
        writes = [write for write in base.world.history.writes() if write.changed]
        counts = {"crash": sum(1 for write in writes if write.actor == NAME), "lost": len(writes)}
        for name, fault in POSITIONED.items():
            count = counts.get(name, len(writes))
            for position in range(0, count, max(1, count // POSITIONS)):
                plan = f"{name}-{position}"
                yield plan, (fault(position), self.check("--only", plan))

    def _of_fault(self, fault: Fault, command: str, base: Life, *, is_lasting: bool) -> Iterator[Finding]:
        """Yield the findings of a life with *fault*, and how it ends in another way than *base*."""
        life = self.lives.begin(self.parents, fault)
        yield from self._of_life(life, command, fault=True)
        if is_lasting or not base.is_quiet or not life.is_quiet:
            return
        before, after = base.children(), life.children()
        for key in dict.fromkeys([*before, *after]):
            path = next(iter(changed_paths(before.get(key), after.get(key), "")), None)
            if path is not None:
                what = f"{path} differs" if path else "only one of them has it"
                message = f"{key}: another child after this fault than without it: {what}"
                yield Finding("EndsDifferently", "/sync", message, command)

    def _of_life(self, life: Life, command: str, *, fault: bool = False) -> Iterator[Finding]:
        """Yield the findings of *life*, which *command* repeats."""
        failed = self._failures()
        life.has_failures = life.has_failures or bool(failed)
        yield from (replace(finding, command=command) for finding in failed)
        evidence = Evidence(life.world.history)
        harms = findings(life.world.history)
        for sync in evidence.syncs:
            schema = self._schema({"apiVersion": _api_version(sync.call.request), "kind": sync.key.kind})
            for rule, message in (*dropped_status(sync, schema), *undeclared_children(sync)):
                yield Finding(rule, f"/{sync.call.hook}", message, command)
        for harm in harms:
            name, message = harm.rule, f"{harm.key}: {_message(life, harm)}"
            # A failed call is a finding by itself, and a finalizer is set before the first call.
            if (name == "FailingSync" and life.has_failures) or (name == "OverwrittenObject" and harm.key in life.keys):
                continue
            if fault and _is_of_the_fault(name, message, life):
                continue
            if name == "NoOpWrites":
                otherwise = next(filter(None, (stored_otherwise(sync, harm.key) for sync in evidence.syncs)), None)
                name, message = (
                    ("StoredOtherwise", f"{otherwise}: a write in every sync") if otherwise else (name, message)
                )
            yield Finding(name, "/sync", message, command)
        if life.loop and not harms and not life.has_failures:
            yield Finding("NeverQuiet", "/sync", life.loop, command)

    def _failures(self) -> list[Finding]:
        """Return the failures of calls since the last time."""
        failures, self.hook.failures[:] = list(self.hook.failures), []
        found: dict[tuple[str, str, str], Finding] = {}
        for each in failures:
            message = f"{each.parent}: {each.message}"
            place = each.place or f"/{each.hook}"
            found.setdefault((each.name, place, each.message), Finding(each.name, place, message, self.simulate()))
        return list(found.values())

    def _schema(self, parent: Json) -> Json | None:
        found = self._crd_of(parent)
        return found[2] if found else None

    def _crd_of(self, parent: Json) -> tuple[Manifest, Path, Json] | None:
        kind = self.lives.settings.kind(parent["apiVersion"], parent["kind"])
        return schema_of(kind, self.manifests.crds) if kind else None


def _kind(finding: Finding) -> tuple[str, str, str]:
    """Return what is the same in findings of one reason: a finding of each rule and kind of object is enough."""
    return finding.name, finding.place, finding.message.partition(" ")[0]


def _is_of_the_fault(rule: str, message: str, life: Life) -> bool:
    """Tell whether what breaks *rule* is the fault itself: a crash, or what Metacontroller sees late because of it."""
    is_unseen = rule == "UnreportedRefusal" and "AlreadyExists" in message
    is_late = rule in ("CallStorm", "NoOpWrites", "RepeatedWrites") and not life.loop
    return rule == "MetacontrollerCrash" or is_unseen or is_late


def _message(life: Life, harm: HarmFinding) -> str:
    """Return the message of *harm*, with why syncs fail, or why a child is refused."""
    history = life.world.history
    if harm.rule == "FailingSync":
        return (
            f"every sync fails: {next(event.message for event in history.events('SyncError') if event.key == harm.key)}"
        )
    if harm.rule == "UnreportedRefusal":
        refused = (write.refused for write in history.writes(NAME) if write.key == harm.key)
        return f"{harm.message}: {next(filter(None, refused))}"
    return harm.message


def _api_version(request: bytes) -> str:
    decoded = msgspec.json.decode(request)
    return str((decoded.get("parent") or decoded["object"])["apiVersion"])


def _stale(kind: str) -> Fault:
    return lambda world: delay(world, (kind,))


def _fail(failure: Failure) -> Fault:
    return lambda world: world.kubelet.fail(failure)


def manifests_only(manifests: Manifests, results: Results) -> bool:
    """Check the *manifests*, and add to *results*; return whether the hook can be called."""
    found, is_runnable = manifest_findings(manifests)
    results.checks.append(("manifests", found))
    if not is_runnable:
        results.stopped = "the hook was not called: mend the manifests first"
    return is_runnable
