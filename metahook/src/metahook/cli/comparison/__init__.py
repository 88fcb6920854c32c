"""Compares two responses to one request, or the children before and after an edit.

The rule of this package: a comparison tells what changes in the children and the status, and whether Pods restart.

    responses   two responses to a request, the difference between them, and a report of many
    edits       an edit of a parent, and its children before and after it
"""
