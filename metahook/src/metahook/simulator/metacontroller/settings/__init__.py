"""The settings of a simulated controller: the kinds of its parents and children, and how Metacontroller treats them.

    settings    the settings, as Metacontroller and the API server use them
    manifest    reads a CompositeController or a DecoratorController, and refuses what is not simulated
    hooks       the hooks that it has, the version of each, and how strictly its responses are decoded
    selector    label selectors: which objects are parents, and which are the children of one

Start at :mod:`metahook.simulator.metacontroller.settings.settings`.
"""

from metahook.simulator.metacontroller.settings.manifest import SERVED, NotSimulated, UnknownResource
from metahook.simulator.metacontroller.settings.settings import MODES, Mode, Settings

__all__ = ["MODES", "SERVED", "Mode", "NotSimulated", "Settings", "UnknownResource"]
