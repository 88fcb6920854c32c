"""An installation: the CompositeController that a real Metacontroller sends, as recorded."""

import json
from pathlib import Path

from toolkit.builders import Json

RIGHT: Json = json.loads((Path(__file__).parents[1] / "data/installation/controller.json").read_text())
"""The field ``controller`` of a request from a real Metacontroller 4.17.2, after an installation of a chart."""
