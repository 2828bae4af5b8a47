#!/usr/bin/env bash
# Installs what is missing: the distribution's packages (scripts/packages.txt), and, in the project's virtual environment
# .venv, LibTorch (the `torch` wheel of the version in cmake/torch_version.txt) and the headers for compiling the CUDA
# part.
#
#   scripts/setup.sh          --cuda if there is an NVIDIA driver, --cpu otherwise; later runs keep the first choice
#   scripts/setup.sh --cpu    1.7 GB: runs on the CPU and compiles the CUDA part
#   scripts/setup.sh --cuda   5 GB: adds the libraries for running on a GPU
#
# OS_RELEASE names the file by which it knows the distribution; /dev/null leaves out the packages.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Parts of NVIDIA's CUDA toolkit that the CPU needs too: libtorch_cpu.so loads cudart and cupti; the headers of cudart,
# crt and cccl and the compiler, nvcc with nvvm, are needed to build. The torch wheel does not depend on the last four.
toolkit_parts=cudart,cupti,crt,cccl,nvcc,nvvm
# For tests that read exported models and TensorBoard events, and for scripts/lint.sh.
python_packages=('numpy<3' 'safetensors<1' 'sentencepiece<1' 'tensorboard<3' clang-format==14.0.6 clang-tidy==23.1.4
  ruff==0.17.6)
torch_version=$(<cmake/torch_version.txt)
stamp=.venv/.setup-complete

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 1; }

# The installed ones among packages, one a line: apt's, rpm's and pacman's answer.
installed_apt-get() { dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" | sed -n 's/^installed //p'; }
installed_dnf() { for package in "$@"; do rpm --query --whatprovides "$package" >&2 && echo "$package"; done; }
installed_zypper() { installed_dnf "$@"; }
installed_pacman() { grep -vxF "$(pacman --deptest "$@")" <<<"$(printf '%s\n' "$@")"; }

install_packages() {
  local system manager column command packages missing
  # shellcheck source=/dev/null
  system=$(. "${OS_RELEASE:-/etc/os-release}" && echo " ${ID:-} ${ID_LIKE:-} ${ID:-}-${VERSION_ID:-} ") || true
  case "$system" in
    *" debian "* | *" ubuntu "*)
      manager=apt-get column=1 command="apt-get update && apt-get install -y --no-install-recommends"
      ;;
    *" fedora "*) manager=dnf column=2 command="dnf install -y" ;;
    *" suse "* | *" opensuse "*) manager=zypper column=3 command="zypper --non-interactive install" ;;
    *" arch "*) manager=pacman column=4 command="pacman -S --noconfirm --needed" ;;
    *)
      say "this distribution is not known: the build needs the equivalents of the packages in scripts/packages.txt."
      return
      ;;
  esac
  packages=$(awk -v column="$column" '!/^#/ && $column != "-" { print $column }' scripts/packages.txt)
  [[ $system != *" ubuntu-22.04 "* ]] || packages+=$'\n'g++-12 # its g++ is 11
  # shellcheck disable=SC2086
  missing=$(grep -vxF "$("installed_$manager" $packages 2>/dev/null)" <<<"$packages") || true
  [[ $missing ]] || return 0
  missing=${missing//$'\n'/ }

  local as_root=(env DEBIAN_FRONTEND=noninteractive)
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || fail "packages are missing; ask an administrator to run: $command $missing"
    as_root=(sudo "${as_root[@]}")
  fi
  say "installing $missing."
  "${as_root[@]}" sh -c "$command $missing" >&2 ||
    fail "$manager failed (see above): check the network, your rights, and whether this release has these packages" \
      "(docs/install.md), or ask an administrator to run: $command $missing"
}

# The environment's own Python and pip, whatever the user's Python settings are; mirrors and proxies stay in force.
python() { env -u PYTHONPATH -u PYTHONHOME PYTHONNOUSERSITE=1 .venv/bin/python "$@"; }
pip_install() {
  local quiet=()
  [[ -t 2 ]] || quiet=(--quiet)
  env -u PIP_TARGET -u PIP_PREFIX -u PIP_ROOT -u PYTHONPATH -u PYTHONHOME PYTHONNOUSERSITE=1 PIP_USER=0 \
    .venv/bin/python -m pip --disable-pip-version-check --no-input --retries 2 install --no-compile \
    --no-warn-conflicts "${quiet[@]}" "$@" >&2 ||
    fail "pip could not install $* (see above): check the network (PIP_INDEX_URL names a mirror) and the free disk" \
      "space, then run scripts/setup.sh again, which goes on from here."
}

