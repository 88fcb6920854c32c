"""Checks a hook and its manifests, for ``metahook check``.

The rule of this package: a finding is true, and repeated by the command that it names. Nothing here is random.

    checks           the checks, one after the other
    rules            the rules for manifests
    cases            other parents, parents that are alike, and edits
    violations       the findings of a run and of single responses
    runs             runs of parents in a simulated cluster, and the faults in them
    results          the findings of a check, without those that follow from others, and their report
    calls            calls of the hook, within limits of time, and again for the same request
    other_process    calls in processes with other hash seeds and clocks

Where a new rule goes: one that reads a manifest, to ``rules``; one that reads single responses, to ``violations``,
where ``Violations.of`` yields what it finds; one that finds harm in the history of a cluster, to
:mod:`metahook.simulator.findings.rules`. A check with other parents is a method of ``Checks``, a fault is in
``faults_for``.

Start at :mod:`metahook.cli.checking.checks`.
"""
