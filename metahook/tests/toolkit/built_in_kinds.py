"""Writes the kinds that a real API server serves, and their fields, for the simulator.

Run it with ``python -m toolkit.built_in_kinds``, after a new version of Kubernetes.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from metahook.envtest.binaries import Missing, find_binaries
from metahook.envtest.control_plane import ControlPlane
from metahook.simulator.apiserver import built_in_kinds

Json = dict[str, Any]

FILE = Path(built_in_kinds.__file__).with_suffix(".json")
_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_STORED = {"list", "watch", "create", "delete"}
"""What a kind allows whose objects are stored."""
_SCALARS = {
    "api.resource.Quantity": "quantity",
    "util.intstr.IntOrString": "int-or-string",
    "apis.meta.v1.Time": "date-time",
    "apis.meta.v1.MicroTime": "micro-time",
}
_MAY_BE_EMPTY = {"io.k8s.api.core.v1.LimitRangeSpec"}
"""Types with a field that is required, and that an API server takes without."""
_ELSEWHERE = {"apiVersion", "kind", "metadata", "status"}
"""Fields of objects that the simulator reads in other places."""


def main() -> None:
    """Write the file."""
    document = recorded(built_in)
    kinds = ",\n".join(json.dumps(kind) for kind in document["kinds"])
    FILE.write_text(text(document, f"[\n{kinds}\n]"))
    print(f"{len(document['kinds'])} kinds in {FILE.name}")  # noqa: T201 - a command says what it did


def recorded(read: Callable[[httpx.Client], Json], *options: str) -> Json:
    """Return what *read* returns of an API server that is started with *options*; exit if its binaries are missing."""
    try:
        binaries = find_binaries()
    except Missing as missing:
        sys.exit(str(missing))
    with tempfile.TemporaryDirectory() as folder:
        plane = ControlPlane(binaries, Path(folder), {}, options)
        try:
            plane.start()
            return read(plane.client().http)
        finally:
            plane.stop()


def text(document: Json, kinds: str) -> str:
    """Return *document* as JSON, with its *kinds* as they are written there, and a line for each type."""
    types = ",\n".join(
        f'"{name}": {json.dumps(type_, separators=(",", ":"))}' for name, type_ in document["types"].items()
    )
    return f'{{"version": "{document["version"]}",\n"kinds": {kinds},\n"types": {{\n{types}\n}}}}\n'


def built_in(http: httpx.Client) -> Json:
    """Return the version, the kinds and the types of the API server behind *http*."""
    paths = http.get("/openapi/v3").json()["paths"]
    definitions: Json = {}
    for name, path in paths.items():
        if name.startswith("api"):
            definitions |= http.get(path["serverRelativeURL"]).json()["components"]["schemas"]
    types = _Types(definitions)
    kinds = [[*kind, types.of_kind(kind[0], kind[1])] for kind in sorted(_kinds(http))]
    version = http.get("/version").json()["gitVersion"]
    return {"version": version, "kinds": kinds, "types": dict(sorted(types.found.items()))}


def _kinds(http: httpx.Client) -> Iterator[tuple[str, str, str, bool]]:
    for path in ("/api", "/apis"):
        for group in http.get(path, headers={"Accept": _AGGREGATED}).json()["items"]:
            for version in group["versions"]:
                prefix = f"{group['metadata']['name']}/" if group["metadata"].get("name") else ""
                for resource in version["resources"]:
                    if set(resource["verbs"]) >= _STORED:
                        yield (
                            f"{prefix}{version['version']}",
                            resource["responseKind"]["kind"],
                            resource["resource"],
                            resource["scope"] == "Namespaced",
                        )


class _Types:
    """Shortens the definitions of an OpenAPI document to the types that kinds need."""

    def __init__(self, definitions: Json) -> None:
        self.found: Json = {}
        self._definitions = definitions
        self._by_kind = {
            (gvk["group"], gvk["version"], gvk["kind"]): name
            for name, schema in definitions.items()
            for gvk in schema.get("x-kubernetes-group-version-kind", [])
        }

    def of_kind(self, api_version: str, kind: str) -> str:
        """Return the name of the type of *kind*, which is then found."""
        group, _, version = api_version.rpartition("/")
        name = self._by_kind[group, version, kind]
        schema = self._definitions[name]
        own = {field: inner for field, inner in schema["properties"].items() if field not in _ELSEWHERE}
        self.found[_short(name)] = self._object({**schema, "properties": own})
        return _short(name)

    def _type(self, schema: Json) -> Any:
        schema = schema["allOf"][0] if "allOf" in schema else schema
        if "$ref" in schema:
            return self._reference(schema["$ref"].rpartition("/")[2])
        if "items" in schema:
            keys = schema.get("x-kubernetes-list-map-keys")
            return {"items": self._type(schema["items"]), **({"keys": keys} if keys else {})}
        if "additionalProperties" in schema:
            return {"values": self._type(schema["additionalProperties"])}
        if schema.get("type") == "object":
            return self._object(schema)
        return {"enum": schema["enum"]} if "enum" in schema else schema.get("format") or schema["type"]

    def _object(self, schema: Json) -> Json:
        if "properties" not in schema:
            return {"any": True}
        fields = {name: self._type(field) for name, field in schema["properties"].items()}
        # An empty value, as of a header, is a value; where an API server accepts no empty one, it is also required.
        required = [name for name in schema.get("required", []) if name in fields and name != "value"]
        return {"fields": fields, **({"required": required} if required else {})}

    def _reference(self, name: str) -> str:
        short = _short(name)
        if short in _SCALARS:
            return _SCALARS[short]
        if short not in self.found:
            self.found[short] = {}  # a type may contain itself
            self.found[short] = self._object(
                {**self._definitions[name], **({"required": []} if name in _MAY_BE_EMPTY else {})}
            )
        return f"#{short}"


def _short(name: str) -> str:
    return name.removeprefix("io.k8s.api.").removeprefix("io.k8s.apimachinery.pkg.")


if __name__ == "__main__":
    main()
