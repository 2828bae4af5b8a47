#!/usr/bin/env python3
"""Trains eole (PyPI) on the text of a finished run of `transformer train`, to compare quality and time: with the same
pieces, architecture, hyper-parameters and number of updates, the mean of as many checkpoints, and the same test set.

    transformer train --config configs/small_enja.yaml --threads 1 --set model.layer_norm=pre
    python3 scripts/benchmarks/eole.py runs/small_enja build/eole --threads 1
    transformer eval-bleu --hypothesis build/eole/test.translation --reference data/small_enja/test.ja --tokenize none

Start it in the directory where the run was started, because the paths in the run's config.yaml are relative to that.
The run must have model.layer_norm=pre, since eole's decoder normalizes before each sub-layer only. eole counts the
padding of a batch as tokens: --padding makes its batches larger by this share, so that an update has as many tokens as
ours. A script that was interrupted continues from eole's last checkpoint when it is run again. Needs eole 0.6, torch,
aiohttp, sentencepiece and safetensors (install them with pip, but not in .venv, whose torch serves C++ only).
"""
import argparse
import os
import pathlib
import subprocess
import sys

import sentencepiece
import yaml
from safetensors.torch import load_file, save_file

SPECIAL_SYMBOLS = 4  # padding, unknown, begin and end, the first of our vocabulary; eole adds its own


def write_pieces(vocabulary, paths, pieces):
    """The pieces of the texts, separated by spaces."""
    with open(pieces, "w", encoding="utf-8") as output:
        for path in paths:
            with open(path, encoding="utf-8", newline="\n") as text:
                for line in text:
                    output.write(" ".join(vocabulary.encode(line.strip(), out_type=str)) + "\n")


def training_config(ours, padding):
    """The configuration of `eole train`."""
    model, training = ours["model"], ours["training"]
    return {
        "seed": training["seed"], "save_data": "saved", "overwrite": True, "share_vocab": True,
        "report_every": training["log_every"],
        "src_vocab": "vocabulary.txt", "tgt_vocab": "vocabulary.txt",
        "src_vocab_size": ours["data"]["vocabulary_size"], "tgt_vocab_size": ours["data"]["vocabulary_size"],
        "data": {"train": {"path_src": "train.source", "path_tgt": "train.target"},
                 "valid": {"path_src": "valid.source", "path_tgt": "valid.target"}},
        "model": {
            "architecture": "transformer", "layers": model["N"], "hidden_size": model["d_model"],
            "word_vec_size": model["d_model"], "transformer_ff": model["d_ff"], "heads": model["h"],
            "add_ffnbias": True, "generator_bias": False, "share_embeddings": True, "share_decoder_embeddings": True,
            "embeddings": {"word_vec_size": model["d_model"], "position_encoding_type": "SinusoidalInterleaved"}},
        "training": {
            "model_path": "model", "world_size": 1, "gpu_ranks": [], "num_workers": 0, "bucket_size": 1 << 18,
            "compute_dtype": training["precision"], "use_amp": True,
            "param_init_method": "xavier_uniform", "param_init": 0.0,
            "batch_type": "tokens", "batch_size": round(training["batch_tokens"] * (1 + padding)),
            "normalization": "tokens", "accum_count": [1], "valid_batch_size": 2048,
            "optim": "adam", "adam_beta1": training["beta1"], "adam_beta2": training["beta2"],
            "adam_eps": float(training["epsilon"]),
            "learning_rate": training["learning_rate_scale"], "decay_method": "noam",
            "warmup_steps": training["warmup_steps"], "max_grad_norm": 0, "label_smoothing": training["eps_ls"],
            "dropout": [model["P_drop"]], "attention_dropout": [model["attention_dropout"]],
            "train_steps": training["train_steps"], "valid_steps": training["validate_every"],
            "save_checkpoint_steps": training["checkpoint_every"], "keep_checkpoint": training["keep_checkpoints"],
            "log_attention_entropy": False}}


def average(checkpoints, directory):
    """The mean of the parameters, in a directory that eole can translate with."""
    models = [load_file(checkpoint / "model.00.safetensors") for checkpoint in checkpoints]
    directory.mkdir(exist_ok=True)
    mean = {name: sum(model[name] for model in models) / len(models) for name in models[0]}
    save_file(mean, directory / "model.00.safetensors")
    for name in ("config.json", "vocab.json"):
        (directory / name).write_bytes((checkpoints[-1] / name).read_bytes())


def run(folder, threads, command, config):
    """Runs `eole COMMAND -config FILE` and returns its processor time in seconds."""
    (folder / f"{command}.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    before = os.times()
    with open(folder / f"{command}.log", "a") as log:
        eole = subprocess.run([pathlib.Path(sys.executable).with_name("eole"), command, "-config", f"{command}.yaml"],
                              cwd=folder, env=environment, stdout=log, stderr=log)
    if eole.returncode != 0:
        sys.exit(f"error: {folder / command}.log: eole {command} failed with status {eole.returncode}; the end of this "
                 "log says why")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def checkpoints_of(folder):
    """eole's checkpoints, the oldest first."""
    return sorted(folder.glob("model/step_*"), key=lambda path: int(path.name.removeprefix("step_")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="our finished run")
    parser.add_argument("folder", type=pathlib.Path, help="for eole's files and test.translation")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--padding", type=float, default=0.13,
                        help="share of padding in eole's batches (%(default)s)")
    options = parser.parse_args()
    ours = yaml.safe_load((options.run / "config.yaml").read_text())
    if ours["model"]["layer_norm"] != "pre" or ours["training"]["gradient_clip"]:
        parser.error(f"{options.run}: eole cannot train this model; train with model.layer_norm=pre and without "
                     "training.gradient_clip")
    data, decoding, folder = ours["data"], ours["decoding"], options.folder
    folder.mkdir(parents=True, exist_ok=True)

    vocabulary = sentencepiece.SentencePieceProcessor(model_file=os.path.join(data["prepared"], "vocabulary.model"))
    with open(folder / "vocabulary.txt", "w", encoding="utf-8") as output:
        for piece in range(SPECIAL_SYMBOLS, vocabulary.get_piece_size()):
            output.write(f"{vocabulary.id_to_piece(piece)}\t1\n")
    for side in ("source", "target"):
        for part in ("train", "valid"):
            write_pieces(vocabulary, data[part][side], folder / f"{part}.{side}")
        write_pieces(vocabulary, [data["test"][side]], folder / f"test.{side}")

    config = training_config(ours, options.padding)
    found = checkpoints_of(folder)
    if not found or found[-1].name != f"step_{config['training']['train_steps']}":
        if found:
            config["training"]["train_from"] = "model"
        seconds = run(folder, options.threads, "train", config)
        print(f"training took {seconds / 60:.1f} min of processor time"
              + (f", from {found[-1].name} on" if found else ""))
        found = checkpoints_of(folder)

    average(found[-ours["training"]["keep_checkpoints"]:], folder / "averaged")
    run(folder, options.threads, "predict", {
        "model_path": "averaged", "src": "test.source", "output": "test.pieces", "gpu_ranks": [], "world_size": 1,
        "beam_size": decoding["beam_size"], "length_penalty": "wu", "alpha": decoding["alpha"], "batch_size": 32})
    with open(folder / "test.pieces", encoding="utf-8") as pieces, \
            open(folder / "test.translation", "w", encoding="utf-8") as output:
        for line in pieces:
            output.write(vocabulary.decode(line.split()) + "\n")


if __name__ == "__main__":
    main()
