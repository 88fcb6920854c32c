"""Strategies for Pods: containers in trouble, in all the states that they go through."""

from hypothesis import strategies as st

from tests.requests.pods import LOST, NEW, ago, container, deleted, ended, failed, pod, running, waiting
from tests.strategies.primitives import Json, Strategy

_REASONS = ((0, "Completed"), (1, "Error"), (137, "OOMKilled"), (143, "Error"), (128, "StartError"))
_ENDS = [ended(code, reason) for code, reason in _REASONS]
_STATES = [
    {},
    *(running(seconds) for seconds in (0, 39, 41, 700, -5)),
    *_ENDS,
    *(waiting(why) for why in ("ContainerCreating", "CrashLoopBackOff", "ErrImagePull", "ImagePullBackOff")),
    waiting("CreateContainerConfigError", 'secret "db" not found'),
    {"running": {}},
]

containers = st.builds(
    container,
    st.sampled_from(["main", "main", "main", "proxy"]),
    st.sampled_from(_STATES),
    st.sampled_from([{}, *_ENDS]),
    restarts=st.integers(0, 3),
    ready=st.booleans(),
)
"""The status of a container."""

_MISREAD = [
    {"status": {"containerStatuses": {}}},
    {"status": None},
    {"metadata": {}},
    {"metadata": None},
    {"status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}},
]


_WHOLE = [
    LOST,
    *(failed(reason, seconds=seconds) for reason in ("Evicted", "OutOfpods") for seconds in (5, 30, 700)),
    *(deleted(reason) for reason in ("EvictionByEvictionAPI", "PreemptionByScheduler", None)),
]
"""Pods to which something happened as a whole."""


def _pod(seen: list[Json], mark: str, seconds: int, misread: Json) -> Json:
    return {**pod(*seen[:2], init=tuple(seen[2:]), mark=mark, made=ago(seconds)), **misread}


pods: Strategy[list[Json]] = st.lists(
    st.one_of(
        st.builds(
            _pod,
            st.lists(containers, max_size=3),
            st.sampled_from([NEW, NEW, "old"]),
            st.sampled_from([0, 60, 3600]),
            st.sampled_from([*[{}] * 9, *_MISREAD]),
        ),
        st.sampled_from(_WHOLE),
    ),
    max_size=4,
)
"""The Pods of a MyResource, in any order; some can't be read."""
