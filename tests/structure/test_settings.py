"""Each setting has all of its places: a description, a reader in the code, and for what is watched a field of Watch."""

import ast
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from app.api.descriptions import descriptions
from app.core.watch import Watch
from app.settings.option import changed, read
from app.settings.serve import LimitSettings, ServeSettings
from app.settings.watch import WatchSettings
from metahook.server import Limits
from metahook.server.options import KIB, LIMIT_NAMES
from website.settings import PAGE

ROOT = Path(__file__).parents[2]


def read_attributes(*texts: str) -> set[str]:
    """Return the names of attributes that the code in *texts* reads."""
    return {node.attr for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}


def test_each_setting_is_described_and_used() -> None:
    modules = [ROOT / path for path in ("app/settings/serve.py", "app/cli/serve.py")]
    server, core = (ROOT.joinpath(path).rglob("*.py") for path in ("metahook/src/metahook/server", "app/core"))
    by_command, by_server, by_core = (
        read_attributes(*(file.read_text() for file in files)) for files in (modules, server, core)
    )

    for name in ServeSettings.model_fields:
        description = descriptions(ServeSettings)[name]
        assert description.endswith(".")
        assert "|" not in description
        if name in WatchSettings.model_fields:
            assert name.removeprefix("watch_") in by_core, "read it in app/core"
        else:
            readers = by_server if name in Limits.__dataclass_fields__ else by_command
            assert name in readers, "read it in app/cli/serve.py, or in the server if it is a limit"


def test_what_is_watched_and_each_limit_of_the_server_have_a_setting_with_the_same_default() -> None:
    watched = {name.removeprefix("watch_") for name in WatchSettings.model_fields}

    assert {*Watch.__struct_fields__} == watched
    assert read(WatchSettings).watch == Watch()
    assert {field.name for field in fields(Limits)} == set(LimitSettings.model_fields)
    assert read(ServeSettings).limits == Limits()


@pytest.mark.parametrize("name", LimitSettings.model_fields)
def test_a_limit_is_set_by_its_setting(name: str) -> None:
    changed = read(ServeSettings, **{name: LimitSettings.model_fields[name].default + 1}).limits

    assert getattr(changed, name) > getattr(Limits(), name)
    assert replace(changed, **{name: getattr(Limits(), name)}) == Limits()


@pytest.mark.parametrize("name", sorted(set(LIMIT_NAMES) - {field.name for field in fields(Limits)}))
def test_a_limit_that_is_fixed_is_on_the_page_with_its_value(name: str) -> None:
    value = getattr(Limits, name)
    (row,) = [line for line in PAGE.read_text().splitlines() if f"`{name}`" in line]

    assert re.search(rf"\b{value // KIB} KiB\b" if value % KIB == 0 else rf"\b{value}\b", row)


def test_the_settings_of_the_first_line_of_the_log_are_those_that_differ_as_they_are_set() -> None:
    given = {
        "watch_pods": "False",
        "watch_dependencies": "example.com/v1/mybackups/MyBackup,v1/others/Other",
        "log_level": "debug",
        "max_body": "64",
    }

    assert changed(read(ServeSettings)) == {}
    assert changed(read(ServeSettings, **given)) == given
    assert read(ServeSettings, **changed(read(ServeSettings, **given))) == read(ServeSettings, **given)
