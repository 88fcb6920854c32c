"""The app, for ``uvicorn app.main:app``. It reads the MYRESOURCE_* variables.

Those for what uvicorn does itself have no effect: host and ports; max_head, max_headers, max_url and max_connections;
idle_timeout, head_timeout, write_timeout and keep_alive; drain and stop_timeout. Those for TLS are refused.

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
