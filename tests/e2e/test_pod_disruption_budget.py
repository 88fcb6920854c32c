"""A PodDisruptionBudget, and the evictions that the drain of a node asks for."""

from tests.e2e.namespace import Namespace

TOO_MANY = 429
CREATED = 201


def evict(here: Namespace, pod: str) -> int:
    """Ask for the eviction of *pod*, as kubectl drain does; return the status code."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": here.name}}
    return here.client.http.post(f"/api/v1/namespaces/{here.name}/pods/{pod}/eviction", json=body).status_code


def pods(here: Namespace) -> list[str]:
    return [pod["metadata"]["name"] for pod in here.client.all("Pod", here.name)]


def allowed(here: Namespace) -> int:
    found: int = here.get("PodDisruptionBudget", "web").get("status", {}).get("disruptionsAllowed", 0)
    return found


def test_one_pod_is_evicted_at_a_time_and_a_single_one_whenever_it_is_asked(here: Namespace) -> None:
    here.ready(replicas=2, podDisruptionBudget="Auto")
    here.eventually(lambda: allowed(here) == 1)
    first, second = pods(here)

    here.quota(pods="0")  # so that no Pod replaces the first
    assert [evict(here, pod) for pod in (first, second)] == [CREATED, TOO_MANY]
    here.delete("ResourceQuota", "most")
    here.eventually(lambda: first not in pods(here) and allowed(here) == 1)

    here.change(replicas=1)
    here.wait_until_ready()
    assert here.find("PodDisruptionBudget", "web") is None
    here.eventually(lambda: len(pods(here)) == 1)
    (only,) = pods(here)
    assert evict(here, only) == CREATED
