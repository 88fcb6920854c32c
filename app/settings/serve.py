"""All settings: those of ``myresource serve``."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.settings.callers import CallerSettings
from app.settings.limits import LimitSettings
from app.settings.logs import LogSettings
from app.settings.option import Option
from app.settings.watch import WatchSettings

_RECORD = "serve does not record any more; use myresource record, a proxy in front of the hook"


class Settings(LimitSettings, CallerSettings, LogSettings, WatchSettings):
    """All settings: those of ``myresource serve``."""

    REMOVED: ClassVar = {"record": _RECORD, "record_limit": _RECORD, "record_values": _RECORD}

    host: Annotated[str, Field(min_length=1), Option("ADDRESS")] = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """Port of /sync, /customize and /openapi.json."""
    health_port: Annotated[int, Field(ge=0, le=65535)] = 8081
    """Port of /livez, /readyz and /metrics."""
    drain: Annotated[int, Field(ge=0, le=60), Option("SECONDS")] = 5
    """Time for which requests are still served after SIGTERM, while the Pod is removed from the Service, in seconds."""
    stop_timeout: Annotated[int, Field(ge=1, le=300), Option("SECONDS")] = 12
    """Time after that for requests in progress, in seconds."""
    dev: bool = False
    """Log what each call changes in the response, and serve the pages / and /docs, to try the hooks. Not for clusters:
    the log shows the status of MyResources."""
