"""The ``myresource`` command: one module for each command, one place for errors.

The rule of this package: it connects the parts. Files, standard output and exit codes are handled here; core decides.
An error is one line on standard error that names the place, the problem and the remedy. Exit codes: 0 success; 1 an
invalid spec, a difference or an unmet expectation; 2 an error.

    bound     the toolkit's commands for the operator: render, diff, simulate, replay
    record    what a recording keeps
    import_   MyResources for Deployments; importing has what it knows of them
    options   the operator's settings as options of a command
    serve     the server, which runs the app of :mod:`app.service`
    plugin    the plugin of kubectl, a program of its own
    wrapping  wraps text for a terminal, and aligns tables, for explain, the toolkit's commands and the plugin

The rest is the toolkit's, behind :mod:`metahook.commands`, and serves any hook.
Imports service, settings, core, api and metahook. Start at :mod:`app.cli.main`.
"""

from app.cli.main import main

__all__ = ["main"]
