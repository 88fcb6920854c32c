from typing import Any

from tests.requests.builders import child, my_resource, sync

HTTP = {"name": "http", "containerPort": 8080}


def service(**spec: Any) -> dict[str, Any]:
    return child(sync(my_resource(ports=[HTTP], **spec)), "Service")


def test_a_port_without_a_name_gets_one_from_protocol_and_number() -> None:
    ports = [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 80}]

    made = child(sync(my_resource(ports=ports)), "Service")

    assert [port["name"] for port in made["spec"]["ports"]] == ["udp-53", "tcp-80"]


def test_a_port_of_the_service_may_differ_from_that_of_the_container() -> None:
    ports = [{"name": "http", "containerPort": 8080, "servicePort": 80}, {"containerPort": 80, "servicePort": 8080}]
    answer = sync(my_resource(ports=ports))

    made = child(answer, "Service")["spec"]["ports"]
    (main,) = child(answer, "Deployment")["spec"]["template"]["spec"]["containers"]

    assert [(port["name"], port["port"], port["targetPort"]) for port in made] == [
        ("http", 80, "http"),
        ("tcp-80", 8080, 80),
    ]
    assert main["ports"] == [
        {"name": "http", "containerPort": 8080, "protocol": "TCP"},
        {"containerPort": 80, "protocol": "TCP"},
    ]


def test_session_affinity_is_always_whole() -> None:
    spec = service(service={"sessionAffinity": "ClientIP"})["spec"]

    assert spec["sessionAffinity"] == "ClientIP"
    assert spec["sessionAffinityConfig"] == {"clientIP": {"timeoutSeconds": 10800}}
