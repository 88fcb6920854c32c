"""JSON schemas of the kinds of Argo CD and Flux that allow only the fields that the examples use.

Written from the CRDs of Argo CD 3 and Flux 2, so that a typing mistake is found without them.
"""

from tests.chart.controller_schema import TEXT, Json, closed

DURATION: Json = {"type": "string", "pattern": "^[1-9][0-9]*[smh]$"}
_NAMED = closed(["name"], name=TEXT)
_OBJECT: Json = {"type": "object"}


def _kind(api_version: str, kind: str, **fields: Json) -> Json:
    metadata = closed(["name", "namespace"], name=TEXT, namespace=TEXT, annotations=_OBJECT)
    return closed(
        ["apiVersion", "kind", "metadata", *fields],
        apiVersion={"const": api_version},
        kind={"const": kind},
        metadata=metadata,
        **fields,
    )


def _list(items: Json) -> Json:
    return {"type": "array", "minItems": 1, "items": items}


def _reference(*kinds: str) -> Json:
    return closed(["kind", "name"], kind={"enum": list(kinds)}, name=TEXT)


APPLICATION = _kind(
    "argoproj.io/v1alpha1",
    "Application",
    spec=closed(
        ["project", "source", "destination"],
        project=TEXT,
        source={
            **closed(
                ["repoURL", "targetRevision"],
                repoURL=TEXT,
                targetRevision=TEXT,
                chart=TEXT,
                path=TEXT,
                helm=closed([], valuesObject=_OBJECT),
            ),
            "oneOf": [{"required": ["chart"]}, {"required": ["path"]}],
        },
        destination=closed(["server", "namespace"], server=TEXT, namespace=TEXT),
        syncPolicy=closed(
            [],
            automated=closed([], prune={"type": "boolean"}, selfHeal={"type": "boolean"}),
            syncOptions=_list({"pattern": "^(CreateNamespace|ServerSideApply|SkipDryRunOnMissingResource)=true$"}),
            retry=closed(
                ["limit"],
                limit={"type": "integer"},
                backoff=closed([], duration=DURATION, factor={"type": "integer"}, maxDuration=DURATION),
            ),
        ),
    ),
)

KUSTOMIZATION = _kind(
    "kustomize.toolkit.fluxcd.io/v1",
    "Kustomization",
    spec=closed(
        ["interval", "path", "prune", "sourceRef"],
        interval=DURATION,
        path=TEXT,
        prune={"type": "boolean"},
        wait={"type": "boolean"},
        timeout=DURATION,
        sourceRef=_reference("GitRepository"),
        dependsOn=_list(_NAMED),
        healthCheckExprs=_list(
            closed(["apiVersion", "kind", "current"], apiVersion=TEXT, kind=TEXT, current=TEXT, failed=TEXT)
        ),
    ),
)

_SOURCE = {
    kind: _kind(
        "source.toolkit.fluxcd.io/v1",
        kind,
        spec=closed(["interval", "url", "ref"], interval=DURATION, url=TEXT, ref=closed(["tag"], tag=TEXT)),
    )
    for kind in ("GitRepository", "OCIRepository")
}

HELM_RELEASE = _kind(
    "helm.toolkit.fluxcd.io/v2",
    "HelmRelease",
    spec={
        **closed(
            ["interval", "releaseName", "targetNamespace", "values"],
            interval=DURATION,
            releaseName=TEXT,
            targetNamespace=TEXT,
            dependsOn=_list(_NAMED),
            chartRef=_reference("OCIRepository"),
            chart=closed(
                ["spec"],
                spec=closed(
                    ["chart", "sourceRef"],
                    chart=TEXT,
                    reconcileStrategy={"enum": ["ChartVersion", "Revision"]},
                    sourceRef=_reference("GitRepository"),
                ),
            ),
            install=closed([], createNamespace={"type": "boolean"}),
            upgrade=closed([], crds={"enum": ["Skip", "Create", "CreateReplace"]}),
            values=_OBJECT,
        ),
        "oneOf": [{"required": ["chart"]}, {"required": ["chartRef"]}],
    },
)

SCHEMAS = {
    "Application": APPLICATION,
    "Kustomization": KUSTOMIZATION,
    "HelmRelease": HELM_RELEASE,
    **_SOURCE,
}
