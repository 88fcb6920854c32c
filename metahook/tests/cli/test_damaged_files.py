"""A recording with a damaged value: diff and replay compare it, or print one line with the reason."""

import json
from itertools import cycle
from pathlib import Path

import pytest

from metahook.protocol.objects import Json
from toolkit.cli.bound import call, live, recorded, settled
from toolkit.command import CommandResult
from toolkit.mutations import CANARY, REPLACEMENTS, places, replaced, spelled, without
from toolkit.slow import short_or_whole
from toolkit.widgets import widget

RECORDED = recorded(settled(widget(ports=[{"containerPort": 80, "name": CANARY}])))
REQUEST = RECORDED["request"]
ITEMS = [item for part in live(widget(ports=[{"containerPort": 80}])) for item in part["items"]]
LIVE: Json = {"apiVersion": "v1", "kind": "List", "items": ITEMS}


def has_ended_well(ended: CommandResult) -> bool:
    if ended.code in (0, 1):
        return ended.err == "" and ended.out != ""
    one_line = ended.err.startswith("widgets: ") and ended.err.count("\n") == 1
    return ended.code == 2 and ended.out == "" and one_line and CANARY not in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("whole", [RECORDED, REQUEST, LIVE], ids=["a recording", "a request", "live objects"])
def test_a_damaged_file_is_compared_or_refused_in_one_line(whole: Json, tmp_path: Path) -> None:
    new, file = tmp_path / "new.json", tmp_path / "damaged.json"
    new.write_text(json.dumps(widget(image="nginx:1.28")))
    changes = cycle(REPLACEMENTS.values())
    wrong = []

    for number, path in enumerate(list(places(whole))[1 :: short_or_whole(3, 1)]):
        for damaged in (replaced(whole, path, next(changes)), without(whole, path))[number % 2 :: 2]:
            file.write_text(json.dumps(damaged))
            ends = [call("replay", str(file))]
            if whole is not LIVE:
                ends.append(call("diff", str(file), str(new)))
            wrong += [f"{spelled(path)}: {ended}" for ended in ends if not has_ended_well(ended)]

    assert wrong == []
