# The image of the operator: docker build -t myresource-operator:0.2.0 .
# With the base image pinned by digest: docker build --build-arg BASE=python:3.11.14-slim-bookworm@sha256:... -t myresource-operator:0.2.0 .
ARG BASE=python:3.11.14-slim-bookworm

FROM ${BASE} AS build
COPY requirements/run.txt /build/run.txt
RUN python -m venv --without-pip /venv \
    && pip --python /venv/bin/python install --require-hashes --only-binary :all: --requirement /build/run.txt
COPY metahook/src/metahook /srv/metahook
COPY app /srv/app
RUN /venv/bin/python -m compileall -q --invalidation-mode unchecked-hash /srv/metahook /srv/app

FROM ${BASE}
COPY --from=build /venv /venv
COPY --from=build /srv /srv
WORKDIR /srv
ENV PYTHONDONTWRITEBYTECODE=1 MYRESOURCE_HOST=0.0.0.0
USER 65532:65532
EXPOSE 8080 8081
ENTRYPOINT ["/venv/bin/python", "-m", "app"]
CMD ["serve"]
