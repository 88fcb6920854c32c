"""The settings of the environment, for a server that is not ``myresource serve``."""

import sys
from pathlib import Path
from typing import NoReturn

from app.settings.option import InvalidSetting, read, variable_of
from app.settings.serve import ServeSettings
from metahook.server import CannotLoad, Tokens, set_up_logging

_TLS = "use this server's own options for TLS"
_OF_SERVE = {
    **dict.fromkeys(["tls_cert", "tls_key", "tls_client_ca", "tls_client_names", "tls_min_version"], _TLS),
    "dev": "for development mode, run: myresource serve --dev",
}
"""The settings that it would be unsafe to ignore, each with its remedy."""


def settings_for_another_server() -> ServeSettings:
    """Return the settings, and set up the log; end the process with one line if one can't be used."""
    try:
        settings = read(ServeSettings)
    except InvalidSetting as error:
        _exit(f"Invalid value for {variable_of(error.name)}: {error}")
    for name, remedy in _OF_SERVE.items():
        if getattr(settings, name) != ServeSettings.model_fields[name].default:
            _exit(f"{variable_of(name)} is for myresource serve; {remedy}")
    set_up_logging(settings.log)  # other servers set up only their own
    return settings


def tokens_of(settings: ServeSettings) -> Tokens | None:
    """Return the tokens, or None if callers need none; end the process with one line if there are none to load."""
    try:
        tokens = Tokens(Path(settings.tokens)) if settings.tokens else None
    except CannotLoad as error:
        _exit(str(error))
    if tokens:
        tokens.warn()
    return tokens


def _exit(problem: str) -> NoReturn:
    sys.exit(f"myresource: {problem}")
