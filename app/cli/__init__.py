"""The ``myresource`` command: one module for each command, one place for errors.

The rule of this package: it connects the parts. Files, standard output and exit codes are handled here; core decides.
An error is one line on standard error that names the place, the problem and the remedy. Exit codes: 0 success; 1 an
invalid spec, a difference or an unmet expectation; 2 an error.

    options      the operator's settings as options of a command
    files        reads and writes the files of users, and makes hook requests from them
    comparison   compares responses and children, for diff and replay
    simulation   runs a scenario and shows its timeline, for simulate
    plugin       the plugin of kubectl, a program of its own
    remote_hook  calls a hook at a URL, for replay and simulate
    program      runs the commands, and turns errors into one line and an exit code
    wrapping     wraps text for a terminal, and aligns tables, for explain, simulate and the plugin

Imports core, api and metahook, with its server and its simulator. Start at :mod:`app.cli.main`.
"""

from app.cli.main import main

__all__ = ["main"]
