#!/usr/bin/env bash
# Checks the format of the sources (clang-format), the part of lib/ that does not include LibTorch (clang-tidy), what
# includes it (clang, where it is installed), the Python scripts (ruff), the shell scripts (shellcheck, where it is
# installed), and the length of commit subjects. With --fix it formats the sources.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  "") format=(--dry-run --Werror) ;;
  --fix) format=(-i) ;;
  *) echo "usage: scripts/lint.sh [--fix]" >&2; exit 2 ;;
esac
failed=0
fail() { echo "lint: $*" >&2; failed=1; }

# clang-tidy needs the compile commands of a configured build, and the headers that are generated.
scripts/build.sh release transformer_tensorboard

find apps lib tests \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -exec .venv/bin/clang-format "${format[@]}" {} + ||
  fail "scripts/lint.sh --fix formats these files."

# A file that includes LibTorch would take 8 s or more. Compiler warnings are errors, as in CI. Sources that are compiled
# together are checked one by one.
mkdir -p build/lint
sources=$(.venv/bin/python - <<'END'
import json
import re

commands = []
for command in json.load(open("build/release/compile_commands.json")):
    file = command["file"]
    if "cmake_pch" in command["command"]:
        continue
    for source in re.findall('#include "(.*)"', open(file).read()) if "/Unity/" in file else [file]:
        if "/lib/" in source and "/cuda/" not in source:
            commands.append({**command, "file": source, "command": command["command"].replace(file, source)})
            print(source)
json.dump(commands, open("build/lint/compile_commands.json", "w"))
END
)
xargs -d '\n' --max-procs="$(nproc)" --max-args=4 .venv/bin/clang-tidy --quiet --extra-arg=-Werror -p build/lint 2>&1 <<<"$sources" |
  sed -E '/warnings? generated|Processing file/d' ||
  fail "clang-tidy found what is above (.clang-tidy)."

if command -v clang++ >/dev/null; then
  .venv/bin/python scripts/check_with_clang.py || fail "clang++ says what is above (scripts/check_with_clang.py)."
else
  echo "lint: warning: what includes LibTorch is not compiled with clang, because that is not installed" >&2
fi

.venv/bin/ruff check --quiet --config scripts/ruff.toml scripts data tests python || fail "ruff found what is above (scripts/ruff.toml)."

if command -v shellcheck >/dev/null; then
  shellcheck -x .ci/run scripts/*.sh scripts/{containers,recipes}/*.sh findings/*.sh || fail "shellcheck found what is above."
else
  echo "lint: warning: the shell scripts are not checked, because shellcheck is not installed" >&2
fi

# Subjects of commits that are not yet published, or else are not older than this script. In CI (CI=true) all are
# published and can no longer be changed, so that a long subject is a warning only.
if git rev-parse HEAD >/dev/null 2>&1; then
  begin=$(git rev-parse --verify --quiet '@{upstream}' 2>/dev/null ||
    git log --diff-filter=A --format=%H -- scripts/lint.sh | tail -n 1)
  long=$({ git log -1 --format=%s; git log --format=%s "${begin:-HEAD}.."; } |
    LC_ALL=C.UTF-8 grep -E '^.{73}' | sort -u) || true
  if [[ -n $long ]]; then
    message="these subjects of commits have more than 72 characters:"$'\n'"$long"
    if [[ ${CI:-} == true ]]; then echo "lint: warning: $message" >&2; else fail "$message"; fi
  fi
fi

exit $failed
