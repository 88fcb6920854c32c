"""The OpenAPI document of an app with one controller at ``/``: what it says of requests and answers."""

from functools import cached_property
from typing import Any

from fastapi import FastAPI
from jsonschema import Draft202012Validator

from toolkit.builders import Json
from toolkit.served.asgi import call


class Document:
    """The document of *app*."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    @cached_property
    def whole(self) -> Json:
        """The document itself."""
        described: Json = call(self._app, "/openapi.json", method="GET").json()
        return described

    def schema(self, name: str) -> Json:
        """Return the schema of the body *name*, such as ``SyncRequestBody``."""
        described: dict[str, Json] = {}
        for hook, path in (("Sync", "/sync"), ("Customize", "/customize")):
            post = self.whole["paths"][path]["post"]
            described[f"{hook}RequestBody"] = post["requestBody"]
            described[f"{hook}ResponseBody"] = post["responses"]["200"]
            described["RefusalBody"] = post["responses"]["4XX"]
        found: Json = described[name]["content"]["application/json"]["schema"]
        return found

    def complaints(self, name: str, instance: Any) -> list[str]:
        """Return what the schema *name* has against *instance*."""
        return [error.message for error in Draft202012Validator(self.schema(name)).iter_errors(instance)]

    def content(self, name: str) -> Json:
        """Return what the document says of the request to the hook *name*."""
        body: Json = self.whole["paths"][f"/{name.lower()}"]["post"]["requestBody"]["content"]["application/json"]
        return body
