#!/usr/bin/env python3
"""Runs the job script of docs/clusters.md under Slurm's daemons, two tasks on this machine.

    python3 scripts/check_slurm.py [--transformer PROGRAM] [--log FILE]

A time limit stops the job, which requeues itself; `scontrol requeue` stops it a second time; then it ends. Its losses
must be those of an undisturbed run. Needs munged, slurmctld and slurmd (Debian packages slurmctld, slurmd and munge), but
no rights and no configured cluster; without them ends with status 77. --log keeps the job's log.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from clean_environment import clean_environment

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "srun")
# Of the job script, what this machine does not have.
ADAPTED = {
    "--nodes=4 --ntasks-per-node=8 --gpus-per-node=8 --cpus-per-task=12": "--ntasks=2 --cpus-per-task=1",
    "--time=24:00:00 --signal=TERM@600": "--time=1 --signal=TERM@20",
}
CONFIG = """extends: {root}/configs/sample.yaml
data:
  train: {{source: [{root}/data/sample/train.en.gz], target: [{root}/data/sample/train.de.gz]}}
  valid: {{source: {root}/data/sample/dev.en, target: {root}/data/sample/dev.de}}
  test: {{source: {root}/data/sample/test.en, target: {root}/data/sample/test.de}}
  vocabulary_size: 500
training: {{directory: {directory}, train_steps: {steps}, log_every: 1, validate_every: 100000, checkpoint_every: 100000}}
model: {{N: 1, d_model: 64, d_ff: 128}}
"""
# Without control groups, and with a step's tasks found by their parents, so that no rights are needed.
SLURM_CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={place}/munge.socket
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName=localhost NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def fail(message):
    sys.exit(f"check_slurm: {message}")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Slurm's daemons, and the directory in which the job works."""

    def __init__(self, place, transformer):
        self.place = place
        self.env = clean_environment(SLURM_CONF=f"{place}/slurm.conf", OMP_WAIT_POLICY="passive",
                                     PATH=f"{place}/bin:/usr/sbin:{os.environ['PATH']}")
        for name in ("bin", "configs", "state", "spool"):
            (place / name).mkdir()
        (place / "bin/transformer").symlink_to(transformer)
        (place / "munge.key").write_bytes(os.urandom(1024))
        (place / "munge.key").chmod(0o400)
        controller_port, node_port = free_ports(2)
        (place / "slurm.conf").write_text(SLURM_CONF.format(
            host=socket.gethostname().split(".")[0], user=os.getuid(), place=place, controller_port=controller_port,
            node_port=node_port))
        self.daemons = []

    def start(self):
        munge = [f"--{file}={self.place}/munge.{file.removesuffix('-file')}"
                 for file in ("socket", "key-file", "pid-file", "log-file", "seed-file")]
        self.start_daemon("munged", "--foreground", "--force", *munge)
        self.wait_for("the socket of munged", (self.place / "munge.socket").exists)
        self.start_daemon("slurmctld", "-D")
        self.start_daemon("slurmd", "-D")
        self.wait_for("an idle node", self.is_idle)

    def is_idle(self):
        return "State=IDLE " in self.run("scontrol", "show", "node", check=False)

    def start_daemon(self, name, *arguments):
        with open(self.place / f"{name}.log", "w", encoding="utf-8") as log:
            self.daemons.append(subprocess.Popen([name, *arguments], cwd=self.place, env=self.env, stdout=log, stderr=log,
                                                 start_new_session=True))

    def stop(self):
        # A job would outlive the daemons.
        for job in self.run("squeue", "--noheader", "--format=%i", "--states=all", check=False).split():
            self.run("scancel", "--signal=KILL", "--full", job, check=False)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait()

    def run(self, *command, check=True):
        result = subprocess.run(command, cwd=self.place, env=self.env, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
        if check and result.returncode != 0:
            fail(f"{' '.join(command)} ended with status {result.returncode}:\n{result.stdout}")
        return result.stdout

    def wait_for(self, what, condition, seconds=240):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}"
                               for log in sorted(self.place.glob("*.log")))
                fail(f"waited {seconds} s for {what}\n{logs}")
            time.sleep(0.5)

    def write_config(self, directory, steps):
        (self.place / "configs/base.yaml").write_text(CONFIG.format(root=ROOT, directory=directory, steps=steps))

    def losses(self, directory):
        """By step; the last line may be incomplete."""
        metrics = self.place / directory / "metrics.jsonl"
        lines = metrics.read_text().split("\n")[:-1] if metrics.exists() else []
        entries = [json.loads(line) for line in lines]
        return {entry["step"]: entry["loss"] for entry in entries if "loss" in entry}

    def status(self, directory):
        return json.loads((self.place / directory / "run.json").read_text())["status"]


