"""What kubectl reads in files, and what the API server accepts of it, is what the data for ``make test`` says."""

import json

import pytest

from metahook.cli.files.yaml_documents import dump_yaml
from tests.cli.kubectl_reads import parsed, recorded
from tests.e2e.cluster import Cluster
from tests.e2e.kubectl_reads import read_again, sent


def test_kubectl_reads_what_is_recorded(cluster: Cluster) -> None:
    assert parsed(json.dumps(read_again(cluster.client))) == recorded()


@pytest.mark.usefixtures("cluster")
def test_kubectl_reads_each_string_that_is_written_as_that_string() -> None:
    texts = [row["yaml"] for row in recorded()["scalars"]]

    assert sent([dump_yaml({"value": text}).rstrip("\n") for text in texts]) == [{"value": text} for text in texts]
