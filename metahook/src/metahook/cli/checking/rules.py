"""The rules for manifests: what Metacontroller or an API server ignores, drops or refuses in them.

Source: Metacontroller 4.17, pkg/hooks/webhook.go, pkg/controller/composite and pkg/controller/common/finalizer.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from metahook.cli.checking.results import CheckResult
from metahook.cli.files.manifests import Manifests, property_of, schema_of
from metahook.protocol.controller import Controller
from metahook.protocol.objects import Json, Kind
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN
from metahook.simulator.metacontroller.settings import HOOKS, kinds_of, rolling_problem

LONGEST_NAME = 43
"""Characters of a controller's name with a finalize hook: a finalizer has 63, and ``compositecontroller-`` takes 20."""

_DURATION = re.compile(r"\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)([0-9.]+(ns|us|µs|ms|s|m|h))*")
_METHODS = {"jobs": "Recreate", "pods": "Recreate", "persistentvolumeclaims": "OnDelete"}
"""The update methods of resources whose specs can't change, for which InPlace fails."""
_SCHEMES = ("http", "https")

Rule = Callable[[Manifests], Iterator[CheckResult]]


def manifest_findings(manifests: Manifests) -> tuple[list[CheckResult], bool]:
    """Return what is wrong with *manifests*, and whether a simulated cluster can run them all the same."""
    problems = [CheckResult("InvalidField", each.place(*path), text) for each, (path, text) in manifests.problems()]
    if problems:
        return problems, False
    stopping = [*_unknown_resources(manifests), *_rolling_children(manifests)]
    found = [finding for rule in RULES for finding in rule(manifests)]
    return [*stopping, *found], not stopping


def hooks_left_out(manifests: Manifests, controller: Controller) -> Iterator[CheckResult]:
    """Yield the functions of *controller* that Metacontroller never calls: its manifest has no such hook or path."""
    for hook, _ in _hooks(manifests):
        last = manifests.path_of(hook).rpartition("/")[2]
        if last != hook and difflib.get_close_matches(last, [*HOOKS]):
            place = manifests.controller.place("spec", "hooks", hook, "webhook")
            message = f"{hook}: its path ends in /{last}, and a Controller is served at /{hook}; correct the path"
            yield CheckResult("WrongPath", place, message)
    hooks, required = manifests.controller.content["spec"]["hooks"], controller.requirements
    for hook, has_function in (("customize", required.has_customize), ("finalize", required.has_finalize)):
        if has_function and hook not in hooks:
            message = f"the Controller has a function for {hook}, which is never called; add hooks.{hook}"
            yield CheckResult(f"{hook.title()}HookMissing", manifests.controller.place("spec", "hooks"), message)


def _unknown_resources(manifests: Manifests) -> Iterator[CheckResult]:
    """Yield the resources of the controller that no API server with the CRDs serves."""
    served = _served(manifests)
    for path, resource, is_parent in _resources(manifests):
        api_version, plural = resource["apiVersion"], resource["resource"]
        kinds = [kind for kind in served if kind.plural == plural]
        if not any(kind.api_version == api_version for kind in kinds):
            remedy = _remedy(api_version, plural, kinds, served)
            message = f"no {plural} in {api_version}; {remedy}"
            yield CheckResult("UnknownResource", manifests.controller.place(*path, "resource"), message)
        elif is_parent and manifests.controller.kind == "CompositeController" and plural in _plurals(BUILT_IN):
            message = f"{plural} are built in, and a CompositeController needs a CRD; use a DecoratorController"
            yield CheckResult("UnknownResource", manifests.controller.place(*path, "resource"), message)


def _remedy(api_version: str, plural: str, kinds: list[Kind], served: tuple[Kind, ...]) -> str:
    if kinds:
        return f"they are in {' or '.join(sorted({kind.api_version for kind in kinds}))}"
    here = [kind for kind in served if kind.api_version == api_version]
    named = next((kind.plural for kind in here if kind.kind.lower() == plural.lower()), None)
    close = difflib.get_close_matches(plural, _plurals(here), n=1)
    if named or close:
        return f"did you mean {named or close[0]}?"
    return "name the file of their CRD with -k"