def job_script():
    page = (ROOT / "docs/clusters.md").read_text()
    script = re.search(r"```\n(#!/bin/bash\n#SBATCH.*?)```", page, re.S)[1]
    for shown, adapted in ADAPTED.items():
        if shown not in script:
            fail(f"docs/clusters.md: the job script lacks '{shown}'")
        script = script.replace(shown, adapted)
    return script


def check(cluster):
    cluster.write_config("runs/base", 100000)
    cluster.run("transformer", "preprocess", "configs/base.yaml")
    (cluster.place / "train.sh").write_text(job_script())
    job = cluster.run("sbatch", "--parsable", "train.sh").strip()

    def is_in(*states):
        return any(f"JobState={state}" in cluster.run("scontrol", "show", "job", job) for state in states)

    def start_again():
        # Slurm itself waits for two minutes, and refuses a job whose credential it has revoked in the same second.
        cluster.wait_for("an idle node", cluster.is_idle)
        time.sleep(2)
        cluster.run("scontrol", "update", f"JobId={job}", "StartTime=now")

    cluster.wait_for("the job to requeue itself before its time limit",
                     lambda: is_in("PENDING") and cluster.losses("runs/base"))
    first = len(cluster.losses("runs/base"))
    if cluster.status("runs/base") != "stopped":
        fail(f"the run's status is {cluster.status('runs/base')} after SIGTERM")
    cluster.run("scontrol", "update", f"JobId={job}", "TimeLimit=60")
    start_again()
    cluster.wait_for("the job to go on", lambda: len(cluster.losses("runs/base")) > first + 5)
    cluster.run("scontrol", "requeue", job)
    cluster.wait_for("the job to be requeued", lambda: is_in("PENDING"))
    second = len(cluster.losses("runs/base"))
    steps = second + 10
    cluster.write_config("runs/base", steps)
    start_again()
    cluster.wait_for("the job's end", lambda: is_in("COMPLETED", "FAILED"))
    log = (cluster.place / f"base-{job}.log").read_text()
    if not is_in("COMPLETED") or cluster.status("runs/base") != "finished":
        fail(f"the job did not end well:\n{log}")

    cluster.write_config("runs/reference", steps)
    cluster.run("transformer", "train", "configs/base.yaml", "--devices", "2", "--threads", "1")
    ours, theirs = cluster.losses("runs/base"), cluster.losses("runs/reference")
    if ours != theirs or len(ours) != steps:
        fail(f"losses of {len(ours)} and {len(theirs)} steps differ: {ours} and {theirs}")
    print(f"check_slurm: the job was stopped after {first} and {second} of {steps} steps, and has the losses of an "
          "undisturbed run")
    return log


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transformer", default=ROOT / "build/release/transformer", type=pathlib.Path)
    parser.add_argument("--log", type=pathlib.Path)
    arguments = parser.parse_args()
    path = f"/usr/sbin:{os.environ['PATH']}"
    if missing := [name for name in PROGRAMS if not shutil.which(name, path=path)]:
        print(f"check_slurm: nothing was checked; it needs {', '.join(missing)}: apt-get install slurmctld slurmd munge")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(pathlib.Path(directory), arguments.transformer.resolve())
        try:
            cluster.start()
            log = check(cluster)
        finally:
            cluster.stop()
        if arguments.log:
            arguments.log.write_text(log)


if __name__ == "__main__":
    main()
