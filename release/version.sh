#!/bin/sh
# Prints the version of this tree: that of its release; between releases, with the commit, so that no image, and no revision
# in the URLs of the hook, has two meanings. If files are changed and not committed, git makes a commit beside the branch.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^appVersion: //p' charts/myresource-operator/Chart.yaml)
case $version in
  *-dev.*)
    export GIT_AUTHOR_DATE=2000-01-01T00:00:00Z GIT_COMMITTER_DATE=2000-01-01T00:00:00Z # the same files, the same commit
    changed=$(git stash create)
    echo "$version.g$(git rev-parse --short=8 "${changed:-HEAD}")"
    ;;
  *) echo "$version" ;;
esac
