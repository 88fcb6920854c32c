"""A cluster: a control plane with Metacontroller and your hooks, and what a user does to it. Read this first.

::

    with Cluster(folder, apply_strategy="server-side-apply") as cluster:
        cluster.install(GREETINGS, Path("crd.yaml"), Path("compositecontroller.yaml"))
        cluster.apply({"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "hi"}})
        cluster.wait_for(lambda: cluster.get("ConfigMap", "hi"), "the ConfigMap hi")
"""

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar
from urllib.parse import urlsplit, urlunsplit

import yaml

from metahook.envtest.binaries import find_binaries
from metahook.envtest.client import Client, Refused, UnknownKind
from metahook.envtest.control_plane import ADMIN, MASTERS, ControlPlane, count_events, metacontroller
from metahook.protocol.objects import Manifest
from metahook.server.app import Controllers, create_app
from metahook.server.options import Address
from metahook.server.serve import HookServer


def documents(*files: Path) -> list[Manifest]:
    """Return the objects in *files*, in order."""
    return [item for file in files for item in yaml.safe_load_all(file.read_text()) if item]


def of_kind(items: Iterable[Manifest], kind: str) -> list[Manifest]:
    """Return those of *items* that are of *kind*."""
    return [item for item in items if item["kind"] == kind]


def with_hooks_at(address: str, item: Manifest, scheme: str = "http") -> Manifest:
    """Return the controller *item* with *address* (``127.0.0.1:8080``) as the host of all its hooks' URLs."""
    hooks = {
        name: {**hook, "webhook": _at(scheme, address, hook["webhook"])} for name, hook in item["spec"]["hooks"].items()
    }
    return {**item, "spec": {**item["spec"], "hooks": hooks}}


def _at(scheme: str, address: str, webhook: Manifest) -> Manifest:
    """Return *webhook* with a URL at *address*, also if it has a path and a Service."""
    url = urlsplit(webhook.get("url") or webhook["path"])
    kept = {name: value for name, value in webhook.items() if name not in {"path", "service"}}
    return {**kept, "url": urlunsplit((scheme, address, url.path, url.query, ""))}


PATIENCE = 60.0
"""Seconds to wait for what is expected; long, because a machine that runs tests may be busy."""


def establish(client: Client, crds: Sequence[Manifest]) -> None:
    """Apply *crds*, and wait until the API server serves their kinds; raise TimeoutError."""
    for item in crds:
        client.apply(item)
    end = time.monotonic() + PATIENCE
    for item in crds:
        kind = f"{item['spec']['names']['kind']}.{item['spec']['group']}"
        while not _is_served(client, kind):
            if time.monotonic() > end:
                message = f"the API server does not serve {kind} within {PATIENCE:.0f} s"
                raise TimeoutError(message)
            time.sleep(0.1)


def _is_served(client: Client, kind: str) -> bool:
    """Return whether objects of *kind* can be listed, which is possible a moment after discovery knows the kind."""
    try:
        client.all(kind)
    except UnknownKind:
        return False
    except Refused as refused:
        if refused.status == HTTPStatus.NOT_FOUND:
            return False
        raise
    return True


@contextmanager
def hook_server(controllers: Controllers) -> Iterator[str]:
    """Serve *controllers* until the block ends, after the requests in flight; yield where, such as ``127.0.0.1:8080``.

    Raise TimeoutError if they are not served.
    """
    server = HookServer(create_app(controllers))
    with Address("127.0.0.1", 0).listen() as listener:
        host, port = listener.getsockname()
        address = f"{host}:{port}"
        thread = threading.Thread(target=server.run, args=([listener],), name=f"hooks on {address}", daemon=True)
        thread.start()
        try:
            end = time.monotonic() + PATIENCE
            while not server.started:
                if not thread.is_alive() or time.monotonic() > end:
                    message = f"no hooks are served on {address}"
                    raise TimeoutError(message)
                time.sleep(0.01)
            yield address
        finally:
            server.should_exit = True
            thread.join()


T = TypeVar("T")
ManifestList = list[Manifest]

METACONTROLLER = "metacontroller"


LOG_TAIL = 4000
"""Characters of Metacontroller's log in an error."""


