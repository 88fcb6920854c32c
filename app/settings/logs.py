"""What is logged, and how. docs/logs.md describes the lines."""

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from app.settings.option import CONFIG, Option
from metahook.server.telemetry.logs import DEFAULT_LOG, Format, Level, LogOptions


class LogSettings(BaseSettings):
    """What is logged, and how."""

    model_config = CONFIG

    log_format: Annotated[Format, Option("FORMAT")] = DEFAULT_LOG.format
    """Format of the log: json; console, for people; or auto, which is console on a terminal and otherwise json."""
    log_level: Annotated[Level, Option("LEVEL")] = DEFAULT_LOG.level
    """What is logged: debug (every call of a hook), info, warning (only refusals and problems) or error."""
    log_rate: Annotated[int, Field(ge=0, le=10000), Option("LINES")] = int(DEFAULT_LOG.rate)
    """Calls of a hook that are logged in a second. If there are more, some are left out."""

    @property
    def log(self) -> LogOptions:
        """Return what is logged, and how."""
        return LogOptions(self.log_format, self.log_level, self.log_rate)
