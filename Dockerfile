# The image of the operator: docs/clusters/install.md has the commands.
# Both bases have the same minor version of Python. The first has also pip and a shell, the second neither of them.
ARG BUILD_BASE=docker.io/library/python:3.13.11-slim-trixie
ARG RUNTIME_BASE=gcr.io/distroless/python3-debian13:nonroot

FROM ${RUNTIME_BASE} AS runtime

FROM ${BUILD_BASE} AS build
# A virtual environment (PEP 405) for the interpreter of the runtime base. Why not by venv: it would use the one that runs here.
RUN --mount=type=bind,from=runtime,target=/runtime \
    minor=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') \
    && if [ ! -e /runtime/usr/bin/python$minor ]; then \
        echo "RUNTIME_BASE has no /usr/bin/python$minor: use two bases with the same minor version of Python" >&2; exit 1; \
    fi \
    && mkdir -p /venv/bin /venv/lib/python$minor/site-packages \
    && ln -s /usr/bin/python$minor /venv/bin/python \
    && echo "home = /usr/bin" >/venv/pyvenv.cfg \
    && echo /srv >/venv/lib/python$minor/site-packages/srv.pth
COPY requirements/run.txt /build/run.txt
RUN cd /venv/lib/python*/site-packages \
    && python3 -m pip install --no-cache-dir --no-compile --root-user-action ignore --target . \
        --no-deps --require-hashes --only-binary :all: --requirement /build/run.txt \
    && rm -r bin \
    && python3 -m compileall -q --invalidation-mode unchecked-hash /venv
COPY metahook/src/metahook /srv/metahook
COPY app /srv/app
# Why chmod: a checkout has the modes that its umask gives, and the hook does not run as the owner of the files.
RUN chmod -R u=rwX,go=rX /srv && python3 -m compileall -q --invalidation-mode unchecked-hash /srv

FROM ${RUNTIME_BASE}
# Why before RUN: a builder's cache compares the arguments of RUN, and buildah's not those of LABEL.
ARG VERSION=unknown
ARG REVISION=unknown
# Why here: the base has the standard library without bytecode, which each start would compile again, in twice the time.
USER 0:0
RUN ["/usr/bin/python3", "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "/usr/lib"]
USER 65532:65532
COPY --from=build /venv /venv
COPY --from=build /srv /srv
WORKDIR /srv
ENV MYRESOURCE_HOST=0.0.0.0
EXPOSE 8080 8081
ENTRYPOINT ["/venv/bin/python", "-IB", "-m", "app"]
CMD ["serve"]
LABEL org.opencontainers.image.title="myresource-operator" \
      org.opencontainers.image.description="A Kubernetes operator behind Metacontroller that turns a short custom resource, MyResource, into a production-grade Deployment" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
