"""The app, for ``uvicorn app.main:app``. The MYRESOURCE_* variables are its settings, but for host and ports.

A cluster needs ``myresource serve``: it has health on a port of its own, and keeps connections for as long as
Metacontroller uses them.
"""

import sys

import click

from app.cli.serve import app_of_the_environment

try:
    app = app_of_the_environment()
except click.ClickException as error:
    sys.exit(f"myresource: {error.format_message()}")  # one line, as from the command, and no traceback
