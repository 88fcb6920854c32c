"""The hook that ``--hook`` names: a URL, or a Controller in a file or a module, which runs in this process."""

import importlib
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NoReturn, cast

import click
import msgspec

from metahook.cli.errors import InputError
from metahook.cli.hooks.credentials import NO_CREDENTIALS, Credentials
from metahook.clock import utc_now
from metahook.protocol.controller import Controller
from metahook.protocol.gate import RefusedResponse
from metahook.simulator.hook import Hook, Reply, Unreachable, in_process

if TYPE_CHECKING:
    from datetime import datetime
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec

OK, UNAUTHORIZED, NOT_FOUND, TOO_MANY = 200, 401, 404, 429

_NO_NUMBER = re.compile(rb"[:\[,]\s*-?(NaN|Infinity)\s*[,\]}]")
"""A value that some encoders write for a number that JSON can't say."""

PATHS = {hook: f"/{hook}" for hook in ("sync", "customize", "finalize")}
"""The paths of hooks, unless a controller names others."""

_REMEDY = {
    "--hook": "write FILE.py:NAME, MODULE:NAME, or a URL, such as http://127.0.0.1:8080",
    "HOOK": "write FILE.py:NAME or MODULE:NAME",
}
"""What to write, by how it is given."""


class LocalHook:
    """A Controller in this process, which *text* names. *now* is the time at which it decides, and may be set."""

    def __init__(self, controller: Controller, text: str) -> None:
        self.controller = controller
        self.text = text
        self.now: Callable[[], datetime] = utc_now

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply of *hook*; raise InputError for an exception of its author's code."""
        try:
            reply = in_process(self.controller, self.now, fail)(hook, body)
        except SystemExit as error:
            fail(error)
        if reply.status != OK:
            message = f"--hook: refuses the request to {hook}: {reply.body.decode(errors='replace')}"
            raise InputError(message)
        return reply


class StrictHook:
    """Calls *hook*, and raises InputError where it does not respond, or with something that no hook responds with."""

    def __init__(self, hook: Hook) -> None:
        self.hook = hook

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply of *hook*; raise InputError."""
        try:
            reply = self.hook(hook, body)
        except Unreachable as error:
            message = f"--hook: {error}; start the hook there, or give its URL"
            raise InputError(message) from error
        problem = _problem(reply)
        if problem:
            message = f"--hook: {hook} {problem}"
            raise InputError(message)
        return reply


def _problem(reply: Reply) -> str | None:
    """Return why *reply* is not one of a hook, or None. One with status 429 is: Metacontroller calls again."""
    if reply.status == UNAUTHORIZED:
        return "returns status 401; name the file with its token with --token-file"
    if reply.status == NOT_FOUND:
        return "returns status 404; correct the path of this hook in the controller's manifest, or the URL"
    if reply.status not in (OK, TOO_MANY):
        return f"returns status {reply.status}; see the log of the hook, or give the URL of a hook"
    try:
        msgspec.json.decode(reply.body or b"{}")
    except (msgspec.DecodeError, RecursionError):
        if _NO_NUMBER.search(reply.body):
            return "returns NaN or Infinity, which JSON does not have; leave the field out"
        return "returns something that is not JSON; give the URL of a hook, such as http://127.0.0.1:8080"
    return None


def read_hook(text: str, credentials: Credentials, paths: Mapping[str, str]) -> Hook:
    """Return the hook that ``--hook`` names by *text*, as open_hook does; each call raises InputError for a failure."""
    hook = open_hook(text, credentials, paths)
    if not isinstance(hook, LocalHook):
        return StrictHook(hook)
    if credentials != NO_CREDENTIALS:
        message = (
            "--hook runs in this process, which needs no certificate and no token; leave them out, or give its URL"
        )
        raise InputError(message)
    return hook


def open_hook(text: str, credentials: Credentials, paths: Mapping[str, str]) -> Hook:
    """Return the hook that ``--hook`` names by *text*: ``URL``, ``FILE.py:NAME`` or ``MODULE:NAME``; raise InputError.

    A hook at a URL is called at *paths*.
    """
    return open_url(text, "--hook", credentials, paths) if "://" in text else LocalHook(read_controller(text), text)


def open_url(url: str, option: str, credentials: Credentials, paths: Mapping[str, str]) -> Hook:
    """Return the hook at the *url* of *option*, which the end of the command closes; raise InputError."""
    from metahook.cli.hooks.remote_hook import RemoteHook  # noqa: PLC0415 - a hook in this process needs no httpx

    return click.get_current_context().with_resource(RemoteHook(url, option, credentials, paths))


def read_controller(text: str, given: str = "--hook") -> Controller:
    """Return the Controller that *text*, *given* so, names, or the only one of its file or module; raise InputError."""
    source, _, name = text.partition(":")
    module = load_file(Path(source), given) if source.endswith(".py") else _load_module(source, given)
    found = {each: value for each, value in vars(module).items() if isinstance(value, Controller)}
    if name in found:
        return found[name]
    if not name and len(set(map(id, found.values()))) == 1:
        return next(iter(found.values()))
    choices = f"choose one of {', '.join(found)}" if found else "it has none; write one as NAME = Controller(...)"
    message = f"{given} {source}: {f'{name} is not a Controller in it' if name else 'name a Controller'}; {choices}"
    raise InputError(message)


def load_file(path: Path, given: str = "--hook") -> ModuleType:
    """Return the module in the file *path*, *given* so; raise InputError."""
    if not path.is_file():
        message = f"{given} {path}: no such file; {_REMEDY[given]}"
        raise InputError(message)
    sys.path.insert(0, str(path.resolve().parent))
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(cast("ModuleSpec", spec))
    sys.modules[path.stem] = module  # dataclasses and msgspec look it up there
    with _errors_of(f"{given} ", str(path)):
        cast("Loader", module.__loader__).exec_module(module)
    return module


def _load_module(name: str, given: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    with _errors_of(f"{given} ", name):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):
                raise  # one that the hook imports
            message = f"{given} {name}: no such module; {_REMEDY[given]}"
            raise InputError(message) from error


@contextmanager
def _errors_of(start: str, otherwise: str) -> Iterator[None]:
    """Raise InputError for any error of a hook's code, with *start*; *otherwise* stands for no place in the code."""
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        place, what = described(error, otherwise)
        message = f"{start}{place}: {what}"
        raise InputError(message) from error


def fail(error: BaseException) -> NoReturn:
    """Raise InputError for the exception *error* of a hook."""
    if isinstance(error, RefusedResponse):
        message = f"--hook: the response is refused: {getattr(error, 'detail', None) or error}"
        raise InputError(message) from error
    place, what = described(error, "the hook")
    message = f"{place}: {what}"
    raise InputError(message) from error


def described(error: BaseException, otherwise: str) -> tuple[str, str]:
    """Return where the user's code raised *error*, as file and line, and what; *otherwise* stands for no such place."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_of_user(frame.filename)]
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}:{error.lineno}", f"{type(error).__name__}: {error.msg}"
    place = f"{_short(frames[-1].filename)}:{frames[-1].lineno}" if frames else otherwise
    return place, f"{type(error).__name__}: {error}".removesuffix(": ")


_OWN = str(Path(__file__).parents[2])


def _is_of_user(file: str) -> bool:
    return not file.startswith((_OWN, "<")) and "site-packages" not in file and not file.startswith(sys.base_prefix)


def _short(file: str) -> str:
    """Return *file* as seen from the working directory."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