make_environment() {
  python -m pip --version >/dev/null 2>&1 && return
  local candidate
  for candidate in /usr/bin/python3 python3; do
    "$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || continue
    rm -rf .venv
    "$candidate" -m venv .venv || fail "$candidate -m venv .venv failed (see above)."
    return
  done
  fail "no Python 3.10 or newer with the venv module was found: install python3-venv."
}

# An interrupted pip leaves packages half installed that it then takes for whole: make it forget those.
forget_damaged_packages() {
  python - <<'END'
import csv, pathlib, shutil, sysconfig

site = pathlib.Path(sysconfig.get_path("purelib"))

def is_right(path, size):
    return path.is_file() and path.stat().st_size == int(size)

def is_whole(info):
    record = info / "RECORD"  # path, hash, size of each file; pip writes it last
    if not record.is_file():
        return False
    rows = list(csv.reader(record.read_text().splitlines()))
    return all(len(row) == 3 and (not row[2] or is_right(site / row[0], row[2])) for row in rows)

for damaged in [*site.glob("~*"), *(info for info in site.glob("*.dist-info") if not is_whole(info))]:
    shutil.rmtree(damaged)
END
}

# Ubuntu 22.04's CMake and default compiler are too old: scripts/build.sh looks into .venv/tools first.
provide_tools() {
  rm -rf .venv/tools && mkdir .venv/tools
  if ! is_at_least 3.25 "$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')"; then
    pip_install 'cmake>=3.25,<4'
    ln -s ../bin/cmake ../bin/ctest .venv/tools/
  fi
  if ! is_at_least 12 "$(c++ -dumpversion 2>/dev/null)"; then
    local compiler
    compiler=$(compgen -c g++-1 | grep -xE 'g\+\+-1[2-9]' | sort --version-sort | head -n 1) ||
      fail "no g++ 12 or newer was found: install one."
    ln -s "$(command -v "$compiler")" .venv/tools/c++
  fi
}
is_at_least() { printf '%s\n' "$1" "$2" | sort --check=quiet --version-sort; }

# The toolkit's parts, and NCCL for its header, in the versions that this torch was made for: nothing where it was made
# without CUDA.
cuda_wheels() {
  python - "$toolkit_parts" <<'END'
import importlib.metadata, re, sys

for requirement in importlib.metadata.requires("torch"):
    if toolkit := re.match(r"cuda-toolkit\[.*\](==[\d.]+)", requirement):
        print(f"cuda-toolkit[{sys.argv[1]}]{toolkit[1]}")
    if nccl := re.match(r"nvidia-nccl-cu\d+==[\d.]+", requirement):
        print(nccl[0])
END
}

check_that_torch_loads() {
  local library missing
  library=$(echo .venv/lib/python3*/site-packages/torch/lib/libtorch_cpu.so)
  missing=$(LC_ALL=C ldd "$library" 2>&1 | grep 'not found' || true)
  [[ -z $missing ]] || fail "$library cannot be loaded here: ${missing//[$'\n\t']/ }."
}

case "${1:-}" in
  --cpu) kind=cpu ;;
  --cuda) kind=cuda ;;
  "")
    kind=cpu
    if [[ -f $stamp ]]; then
      [[ $(<"$stamp") == *"kind=cuda"* ]] && kind=cuda
    elif [[ -e /proc/driver/nvidia/version ]] || nvidia-smi -L >/dev/null 2>&1; then
      kind=cuda
    fi
    ;;
  *) say "usage: scripts/setup.sh [--cpu|--cuda]"; exit 2 ;;
esac

exec 9<. && flock 9 # one setup at a time
install_packages

contents=$(sha256sum <<<"$(<scripts/packages.txt) $toolkit_parts nccl ${python_packages[*]}")
for complete in "$kind" cuda; do # what serves CUDA serves the CPU too
  wanted="torch=$torch_version kind=$complete packages=${contents:0:12}"
  [[ -f $stamp && $(<"$stamp") == "$wanted" && -x .venv/bin/python ]] && exit 0
done

say "installing LibTorch $torch_version ($kind) in .venv, which takes some minutes."
rm -f "$stamp"
make_environment
echo "kind=$kind, incomplete" >"$stamp" # keeps the choice if this setup is interrupted
forget_damaged_packages
pip_install --no-deps "torch==$torch_version"
mapfile -t wheels < <(cuda_wheels)
if [[ ${#wheels[@]} -gt 0 ]]; then
  pip_install "${wheels[@]}"
elif [[ $kind == cuda ]]; then
  fail "pip found a torch $torch_version made without CUDA: let PIP_INDEX_URL name an index that has the other."
fi
[[ $kind == cpu ]] || pip_install "torch==$torch_version"
pip_install "${python_packages[@]}"
provide_tools
check_that_torch_loads
echo "torch=$torch_version kind=$kind packages=${contents:0:12}" >"$stamp"
say "complete."
