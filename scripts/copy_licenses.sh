#!/usr/bin/env bash
# scripts/copy_licenses.sh FOLDER [PACKAGE...]: copies the licences of the libraries that the program is built with
# (scripts/packages.txt), and of other Debian packages, for those who pass the program on.
set -euo pipefail
folder=$1
packages=$(awk '!/^#/ && $1 ~ /-dev$/ { print $1 }' "$(dirname "${BASH_SOURCE[0]}")/packages.txt")
mkdir -p "$folder"
for package in $packages libbrotli-dev "${@:2}"; do # Brotli is a part of cpp-httplib's package
  copyright=/usr/share/doc/$package/copyright
  [[ -f $copyright ]] || { echo "copy_licenses: there is no $copyright to pass on: install $package." >&2; exit 1; }
  cp -L "$copyright" "$folder/$package"
done
