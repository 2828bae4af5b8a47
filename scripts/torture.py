#!/usr/bin/env python3
"""Tests whether the program survives faults: kills, signals, damaged files, full and read-only disks, races, bad text.

    python3 scripts/torture.py --minutes 5
    python3 scripts/torture.py --kills 200 --writes 50 --truncations 500 --flips 500

Trains a tiny model on a generated corpus, each time with one, two or three workers, disturbs it, and compares the result
with an undisturbed run's: parameters, optimizer state and prepared files bit for bit, metrics apart from times. An allowed
outcome is that result, or status 1 or 2 with one sentence on stderr. Every other outcome is a finding: it is printed, its
directory is kept, and the script ends with status 1. `--minutes` takes the kinds of faults in turn until the time is over;
the other options do a number of trials of single kinds. Disks that are full or read-only are tmpfs file systems, so that
kind needs root and is left out otherwise. `--soak STEPS` trains one long run instead, reports memory and open files over
time, and fails if they grow.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from clean_environment import clean_environment

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONFIG = """model: {N: 1, d_model: 32, d_ff: 64, h: 2}
data:
  train: {source: train.source, target: train.target}
  valid: {source: valid.source, target: valid.target}
  vocabulary_size: 60
  prepared: prepared
training:
  directory: run
  train_steps: 120
  batch_tokens: 300
  warmup_steps: 100
  log_every: 7
  validate_every: 50
  checkpoint_every: 10
  checkpoint_minutes: null
  keep_checkpoints: 4
