"""Compares two responses to one request, or the children before and after an edit of the spec.

The rule of this package: it tells what changes for the children, the status and the Pods, above all whether Pods
restart. :mod:`app.cli.diff` and :mod:`app.cli.replay` print what it finds.
"""
