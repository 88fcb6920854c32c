"""Lifecycle hooks: what the kubelet does right after the container has started, and before it stops."""

from typing import Annotated

from pydantic import Field

from app.api.pods.probe import Exec, HttpGet
from app.api.values.model import Model, exactly_one

DEFAULT_GRACE_PERIOD = 30
"""Seconds that a Pod gets to stop; the default of Kubernetes."""


class Sleep(Model):
    """A pause."""

    seconds: Annotated[int, Field(ge=1, le=3600)]
    """Seconds to wait."""


class Hook(Model):
    """What to do. Exactly one of its fields must be set."""

    exec: Exec | None = None
    """Run a command in the container."""
    http_get: HttpGet | None = None
    """Send an HTTP GET request to the container."""
    sleep: Sleep | None = None
    """Wait."""

    rules = (exactly_one("exec", "httpGet", "sleep"),)

    @property
    def named_port(self) -> str | None:
        """The name of the port that the request goes to; None if it has a number or there is no request."""
        return self.http_get.port if self.http_get and isinstance(self.http_get.port, str) else None


class Lifecycle(Model):
    """What the kubelet does after the container has started, and before it stops."""

    post_start: Hook | None = None
    """Done right after the container has started. If it fails, the container is restarted."""
    pre_stop: Hook | None = None
    """Done before the container gets SIGTERM; its time counts towards terminationGracePeriodSeconds."""