"""
LAST_CHECKPOINT = "run/checkpoints/step-00000120.safetensors"
TIME_LIMIT = 60  # seconds that one command may take


class Finding(Exception):
    """An outcome that is not allowed."""


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Place:
    """A directory with the corpus and config.yaml, in which the program runs; removed unless there is a finding."""

    def __init__(self, transformer, parent, template=None):
        self.transformer = transformer
        self.path = tempfile.mkdtemp(dir=parent)
        if template:
            shutil.copytree(template.path, self.path, dirs_exist_ok=True)
        else:
            self.write_corpus()

    def write_corpus(self):
        generator = random.Random(1)
        words = [consonant + vowel for consonant in "bdgk" for vowel in "aeiou"]
        for name, pairs in (("train", 300), ("valid", 10), ("test", 20)):
            sources = [" ".join(generator.choices(words, k=generator.randint(3, 8))) for _ in range(pairs)]
            write(self / f"{name}.source", "".join(line + "\n" for line in sources))
            write(self / f"{name}.target", "".join(line[::-1] + "\n" for line in sources))
        write(self / "config.yaml", CONFIG)

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def start(self, *arguments, **options):
        return subprocess.Popen([self.transformer, *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                env=clean_environment(), **options)

    def start_training(self, **options):
        workers = random.randint(1, 3)  # which do not change the result
        return self.start("train", "--config", "config.yaml", "--threads", str(workers), "--quiet", **options)

    def run(self, *arguments, **options):
        """Status, stdout and stderr of a command that may fail, but only with status 1 or 2 and one sentence."""
        return finish(self.start(*arguments, **options), " ".join(arguments))

    def train(self, **options):
        return finish(self.start_training(**options), "train")

    def must_train(self):
        status, _, err = self.train()
        if status != 0:
            raise Finding(f"train: status {status}: {err}")

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


def wait_for(process, what):
    try:
        return process.communicate(timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Finding(f"{what}: not finished after {TIME_LIMIT} s") from None


def finish(process, what):
    out, err = wait_for(process, what)
    check_failure(process.returncode, err, what)
    return process.returncode, out, err


def check_failure(status, err, what):
    if status == 0:
        return
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    internal = any(text in err for text in ("internal error", "INTERNAL ASSERT", "Exception raised from", "terminate"))
    if status not in (1, 2) or len(errors) != 1 or internal:
        raise Finding(f"{what}: status {status}, stderr: {err[-2000:]}")


def tensors_of(checkpoint):
    """A digest for each tensor of a checkpoint, parameters and optimizer state, and for the vocabulary. The other entries
    hold times."""
    content = read(checkpoint)
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    parts = {"vocabulary": header.pop("__metadata__")["vocabulary"].encode()}
    for name, entry in header.items():
        parts[name] = content[slice(*(end + offset for offset in entry["data_offsets"]))]
    return {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}


def metrics_of(place):
    """The lines of metrics.jsonl without times, speeds and memory."""
    left_out = ("seconds", "target_tokens_per_second", "memory_bytes")
    lines = [json.loads(line) for line in read(place / "run/metrics.jsonl").splitlines()]
    return [{key: value for key, value in line.items() if key not in left_out} for line in lines]


PREPARED = ("train.bin", "valid.bin", "vocabulary.model", "manifest.json")


class Reference:
    """What an undisturbed run gives."""

    def __init__(self, transformer, parent):
        self.place = Place(transformer, parent)
        start = time.monotonic()
        self.place.must_train()
        self.seconds = time.monotonic() - start
        self.tensors = tensors_of(self.place / LAST_CHECKPOINT)
        self.metrics = metrics_of(self.place)
        self.prepared = {name: read(self.place / f"prepared/{name}") for name in PREPARED}
        assert len(self.tensors) > 10 and len(self.metrics) > 10
        self.place.run("average-checkpoints", "--last", "2", "run", "-o", "model.safetensors")
        self.translation = self.translate(self.place)[1]
        assert len(self.translation.splitlines()) == 20

    def translate(self, place):
        return place.run("translate", "--model", "model.safetensors", "--input", "test.source", "--threads", "1", "--quiet")

    def compare_tensors(self, place):
        if tensors_of(place / LAST_CHECKPOINT) != self.tensors:
            raise Finding("the parameters or the optimizer state differ from the undisturbed run's")

    def compare(self, place):
        self.compare_tensors(place)
        if metrics_of(place) != self.metrics:
            raise Finding("metrics.jsonl differs from the undisturbed run's")
        for name, content in self.prepared.items():
            if read(place / f"prepared/{name}") != content:
                raise Finding(f"prepared/{name} differs from the undisturbed run's")


def partial_files(place):
    """The names of partly written checkpoints, of a run that writes one or was killed meanwhile."""
    directory = place / "run/checkpoints"
    return {name for name in os.listdir(directory) if ".tmp." in name} if os.path.isdir(directory) else set()


class Torture:
    """The kinds of faults. Each method is one trial; it counts what it did in `counts` and raises Finding."""

    def __init__(self, reference, transformer, parent, generator):
        self.reference = reference
        self.transformer = transformer
        self.parent = parent
        self.random = generator
        self.counts = collections.Counter()

    def new_place(self):
        return Place(self.transformer, self.parent)

    def copy_of_reference(self):
        return Place(self.transformer, self.parent, self.reference.place)

    def kill_at_any_time(self, place):
        """Kills a run up to five times, in any phase, and lets it finish."""
        for _ in range(self.random.randint(1, 5)):
            before = partial_files(place)
            process = place.start_training()
            time.sleep(self.random.uniform(0, self.reference.seconds))
            self.kill(process, place, before)
        self.finish_and_compare(place)

    def kill_during_write(self, place):
        """Kills a run up to five times while it writes a checkpoint, and lets it finish."""
        for _ in range(self.random.randint(1, 5)):
            before = partial_files(place)
            process = place.start_training()
            while process.poll() is None and partial_files(place) <= before:
                pass
            time.sleep(self.random.uniform(0, 0.002))
            self.kill(process, place, before)
        self.finish_and_compare(place)

    def kill(self, process, place, partial_before):
        process.kill()
        process.communicate()
        self.counts["kills"] += 1
        self.counts["kills during a write"] += bool(partial_files(place) - partial_before)

    def finish_and_compare(self, place):
        place.must_train()
        self.reference.compare(place)

    def stop_and_resume(self, place):
        """Signals that the program handles: it saves, ends with status 0, and the same command continues."""
        process = place.start_training()
        time.sleep(self.random.uniform(0, self.reference.seconds))
        for number in self.random.choices((signal.SIGUSR1, signal.SIGSTOP, signal.SIGCONT), k=3):
            process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        time.sleep(self.random.uniform(0, self.reference.seconds / 4))
        process.send_signal(self.random.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)))
        wait_for(process, "train after a signal")
        # Before the program handles signals, while it starts or prepares data, they end it.
        if process.returncode not in (0, -signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP, -signal.SIGUSR1):
            raise Finding(f"train: status {process.returncode} after a signal")
        self.counts["signals"] += 5
        self.finish_and_compare(place)

    def truncate(self, place):
        self.damage(place, lambda content: content[:self.random.randrange(len(content))], "truncations")

    def flip_bit(self, place):
        def flip(content):
            changed = bytearray(content)
            changed[self.random.randrange(len(changed))] ^= 1 << self.random.randrange(8)
            return bytes(changed)
        self.damage(place, flip, "bit flips")

    def damage(self, place, change, count):
        """Damages one file of a run that stands at step 80, of its prepared directory, or a model file."""
        for step in (90, 100, 110, 120):
            os.remove(place / f"run/checkpoints/step-{step:08}.safetensors")
        shutil.copy(self.checkpoint_80, place / "run/checkpoints")
        files = [os.path.join(folder, name) for directory in ("run", "prepared")
                 for folder, _, names in os.walk(place / directory) for name in names] + [place / "model.safetensors"]
        path = self.random.choice(sorted(file for file in files if os.path.getsize(file) > 0))
        write(path, change(read(path)))
        self.counts[count] += 1
        status, out, _ = self.reference.translate(place)
        if status == 0 and out != self.reference.translation:
            raise Finding(f"{path} was damaged, and the translation differs")
        status, _, _ = place.train()
        self.counts[f"{count}: {'refused' if status else 'same result'}"] += 1
        if status == 0:
            self.reference.compare_tensors(place)

    def keep_checkpoint_80(self):
        """The state in which `damage` leaves the run: all checkpoints after step 80 are gone."""
        place = self.new_place()
        write(place / "config.yaml", CONFIG.replace("train_steps: 120", "train_steps: 80"))
        place.must_train()
        self.checkpoint_80 = place / "run/checkpoints/step-00000080.safetensors"

    def limit_file_size(self, place):
        """No file may become larger than a limit: every write beyond it fails."""
        limit = self.random.randrange(300_000)
        status, _, _ = place.train(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.counts["file size limits"] += 1
        self.counts["file size limits: refused"] += status != 0
        self.finish_and_compare(place)

    def full_disk(self, place):
        """A tmpfs that fills up while the run trains in it."""
        with Tmpfs(place, self.random.randrange(20, 900)) as options:
            status, _, _ = place.train()
            self.counts["full disks"] += 1
            self.counts["full disks: refused"] += status != 0
            subprocess.run(["mount", "-o", f"remount,{options},size=100m", place / "run"], check=True)
            self.finish_and_compare(place)

    def read_only_disk(self, place):
        """A file system that becomes read-only while the run trains in it."""
        with Tmpfs(place, 100_000) as options:
            process = place.start_training()
            time.sleep(self.random.uniform(0, self.reference.seconds))
            mounted = subprocess.run(["mount", "-o", f"remount,ro,{options}", place / "run"], stderr=subprocess.DEVNULL)
            finish(process, "train")
            self.counts["read-only disks"] += mounted.returncode == 0  # refused while a file is open for writing
            subprocess.run(["mount", "-o", f"remount,rw,{options}", place / "run"], check=True)
            self.finish_and_compare(place)

    def device_without_space(self, place):
        commands = [("translate", "--model", "model.safetensors", "--input", "test.source", "--quiet"),
                    ("score", "--model", "model.safetensors", "--source", "test.source", "--target", "test.target"),
                    ("eval-bleu", "--hypothesis", "test.target", "--reference", "test.target"),
                    ("info", "--config", "config.yaml"), ("--help",), ("doctor",)]
        command = self.random.choice(commands)
        with open("/dev/full", "w") as full:
            process = subprocess.Popen([self.transformer, *command], cwd=place.path, stdout=full, stderr=subprocess.PIPE,
                                       text=True, env=clean_environment())
            status, _, _ = finish(process, " ".join(command))
        if status == 0:
            raise Finding(f"{' '.join(command)} > /dev/full: status 0")
        self.counts["/dev/full"] += 1

    def race(self, place):
        """Several processes train in one directory: at most one does, and the others are refused."""
        processes = [place.start_training() for _ in range(self.random.randint(2, 4))]
        statuses = [finish(process, "train")[0] for process in processes]
        if 0 not in statuses:
            raise Finding(f"no process trained; statuses {statuses}")
        self.counts["races"] += 1
        self.counts["races: processes refused"] += sum(status != 0 for status in statuses)
        self.finish_and_compare(place)

    def malformed_text(self, place):
        """Text with anything in it: trained on or refused; the translation has as many lines as its input."""
        tokens = [b"\0", b"\r", b"\r\n", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\t", b" ",
                  b"ba", b"\n", b"\n\n", b"<unk>", b"</s>", "▁".encode(), "語".encode(), b"x" * 5000, b"ba " * 500]
        noise = b"".join(self.random.choices(tokens, k=self.random.randrange(40)))
        write(place / "noise", noise)
        status, out, _ = place.run("translate", "--model", "model.safetensors", "--input", "noise", "--threads", "1", "--quiet")
        text = noise.removeprefix(b"\xef\xbb\xbf")  # the byte order mark is not a part of the text
        lines = text.count(b"\n") + (text != b"" and not text.endswith(b"\n"))
        if status != 0 or out.count("\n") != lines:
            raise Finding(f"status {status}; {lines} lines of input, {out.count(chr(10))} lines of output")
        write(place / "train.source", read(place / "train.source") + noise)
        write(place / "train.target", read(place / "train.target") + noise)
        self.counts["malformed texts"] += 1
        status, _, _ = place.run("preprocess", "--config", "config.yaml", "--quiet")
        self.counts["malformed texts: refused"] += status != 0

    # Each kind with the place that it starts from.
    KINDS = {"kill_at_any_time": new_place, "kill_during_write": new_place, "stop_and_resume": new_place,
             "truncate": copy_of_reference, "flip_bit": copy_of_reference, "limit_file_size": new_place,
             "full_disk": new_place, "read_only_disk": new_place, "device_without_space": copy_of_reference,
             "race": new_place, "malformed_text": copy_of_reference}
    NEEDS_ROOT = ("full_disk", "read_only_disk")

    def trial(self, kind):
        """Counts and prints the trial's finding, if it has one."""
        place = self.KINDS[kind](self)
        try:
            getattr(self, kind)(place)
        except Exception as finding:  # of another kind where, for example, a result is missing or damaged
            self.counts["findings"] += 1
            print(f"finding: {kind} in {place.path}: {finding!r}", flush=True)
        else:
            place.remove()


