"""Runs the scripts of examples/argo-cd as Argo CD does: Lua 5.1 with its base and table libraries alone.

Source: ``runLua`` in Argo CD's ``util/lua``. ``require("os")`` has two functions, ``date`` and ``time``; there is no
global ``os``.
"""

import time
from functools import cache
from typing import Any, NamedTuple

import yaml
from lupa import lua51

from tests.docs.documents import ROOT

Json = dict[str, Any]

FILE = ROOT / "examples/argo-cd/argocd-cm.yaml"
_KIND = "mygroup.example.com_MyResource"
_ALLOWED = {
    *("assert", "collectgarbage", "dofile", "error", "getfenv", "getmetatable", "ipairs", "load", "loadfile"),
    *("loadstring", "next", "pairs", "pcall", "print", "rawequal", "rawget", "rawset", "select", "setfenv"),
    *("setmetatable", "tonumber", "tostring", "type", "unpack", "xpcall", "_G", "_VERSION", "module", "require"),
    *("newproxy", "package", "table"),
}

_SEALED = "obj = {}; setmetatable(_G, {__newindex = function(_, name) error('sets the global ' .. name) end})"


class Health(NamedTuple):
    """What a health check returns."""

    status: str
    message: str


def data() -> dict[str, str]:
    """Return the entries for the ConfigMap argocd-cm."""
    found: dict[str, str] = yaml.safe_load(FILE.read_text())["data"]
    return found


def check() -> str:
    """Return the health check."""
    return data()[f"resource.customizations.health.{_KIND}"]


def actions() -> Json:
    """Return the actions."""
    found: Json = yaml.safe_load(data()[f"resource.customizations.actions.{_KIND}"])
    return found


def health(script: str, item: Json) -> Health:
    """Return what *script* says about *item*."""
    return Health(**run(script, item))


def run(script: str, item: Json) -> Json:
    """Return the table that *script* returns for *item*, its ``obj``."""
    lua, compiled = _compiled(script)
    lua.globals().obj = lua.table_from(item, recursive=True)
    returned: Json = _plain(compiled())
    return returned


@cache
def _compiled(script: str) -> tuple[Any, Any]:
    """Return a runtime for *script* alone, and the script as a function, which may leave nothing behind."""
    lua = lua51.LuaRuntime(register_eval=False, register_builtins=False)
    loaded = lua.globals().package.loaded
    for table, allowed in ((lua.globals(), _ALLOWED), (loaded, {"_G", "package", "table"})):
        for name in [name for name in table if name not in allowed]:
            table[name] = None
    loaded.os = lua.table(date=_date, time=time.time)
    lua.execute(_SEALED)
    return lua, lua.compile(script)


def _date(pattern: str) -> str:
    """Return the current time as ``os.date`` does for a *pattern* in UTC, which starts with ``!``."""
    return time.strftime(pattern.removeprefix("!"), time.gmtime())


def _plain(value: Any) -> Any:
    if lua51.lua_type(value) != "table":
        return value
    return {name: _plain(inner) for name, inner in value.items()}