def _plurals(kinds: Iterable[Kind]) -> list[str]:
    return [kind.plural for kind in kinds]


def _served(manifests: Manifests) -> tuple[Kind, ...]:
    return (*BUILT_IN, *(kind for crd in manifests.crds for kind in kinds_of(crd.content)))


def _resources(manifests: Manifests) -> Iterator[tuple[tuple[str | int, ...], Json, bool]]:
    """Yield path and value of each resource of the controller, and whether it is that of parents."""
    spec = manifests.controller.content["spec"]
    if "parentResource" in spec:
        yield ("spec", "parentResource"), spec["parentResource"], True
    for field, is_parent in (("resources", True), ("childResources", False), ("attachments", False)):
        for index, resource in enumerate(spec.get(field) or ()):
            yield ("spec", field, index), resource, is_parent


def _hooks(manifests: Manifests) -> Iterator[tuple[str, Json]]:
    """Yield name and value of each hook that Metacontroller calls."""
    hooks = manifests.controller.content["spec"]["hooks"]
    return ((name, hook) for name, hook in hooks.items() if name in HOOKS and hook)


def _kind_of(resource: Json, manifests: Manifests) -> Kind | None:
    names = (resource["apiVersion"], resource["resource"])
    return next((kind for kind in _served(manifests) if (kind.api_version, kind.plural) == names), None)


def _loose_hooks(manifests: Manifests) -> Iterator[CheckResult]:
    for name, hook in _hooks(manifests):
        is_old = hook.get("version") in (None, "v1")
        mode = (hook.get("webhook") or {}).get("responseUnMarshallMode")
        place = manifests.controller.place("spec", "hooks", name, *(["version"] if "version" in hook else []))
        if is_old and mode != "strict":
            message = f"{name}: version v1; set version: v2 and responseUnMarshallMode: strict"
            yield CheckResult("LooseHook", place, message)
        elif mode == "loose":
            place = manifests.controller.place("spec", "hooks", name, "webhook", "responseUnMarshallMode")
            message = f"{name}: an error as JSON would delete all children; set responseUnMarshallMode: strict"
            yield CheckResult("LooseHook", place, message)


def _children_never_updated(manifests: Manifests) -> Iterator[CheckResult]:
    for path, resource, is_parent in _resources(manifests):
        if not is_parent and not (resource.get("updateStrategy") or {}).get("method"):
            method = _METHODS.get(resource["resource"], "InPlace")
            remedy = f"set updateStrategy: {{method: {method}}}{' to say so' if method == 'OnDelete' else ''}"
            message = f"{resource['resource']}: no update method, so children are never updated; {remedy}"
            yield CheckResult("NeverUpdated", manifests.controller.place(*path), message)


def _rolling_children(manifests: Manifests) -> Iterator[CheckResult]:
    """Yield the children that are updated one after another, which no simulated cluster does."""
    for path, resource, _ in _resources(manifests):
        problem = rolling_problem((resource.get("updateStrategy") or {}).get("method") or "")
        if problem:
            place = manifests.controller.place(*path, "updateStrategy", "method")
            yield CheckResult("RollingUpdate", place, f"{resource['resource']}: {problem}")


def _no_selector(manifests: Manifests) -> Iterator[CheckResult]:
    controller = manifests.controller
    spec = controller.content["spec"]
    if controller.kind != "CompositeController" or spec.get("generateSelector"):
        return
    kind = _kind_of(spec["parentResource"], manifests)
    found = schema_of(kind, manifests.crds) if kind else None
    if found and property_of(found[2], "spec", "selector") is None:
        message = (
            "no generateSelector, and no spec.selector in the CRD, so every sync fails; set generateSelector: true"
        )
        yield CheckResult("NoSelector", controller.place("spec", "generateSelector"), message)


