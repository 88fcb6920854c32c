"""A hook with FastAPI and pydantic models in the signature. It does the least that works.

``uvicorn bench.peers.fastapi_models:app --loop uvloop --http httptools``
"""

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Model(BaseModel):
    """A part of a Kubernetes object: names in camelCase, other fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Metadata(Model):
    """Metadata of an object."""

    name: str
    namespace: str
    uid: str | None = None
    generation: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class EnvVar(Model):
    """An environment variable."""

    name: str
    value: str | None = None


class MyResourceSpec(Model):
    """The spec of a MyResource."""

    image: str
    memory: str = "128Mi"
    replicas: int = 1
    env: list[EnvVar] = []


class MyResource(Model):
    """The parent."""

    api_version: str
    kind: str
    metadata: Metadata
    spec: MyResourceSpec


class Resources(Model):
    """Requests and limits of a container."""

    requests: dict[str, str] = {}
    limits: dict[str, str] = {}


class Container(Model):
    """A container."""

    name: str
    image: str
    env: list[EnvVar] = []
    resources: Resources = Resources()


class PodSpec(Model):
    """The spec of a Pod."""

    containers: list[Container]


class TemplateMetadata(Model):
    """Metadata of a Pod template."""

    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class PodTemplate(Model):
    """A Pod template."""

    metadata: TemplateMetadata
    spec: PodSpec


class Selector(Model):
    """A label selector."""

    match_labels: dict[str, str]


class DeploymentSpec(Model):
    """The spec of a Deployment."""

    replicas: int
    selector: Selector
    template: PodTemplate


class DeploymentStatus(Model):
    """The status of a Deployment."""

    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int = 0


class Deployment(Model):
    """A Deployment."""

    api_version: str = "apps/v1"
    kind: str = "Deployment"
    metadata: Metadata
    spec: DeploymentSpec
    status: DeploymentStatus | None = None


class Children(Model):
    """The children that are read, by namespace and name."""

    deployments: dict[str, Deployment] = Field(alias="Deployment.apps/v1")


class SyncRequest(Model):
    """A sync request."""

    parent: MyResource
    children: Children


class Status(Model):
    """The status of a MyResource."""

    state: str
    replicas: int


class SyncResponse(Model):
    """A sync response."""

    children: list[Deployment]
    status: Status


app = FastAPI()


@app.post("/sync", response_model_exclude_none=True)
async def sync(request: SyncRequest) -> SyncResponse:
    """Return one Deployment, and the state Building or Ready."""
    parent = request.parent
    name, namespace = parent.metadata.name, parent.metadata.namespace
    observed = request.children.deployments.get(f"{namespace}/{name}-deployment")
    status = (observed and observed.status) or DeploymentStatus()
    replicas = parent.spec.replicas
    is_ready = status.available_replicas >= replicas and status.updated_replicas >= replicas
    state = Status(state="Ready" if is_ready else "Building", replicas=status.replicas)
    return SyncResponse(children=[deployment(parent)], status=state)


def deployment(parent: MyResource) -> Deployment:
    """Return the Deployment of *parent*."""
    labels, spec = {"myresource": parent.metadata.name}, parent.spec
    memory = {"memory": spec.memory}
    resources = Resources(requests=memory, limits=memory)
    container = Container(name="main", image=spec.image, env=spec.env, resources=resources)
    template = PodTemplate(metadata=TemplateMetadata(labels=labels), spec=PodSpec(containers=[container]))
    name = f"{parent.metadata.name}-deployment"
    return Deployment(
        metadata=Metadata(name=name, namespace=parent.metadata.namespace, labels=labels),
        spec=DeploymentSpec(replicas=spec.replicas, selector=Selector(match_labels=labels), template=template),
    )
