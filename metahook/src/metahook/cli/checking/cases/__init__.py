"""What a hook is put through, besides runs of the parents that are given.

    parents   other parents, with fields left out, and generated ones
    twins     parents that differ in little but their names
    edits     parents that had another spec before
    faults    what goes wrong in a run: each fault is a function that changes its world, and ``faults_for`` lists them

Called by :mod:`metahook.cli.checking.checks`.
"""
