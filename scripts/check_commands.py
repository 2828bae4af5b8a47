#!/usr/bin/env python3
"""Executes the commands that README.md and docs/ show, as far as they need nothing but the repository.

    python3 scripts/check_commands.py

Commands run in a scratch directory with the configs, the sample corpus, a model trained on it for 60 steps and small
files under the names that the documents use. To be quick, `train` takes only a few steps. Every command must end with
status 0, or with the error that the document shows, or else be covered by one of the reasons in NOT_EXECUTED, each of
which must be needed.
`--list` prints the commands and what happens to them without executing any.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from clean_environment import clean_environment

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STARTS = ("transformer ", "scripts/", "python3 ", "torchrun ", "srun ", "cmake ")

# Why a command is not executed: (pattern of the command or "page: command", reason). The first that fits counts.
NOT_EXECUTED = [
    (r"transformer import (opus-mt|translate-en_de)|export --model (en-de|tuned)", "needs a model of another program"),
    (r"flores200", "needs a model that sacreBLEU downloads"),
    (r"memory\.tmx|--format document", "needs a translation memory, or another document"),
    (r"transformer serve ", "runs until it is ended; tests/e2e/serve_test.cpp starts it"),
    (r"torchrun |srun |--devices [48]", "needs several machines or GPUs"),
    (r"wmt14|newstest201[47]|configs/base.yaml.*(training\.|data\.train|P_drop)|runs/base/|(train|preprocess) --config "
     r"configs/base.yaml", "needs WMT14, or the base model and hours"),
    (r"multi30k", "needs Multi30k; its recipe is tested with a small mirror"),
    (r"ptb|parsing|train\.mrg|results.md: .*dev\.(trees|predicted)", "needs the Penn Treebank sample"),
    (r"scripts/(quickstart|test|build|setup|lint|docs|fuzz)\.sh|cmake ", "run by continuous integration, or by the reader"),
    (r"install.md: ", "changes the system"),
    (r"scripts/(benchmarks|interoperability)/|scripts/check_|scripts/torture|base.pt|benchmark train", "takes minutes, or "
     "needs PyTorch or CTranslate2"),
    (r"complaints.md: .*1e20", "takes minutes"),
    (r"performance.md: |results.md: ", "takes minutes"),
]
SAMPLE_STEPS = 60


def commands_of(page):
    """The commands in a page's code blocks, with their line numbers, and the error that the page shows below a command, or
    an empty text; continuation lines joined, comments removed."""
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    fenced, number = False, 0
    while number < len(lines):
        line, first = lines[number], number + 1
        number += 1
        if line.startswith("```"):
            fenced = not fenced
            continue
        command = line.strip() if fenced or line.startswith("    ") else ""
        command = command.removeprefix("$ ")
        if not command.startswith(STARTS) or re.match(r"transformer: |scripts/\S+:", command):
            continue
        while command.endswith("\\"):
            command = command[:-1].rstrip() + " " + lines[number].strip()
            number += 1
        error = lines[number].strip() if lines[number].strip().startswith("error: ") else ""
        yield first, re.sub(r"\s+#\s.*$", "", command), error


def reason_of(page, command):
    """The index in NOT_EXECUTED, or None for a command that is executed."""
    text = f"{os.path.basename(page)}: {command}"
    return next((i for i, (pattern, _) in enumerate(NOT_EXECUTED) if re.search(pattern, text)), None)


def quick(command):
    """The command with less work."""
    command = re.sub(r"--set training\.train_steps=\d+", "", command)
    command = re.sub(r"--length [\d ]+", "--length 64 ", command)
    if command.startswith("transformer train"):
        command = command.replace("--verify-resume 20", "--verify-resume 2") + " --set training.patience=null"
        if "configs/sample" in command:
            return command + f" --set training.train_steps={SAMPLE_STEPS + 4}"
        command += " --set training.train_steps=5 --set training.checkpoint_every=1 --set training.batch_tokens=500"
        short = " --set data.vocabulary_size=400 --set training.directory=runs/short --overwrite"
        return command + (short if "your_text" in command else "")
    if command.startswith("transformer benchmark"):
        return command + (" --lines 2 --rounds 1" if "translate" in command else "")
    return command


class Scratch:
    """The directory in which the commands run."""

    def __init__(self, path, transformer):
        self.path = path
        self.environment = clean_environment(PATH=f"{os.path.dirname(transformer)}:{os.environ['PATH']}",
                                             HOME=self.path, OMP_WAIT_POLICY="passive")

    def shell(self, command):
        """Ends the command with status 124 after five minutes."""
        return subprocess.run(["timeout", "300", "bash", "-o", "pipefail", "-c", command], cwd=self.path,
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")

    def must(self, command):
        result = self.shell(command)
        if result.returncode != 0:
            sys.exit(f"check_commands: {command}\n{result.stdout}")

    def fill(self):
        for name in ("configs", "scripts"):
            os.symlink(os.path.join(ROOT, name), os.path.join(self.path, name))
        self.must("mkdir -p data/mine runs/table3 .local/share/bash-completion/completions .zfunc .config/fish/completions")
        shutil.copytree(os.path.join(ROOT, "data/sample"), os.path.join(self.path, "data/sample"))
        self.must(f"transformer train --config configs/sample.yaml --quiet --set training.train_steps={SAMPLE_STEPS} "
                  "--set training.checkpoint_every=10")
        self.must("transformer average-checkpoints --last 2 runs/sample -o runs/sample/averaged.safetensors --quiet")
        for name in ("a.safetensors", "b.safetensors", "averaged.safetensors"):
            self.must(f"cp runs/sample/averaged.safetensors {name}")
        for name in ("seed2", "base", "table3/c_N2", "mine"):
            self.must(f"cp -r runs/sample runs/{name}")
        for name, lines in (("train", 400), ("valid", 20), ("dev", 20), ("test", 20)):
            for language in ("en", "de"):
                self.must(f"head -n {lines} <(zcat data/sample/train.{language}.gz) > data/mine/{name}.{language} && "
                          f"cp data/mine/{name}.{language} {name}.{language}")
        self.must("cp test.en a.en; cp test.en b.en; cp test.de a.de; cp test.de b.de; cp test.en w.txt")
        self.must("cp train.en tiny.en; cp train.de tiny.de; paste train.en train.de > short.tsv")
        self.must("sed 's/e/e@@ /g' test.en > bpe.en; head -n 200 train.en | sed 's/$/ /' > copy.en; "
                  "head -n 200 train.de > copy.de; cp test.de out.de; echo '<refset>' > newstest2013-ref.de.sgm; "
                  "paste <(seq 20) <(head -n 20 test.en) > chat.txt; "
                  "paste <(seq 500) <(zcat data/sample/train.en.gz | head -n 500) <(zcat data/sample/train.de.gz | head -n 500) "
                  "> scored.tsv; sed \"s/'/\\&apos;/g\" test.en > out.tok.en")
        self.must("""echo "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))" | tee dev.mrg wsj.mrg dev.trees > dev.predicted""")
        self.must("transformer trees linearize --input dev.mrg --words dev.words --brackets dev.brackets --tags dev.tags "
                  "&& cp dev.brackets parsed.brackets && cp dev.words wsj.words")
        with open(os.path.join(ROOT, "docs/complaints.md"), encoding="utf-8") as page:
            block = re.search(r"## The tiny model\n.*?```yaml\n(.*?)```", page.read(), re.S)
        with open(os.path.join(self.path, "tiny.yaml"), "w", encoding="utf-8") as file:
            file.write(block.group(1))
        self.must("transformer train --config tiny.yaml --quiet")
        self.must("transformer train --config tiny.yaml --quiet --set data.prepared=other-data --set data.vocabulary_size=200 "
                  "--set training.directory=other --set training.train_steps=10")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transformer", default=os.path.join(ROOT, "build/release/transformer"))
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    pages = [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs/*.md")))]
    commands = [(page, *command) for page in pages for command in commands_of(page)]
    failed, needed = [], set()
    with tempfile.TemporaryDirectory(prefix="commands-") as path:
        scratch = Scratch(path, os.path.abspath(options.transformer))
        if not options.list:
            scratch.fill()
        for page, line, command, error in commands:
            place = f"{os.path.relpath(page, ROOT)}:{line}: {command}"
            reason = reason_of(page, command)
            if reason is not None:
                needed.add(reason)
            if options.list:
                print(f"{place}\n    {'executed' if reason is None else NOT_EXECUTED[reason][1]}")
            elif reason is None:
                result = scratch.shell(command if error else quick(command))
                is_as_shown = result.returncode != 0 and error[:60] in result.stdout if error else result.returncode == 0
                if not is_as_shown:
                    failed.append(place)
                    print(f"{place}\n    status {result.returncode}: {result.stdout[-600:]}")
    unneeded = [NOT_EXECUTED[i][0] for i in range(len(NOT_EXECUTED)) if i not in needed]
    for pattern in unneeded:
        print(f"check_commands: no command needs the exception {pattern}")
    if not options.list:
        executed = sum(reason_of(page, command) is None for page, _, command, _ in commands)
        print(f"{executed} of {len(commands)} commands executed, {len(failed)} failed")
    sys.exit(1 if failed or unneeded else 0)


if __name__ == "__main__":
    main()
