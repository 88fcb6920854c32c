"""What is watched, expected and allowed: the settings of every command that answers as the hook does."""

import re
from typing import Annotated

from pydantic import PlainValidator, ValidationError

from app.api.rollouts import Dependency
from app.api.scalars import ANNOTATION_KEYS
from app.core.watch import DOCS_URL, Watch
from app.settings.option import Option, Settings
from metahook import ConfigMap, Kind, Pod, Secret, Service

MOST_KINDS = 32
"""Each costs Metacontroller a cache of all objects of its kind."""

LONGEST_MANAGER = 128
"""Characters. Source: Kubernetes, "Server-Side Apply", field managers."""

LONGEST_URL = 200
"""Characters. A message with it still fits the status."""

_RESERVED = {(kind.KIND.api_version, kind.KIND.plural) for kind in (ConfigMap, Pod, Secret, Service)}
"""Kinds that have a related rule already: two rules cost Metacontroller the square of the number of objects."""

_KIND = re.compile("[A-Z][A-Za-z0-9]{0,62}")


def dependency_kind(text: str) -> Kind:
    """Return the kind that *text* names, such as ``example.com/v1/mybackups/MyBackup``; raise ValueError."""
    api_version, *words = text.rsplit("/", 2)
    if len(words) == 2 and _KIND.fullmatch(words[1]) and _is_resource(api_version, words[0]):  # noqa: PLR2004
        return Kind(api_version, words[1], words[0])
    message = "write each kind as apiVersion/resource/Kind, such as example.com/v1/mybackups/MyBackup"
    raise ValueError(message)


def _is_resource(api_version: str, resource: str) -> bool:
    try:
        Dependency.model_validate({"apiVersion": api_version, "resource": resource, "name": "any"})
    except ValidationError:
        return False
    return True


def _dependency_kinds(given: str | tuple[str, ...]) -> tuple[Kind, ...]:
    """Return the kinds in the variable, or in the repeated option; commas or spaces separate them."""
    texts = (given,) if isinstance(given, str) else given
    kinds = tuple(dependency_kind(word) for word in dict.fromkeys(" ".join(texts).replace(",", " ").split()))
    resources = [(kind.api_version, kind.plural) for kind in kinds]
    problem = None
    if len(kinds) > MOST_KINDS:
        problem = f"name at most {MOST_KINDS} kinds, because Metacontroller keeps all objects of each in memory"
    elif not _RESERVED.isdisjoint(resources):
        problem = "leave out configmaps, pods, secrets and services: MyResources can't wait for them"
    elif len(set(resources)) < len(resources):
        problem = "a resource is named twice, with two kinds; leave out the wrong one"
    if problem:
        raise ValueError(problem)
    return kinds


def _managers(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the field managers in the variable, or in the repeated option; commas separate them."""
    texts = (given,) if isinstance(given, str) else given
    names = tuple(dict.fromkeys(name.strip() for name in ",".join(texts).split(",") if name.strip()))
    if any(len(name) > LONGEST_MANAGER or not name.isprintable() for name in names):
        message = f"write each field manager as in managedFields: printable, at most {LONGEST_MANAGER} characters"
        raise ValueError(message)
    return names


def _annotations(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys and prefixes in the variable, or in the repeated option; commas or spaces separate them."""
    texts = (given,) if isinstance(given, str) else given
    keys = tuple(dict.fromkeys(" ".join(texts).replace(",", " ").split()))
    if not ANNOTATION_KEYS.holds([f"{key}any" if key.endswith("/") else key for key in keys]):
        message = "write each as an annotation key, or as a prefix that ends in /, such as prometheus.io/"
        raise ValueError(message)
    return keys


def _docs_url(given: str) -> str:
    """Return the address without a slash at its end."""
    if not re.fullmatch(f"[!-~]{{1,{LONGEST_URL}}}", given):
        message = f"write an address of at most {LONGEST_URL} characters, such as https://docs.example.com/docs"
        raise ValueError(message)
    return given.rstrip("/")


class PageSettings(Settings):
    """Where the pages are: the setting of every command that names them."""

    docs_url: Annotated[str, PlainValidator(_docs_url), Option("URL")] = DOCS_URL
    """Address at which users of the cluster can open the folder docs/ of the repository, for messages that name a page
    of it. Leave out the version of the operator, so that no status changes with an upgrade."""


class WatchSettings(PageSettings):
    """What is watched, expected and allowed.

    The class is apart because a wrong MYRESOURCE_PORT must not keep ``myresource render`` from running.
    """

    watch_pods: bool = True
    """Watch Pods, so that the status explains why a MyResource is not Ready."""
    watch_secrets: bool = False
    """Watch Secrets, so that Pods are replaced when a Secret that they use changes, as for ConfigMaps."""
    watch_dependencies: Annotated[
        tuple[Kind, ...], PlainValidator(_dependency_kinds), Option("KIND", "--watch-dependency")
    ] = ()
    """Kind that MyResources can wait for, such as example.com/v1/mybackups/MyBackup. Repeat the option, or separate
    kinds with commas."""
    expected_managers: Annotated[tuple[str, ...], PlainValidator(_managers), Option("NAME", "--expected-manager")] = ()
    """Field manager that may set fields of children that the spec does not set, such as a controller that adds
    sidecars; * means all. Fields of others are reported in the ForeignFields condition. Repeat the option, or
    separate names with commas."""
    allowed_annotations: Annotated[
        tuple[str, ...], PlainValidator(_annotations), Option("KEY", "--allowed-annotation")
    ] = ()
    """Annotation key that MyResources may set on their Pods, their Services and other children, or a prefix of keys
    that ends in /, such as prometheus.io/. If it is set, a spec with another key is InvalidSpec. Repeat the option, or
    separate keys with commas."""

    @property
    def watch(self) -> Watch:
        """Return what is watched. Its fields have the names of the settings, without watch_."""
        return Watch(**{name.removeprefix("watch_"): getattr(self, name) for name in WatchSettings.model_fields})
