"""The example of the OpenAPI document: that of the pages. ``tests/fuzz/test_schema.py`` asks by the whole document."""

import json

import yaml

from metahook.server.app import create_app
from tests.docs.documents import ROOT
from tests.requests.builders import MYRESOURCE
from toolkit.openapi import Document
from toolkit.served.asgi import call


def test_the_example_of_a_my_resource_is_the_one_of_the_readme() -> None:
    app = create_app(MYRESOURCE)
    example = Document(app).content("Sync")["example"]
    web = yaml.safe_load((ROOT / "examples/web.yaml").read_text())

    assert example["parent"]["spec"] == web["spec"]
    assert [child["kind"] for child in call(app, "/sync", json.dumps(example).encode()).json()["children"]] == [
        "Deployment"
    ]
