"""The environment for programs that a script tests: without a launcher's variables and without GPUs."""

import os

UNWANTED = ("RANK=", "WORLD_SIZE=", "LOCAL_RANK=", "LOCAL_WORLD_SIZE=", "MASTER_", "SLURM_", "OMPI_COMM_",
            "MV2_COMM_", "PMI_", "MPI_LOCAL", "TORCHELASTIC_", "OMP_", "GLOO_")


def clean_environment(**variables):
    """This process's environment without the unwanted variables, and with these."""
    kept = {name: value for name, value in os.environ.items() if not f"{name}=".startswith(UNWANTED)}
    return dict(kept, CUDA_VISIBLE_DEVICES="", **variables)
