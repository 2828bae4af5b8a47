#!/usr/bin/env bash
# When a run is resumed from a checkpoint, `SummaryWriter(purge_step=T)` of tensorboardX, as of torch, writes an event
# (SessionLog.START) that shall hide what the interrupted run wrote from step T on. TensorBoard 2.21.0 has three
# readers, and they show three different curves of such a run. `EventAccumulator` drops all values from T on. The data
# server, which `tensorboard` uses by default, does not look at the event: values disappear only when the resumed run
# writes one of the same name at their step or before, so that a rare one, such as that of a validation, stays for
# long. With `--load_fast=false`, and where there is no data server, the first such event in a directory is taken for
# the beginning of the run, and nothing is dropped: the curve goes back and has some steps twice. There,
# `purge_step=0` for the first start helps.
# Ends with status 1 if the packages behave in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install tensorboard==2.21.0 \
  tensorboard-data-server==0.7.2 tensorboardX==2.6.5

cd "$directory"
venv/bin/python - <<'END'
import json
import logging
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import tensorboard
import tensorboardX
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

logging.getLogger("tensorboard").setLevel(logging.ERROR)
print(f"tensorboard {tensorboard.__version__}, tensorboardX {tensorboardX.__version__}")


def write(directory, ending, purge_step, steps, add):
    writer = tensorboardX.SummaryWriter(directory, purge_step=purge_step, filename_suffix=ending)
    for step in steps:
        writer.add_scalar("loss", add + step, step)
        if step % 5 == 4:
            writer.add_scalar("bleu", add + step, step)
    writer.close()


# Steps 0 to 9, then again from step 7, of which two are done; the values of the second start are above 100.
for name, first in (("plain", None), ("begun", 0)):
    write(f"logs/{name}", ".1", first, range(10), 0)
    time.sleep(1.1)  # the time is in the name of the file, whose order counts
    write(f"logs/{name}", ".2", 7, range(7, 9), 100)


def accumulator(name):
    events = EventAccumulator(f"logs/{name}").Reload()
    return {tag: [int(event.value) for event in events.Scalars(tag)] for tag in ("loss", "bleu")}


def get(port, path):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/data/plugin/scalars/{path}", timeout=10) as answer:
        return json.load(answer)


def served(load_fast):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", "logs", "--host", "127.0.0.1", "--port", str(port),
               "--load_fast", load_fast]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        before = None
        for _ in range(60):
            time.sleep(1.5)
            try:
                now = {run: {tag: [int(value) for _, _, value in get(port, f"scalars?run={run}&tag={tag}")]
                             for tag in ("loss", "bleu")} for run in ("plain", "begun")}
            except (OSError, urllib.error.HTTPError):
                continue
            if now == before:  # all files are read
                return now
            before = now
        return {"plain": None, "begun": None}
    finally:
        server.terminate()
        server.wait()


fast, slow = served("true"), served("false")
seen = {}
for name, title in (("plain", "purge_step=7 for the second start"), ("begun", "purge_step=0 for the first, too")):
    print(title)
    for reader, curves in (("EventAccumulator", accumulator(name)), ("tensorboard", fast[name]),
                           ("tensorboard --load_fast=false", slow[name])):
        print(f"  {reader}: {curves}")
        seen[name, reader] = curves
kept = [0, 1, 2, 3, 4, 5, 6, 107, 108]
right, stale = {"loss": kept, "bleu": [4]}, {"loss": kept, "bleu": [4, 9]}
both = {"loss": [*range(10), 107, 108], "bleu": [4, 9]}
expected = [right, stale, both, right, stale, right]
if list(seen.values()) != expected:
    sys.exit("other curves than when this was written")
END
