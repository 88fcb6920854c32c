"""The hooks of a controller: which it has, the version of each, and how strictly its responses are decoded."""

from dataclasses import dataclass

from metahook.protocol.request_builder import Version
from metahook.simulator.objects import Json

HOOKS = ("sync", "customize", "finalize")


@dataclass(frozen=True)
class HookSettings:
    """A hook as its controller declares it. *loose* responses may have unknown and repeated fields."""

    version: Version = "v2"
    loose: bool = False

    @classmethod
    def read(cls, hook: Json) -> "HookSettings":
        """Return the settings of *hook*, of a controller's ``spec.hooks``; without a version it is v1."""
        version: Version = hook.get("version") or "v1"
        mode = (hook.get("webhook") or {}).get("responseUnMarshallMode")
        return cls(version, (mode or ("loose" if version == "v1" else "strict")) == "loose")


STRICT = HookSettings()
