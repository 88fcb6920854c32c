"""Faults of a simulated cluster: changes that arrive late, and responses that are lost. Nothing in them is random."""

import re

from metahook.cli.errors import InputError
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.world import World

LATE = 5.0
"""Seconds until Metacontroller sees a change of a stale kind."""

_PERCENT = re.compile(r"([0-9]{1,2})%?")


def delay(world: World, kinds: tuple[str, ...]) -> None:
    """Let changes of *kinds* arrive late in *world*; ``parent`` stands for the kinds of parents; raise InputError."""
    parents = {parent.kind.kind for parent in world.settings.parents}
    served = {kind.kind for kind in world.settings.kinds}
    stale = {name for kind in kinds for name in (parents if kind == "parent" else {kind})}
    if stale - served:
        message = f"--stale {min(stale - served)}: no such kind; write one as in a manifest, such as Pod"
        raise InputError(message)
    cache = world.metacontroller.cache
    usual = cache.delays
    cache.delays = lambda write: [LATE] if write.key.kind in stale else usual(write)


def lose(world: World, share: str) -> None:
    """Lose the *share*, in percent, of the responses of the hook in *world*; raise InputError."""
    percent = _PERCENT.fullmatch(share)
    if not percent:
        message = "--lose is not a share from 0% to 99%; write it as 10%"
        raise InputError(message)
    world.metacontroller.hook = _Losing(world.metacontroller.hook, int(percent[1]))


class _Losing:
    """Loses every so many responses of *hook*: with 10 percent, each tenth."""

    def __init__(self, hook: Hook, percent: int) -> None:
        self._hook = hook
        self._percent = percent
        self._owed = 0

    def __call__(self, hook: str, body: bytes) -> Reply:
        reply = self._hook(hook, body)
        self._owed += self._percent
        if self._owed >= 100:  # noqa: PLR2004 - percent
            self._owed -= 100
            message = "the response of the hook was lost"
            raise Unreachable(message)
        return reply
