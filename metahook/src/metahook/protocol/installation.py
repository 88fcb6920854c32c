"""The installation of a controller, and what is wrong with it: problems.

Metacontroller sends the CompositeController, or DecoratorController, with each request, in the field ``controller``. It
is compared with what the :class:`~metahook.protocol.controller.Controller` that answers requires. A declared kind of
children that is not in ``childResources`` is no problem, because the request lacks its group and is refused; nor are
kinds there that are not declared, because the next version of a hook may declare them; nor are ETags, because the
server sends none.

Nothing is known, and nothing is found, if the field is not what Metacontroller sends: absent or empty, as in requests
that people write, or of another shape. Source: Metacontroller 4.17, pkg/apis/metacontroller/v1alpha1 and pkg/hooks.
"""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from metahook.protocol.bodies import try_read
from metahook.protocol.objects import Kind, Observed

UpdateMethod = Literal["InPlace", "OnDelete", "Recreate", "RollingInPlace", "RollingRecreate"]
"""How Metacontroller updates the children of a kind."""

TIMEOUTS = (1.0, 10.0)
"""Seconds: the shortest and the longest timeout of a hook. The server decides, and stops, within about the longest."""

MAX_REMEMBERED = 64 * 1024
"""Bytes of a CompositeController whose findings are remembered. Most have some 4 KiB."""


class InstallationProblem(Enum):
    """What is wrong with an installation, the most severe first.

    Each name is the reason of a condition and the label of a metric. The message says what is wrong and
    what to do. It is fixed, and holds nothing of the request.
    """

    ResponsesNotStrict = (
        "Metacontroller accepts responses with unknown fields, so the response of a wrong server can delete all "
        "children. In the CompositeController, set version: v2 and responseUnMarshallMode: strict for each hook."
    )
    SelectorNotGenerated = (
        "Metacontroller finds children by the selector in spec.selector, so it can adopt and delete other objects. In "
        "the CompositeController, set generateSelector: true."
    )
    WrongUpdateMethod = (
        "Metacontroller does not update all kinds of children in the way that the hook requires; without an update "
        "method it never updates them. In the CompositeController, set updateStrategy.method for each kind in "
        "childResources: InPlace, unless the hook requires another method."
    )
    FinalizeHookNotServed = (
        "The CompositeController has a finalize hook, which this service does not serve, so deleted parents are never "
        "removed. Remove hooks.finalize from the CompositeController."
    )
    CustomizeHookMissing = (
        "The CompositeController has no customize hook, so Metacontroller sends no related objects. Add "
        "hooks.customize to the CompositeController."
    )
    OutdatedCRD = (
        "The CRD in the cluster is older than the hook: it lacks a default, and can lack fields and rules. Apply the "
        "CRD of the hook's version."
    )
    HookVersionNotV2 = (
        "Metacontroller calls a hook in version v1, and this service implements v2. In the CompositeController, set "
        "version: v2 for each hook. If it is already set, Metacontroller's CRDs are too old: update them."
    )
    HookTimeoutOutOfRange = (
        "The timeout of a hook is less than 1 second or more than 10 seconds, so calls fail under load, or a call to "
        "a lost server delays others for long. In the CompositeController, set timeout: 10s for each hook."
    )

    ClockSkewed = (
        "The hook's clock differs from the cluster's by more than 30 seconds, so times in statuses, and what depends "
        "on them, can be wrong. Add time synchronization, such as chrony, to the nodes."
    )

    @property
    def message(self) -> str:
        """The message, as a condition shows it."""
        return self.value

    def message_about(self, *, decorator: bool) -> str:
        """Return the message in the words of a DecoratorController, if it is about a *decorator*."""
        if not decorator:
            return self.message
        return self.message.replace("CompositeController", "DecoratorController").replace(
            "childResources", "attachments"
        )


class Requirements(msgspec.Struct, frozen=True, eq=False):
    """What a Controller requires of its installation; a memo looks it up by identity, at no cost."""

    update_methods: Mapping[Kind, UpdateMethod]
    """The method of each declared kind of children."""
    has_customize: bool
    lacks_default: Callable[[bytes], bool]
    """Tells whether a spec (JSON) lacks a default of the CRD."""
    has_finalize: bool = False
    is_decorator: bool = False


def check_installation(
    controller: msgspec.Raw, spec: bytes, requirements: Requirements
) -> tuple[InstallationProblem, ...]:
    """Return what *controller*, the field of a request, and *spec*, that of its parent, show; both are JSON."""
    content = bytes(controller)
    check = _remembered if len(content) <= MAX_REMEMBERED else _check_controller
    findings = check(content, requirements)
    # Without a controller, the parent did not come from an API server, which adds the defaults.
    if findings is None or not requirements.lacks_default(spec):
        return findings or ()
    return tuple(finding for finding in InstallationProblem if finding in {*findings, InstallationProblem.OutdatedCRD})


