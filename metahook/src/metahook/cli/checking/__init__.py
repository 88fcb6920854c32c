"""Checks a hook and its manifests, for ``metahook check``.

The rule of this package: a finding is true, and repeated by the command that it names. Nothing here is random.

    checks           the checks, one after the other
    report           text, JSON and JUnit
    rules            the rules for manifests
    cases            other parents, parents that are alike, edits and faults
    purity           the same request twice, an hour later, and in another process
    violations       the findings of a run
    responses        the rules for single responses, and what the API server makes of them
    runs             runs of parents in a simulated cluster
    results          the findings of a check, without those that follow from others
    calls            calls of the hook, within limits of time
    other_process    calls in processes with other hash seeds and clocks

Where a new rule goes: one that reads a manifest, to ``rules``; one that reads single responses, to ``responses``, and
``Violations.of`` yields what it finds; one that finds harm in the history of a cluster, to
:mod:`metahook.simulator.findings.rules`. A check with other parents is a method of ``Checks``, a fault is in
``faults_for``.

Start at :mod:`metahook.cli.checking.checks`.
"""
