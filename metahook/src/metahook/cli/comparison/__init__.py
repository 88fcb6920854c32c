"""Compares two responses to one request, or the children before and after an edit.

The rule of this package: a comparison tells what changes in the children and the status, and whether Pods restart.

    unified_diff   prints children before and after an edit
    comparison     two responses to a request: *responses*, and the *difference* between them, with a report of many
    recorded_edit  an edit of a parent whose children are known from a recording
    children       a child before and after an apply
"""
