#!/usr/bin/env bash
# Builds the documentation as a site in build/docs, whose first page is build/docs/index.html, with MkDocs and its theme
# Material from PyPI, in an environment of its own. With --serve it shows the site on port 8000 and follows changes. Only
# the diagram of docs/structure.md needs a network when it is read: its script comes from unpkg.com.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  "") command=(build --strict) ;;
  --serve) command=(serve --strict) ;;
  *) echo "usage: scripts/docs.sh [--serve]" >&2; exit 2 ;;
esac

environment=build/docs-venv
packages=('mkdocs<2' 'mkdocs-material<10')
if [[ ${packages[*]} != $(cat "$environment/.complete" 2>/dev/null) ]]; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/python" -m pip --disable-pip-version-check --quiet install "${packages[@]}"
  echo "${packages[*]}" >"$environment/.complete"
fi
NO_MKDOCS_2_WARNING=1 "$environment/bin/mkdocs" "${command[@]}" --config-file scripts/mkdocs.yml
[[ ${command[0]} == serve ]] || echo "wrote build/docs/index.html"
