"""The controller of MyResource, for the service and for the commands."""

from functools import partial

from app.api.names import API_VERSION, KIND, PLURAL
from app.api.reading import lacks_default
from app.core.customize import customize
from app.core.desired.children import CHILDREN, NOT_ALWAYS_LISTED
from app.core.desired.memo import GenerationMemo
from app.core.reasons import REASONS
from app.core.sync import sync
from app.core.watch import Watch
from metahook import Controller, Kind

EXAMPLE_SPEC = {"image": "nginx:1.27", "memory": "64Mi"}
"""As in examples/web.yaml."""


def controller(watch: Watch, memo: GenerationMemo | None = None) -> Controller:
    """Return the controller of an operator that watches *watch*; *memo* must be no other controller's."""
    return Controller(
        sync=partial(sync, watch=watch, memo=memo),
        customize=partial(customize, watch=watch, memo=memo),
        children=CHILDREN,
        optional_kinds=NOT_ALWAYS_LISTED,
        example_spec=EXAMPLE_SPEC,
        reasons=frozenset(REASONS),
        lacks_default=lacks_default,
        parent=Kind(API_VERSION, KIND, PLURAL),
        quick=True,
    )