def _long_name(manifests: Manifests) -> Iterator[CheckResult]:
    controller = manifests.controller
    if len(controller.name) > LONGEST_NAME and any(name == "finalize" for name, _ in _hooks(manifests)):
        message = (
            f"the name has {len(controller.name)} letters, too many for a finalizer; use at most {LONGEST_NAME}, "
            "or remove finalize"
        )
        yield CheckResult("LongName", controller.place("metadata", "name"), message)


def _cluster_scoped_children(manifests: Manifests) -> Iterator[CheckResult]:
    resources = list(_resources(manifests))
    parents = [_kind_of(resource, manifests) for _, resource, is_parent in resources if is_parent]
    if not any(parent and parent.namespaced for parent in parents):
        return
    for path, resource, is_parent in resources:
        kind = None if is_parent else _kind_of(resource, manifests)
        if kind and not kind.namespaced:
            message = (
                f"{kind.plural} are cluster-scoped and the parent is not, so Kubernetes deletes such children; "
                "use a cluster-scoped parent"
            )
            yield CheckResult("ClusterScopedChild", manifests.controller.place(*path), message)


def _unused_hooks(manifests: Manifests) -> Iterator[CheckResult]:
    for name in manifests.controller.content["spec"]["hooks"]:
        if name not in HOOKS:
            message = f"{name}: Metacontroller never calls it; remove it"
            yield CheckResult("UnusedHook", manifests.controller.place("spec", "hooks", name), message)


def _webhooks(manifests: Manifests) -> Iterator[CheckResult]:
    for name, hook in _hooks(manifests):
        for field, message in _webhook_problems(hook.get("webhook") or {}):
            place = manifests.controller.place("spec", "hooks", name, "webhook", *field)
            yield CheckResult("InvalidWebhook", place, f"{name}: {message}")


def _webhook_problems(webhook: Json) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield path and problem of what is wrong with the address and the times in *webhook*."""
    url, service, path = (webhook.get(name) for name in ("url", "service", "path"))
    if not url and not (service and path):
        missing = "url, or service and path" if not service and not path else "path" if service else "service"
        yield (), f"no {missing}, so Metacontroller does not run the controller; add it"
    elif url and not _is_url(url):
        yield ("url",), "not a URL; write it as http://NAME.NAMESPACE.svc/sync"
    elif url and service:
        yield ("service",), "url is used, and service is ignored; remove one"
    if path and not path.startswith("/"):
        yield ("path",), f"begins without /; write /{path}"
    timeout = webhook.get("timeout")
    if timeout is not None and not (_DURATION.fullmatch(timeout) and re.search("[1-9]", timeout)):
        yield ("timeout",), "not a duration over 0; write it as 10s"
    etag = webhook.get("etag") or {}
    if etag.get("enabled") and ("cacheTimeoutSeconds" in etag) != ("cacheCleanupSeconds" in etag):
        yield ("etag",), "cacheTimeoutSeconds and cacheCleanupSeconds need each other; set both or none"


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and bool(parts.hostname)


def _no_observed_generation(manifests: Manifests) -> Iterator[CheckResult]:
    controller = manifests.controller
    parent = controller.content["spec"].get("parentResource")
    kind = _kind_of(parent, manifests) if parent else None
    found = schema_of(kind, manifests.crds) if kind else None
    if found and property_of(found[2], "status", "observedGeneration") is None:
        crd, path, _ = found
        message = (
            "status.observedGeneration is not in the schema, so each sync writes the status; "
            "add observedGeneration: {type: integer}"
        )
        yield CheckResult("PrunedStatus", crd.place(*path, "properties", "status", "properties"), message)


RULES: tuple[Rule, ...] = (
    _loose_hooks,
    _children_never_updated,
    _no_selector,
    _long_name,
    _cluster_scoped_children,
    _unused_hooks,
    _webhooks,
    _no_observed_generation,
)
