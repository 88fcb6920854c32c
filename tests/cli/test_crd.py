import yaml

from app.api.crd import crd
from tests.cli.calling import call


def test_it_prints_the_crd_that_the_models_make() -> None:
    ended = call("crd")

    assert ended.code == 0
    assert yaml.safe_load(ended.out) == crd()
