"""The hook that a command is about, and the cluster in which it is tried."""

from collections.abc import Callable

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from metahook.cli.binding import binding
from metahook.cli.errors import InputError, program_name
from metahook.cli.files.objects import custom_validation, refuse_invalid
from metahook.cli.hooks.named_hook import LocalHook
from metahook.protocol.controller import Controller
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.scenarios import Scenario
from metahook.simulator.world import World


class HookUnderTest(Struct, frozen=True):
    """A hook, and the settings by which Metacontroller calls it, for an apply strategy."""

    hook: Hook
    mode: Mode
    settings_of: Callable[[Mode], Settings]

    @property
    def settings(self) -> Settings:
        return self.settings_of(self.mode)

    def world(self, *, controllers: bool = True) -> World:
        """Return a new cluster with the hook in it, without Kubernetes' own controllers unless *controllers*."""
        world = World(self.hook, self.settings, controllers=controllers)
        world.api.admission += [custom_validation(self.settings.crds), refuse_invalid(self.settings)]
        if isinstance(self.hook, LocalHook):
            self.hook.now = world.clock.time
        return world

    def of_scenario(self, scenario: Scenario) -> "HookUnderTest":
        """Return the subject of *scenario*, which may be about an apply strategy, and about what is watched."""
        is_given = click.get_current_context().get_parameter_source("mode") is ParameterSource.COMMANDLINE
        subject = self if is_given or scenario.mode is None else replace(self, mode=scenario.mode)
        if scenario.watch is None:
            return subject
        bound = binding()
        if bound is None or bound.own_of is None:
            message = "watch in the scenario: only the program of a controller reads it; remove it"
            raise InputError(message)
        try:
            watched = bound.own_of(scenario.watch)
        except ValueError as error:
            message = f"watch in the scenario: {error}"
            raise InputError(message) from error
        hook = built_in(bound.controller(watched)) if isinstance(self.hook, LocalHook) else self.hook
        return replace(subject, hook=hook, settings_of=lambda mode: bound.settings(mode, watched))


def built_in(controller: Controller) -> LocalHook:
    """Return the *controller* of the program that runs as a hook."""
    return LocalHook(controller, program_name())
