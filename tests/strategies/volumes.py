"""Strategies for volumes and where they are mounted."""

from hypothesis import strategies as st

from tests.strategies.containers import RESOURCE_FIELDS
from tests.strategies.primitives import (
    ABSENT,
    CONFIG_KEYS,
    FLAGS,
    MOUNT_PATHS,
    OBJECT_NAMES,
    PATHS,
    VOLUME_NAMES,
    Json,
    either,
    lists,
    variants,
    whole_bytes,
)

_MODES = [ABSENT, 0, 0o400, 0o777]
_ITEMS = [
    ABSENT,
    [],
    *([item] for item in variants(key=CONFIG_KEYS, path=PATHS, mode=_MODES)),
    [{"key": "a", "path": "a"}, {"key": "b", "path": "b/c", "mode": 0}],
]
_POD_FIELDS = ["metadata.labels", "metadata.annotations['a']", "metadata.uid"]
_POD_FILES = [
    *variants(path=PATHS, fieldRef=variants(fieldPath=_POD_FIELDS), mode=_MODES),
    *variants(path=PATHS, resourceFieldRef=RESOURCE_FIELDS),
]
_KEYED = variants(name=OBJECT_NAMES[:3], items=_ITEMS, optional=FLAGS)
_PROJECTIONS = either(
    configMap=_KEYED,
    secret=_KEYED,
    downwardAPI=[{"items": [file]} for file in _POD_FILES]
    + [{"items": [{**_POD_FILES[0], "path": "m"}, {**_POD_FILES[-1], "path": "n"}]}],
)


def _in_own_directories(sources: list[Json]) -> list[Json]:
    """Return *sources* with the files of each in a directory of its own: none is made twice."""

    def moved(part: Json, place: int) -> Json:
        items = [{**item, "path": f"{place}/{item['path']}"} for item in part.get("items", [])]
        return {**part, "items": items} if "items" in part else part

    return [{kind: moved(part, place) for kind, part in source.items()} for place, source in enumerate(sources)]


_projected = st.builds(
    lambda sources, mode: {"sources": sources, **mode},
    st.lists(st.sampled_from(_PROJECTIONS), min_size=1, max_size=2).map(_in_own_directories),
    st.sampled_from(variants(defaultMode=_MODES)),
)
_given = st.sampled_from(
    either(
        emptyDir=variants(medium=[ABSENT, "", "Memory"]),
        configMap=variants(name=OBJECT_NAMES[:3], items=_ITEMS, defaultMode=_MODES, optional=FLAGS),
        secret=variants(secretName=OBJECT_NAMES[:3], items=_ITEMS, defaultMode=_MODES, optional=FLAGS),
        persistentVolumeClaim=variants(claimName=OBJECT_NAMES, readOnly=FLAGS),
    )
)
_sources = st.one_of(
    _given,
    _given,
    _projected.map(lambda projected: {"projected": projected}),
    whole_bytes.map(lambda size: {"emptyDir": {"sizeLimit": size}}),
)
_volumes = st.dictionaries(st.sampled_from(VOLUME_NAMES), _sources, max_size=3).map(
    lambda named: [{"name": name, **source} for name, source in named.items()]
)
_mounts = lists(
    variants(name=VOLUME_NAMES, mountPath=MOUNT_PATHS, subPath=[ABSENT, *PATHS], readOnly=FLAGS), "mountPath", most=3
)


def _mounting_what_is_there(chosen: Json) -> Json:
    """Return *chosen* with mounts of volumes that are there only."""
    there = [volume["name"] for volume in chosen["volumes"]]

    def mended(mounts: list[Json]) -> list[Json]:
        return [{**mount, "name": there[len(mount["name"]) % len(there)]} for mount in mounts] if there else []

    return {name: value if name == "volumes" else mended(value) for name, value in chosen.items()}


volumes_and_mounts = st.fixed_dictionaries({"volumes": _volumes}, optional={"volumeMounts": _mounts}).map(
    _mounting_what_is_there
)
