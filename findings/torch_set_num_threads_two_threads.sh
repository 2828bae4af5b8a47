#!/usr/bin/env bash
# torch.set_num_threads is neither a setting of the thread that calls it nor one of the process: threads that asked for
# or set no number before take over the last one that any thread has set, and a thread whose first call is
# set_num_threads loses its own number to that of another thread, when it next asks or computes. A thread that has asked
# before keeps its own.
# Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install torch==2.11.0 numpy

cat > "$directory/threads.py" <<'END'
import sys
import threading

import torch

asks_first = sys.argv[1] == "asks"
own_is_set, other_is_set = threading.Event(), threading.Event()


def one():
    if asks_first:
        torch.get_num_threads()
    torch.set_num_threads(3)
    own_is_set.set()
    other_is_set.wait()
    print("one thread sets 3, another sets 5: the first one now has", torch.get_num_threads())


def other():
    own_is_set.wait()
    torch.set_num_threads(5)
    other_is_set.set()


threads = [threading.Thread(target=target) for target in (one, other)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
late = threading.Thread(target=lambda: print("a thread that starts later has", torch.get_num_threads()))
late.start()
late.join()
END
"$directory/venv/bin/python" -c 'import torch; print("torch", torch.__version__)'
failed=0
for first in sets asks; do
  echo "the first call of the first thread $first:"
  output=$("$directory/venv/bin/python" "$directory/threads.py" "$first")
  echo "$output"
  [[ $first == sets ]] && has=5 || has=3
  [[ $output == *"now has $has"* && $output == *"later has 5"* ]] || failed=1
done
exit "$failed"
