"""The checks, one after the other: the manifests, the calls, the lives, the generated parents, the faults."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from metahook.cli.checking.calls import CheckedHook, Stopped
from metahook.cli.checking.faults import NamedFault, faults_for
from metahook.cli.checking.harms import Harms
from metahook.cli.checking.lives import Life, Lives, twins
from metahook.cli.checking.parents import generated, has_cel_rules, variants
from metahook.cli.checking.purity import impurities, requests_of
from metahook.cli.checking.results import Finding, Results
from metahook.cli.checking.rules import hooks_left_out, manifest_findings
from metahook.cli.errors import InputError
from metahook.cli.files.yaml_documents import dump_yaml
from metahook.cli.manifests import Manifests
from metahook.protocol.changes import changed_paths
from metahook.simulator.evidence import Evidence
from metahook.simulator.objects import Json

_OF_TWINS = ("MixedParents", "Exception", "FailedCall", "RefusedResponse")

Check = tuple[str, Callable[[], Iterable[Finding]]]
Command = Callable[..., str]
"""Returns the command line that repeats a finding, given options that it adds; see the command."""


@dataclass(frozen=True)
class Checks:
    """The checks of a hook with *parents*; *others* are the objects that exist beside them."""

    manifests: Manifests
    hook: CheckedHook
    lives: Lives
    parents: tuple[Json, ...]
    simulate: Command
    check: Command

    @cached_property
    def harms(self) -> Harms:
        """What reads the findings of lives."""
        return Harms(self.hook, self.lives.settings, self.manifests.crds)

    def run(self, results: Results, only: str | None = None) -> None:
        """Run the checks, or *only* the one of this name, and add to *results*."""
        try:
            base = self.lives.begin(self.parents)
            if base.refused:
                results.add("life", [Finding("RefusedParent", "-f", base.refused)])
                return
            names = []
            for name, check in self._checks(base, results):
                names.append(name)
                if only in (None, name):
                    results.add(name, check())
            if only not in (None, *names):
                message = f"--only {only}: no such check; choose one of {', '.join(names)}"
                raise InputError(message)
        except Stopped as stop:
            results.add("calls", self.harms.failures(self.simulate()))
            results.stopped = str(stop)

    def _checks(self, base: Life, results: Results) -> Iterator[Check]:
        """Yield the name of each check after the first life, and a function that returns its findings."""
        created = list(self.harms.of(base, self.simulate()))
        if self.hook.controller:
            yield "hooks", partial(hooks_left_out, self.manifests, self.hook.controller)
        yield "purity", lambda: self._impurities(base)
        yield "life", lambda: [*created, *self._rest_of(base)]
        if base.loop or not Evidence(base.world.history).syncs:
            why = "the cluster does not become quiet" if base.loop else "no sync succeeds"
            results.notes.append(f"no more was checked, because {why}")
            return
        yield "twins", self._twins
        yield "smaller", self._smaller
        yield "generated", partial(self._generated, results)
        for fault in faults_for(self.lives.settings, base.world.history):
            yield fault.name, partial(self._of_fault, fault, base)

    def _impurities(self, base: Life) -> Iterator[Finding]:
        for each in impurities(self.hook, requests_of(base.world.history)):
            message = f"{each.key}: {each.message}"
            if each.rule == "NeedsResync":
                period = self.manifests.controller.content["spec"].get("resyncPeriodSeconds")
                message += f"; resyncPeriodSeconds is {period}" if period else ", nor resyncPeriodSeconds"
            yield Finding(each.rule, f"/{each.hook}", message, self.check("--only", "purity"))
        yield from self.harms.failures(self.check("--only", "purity"))

    def _rest_of(self, life: Life) -> Iterator[Finding]:
        """Yield the findings of the rest of *life*."""
        command = self.check("--only", "life")
        self.lives.change(life)
        yield from self.harms.of(life, command)
        self.lives.end(life)
        yield from self.harms.of(life, command)
        for key in () if life.loop else life.remaining():
            message = f"{key}: still exists ten minutes after its deletion; respond with finalized: true"
            message += ", or leave out of -f what the hook waits for" if self.lives.others else ""
            yield Finding("NotFinalized", "/finalize", message, command)

    def _of_parents(self, parents: list[Json], *, brief: bool = False) -> Iterator[Finding]:
        """Yield the findings of the life of *parents*, which are the example."""
        life = self.lives.begin(parents, brief=brief, controllers=not brief)
        if not life.refused:
            example = "---\n".join(dump_yaml(item) for item in (*self.lives.others, *parents))
            for finding in self.harms.of(life, self.simulate(example=True)):
                yield replace(finding, example=example)

    def _twins(self) -> Iterator[Finding]:
        """Yield what a hook mixes up. Copies may break other rules, if their specs have the names of children."""
        return (finding for finding in self._of_parents(twins(self.parents)) if finding.name in _OF_TWINS)

    def _smaller(self) -> Iterator[Finding]:
        for parent in self.parents:
            found = self.harms.crd_of(parent)
            for variant in variants(parent, found and found[2]):
                yield from self._of_parents([variant], brief=True)

    def _generated(self, results: Results) -> Iterator[Finding]:
        """Yield the first new finding of parents that are generated for each kind of the given ones."""
        from metahook.testing import NotGenerated  # noqa: PLC0415 - it imports Hypothesis

        known = {finding.name for finding in results.findings}
        for kind in dict.fromkeys((parent["apiVersion"], parent["kind"]) for parent in self.parents):
            found = self.harms.crd_of(dict(zip(("apiVersion", "kind"), kind, strict=True)))
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

    def _of_fault(self, fault: NamedFault, base: Life) -> Iterator[Finding]:
        """Yield the findings of a life with *fault*, and how it ends in another way than *base*."""
        command = self.simulate(*fault.options) if fault.options else self.check("--only", fault.name)
        life = self.lives.begin(self.parents, fault.fault)
        yield from self.harms.of(life, command, fault=True)
        if fault.is_lasting or not base.is_quiet or not life.is_quiet:
            return
        before, after = base.children(), life.children()
        for key in dict.fromkeys([*before, *after]):
            path = next(iter(changed_paths(before.get(key), after.get(key), "")), None)
            if path is not None:
                what = f"{path} differs" if path else "only one of them has it"
                message = f"{key}: another child after this fault than without it: {what}"
                yield Finding("EndsDifferently", "/sync", message, command)


def manifests_only(manifests: Manifests, results: Results) -> bool:
    """Check the *manifests*, and add to *results*; return whether the hook can be called."""
    found, is_runnable = manifest_findings(manifests)
    results.checks.append(("manifests", found))
    if not is_runnable:
        results.stopped = "the hook was not called: mend the manifests first"
    return is_runnable