def listed_resources(controller: msgspec.Raw) -> frozenset[tuple[str, str]] | None:
    """Return API version and plural of the children in *controller*, the field of a request; None if it has none."""
    read = try_read(controller, _Controller)
    if read is None:
        return None
    listed = read.spec.child_resources or read.spec.attachments or []
    return frozenset((child.api_version, child.resource) for child in listed)


def _check_controller(controller: bytes, requirements: Requirements) -> tuple[InstallationProblem, ...] | None:
    """Return what is wrong with *controller*; None if it is neither a CompositeController nor a DecoratorController."""
    read = try_read(controller, _Controller)
    if read is None:
        return None
    return tuple(finding for finding, holds in _RULES if holds(read.spec, requirements))


_remembered = lru_cache(maxsize=16)(_check_controller)
"""The field is the same in all requests, until a user changes the CompositeController."""


class _Webhook(Observed, frozen=True):
    response_un_marshall_mode: str | None = None
    timeout: Annotated[str, Meta(max_length=64)] | None = None


class _Hook(Observed, frozen=True):
    version: str | None = None
    webhook: _Webhook | None = None

    @property
    def is_v2(self) -> bool:
        return self.version == "v2"

    @property
    def is_strict(self) -> bool:
        mode = self.webhook.response_un_marshall_mode if self.webhook else None
        return mode == "strict" if mode else self.is_v2

    @property
    def has_good_timeout(self) -> bool:
        seconds = _seconds(self.webhook.timeout) if self.webhook and self.webhook.timeout else None
        # For 0, Metacontroller uses its default of 10 seconds.
        return not seconds or TIMEOUTS[0] <= seconds <= TIMEOUTS[1]


class _Hooks(Observed, frozen=True):
    sync: _Hook
    customize: _Hook | None = None
    finalize: _Hook | None = None

    def called(self, required: Requirements) -> list[_Hook]:
        """The hooks that this service serves; Metacontroller does not call one without a webhook."""
        served = (self.sync, self.customize, self.finalize if required.has_finalize else None)
        return [hook for hook in served if hook and hook.webhook]

    @property
    def has_customize(self) -> bool:
        return self.customize is not None and self.customize.webhook is not None


class _UpdateStrategy(Observed, frozen=True):
    method: str | None = None


class _ChildResource(Observed, frozen=True):
    api_version: str
    resource: str
    update_strategy: _UpdateStrategy | None = None

    @property
    def method(self) -> str:
        return (self.update_strategy and self.update_strategy.method) or "OnDelete"


class _Spec(Observed, frozen=True):
    hooks: _Hooks
    generate_selector: bool | None = None
    child_resources: list[_ChildResource] | None = None
    attachments: list[_ChildResource] | None = None
    """In place of childResources, in a DecoratorController."""

    def calls(self, required: Requirements, rule: Callable[[_Hook], bool]) -> bool:
        """Tell whether *rule* holds for each hook that this service serves."""
        return all(map(rule, self.hooks.called(required)))


class _Controller(Observed, frozen=True):
    """Only what is checked, and what each one has that calls a hook."""

    spec: _Spec


def _has_wrong_update_method(spec: _Spec, requirements: Requirements) -> bool:
    children = spec.attachments if requirements.is_decorator else spec.child_resources
    methods = {(child.api_version, child.resource): child.method for child in children or []}
    required = requirements.update_methods.items()
    return any(methods.get((kind.api_version, kind.plural), method) != method for kind, method in required)


_RULES: tuple[tuple[InstallationProblem, Callable[[_Spec, Requirements], bool]], ...] = (
    (
        InstallationProblem.ResponsesNotStrict,
        lambda spec, required: not spec.calls(required, lambda hook: hook.is_strict),
    ),
    # A DecoratorController has no selector: it adopts nothing.
    (
        InstallationProblem.SelectorNotGenerated,
        lambda spec, required: not (spec.generate_selector or required.is_decorator),
    ),
    (InstallationProblem.WrongUpdateMethod, _has_wrong_update_method),
    # Also without a webhook: Metacontroller then adds its finalizer, too.
    (
        InstallationProblem.FinalizeHookNotServed,
        lambda spec, required: spec.hooks.finalize is not None and not required.has_finalize,
    ),
    (
        InstallationProblem.CustomizeHookMissing,
        lambda spec, required: required.has_customize and not spec.hooks.has_customize,
    ),
    (InstallationProblem.HookVersionNotV2, lambda spec, required: not spec.calls(required, lambda hook: hook.is_v2)),
    (
        InstallationProblem.HookTimeoutOutOfRange,
        lambda spec, required: not spec.calls(required, lambda hook: hook.has_good_timeout),
    ),
)
"""In the order of the findings."""

_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ns|us|µs|ms|s|m|h)")
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def _seconds(duration: str) -> float | None:
    """Return the seconds of *duration*, such as ``1m30s``, as Go writes them; None if it is something else."""
    if not re.fullmatch(f"({_PART.pattern})+", duration):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(duration))
