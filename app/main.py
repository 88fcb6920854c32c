"""The app, for ``uvicorn app.main:app``. It reads the MYRESOURCE_* variables, except those for host and ports.

A cluster needs ``myresource serve``: it has health on a port of its own, and keeps connections for as long as
Metacontroller uses them.
"""

import sys

import click

from app.cli.serve import app_from_environment

try:
    app = app_from_environment()
except click.ClickException as error:
    sys.exit(f"myresource: {error.format_message()}")  # one line, as from the command, and no traceback
