"""Runs of programs that print their measurements as JSON."""
import json
import os
import statistics
import subprocess


def run_json(command, environment=None):
    """The last line that the command prints, read as JSON; `environment` has more environment variables for it."""
    out = subprocess.run(command, env={**os.environ, **(environment or {})}, check=True, stdout=subprocess.PIPE,
                         text=True).stdout
    return json.loads(out.strip().splitlines()[-1])


def median(runs, key):
    return statistics.median(run[key] for run in runs)
