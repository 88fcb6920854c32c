# The hook as an image: docker build -t myresource-operator:0.1.0 .
FROM python:3.11-slim AS build
COPY requirements/run.txt /
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r /run.txt

FROM python:3.11-slim
COPY --from=build /venv /venv
COPY app /srv/app
WORKDIR /srv
ENV PYTHONDONTWRITEBYTECODE=1
USER 65532:65532
ENTRYPOINT ["/venv/bin/python", "-m", "app"]
CMD ["serve", "--host", "0.0.0.0"]
