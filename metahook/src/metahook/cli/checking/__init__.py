"""Checks a hook and its manifests, for ``metahook check``.

The rule of this package: a finding is true, and repeated by the command that it names. Nothing here is random.

    checks     the checks, one after the other
    results    the findings of a check, without those that follow from others
    rules      the rules for manifests
    calls      calls of the hook, within limits of time
    purity     the same request twice, an hour later, and in another process
    other_process  calls in processes with other hash seeds and clocks
    edits      parents that had another spec before
    twins      parents that differ in little but their names
    responses  what the API server makes of responses
    lives      lives of parents in a simulated cluster
    faults     what goes wrong in a life
    harms      the findings of a life
    parents    other parents, with fields left out, and generated ones
    report     text, JSON and JUnit
"""
