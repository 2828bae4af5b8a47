#!/usr/bin/env bash
# Whether the container's server answers; other commands than `transformer serve` are healthy while they run. The port is
# that of --port, or 8080.
set -euo pipefail
mapfile -d '' -t command </proc/1/cmdline
[[ " ${command[*]} " == *" serve "* ]] || exit 0
port=8080
for ((i = 0; i + 1 < ${#command[@]}; ++i)); do
  [[ ${command[i]} != --port ]] || port=${command[i + 1]}
done
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3
read -r -t 5 _ status _ <&3
[[ $status == 200 ]]
