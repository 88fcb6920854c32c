#!/usr/bin/env bash
# Creates a kind cluster with the operator, by the commands of docs/install.md. tests/docs/test_kind.py compares them.
set -euo pipefail
cd "$(dirname "$0")/../.."

for program in docker kind kubectl helm; do
  command -v "$program" >/dev/null || { echo "not found: $program; make kind needs docker, kind, kubectl and helm on PATH" >&2; exit 1; }
done

export KIND_CLUSTER_NAME=myresource
set -x

kind create cluster
docker build -t myresource-operator:0.3.0 .
kind load docker-image myresource-operator:0.3.0

helm install metacontroller oci://ghcr.io/metacontroller/metacontroller-helm --version 4.17.2 \
  --namespace metacontroller --create-namespace --set fullnameOverride=metacontroller --wait

helm install myresource-operator charts/myresource-operator --namespace myresource-operator --create-namespace --wait
helm test myresource-operator --namespace myresource-operator --logs

kubectl apply -f examples/web.yaml
kubectl wait --for=condition=Ready myresource/web --timeout=120s
kubectl get myresource web

{ set +x; } 2>/dev/null
echo "The cluster runs on; make own CONTEXT=kind-$KIND_CLUSTER_NAME tests the operator in it. To delete it:"
echo "    kind delete cluster --name $KIND_CLUSTER_NAME"
