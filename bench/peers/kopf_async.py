"""An operator for MyResources as kopf does it best: level-triggered, from indices, with one asynchronous session.

It has the indices and event handlers of "Level-based triggering" in kopf's documentation, without its timer. They store
nothing in a MyResource, so that a change costs the write of the Deployment, and of each status.

``kopf run --standalone --all-namespaces bench/peers/kopf_async.py``
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import aiohttp
import kopf
from kopf_objects import GROUP, PLURAL, VERSION, Json, deployment_of, differs, owner_of, status_of

MY_RESOURCES = (GROUP, VERSION, PLURAL)
DEPLOYMENTS = ("apps", "v1", "deployments")
APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}
BACKOFFS = (1, 2, 5, 10)
"""Seconds between the tries of a request: kopf does not repeat event handlers that fail."""


@kopf.on.login()
async def log_in(memo: kopf.Memo, **kwargs: Any) -> kopf.AiohttpSession:
    """Share one session between kopf and the handlers."""
    credentials = kopf.login_with_kubeconfig(**kwargs) or kopf.login_with_service_account(**kwargs)
    connector = aiohttp.TCPConnector(limit=0, ssl=credentials.as_ssl_context())
    session = aiohttp.ClientSession(credentials.server, connector=connector, headers=credentials.as_http_headers())
    # Each MyResource has a shallow copy of the memo, and is to have the session of the next login, too.
    memo.setdefault("api", kopf.Memo()).session = session
    return kopf.AiohttpSession(server=credentials.server, aiohttp_session=session)


@kopf.index(*MY_RESOURCES)
async def resources(namespace: str, name: str, body: kopf.Body, memo: kopf.Memo, **_: Any) -> Json:
    """Index the MyResources by their names."""
    return {(namespace, name): (essence(body), memo)}


def has_owner(meta: kopf.Meta, **_: Any) -> bool:
    """Tell whether a MyResource owns an object."""
    return owner_of(meta) is not None


@kopf.index(*DEPLOYMENTS, when=has_owner)
async def deployments(namespace: str, meta: kopf.Meta, body: kopf.Body, **_: Any) -> Json:
    """Index the Deployments by the names of the MyResources that own them."""
    return {(namespace, owner_of(meta)): essence(body)}


def essence(body: Mapping[str, Any]) -> Json:
    """Return *body* without its managed fields, which take most of the memory."""
    return {**body, "metadata": {field: value for field, value in body["metadata"].items() if field != "managedFields"}}


def needs_work(event: kopf.RawEvent, meta: kopf.Meta, status: kopf.Status, **_: Any) -> bool:
    """Tell whether the event of a MyResource is more than its own status: all of them are reconciled at the start."""
    return event["type"] is None or status.get("observedGeneration") != meta["generation"]


@kopf.on.event(*MY_RESOURCES, when=needs_work)
async def follow_resource(
    namespace: str, name: str, resources: kopf.Index, deployments: kopf.Index, memo: kopf.Memo, **_: Any
) -> None:
    """Reconcile a MyResource that changed."""
    await reconcile((namespace, name), resources, deployments, memo.api.session)


@kopf.on.event(*DEPLOYMENTS, when=has_owner)
async def follow_deployment(
    namespace: str, meta: kopf.Meta, resources: kopf.Index, deployments: kopf.Index, memo: kopf.Memo, **_: Any
) -> None:
    """Reconcile the MyResource that owns a Deployment that changed."""
    await reconcile((namespace, owner_of(meta)), resources, deployments, memo.api.session)


async def reconcile(
    key: tuple[str, str | None], resources: kopf.Index, deployments: kopf.Index, session: aiohttp.ClientSession
) -> None:
    """Make the Deployment what the MyResource asks for, and the status what the Deployment shows."""
    for _, memo in list(resources.get(key, ())):
        async with memo.setdefault("lock", asyncio.Lock()):  # events of both can come at the same time
            resource = latest([memo.get("written"), *(body for body, _ in resources.get(key, ()))])
            if resource is None or "deletionTimestamp" in resource["metadata"]:
                return
            desired = deployment_of(resource)
            kopf.adopt(desired, resource)
            observed = latest(deployments.get(key, ()))
            if observed is None or differs(desired, observed):
                path = f"/apis/apps/v1/namespaces/{key[0]}/deployments/{desired['metadata']['name']}"
                observed = await patch(session, f"{path}?fieldManager=kopf&force=true", APPLY, desired)
            status = status_of(resource, observed)
            if status != resource.get("status"):
                path = f"/apis/{GROUP}/{VERSION}/namespaces/{key[0]}/{PLURAL}/{key[1]}/status"
                memo["written"] = essence(await patch(session, path, MERGE, {"status": status}))


def latest(versions: Iterable[Json | None]) -> Json | None:
    """Return the latest of *versions* of an object: its event can come after the answer of the write."""
    return max(filter(None, versions), key=lambda body: int(body["metadata"]["resourceVersion"]), default=None)


async def patch(session: aiohttp.ClientSession, path: str, headers: Mapping[str, str], body: Json) -> Json:
    """Patch an object; repeat what the API server could not answer."""
    for delay in BACKOFFS:
        try:
            async with session.patch(path, headers=headers, json=body) as response:
                if response.status < 500 and response.status != 429:
                    response.raise_for_status()
                    return await response.json()
        except aiohttp.ClientConnectionError:
            pass
        await asyncio.sleep(delay)
    raise TimeoutError(path)