class Tmpfs:
    """A file system of this many kilobytes for the run directory."""

    def __init__(self, place, kilobytes):
        self.directory = place / "run"
        self.options = f"size={kilobytes}k"

    def __enter__(self):
        os.mkdir(self.directory)
        subprocess.run(["mount", "-t", "tmpfs", "-o", self.options, "tmpfs", self.directory], check=True)
        return self.options

    def __exit__(self, error, *_):
        if error:  # a finding, whose files are kept
            shutil.copytree(self.directory, self.directory + ".kept", dirs_exist_ok=True)
        subprocess.run(["umount", "--lazy", self.directory])  # lazily, because a process may still use it


def can_mount():
    return os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode == 0


def torture(arguments, reference, parent):
    print(f"seed {arguments.seed}", flush=True)
    faults = Torture(reference, arguments.transformer, parent, random.Random(arguments.seed))
    faults.keep_checkpoint_80()
    counts = faults.counts
    wanted = [("kill_at_any_time", "kills", arguments.kills),
              ("kill_during_write", "kills during a write", arguments.writes),
              ("truncate", "truncations", arguments.truncations), ("flip_bit", "bit flips", arguments.flips)]
    if any(number for _, _, number in wanted):
        for kind, count, number in wanted:
            while counts[count] < number:
                faults.trial(kind)
    else:
        kinds = [kind for kind in Torture.KINDS if kind not in Torture.NEEDS_ROOT or can_mount()]
        end = time.monotonic() + 60 * arguments.minutes
        while time.monotonic() < end:
            for kind in kinds:
                faults.trial(kind)
    for count, number in sorted(counts.items()):
        print(f"{count:40} {number:6}")
    print(f"{counts['findings']} findings")
    return counts["findings"] == 0


