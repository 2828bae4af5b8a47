#include "model/positional_encoding.h"

#include <ATen/ceil_div.h>

namespace transformer {

torch::Tensor positional_encoding_table(int64_t num_positions, int64_t d_model) {
  // In double: at position 10,000 a float angle would be off by a thousandth.
  const auto positions = torch::arange(num_positions, torch::kDouble).unsqueeze(1);
  const auto channels = torch::arange(d_model, torch::kDouble);
  const auto exponents = 2 * torch::floor(channels / 2) / static_cast<double>(d_model);
  const auto angles = positions / torch::pow(10000.0, exponents);  // [num_positions, d_model]
  // Sine and cosine alternate, and the exponents are 2i / d_model, as in §3.5. tensor2tensor and fairseq put all sines
  // before all cosines and have the exponents 2i / (d_model - 2), so their tables differ slightly (Deviation D1).
  const auto even = torch::remainder(channels, 2) == 0;
  return torch::where(even, torch::sin(angles), torch::cos(angles));
}

PositionalEncodingImpl::PositionalEncodingImpl(const ModelConfig& config) : position_(config.position) {
  if (position_ == Position::learned) {
    TORCH_CHECK(config.max_positions.has_value(), "learned positions need max_positions");
    table_ = register_parameter("weight", torch::empty({*config.max_positions, config.d_model}));
  }
}

PackedSequence PositionalEncodingImpl::forward(const PackedSequence& x) {
  return x.with_data(at(x.data, x.packing.position_ids(), x.packing.max_length()));
}

torch::Tensor PositionalEncodingImpl::at(const torch::Tensor& x, const torch::Tensor& position_ids,
                                         int64_t num_positions) {
  return x + table(num_positions, x).index_select(0, position_ids);
}

torch::Tensor PositionalEncodingImpl::table(int64_t num_positions, const torch::Tensor& x) {
  const std::lock_guard lock(mutex_);
  if (position_ == Position::learned) {
    TORCH_CHECK(num_positions <= table_.size(0), "a sequence of ", num_positions, " positions is longer than the ",
                table_.size(0), " learned ones");
  } else if (!table_.defined() || table_.size(0) < num_positions || table_.options().dtype() != x.dtype() ||
             table_.device() != x.device()) {
    static constexpr int64_t kMultiple = 512;  // so that a search does not compute a new table at every step
    const c10::InferenceMode off(false);       // a table computed during validation serves training, too
    const int64_t rounded = at::round_up(num_positions, kMultiple);
    table_ = positional_encoding_table(rounded, x.size(1)).to(x.options());
  }
  return table_;
}

}  // namespace transformer
