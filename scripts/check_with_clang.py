#!/usr/bin/env python3
"""Compiles the sources of lib/ and apps/ that include LibTorch with clang++, without making code, and prints what it
says about them. The build in build/release must be configured; its options and its groups of sources are used, with
warnings as errors. The kernels are left out, whose instructions are options of each source."""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

BUILD, WORK = pathlib.Path("build/release"), pathlib.Path("build/lint")
# Options that only g++ knows, and the precompiled header of g++.
NOT_FOR_CLANG = {"-fpch-preprocess", "-Winvalid-pch", "-fno-devirtualize"}


def options_of(command):
    """The options of g++ for clang++."""
    words = iter(shlex.split(command)[1:])
    options = []
    for word in words:
        if word == "-o" or (word == "-include" and "cmake_pch" in command):
            next(words)
        elif word.startswith("-") and word != "-c" and word not in NOT_FOR_CLANG:
            options.append(word)
            if word in ("-isystem", "-include"):
                options.append(next(words))
    return options


def compile_source(source, command, more):
    """What clang++ prints."""
    return subprocess.run(
        ["clang++", "-Werror", "-Wno-unknown-warning-option", "-Qunused-arguments", *options_of(command), *more, source],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def main():
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    root, kernels = os.getcwd(), "transformer_kernels.dir"
    sources = {command["file"]: command["command"] for command in commands
               if "cmake_pch.hxx" in command["command"] and not command["file"].endswith("cmake_pch.hxx.cxx")
               and "/tests/" not in command["file"].removeprefix(root)
               and kernels not in command["command"]}
    WORK.mkdir(exist_ok=True)
    header = WORK / "torch.h"
    header.write_text("#include <torch/nn/module.h>\n#include <torch/types.h>\n")
    precompiled = {}
    for command in sources.values():
        level = next(word for word in shlex.split(command) if word.startswith("-O"))
        if level not in precompiled:
            precompiled[level] = f"{header}{level}.pch"
            output = compile_source(str(header), command, ["-x", "c++-header", "-fpch-instantiate-templates",
                                                            "-o", precompiled[level]])
            if output:
                sys.exit(output)

    def check(item):
        source, command = item
        level = next(word for word in shlex.split(command) if word.startswith("-O"))
        return compile_source(source, command, ["-fsyntax-only", "-include-pch", precompiled[level]])

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        output = "".join(pool.map(check, sources.items()))
    print(f"{output}clang: {len(sources)} sources or groups of sources")
    return 1 if output else 0


if __name__ == "__main__":
    sys.exit(main())
