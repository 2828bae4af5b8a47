#pragma once

namespace transformer {

/// Whether this program's own kernels do what they can do (as they do at first), or LibTorch's operations alone, which
/// the kernels are tested against.
bool uses_fused_kernels();
void set_fused_kernels(bool fused);

}  // namespace transformer
