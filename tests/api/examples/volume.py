"""Examples of the rules of volumes."""

from tests.api.examples.case import Example
from tests.api.examples.container import BAD_DIVISORS, GOOD_DIVISORS
from tests.requests.builders import Json

FIELD = {"fieldPath": "metadata.labels"}
RESOURCE = {"resource": "limits.memory"}
PART: dict[str, Json] = {
    "configMap": {"name": "a"},
    "secret": {"name": "a"},
    "downwardAPI": {"items": [{"path": "a", "fieldRef": FIELD}]},
}
SOURCES: dict[str, Json] = {
    "emptyDir": {},
    "configMap": {"name": "a"},
    "secret": {"secretName": "a"},
    "persistentVolumeClaim": {"claimName": "a"},
    "projected": {"sources": [{"secret": {"name": "a"}}]},
}


def _volume(**sources: Json | None) -> Json:
    return {"volumes": [{"name": "v", **sources}]}


def _projected(*sources: Json) -> Json:
    return _volume(projected={"sources": [*sources]})


def _file(**content: Json) -> Json:
    return _projected({"downwardAPI": {"items": [{"path": "a", **content}]}})


EXAMPLES = [
    Example(
        path="spec.volumes[]",
        says="exactly one of emptyDir",
        good=[*(_volume(**{name: source}) for name, source in SOURCES.items()), _volume(emptyDir={}, secret=None)],
        bad=[
            _volume(),
            _volume(hostPath={"path": "/"}),
            _volume(**SOURCES),
            _volume(emptyDir={}, configMap={"name": "a"}),
            _volume(secret={"secretName": "a"}, persistentVolumeClaim={"claimName": "a"}),
        ],
    ),
    Example(
        path="spec.volumes[].projected.sources[]",
        says="exactly one of configMap, secret and downwardAPI",
        good=[_projected({name: part}) for name, part in PART.items()],
        bad=[
            _projected({}),
            _projected({"serviceAccountToken": {"path": "a"}}),
            _projected(PART),
            _projected({"configMap": {"name": "a"}, "secret": {"name": "a"}}),
            _projected({"secret": {"name": "a"}}, {}),
        ],
    ),
    Example(
        path="spec.volumes[].projected.sources[].downwardAPI.items[]",
        says="exactly one of fieldRef and resourceFieldRef",
        good=[_file(fieldRef=FIELD), _file(resourceFieldRef=RESOURCE)],
        bad=[_file(), _file(fieldRef=FIELD, resourceFieldRef=RESOURCE)],
    ),
    Example(
        path="spec.volumes[].projected.sources[].downwardAPI.items[].resourceFieldRef",
        says="divisor must be 1 or 1m for CPU",
        good=[_file(resourceFieldRef=ref) for ref in GOOD_DIVISORS],
        bad=[_file(resourceFieldRef=ref) for ref in BAD_DIVISORS],
    ),
]
