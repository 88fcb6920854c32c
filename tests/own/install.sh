#!/usr/bin/env bash
# Installs the operator and a MyResource by the commands of docs/clusters/install.md: in a kind cluster, which it creates, or in a
# cluster that is there. It can be run again. usage: install.sh [CONTEXT REPOSITORY]
set -euo pipefail
cd "$(dirname "$0")/../.."

context=${1:-} repository=${2:-} programs="docker kubectl helm"
if [ $# = 0 ]; then
  programs+=" kind"
elif [ -z "$context" ] || [ -z "$repository" ]; then
  echo "name the cluster, one of kubectl config get-contexts, and a repository that you may push to:" >&2
  echo "make deploy CONTEXT=NAME REPOSITORY=registry.example.com/myresource-operator" >&2
  exit 1
fi
version=$(release/version.sh)
for program in $programs; do
  command -v "$program" >/dev/null || { echo "not found: $program; needed on PATH: $programs" >&2; exit 1; }
done

if [ -z "$context" ]; then
  export KIND_CLUSTER_NAME=myresource
  context=kind-$KIND_CLUSTER_NAME
  # kubectl's current context is this cluster afterwards, in both cases
  if kind get clusters 2>/dev/null | grep -qx "$KIND_CLUSTER_NAME"; then kind export kubeconfig; else kind create cluster; fi
  set -x
  docker build --build-arg "VERSION=$version" -t "myresource-operator:$version" .
  kind load docker-image "myresource-operator:$version"
else
  # All commands use this context alone, whatever the current one is
  kubeconfig=$(mktemp)
  trap 'rm "$kubeconfig"' EXIT
  kubectl config view --raw --flatten --minify --context="$context" >"$kubeconfig"
  export KUBECONFIG=$kubeconfig
  set -x
  docker build --build-arg "VERSION=$version" -t "$repository:$version" .
  docker push "$repository:$version"
fi

kubectl get crd compositecontrollers.metacontroller.k8s.io >/dev/null 2>&1 ||
  helm upgrade --install metacontroller oci://ghcr.io/metacontroller/metacontroller-helm --version 4.17.2 \
    --namespace metacontroller --create-namespace --set fullnameOverride=metacontroller --wait
# What an earlier installation has set stays set
docs=${DOCS_URL:-}
[ -n "$docs" ] || helm get values myresource-operator --namespace myresource-operator 2>/dev/null | grep -q ^docsUrl: ||
  docs=$(release/docs_url.sh)
helm upgrade --install --reset-then-reuse-values myresource-operator charts/myresource-operator \
  --namespace myresource-operator --create-namespace --set "${repository:+image.repository=$repository,}image.tag=$version${docs:+,docsUrl=$docs}" --wait
helm test myresource-operator --namespace myresource-operator --logs

kubectl apply -f examples/web.yaml
kubectl wait --for=condition=Ready myresource/web --timeout=120s
kubectl get myresource web

{ set +x; } 2>/dev/null
echo
echo "The MyResource web is Ready. Continue with docs/start/first-myresource.md. To test the operator: make own CONTEXT=$context"
[ -n "$repository" ] || echo "To delete the cluster: kind delete cluster --name $KIND_CLUSTER_NAME"
