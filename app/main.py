"""The FastAPI app for any server of ASGI, of the settings in the MYRESOURCE_* variables.

It behaves as under ``myresource serve``, but for what that alone does: addresses and TLS, with the names in the
certificates of clients; the number of connections; draining; health and metrics on a port of their own; ``--dev``.
"""

import sys

from app.service import create
from app.settings.option import InvalidSetting, read, variable_of
from app.settings.serve import ServeSettings
from metahook.server import set_up_logging

try:
    settings = read(ServeSettings)
    app = create(settings)
except InvalidSetting as error:
    sys.exit(f"myresource: Invalid value for {variable_of(error.name)}: {error}")
except ValueError as error:
    sys.exit(f"myresource: {error}")
set_up_logging(settings.log)  # other servers set up only their own
