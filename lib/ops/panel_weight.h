#pragma once

#include <torch/torch.h>

#include "ops/packed_weight.h"

namespace transformer {

/// fp32 by a kernel of our own, for processors with AVX-512. With the few rows of a small search it is up to twice as
/// fast as the libraries, which prepare each product anew, and with many as fast. Each sum is added up in the order of
/// its terms, so that a row's product does not depend on its neighbours.
class PanelWeight : public PackedWeight {
 public:
  /// As pack_weight's.
  PanelWeight(const torch::Tensor& weight, const torch::Tensor& bias);

  torch::Tensor multiply(const torch::Tensor& x) const override;
  bool has_rows() const override { return true; }
  torch::Tensor rows(const torch::Tensor& numbers) const override;

 private:
  torch::Tensor panels_;  // [panels, in, kPanel]: what is kPanel rows of W side by side; zeros behind the last
  torch::Tensor bias_;    // [panels * kPanel]
  int64_t out_;
};

/// Whether this processor and `weight` are for it.
bool has_panel_kernel(const torch::Tensor& weight);

}  // namespace transformer
