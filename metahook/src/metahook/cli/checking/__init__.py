"""Checks a hook and its manifests, for ``metahook check``.

The rule of this package: a finding is true, and repeated by the command that it names. Nothing here is random.

    checks           the checks, one after the other
    report           text, JSON and JUnit
    rules            the rules for manifests
    cases            other parents, parents that are alike, edits and faults
    purity           the same request twice, an hour later, and in another process
    violations       the findings of a run
    responses        what the API server makes of responses
    runs             runs of parents in a simulated cluster
    results          the findings of a check, without those that follow from others
    calls            calls of the hook, within limits of time
    other_process    calls in processes with other hash seeds and clocks

Start at :mod:`metahook.cli.checking.checks`.
"""
