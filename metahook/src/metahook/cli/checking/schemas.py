"""The schemas of CRDs, and where they are in their files."""

from typing import Any

from metahook.cli.files.manifest import Manifest
from metahook.protocol.kind import Kind
from metahook.simulator.apiserver.custom_rules import KEEPS_ALL, Path
from metahook.protocol.plain_json import Json


def schema_of(kind: Kind, crds: tuple[Manifest, ...]) -> tuple[Manifest, Path, Json] | None:
    """Return the CRD of *kind*, and the path and the value of its schema; None if no CRD of *crds* has one."""
    for crd in crds:
        spec = crd.content["spec"]
        for index, version in enumerate(spec["versions"]):
            api_version = f"{spec['group']}/{version['name']}"
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if (api_version, spec["names"]["kind"]) == (kind.api_version, kind.kind) and isinstance(schema, dict):
                return crd, ("spec", "versions", index, "schema", "openAPIV3Schema"), schema
    return None


def property_of(schema: Json, *names: str) -> Json | None:
    """Return the schema of the field at *names*; None if it is dropped, and one for any value if any is kept there."""
    for name in names:
        below = (schema.get("properties") or {}).get(name)
        if below is None:
            return {KEEPS_ALL: True} if schema.get(KEEPS_ALL) or schema.get("additionalProperties") else None
        schema = below
    return schema
