import yaml

from app.api.schema.crd import crd
from tests.cli.command import call


def test_crd_prints_the_crd_of_the_models() -> None:
    ended = call("crd")

    assert ended.code == 0
    assert yaml.safe_load(ended.out) == crd()
