"""How Metacontroller updates a child that differs from the response.

Source: Metacontroller 4.17, ``updateStrategy`` of pkg/apis/metacontroller/v1alpha1/types.go.
"""

from dataclasses import dataclass, field
from typing import Literal, get_args

from metahook.simulator.objects import Json

Method = Literal["InPlace", "OnDelete", "Recreate", "RollingInPlace", "RollingRecreate"]
METHODS: tuple[Method, ...] = get_args(Method)

RECREATES: tuple[Method, ...] = ("Recreate", "RollingRecreate")
"""The methods that delete a child, so that the next sync creates it again."""


@dataclass(frozen=True)
class UpdateStrategy:
    """The update *method* of a kind of children, and the conditions that a rolling one waits for."""

    method: Method = "InPlace"
    conditions: tuple[Json, ...] = field(default=(), hash=False)

    @property
    def is_rolling(self) -> bool:
        """Whether the children change one after another."""
        return self.method.startswith("Rolling")


IN_PLACE = UpdateStrategy()
