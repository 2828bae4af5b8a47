#!/usr/bin/env bash
# torch's CPU library holds two implementations of products of bf16 matrices. The one that torch.mm uses, oneDNN,
# compiles a kernel whenever the number of rows is new, which with batches of sentences is nearly always, and rounds the
# result to bf16. The other one, MKL's gemm_bf16bf16f32, is exported by the same file, compiles nothing, and returns the
# sums in fp32. (On processors without AVX-512 torch.mm uses neither and is slow, while MKL's product runs.)
# Needs x86. Ends with status 1 if the package behaves in another way.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory/venv"
"$directory/venv/bin/pip" --quiet --disable-pip-version-check install torch==2.11.0 numpy
grep -qw avx512bw /proc/cpuinfo || echo "without AVX-512: the kernels of torch.mm are not counted"

cd "$directory"
cat > products.py <<'END'
import ctypes
import pathlib
import sys

import torch

torch.set_num_threads(1)
torch.manual_seed(1)
library = ctypes.CDLL(pathlib.Path(torch.__file__).parent / "lib/libtorch_cpu.so")
ROW_MAJOR, AS_IT_IS = 101, 111
SIZES, WIDTH = range(100, 120), 256


def by_mkl(a, b):
    result = torch.empty(a.shape[0], b.shape[1])
    matrix = [ctypes.c_void_p(x.data_ptr()) for x in (a, b, result)]
    library.cblas_gemm_bf16bf16f32(
        ROW_MAJOR, AS_IT_IS, AS_IT_IS, a.shape[0], b.shape[1], a.shape[1], ctypes.c_float(1), matrix[0], a.shape[1],
        matrix[1], b.shape[1], ctypes.c_float(0), matrix[2], b.shape[1])
    return result


product = {"torch.mm": torch.mm, "MKL": by_mkl}[sys.argv[1]]
b = torch.randn(WIDTH, WIDTH).bfloat16()
error = 0.0
for rows in SIZES:
    a = torch.randn(rows, WIDTH).bfloat16()
    exact = a.double() @ b.double()
    error = max(error, ((product(a, b).double() - exact).abs().max() / exact.abs().max()).item())
print("largest error, relative to the largest element:", "below 1e-6" if error < 1e-6 else "above 1e-3" if error > 1e-3
      else error)
END
venv/bin/python -c 'import torch; print("torch", torch.__version__)'
failed=0
for product in torch.mm MKL; do
  output=$(ONEDNN_VERBOSE=profile_create venv/bin/python products.py "$product" 2>&1)
  kernels=$(grep -c "create:cache_miss.*matmul" <<<"$output" || true)
  error=$(grep "largest error" <<<"$output")
  echo "$product: 20 products of 100 to 119 rows: $kernels kernels compiled by oneDNN; $error"
  if [[ $product == MKL ]]; then
    [[ $kernels == 0 && $error == *"below 1e-6" ]] || failed=1
  else
    [[ $error == *"above 1e-3" ]] || failed=1
    ! grep -qw avx512bw /proc/cpuinfo || [[ $kernels == 20 ]] || failed=1
  fi
done
exit "$failed"
