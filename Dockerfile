# The image of the operator: docker build -t myresource-operator:0.2.0 .
# For more than one architecture: docker buildx build --platform linux/amd64,linux/arm64 -t myresource-operator:0.2.0 .
# Both bases have the same minor version of Python. The first has also pip and a shell; the second has neither.
ARG BUILD_BASE=python:3.11.14-slim-bookworm
ARG RUNTIME_BASE=gcr.io/distroless/python3-debian12:nonroot

FROM ${RUNTIME_BASE} AS runtime

FROM ${BUILD_BASE} AS build
# A virtual environment (PEP 405) of the runtime base's interpreter. Why not by venv: it would name that of this base.
RUN --mount=type=bind,from=runtime,target=/runtime \
    minor=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') \
    && if [ ! -x /runtime/usr/bin/python$minor ]; then \
        echo "RUNTIME_BASE has no /usr/bin/python$minor: choose two bases with the same minor version of Python" >&2; exit 1; \
    fi \
    && mkdir -p /venv/bin /venv/lib/python$minor/site-packages \
    && ln -s /usr/bin/python$minor /venv/bin/python \
    && echo "home = /usr/bin" >/venv/pyvenv.cfg \
    && echo /srv >/venv/lib/python$minor/site-packages/srv.pth \
    && ln -s lib/python$minor/site-packages /venv/packages
COPY requirements/run.txt /build/run.txt
RUN python3 -m pip install --no-cache-dir --no-compile --root-user-action ignore --target /venv/packages \
        --no-deps --require-hashes --only-binary :all: --requirement /build/run.txt \
    && rm -r /venv/packages/bin
COPY metahook/src/metahook /srv/metahook
COPY app /srv/app
RUN python3 -m compileall -q --invalidation-mode unchecked-hash /venv /srv

FROM ${RUNTIME_BASE}
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="myresource-operator" \
      org.opencontainers.image.description="A Kubernetes operator behind Metacontroller: one short custom resource in, a production-grade Deployment out" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /venv /venv
COPY --from=build /srv /srv
WORKDIR /srv
ENV MYRESOURCE_HOST=0.0.0.0
USER 65532:65532
EXPOSE 8080 8081
ENTRYPOINT ["/venv/bin/python", "-IB", "-m", "app"]
CMD ["serve"]
