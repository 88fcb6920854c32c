"""The checks, one after the other: the manifests, the calls, the runs, the generated parents, the faults."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial

import click
from msgspec import Struct
from msgspec.structs import replace

from metahook.cli.checking.calls import UNSEEN, CheckedHook, Stopped, impurities, requests_of
from metahook.cli.checking.cases import (
    Edits,
    constant_names,
    constant_ports,
    crd_as_given,
    cut_names,
    edited,
    generated,
    has_cel_rules,
    listed_by_two,
    long_named,
    shared_selectors,
    variants,
    with_twins,
)
from metahook.cli.checking.results import CheckResult, Results
from metahook.cli.checking.rules import hooks_left_out, manifest_findings
from metahook.cli.checking.runs import BRIEF, REST, NamedFault, Run, Runs, faults_for
from metahook.cli.checking.violations import Violations, finalized_at_once
from metahook.cli.errors import InputError
from metahook.cli.files.manifests import Manifests
from metahook.cli.files.yaml_documents import dump_yaml
from metahook.protocol.objects import changed_paths
from metahook.simulator.findings.evidence import WORKLOADS, Evidence, unmet_claim
from metahook.simulator.objects import Json

MANIFESTS = "manifests"
"""The name of the check that needs no hook."""

_OF_ANY_RUN = ("hooks", "purity", "life")
"""The checks that need neither a sync that succeeds, nor a cluster that becomes quiet."""

_OF_TWINS = ("MixedParents", "Exception", "FailedCall", "RefusedResponse")

_TWIN_RULES = {"ConstantName": constant_names, "ConstantPort": constant_ports, "SharedSelector": shared_selectors}

_MANY_X = re.compile("x{9,}")

_FOLLOWED = (
    "compare it with what is desired, and its status.observedGeneration with metadata.generation, in Python with "
    "drifted_field and rolled_out"
)

Check = Callable[[], Iterable[CheckResult]]
Command = Callable[..., str]
"""Returns the command line that repeats a finding, given options that it adds; see the command."""


class Checks(Struct, frozen=True, dict=True):
    """The checks of a hook with *parents*; *others* are the objects that exist beside them."""

    manifests: Manifests
    hook: CheckedHook
    runs: Runs
    parents: tuple[Json, ...]
    simulate: Command
    check: Command

    @cached_property
    def violations(self) -> Violations:
        """What reads the findings of runs."""
        return Violations(self.hook, self.runs.settings, self.manifests.crds)

    def run(self, results: Results, only: str | None = None) -> None:
        """Run the checks, or *only* the one of this name, and add to *results*."""
        base, created = self.runs.new(), list[CheckResult]()
        try:
            self.runs.begin(base, self.parents)
            if base.refused:
                results.add("life", [CheckResult("RefusedParent", "-f", base.refused)])
                return
            created += self.violations.of(base, self.simulate())
            checks = dict(self._checks(base, created, results))
            if only not in (None, *checks):
                message = f"--only {only}: no such check; choose one of {', '.join([MANIFESTS, *checks])}"
                raise InputError(message)
            self._run({name: check for name, check in checks.items() if only in (None, name)}, base, results)
        except Stopped as stop:
            if failures := self.violations.failures(self.simulate()):
                results.add("calls", failures)
            names = {MANIFESTS, *([only] if only else dict(self._checks(base, created, results)))}
            ran = sum(name in names for name, _ in results.checks)
            results.stopped = f"{ran} of {len(names)} checks ran: {stop}"

    def _run(self, checks: Mapping[str, Check], base: Run, results: Results) -> None:
        """Run *checks* after the run *base*; raise Stopped if that was too short for one of them."""
        is_short = base.loop or not Evidence(base.world.history).syncs
        why = "the cluster does not become quiet" if base.loop else "no sync succeeds"
        with click.progressbar(
            checks,
            label="checks of the hook",
            file=sys.stderr,
            hidden=not sys.stderr.isatty(),
            show_eta=False,
            show_percent=False,
            show_pos=True,
            item_show_func=lambda name: name,
        ) as names:
            for name in names:
                if is_short and name not in _OF_ANY_RUN:
                    message = f"no more can be checked, because {why}"
                    raise Stopped(message)
                results.add(name, checks[name]())

    def _checks(self, base: Run, created: list[CheckResult], results: Results) -> Iterator[tuple[str, Check]]:
        """Yield the name of each check after the run *base*, which *created* findings, and the check."""
        edits = Edits(self.hook, tuple(base.world.history.calls()))
        if self.hook.controller:
            yield "hooks", partial(hooks_left_out, self.manifests, self.hook.controller)
        yield "purity", lambda: self._impurities(base, results)
        yield "life", lambda: [*created, *self._rest_of(base)]
        if any(key.kind in WORKLOADS for key in base.children()):
            yield "edits", partial(self._edits, results)
        yield "twins", partial(self._twins, base)
        yield "smaller", partial(self._smaller, edits)
        yield "generated", partial(self._generated, edits, results)
        for fault in faults_for(self.runs.settings, base.world.history):
            yield fault.name, partial(self._of_fault, fault, base)

    def _impurities(self, base: Run, results: Results) -> Iterator[CheckResult]:
        if not self.hook.is_local:
            results.notes.append(UNSEEN)
        for each in impurities(self.hook, requests_of(base.world.history)):
            message = f"{each.key}: {each.message}"
            if each.rule == "NeedsResync":
                period = self.manifests.controller.content["spec"].get("resyncPeriodSeconds")
                message += f"; resyncPeriodSeconds is {period}" if period else ", nor resyncPeriodSeconds"
            yield CheckResult(each.rule, f"/{each.hook}", message, self.check("--only", "purity"))
        yield from self.violations.failures(self.check("--only", "purity"))

    def _rest_of(self, run: Run) -> Iterator[CheckResult]:
        command = self.check("--only", "life")
        self.runs.change(run)
        yield from self.violations.of(run, command)
        if any(key.kind == "HorizontalPodAutoscaler" for key in run.children()):
            # In another run, as those with faults, which end like this one, have no load.
            for message in self.runs.unscaled(self.runs.begin(self.runs.new(), self.parents)):
                yield CheckResult("FixedReplicas", "/sync", message, command)
        self.runs.end(run)
        yield from self.violations.of(run, command)
        for message in () if run.loop else finalized_at_once(run.world.history, is_pure=self.hook.is_local):
            yield CheckResult("FinalizedAtOnce", "/finalize", message, command)
        for key in () if run.loop else run.remaining():
            message = f"{key}: still exists ten minutes after its deletion; respond with finalized: true"
            message += ", or leave out of -f what the hook waits for" if self.runs.others else ""
            yield CheckResult("NotFinalized", "/finalize", message, command)

    def _findings_of(self, run: Run, parents: list[Json]) -> Iterator[CheckResult]:
        if not run.refused:
            example = "---\n".join(dump_yaml(item) for item in (*self.runs.others, *parents))
            for finding in self.violations.of(run, self.simulate(example=True)):
                yield replace(finding, example=example)

    def _edits(self, results: Results) -> Iterator[CheckResult]:
        """Yield the first edit of each parent after which the hook says Ready, before the Pods follow."""
        for parent in self.parents:
            run = self.runs.begin(self.runs.new(), [parent], REST)
            found = self.violations.crd_of(parent)
            if not any(sync.ready == "True" for sync in Evidence(run.world.history).syncs):
                results.notes.append(f"no status of {run.keys[0]} says Ready, so edits were not checked")
                continue
            for change, other in edited(parent, found and found[2]):
                self.hook.check_time()
                start = run.world.clock.now
                self.runs.edit(run, other, REST)
                syncs = [sync for sync in Evidence(run.world.history).syncs if sync.at >= start]
                claims = (unmet_claim(sync, WORKLOADS) for sync in syncs if sync.ready == "True")
                if why := next(filter(None, claims), None):
                    message = f"{run.keys[0]}: after the edit {change}, Ready is True, although {why}; {_FOLLOWED}"
                    yield CheckResult("ReadyTooEarly", "/sync", message, self.check("--only", "edits"))
                    break
                self.runs.edit(run, parent, REST)

    def _twins(self, base: Run) -> Iterator[CheckResult]:
        """Yield what a hook mixes up. Twins may break other rules, if their specs have the names of children."""
        parents = with_twins(self.parents)
        run = self.runs.begin(self.runs.new(), parents)
        yield from (finding for finding in self._findings_of(run, parents) if finding.name in _OF_TWINS)
        syncs = Evidence(run.world.history).syncs
        for name, rule in _TWIN_RULES.items():
            for message in rule(syncs):
                yield CheckResult(name, "/sync", message, self.check("--only", "twins"))
        refused = {write.key.kind for write in base.world.history.writes() if write.refused}
        for parent in self.parents:
            yield from self._long_named(parent, base, refused)

    def _long_named(self, parent: Json, base: Run, refused: set[str]) -> Iterator[CheckResult]:
        """Yield the mistakes with long names of *parent*. Children of the kinds *refused* are refused with any name.

        A child that both parents list is refused because it has another owner.
        """
        found = self.violations.crd_of(parent)
        parents = long_named(parent, found and found[2])
        if not parents:
            return
        run = self.runs.begin(self.runs.new(controllers=False), parents, BRIEF)
        remedy = "limit metadata.name in the CRD (maxLength), or " if found else ""
        shared = {str(key) for key, _, _ in listed_by_two(Evidence(run.world.history).syncs)}
        for finding in self._findings_of(run, parents):
            if finding.name in _OF_TWINS:
                yield finding
            elif (
                finding.name == "UnreportedRefusal"
                and finding.message.partition(" ")[0] not in refused
                and finding.message.partition(": ")[0] not in shared
            ):
                what = finding.message.replace(
                    ": ", f": if the name of its parent has {len(run.keys[0].name)} letters, ", 1
                )
                message = f"{_MANY_X.sub('xxx...', what)}; {remedy}cut it, and end it with a hash of the whole"
                yield replace(finding, name="LongName", message=message)
        for message in cut_names(Evidence(run.world.history).syncs, base.children()):
            yield CheckResult("CutName", "/sync", message, self.check("--only", "twins"))

    def _of_other(self, parent: Json, given: Json, edits: Edits, check: str) -> Iterator[CheckResult]:
        """Yield the findings of the brief run of another *parent*, and of edits: to its spec, and to that *given*."""
        run = self.runs.begin(self.runs.new(controllers=False), [parent], BRIEF)
        yield from self._findings_of(run, [parent])
        for rule, message in edits.to_spec_of(run.world.history):
            yield CheckResult(rule, "/sync", message, self.check("--only", check))
        found = self.violations.crd_of(parent)
        if not has_cel_rules(found and found[2]):  # such a rule may forbid the edit
            self.runs.edit(run, {**given, "metadata": parent["metadata"]})
            for finding in self.violations.of(run, self.check("--only", check)):
                if finding.name == "UnreportedRefusal":
                    yield replace(finding, message=finding.message.replace(": ", ": after an edit of the spec, ", 1))

    def _smaller(self, edits: Edits) -> Iterator[CheckResult]:
        for parent in self.parents:
            found = self.violations.crd_of(parent)
            for variant in variants(parent, found and found[2]):
                yield from self._of_other(variant, parent, edits, "smaller")

    def _generated(self, edits: Edits, results: Results) -> Iterator[CheckResult]:
        """Yield the first new finding of parents that are generated for each kind of the given ones."""
        from metahook.testing import NotGenerated  # noqa: PLC0415 - it imports Hypothesis

        known = {finding.name for finding in results.findings}
        for kind, given in {(parent["apiVersion"], parent["kind"]): parent for parent in self.parents}.items():
            found = self.violations.crd_of(given)
            if found is None:
                continue
            crd, path, schema = found
            content = crd_as_given(crd.content, int(path[2]), given)
            condition = " (if the CEL rules of the CRD allow this parent)" if has_cel_rules(schema) else ""
            try:
                examine = partial(self._first_new, known, given, edits)
                for finding in generated(content, kind[0].partition("/")[2], examine):
                    yield replace(finding, message=finding.message + condition)
            except NotGenerated as error:
                results.notes.append(f"no {kind[1]} was generated: {error}")

    def _first_new(self, known: set[str], given: Json, edits: Edits, parent: Json) -> CheckResult | None:
        found = self._of_other(parent, given, edits, "generated")
        return next((each for each in found if each.name not in known), None)

    def _of_fault(self, fault: NamedFault, base: Run) -> Iterator[CheckResult]:
        """Yield the findings of a run with *fault*, and how it ends in another way than *base*."""
        command = self.simulate(*fault.options) if fault.options else self.check("--only", fault.name)
        run = self.runs.begin(self.runs.new(fault.fault), self.parents)
        yield from self.violations.of(run, command, fault=True)
        if fault.is_lasting or not base.is_quiet or not run.is_quiet:
            return
        before, after = base.children(), run.children()
        for key in dict.fromkeys([*before, *after]):
            path = next(iter(changed_paths(before.get(key), after.get(key), "")), None)
            if path is not None:
                what = f"{path} differs" if path else "only one of them has it"
                message = f"{key}: another child after this fault than without it: {what}"
                yield CheckResult("EndsDifferently", "/sync", message, command)


def manifests_only(manifests: Manifests, results: Results) -> bool:
    """Check the *manifests*, and add to *results*; return whether the hook can be called."""
    found, is_runnable = manifest_findings(manifests)
    results.checks.append((MANIFESTS, found))
    if not is_runnable:
        results.stopped = "the hook was not called: mend the manifests first"
    return is_runnable
