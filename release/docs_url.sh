#!/bin/sh
# Prints where users can open docs/, if git's remote origin is at GitHub or GitLab, also under a domain of one's own; otherwise nothing.
# HEAD is the default branch: the address stays the same in all versions.
git remote get-url origin 2>/dev/null | sed -nE '
  s#/*$##
  s#\.git$##
  s#^https://([^/@]*@)?([a-z0-9.-]*git(hub|lab)[a-z0-9.-]*\.[a-z]+(:[0-9]+)?)/(.+)#\3 https://\2/\5#
  s#^(ssh://)?([^/@]*@)?([a-z0-9.-]*git(hub|lab)[a-z0-9.-]*\.[a-z]+)(:[0-9]+/|:|/)(.+)#\4 https://\3/\6#
  s#^hub (.*)#\1/blob/HEAD/docs#p
  s#^lab (.*)#\1/-/blob/HEAD/docs#p
'
