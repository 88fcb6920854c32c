"""Compares two responses to one request, or the children before and after an edit of the spec.

The rule of this package: a comparison tells what changes in the children and the status, and whether Pods restart.
:mod:`app.cli.diff` and :mod:`app.cli.replay` print it.

    edit          the children before and after an edit, and unified_diff, which prints it
    comparison    two responses to a request: responses, and the difference between them, with a report of many
    children      a child before and after an apply
"""
