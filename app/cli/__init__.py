"""The ``myresource`` command: one module a command, one place for errors.

The rule of this package: it plugs the parts together. Files, standard output and exit codes live here; what is right is
decided below. Every error is one line on standard error that names the thing and the remedy. Exit codes: 0 all is well,
1 the input is wrong, 2 the command was called wrong. For commands that compare (diff, replay) they are those of diff: 0
nothing differs, 1 something does, 2 any error.

Imports core, api and metahook, with its server and its simulator. Start at :mod:`app.cli.main`.
"""

from app.cli.main import main

__all__ = ["main"]
