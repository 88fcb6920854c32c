"""Every Pod of the chart passes Pod Security "restricted"; negative controls of the evaluator."""

import pytest

from tests.chart.pod_security import violations
from tests.chart.sets import SETS, Json, objects, the, values

GOOD = the("Deployment")["spec"]["template"]["spec"]


def pods(name: str) -> list[Json]:
    made = objects(values(name))
    templates = [item["spec"]["template"]["spec"] for item in made if item["kind"] == "Deployment"]
    return templates + [item["spec"] for item in made if item["kind"] == "Pod"]


@pytest.mark.parametrize("name", SETS)
def test_every_pod_is_restricted(name: str) -> None:
    assert len(pods(name)) == 2
    for pod in pods(name):
        assert violations(pod) == []


@pytest.mark.parametrize("name", SETS)
def test_every_pod_is_stricter_than_the_standard_requires(name: str) -> None:
    for pod in pods(name):
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert "limits" in container["resources"]
            assert "memory" in container["resources"]["limits"]


def context(**fields: object) -> Json:
    return {"securityContext": fields}


def patched(item: Json, patch: Json) -> Json:
    """Return *item* with the fields of *patch*; security contexts are merged."""
    changed = {**item, **patch}
    changed["securityContext"] = item["securityContext"] | patch.get("securityContext", {})
    return changed


@pytest.mark.parametrize(
    ("control", "of_pod", "of_container"),
    [
        ("host namespaces", {"hostNetwork": True}, {}),
        ("host namespaces", {"hostPID": True}, {}),
        ("host namespaces", {"hostIPC": True}, {}),
        ("volume types", {"volumes": [{"name": "x", "hostPath": {"path": "/"}}]}, {}),
        ("volume types", {"volumes": [{"name": "x", "nfs": {"server": "x", "path": "/"}}]}, {}),
        ("sysctls", context(sysctls=[{"name": "kernel.msgmax", "value": "1"}]), {}),
        ("SELinux", context(seLinuxOptions={"type": "spc_t"}), {}),
        ("SELinux (hook)", {}, context(seLinuxOptions={"user": "root"})),
        ("host process", context(windowsOptions={"hostProcess": True}), {}),
        ("host process (hook)", {}, context(windowsOptions={"hostProcess": True})),
        ("AppArmor", context(appArmorProfile={"type": "Unconfined"}), {}),
        ("AppArmor (hook)", {}, context(appArmorProfile={"type": "Unconfined"})),
        ("running as root", context(runAsUser=0), {}),
        ("running as root (hook)", {}, context(runAsUser=0)),
        ("running as non-root (hook)", context(runAsNonRoot=False), {}),
        ("running as non-root (hook)", {}, context(runAsNonRoot=False)),
        ("privileged (hook)", {}, context(privileged=True)),
        ("privilege escalation (hook)", {}, context(allowPrivilegeEscalation=True)),
        ("capabilities dropped (hook)", {}, context(capabilities={"drop": ["NET_RAW"]})),
        ("capabilities added (hook)", {}, context(capabilities={"drop": ["ALL"], "add": ["SYS_ADMIN"]})),
        ("seccomp (hook)", context(seccompProfile={"type": "Unconfined"}), {}),
        ("seccomp (hook)", context(seccompProfile=None), {}),
        ("proc mount (hook)", {}, context(procMount="Unmasked")),
        ("host ports (hook)", {}, {"ports": [{"containerPort": 80, "hostPort": 80}]}),
        ("host of probes (hook)", {}, {"livenessProbe": {"tcpSocket": {"host": "10.0.0.1", "port": 1}}}),
    ],
    ids=str,
)
def test_a_pod_that_breaks_a_control_is_refused(control: str, of_pod: Json, of_container: Json) -> None:
    pod = patched(GOOD, of_pod)
    pod["containers"] = [patched(pod["containers"][0], of_container)]

    assert violations(GOOD) == []
    assert control in violations(pod)
