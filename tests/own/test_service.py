"""The Pods of a MyResource are served through its Service."""

import pytest

from tests.e2e.namespace import PORT, Place
from tests.own.own_cluster import OwnCluster

pytestmark = pytest.mark.own


def test_the_service_of_a_myresource_leads_to_its_pods(
    own: OwnCluster, here: Place, images: tuple[str, str], patience: float
) -> None:
    probe = {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 1}
    here.make("served", image=images[0], replicas=2, readinessProbe=probe, **PORT)
    here.wait_for_status("Ready", "Available", "served", patience)

    page = own.client.http.get(f"/api/v1/namespaces/{here.name}/services/served:http/proxy/")

    assert page.status_code == 200
    assert page.content