def soak(arguments, parent):
    """Trains many steps and samples the resident memory and the open files of the process."""
    place = Place(arguments.transformer, parent)
    config = CONFIG.replace("train_steps: 120", f"train_steps: {arguments.soak}").replace(
        "checkpoint_every: 10", "checkpoint_every: 500").replace("validate_every: 50", "validate_every: 500")
    write(place / "config.yaml", config)
    process = place.start_training()
    samples = []
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
            samples.append((memory / 1000, len(os.listdir(f"/proc/{process.pid}/fd"))))
        except (OSError, StopIteration):
            break
        time.sleep(1)
    status, _, err = finish(process, "train")
    print(f"{arguments.soak} steps, status {status} {err}")
    if len(samples) < 10:
        print("too few samples of memory and files; take more steps")
        return False
    largest = []  # resident MB and open files in each tenth of the time
    for part in range(10):
        some = samples[len(samples) * part // 10:len(samples) * (part + 1) // 10]
        largest.append((max(memory for memory, _ in some), max(files for _, files in some)))
        print(f"tenth {part + 1:2}: {largest[-1][0]:8.1f} MB resident at most, {largest[-1][1]:4} open files at most")
    has_grown = largest[-1][0] > 1.1 * largest[0][0] or largest[-1][1] > largest[0][1]
    return status == 0 and not has_grown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transformer", default=os.path.join(ROOT, "build/release/transformer"))
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the faults; default: the time")
    parser.add_argument("--kills", type=int, default=0, help="SIGKILLs at any time")
    parser.add_argument("--writes", type=int, default=0, help="SIGKILLs that left a partly written checkpoint")
    parser.add_argument("--truncations", type=int, default=0)
    parser.add_argument("--flips", type=int, default=0)
    parser.add_argument("--soak", type=int, default=0, help="number of steps")
    arguments = parser.parse_args()
    arguments.transformer = os.path.abspath(arguments.transformer)
    for number in (signal.SIGINT, signal.SIGHUP):  # which a shell or nohup may have made this process ignore
        signal.signal(number, signal.SIG_DFL)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # many processes run at once
    parent = tempfile.mkdtemp(prefix="torture-")
    is_sound = soak(arguments, parent) if arguments.soak else torture(
        arguments, Reference(arguments.transformer, parent), parent)
    if is_sound:
        shutil.rmtree(parent)
    sys.exit(0 if is_sound else 1)


if __name__ == "__main__":
    main()
