#!/bin/sh
# Prints the version of this tree. Between releases it has the commit or, if files are not committed, the hash of all files,
# so that no image, and no revision in the URLs of the hook, has two meanings.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^appVersion: //p' charts/myresource-operator/Chart.yaml)
case $version in
  *-dev.*.g*) ;; # an exported tree: its version has the commit already
  *-dev.*)
    git rev-parse --git-dir >/dev/null 2>&1 || { echo "the version has git's commit between releases: clone the repository" >&2; exit 1; }
    hash=$(git rev-parse HEAD)
    if [ -n "$(git status --porcelain)" ]; then
      GIT_INDEX_FILE=$(mktemp -u) && export GIT_INDEX_FILE
      git add --all
      hash=$(git write-tree)
      rm "$GIT_INDEX_FILE"
    fi
    version=$version.g$(echo "$hash" | cut -c 1-8)
    ;;
esac
echo "$version"