class Cluster:
    """A cluster with its data and logs in *folder*, from the start to the end of a ``with`` block.

    All objects are in the namespace ``default`` unless you say another one. A kind is a word such as ``ConfigMap``, or
    one with its group, such as ``Job.batch``, if several groups have it.

    The constructor raises Missing if binaries are missing, and the start of the block Ended if a process does not
    serve. Each request raises Refused if the API server rejects it, and UnknownKind if it does not serve the kind.
    """

    def __init__(
        self, folder: Path, *, apply_strategy: Literal["dynamic-apply", "server-side-apply"] = "dynamic-apply"
    ) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._binaries = find_binaries()
        self._control_plane = ControlPlane(self._binaries, folder, {METACONTROLLER: MASTERS})
        self.kubeconfig = self._control_plane.kubeconfig(ADMIN)
        """A kubeconfig of a user who may do everything, for ``kubectl``."""
        of_metacontroller = self._control_plane.kubeconfig(METACONTROLLER)
        self.metacontroller = metacontroller(self._binaries, folder, of_metacontroller, apply_strategy)
        """The process: ``cluster.metacontroller.restart()``, ``cluster.metacontroller.text()`` for its log."""
        self._running = ExitStack()

    def __enter__(self) -> Self:
        """Start everything, which takes a few seconds."""
        with ExitStack() as started:
            started.callback(self._control_plane.stop)
            self._control_plane.start()
            self._establish(documents(self._binaries.crds))
            started.callback(self.metacontroller.stop)
            self.metacontroller.start()
            self.wait_for(lambda: self.get("Namespace", "default"), "the namespace default")
            self._running = started.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop everything."""
        self._running.close()

    @property
    def client(self) -> Client:
        """The client behind the methods below, for requests that they do not make, such as a dry run."""
        return self._control_plane.client()

    def install(self, controllers: Controllers, *files: Path) -> None:
        """Serve *controllers* in this process, and apply the objects in *files*, CRDs first.

        The hooks of each CompositeController and DecoratorController get the address of *controllers* instead of their
        own. Return when Metacontroller runs it; raise TimeoutError if it does not within a minute.
        """
        items = documents(*files)
        crds = of_kind(items, "CustomResourceDefinition")
        run = [item for kind in ("CompositeController", "DecoratorController") for item in of_kind(items, kind)]
        if crds:
            self._establish(crds)
        address = self._running.enter_context(hook_server(controllers))
        for item in items:
            if item not in crds and item not in run:
                self.apply(item)
        for item in run:
            self._start(with_hooks_at(address, item))

    def apply(self, manifest: Manifest) -> Manifest:
        """Create or change an object, as ``kubectl apply --server-side`` does; return it as it is stored."""
        is_namespaced = self.client.discovery.of(manifest).namespaced
        metadata = {"namespace": "default", **manifest["metadata"]} if is_namespaced else manifest["metadata"]
        return self.client.apply({**manifest, "metadata": metadata})

    def get(self, kind: str, name: str, namespace: str = "default") -> Manifest | None:
        """Return an object, or None if there is none."""
        return self.client.get(kind, namespace, name)

    def list(self, kind: str, namespace: str = "default") -> ManifestList:
        """Return all objects of *kind* in *namespace*, or in all if it is empty."""
        return self.client.all(kind, namespace)

    def patch(self, kind: str, name: str, change: Manifest, namespace: str = "default", *, part: str = "") -> Manifest:
        """Change an object by a merge patch, in which null removes a field; *part* is a subresource: ``/status``."""
        return self.client.change(kind, namespace, name, change, part=part)

    def delete(self, kind: str, name: str, namespace: str = "default") -> None:
        """Delete an object; its children are deleted in the background."""
        self.client.delete(kind, namespace, name)

    def wait_for(self, holds: Callable[[], T | None], what: str, within: float = PATIENCE) -> T:
        """Wait until *holds* returns a value that counts as true, and return it.

        Raise TimeoutError after *within* seconds; its text has *what* was expected and the end of Metacontroller's log.
        """
        end = time.monotonic() + within
        while not (found := holds()):
            if time.monotonic() > end:
                log = self.metacontroller.text()[-LOG_TAIL:]
                message = f"not within {within:.0f} s: {what}; Metacontroller's log ends:\n{log}"
                raise TimeoutError(message)
            time.sleep(0.1)
        return found

    def _establish(self, crds: ManifestList) -> None:
        """Apply *crds*, and wait until their kinds are served and garbage collected."""
        establish(self.client, crds)
        # The garbage collector looks for new kinds when it starts, and then every half minute.
        self._control_plane.controllers.stop(signal.SIGKILL)
        self._control_plane.controllers.start()

    def _start(self, controller: Manifest) -> None:
        """Apply *controller*, and wait until Metacontroller reports that it runs it."""
        name = controller["metadata"]["name"]
        kind = controller["kind"]
        reason = "Started" if kind == "CompositeController" else "Starting"  # all that is reported of the other kind
        before = count_events(self.client, name, reason, kind)
        self.client.apply(controller)
        self.wait_for(
            lambda: count_events(self.client, name, reason, kind) > before,
            f"Metacontroller starts the {kind} {name}",
        )
