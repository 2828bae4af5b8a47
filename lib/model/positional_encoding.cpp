#include "model/positional_encoding.h"

#include "base/error.h"

namespace transformer {

torch::Tensor positional_encoding_table(int64_t num_positions, int64_t d_model) {
  // In double: at position 10,000 a float angle would be off by a thousandth.
  const auto positions = torch::arange(num_positions, torch::kDouble).unsqueeze(1);
  const auto channels = torch::arange(d_model, torch::kDouble);
  const auto exponents = 2 * torch::floor(channels / 2) / static_cast<double>(d_model);
  const auto angles = positions / torch::pow(10000.0, exponents);  // [num_positions, d_model]
  const auto even = torch::remainder(channels, 2) == 0;
  return torch::where(even, torch::sin(angles), torch::cos(angles));
}

PositionalEncodingImpl::PositionalEncodingImpl(const ModelConfig& config) : position_(config.position) {
  if (position_ == Position::learned) {
    TORCH_CHECK(config.max_positions.has_value(), "learned positions need max_positions");
    table_ = register_parameter("weight", torch::empty({*config.max_positions, config.d_model}));
  }
}

torch::Tensor PositionalEncodingImpl::forward(const torch::Tensor& x, const Packing& packing) {
  return at(x, packing.places(), packing.longest());
}

torch::Tensor PositionalEncodingImpl::at(const torch::Tensor& x, const torch::Tensor& places, int64_t longest) {
  return x + table(longest, x).index_select(0, places);
}

torch::Tensor PositionalEncodingImpl::table(int64_t end, const torch::Tensor& x) {
  const std::lock_guard lock(mutex_);
  if (position_ == Position::learned) {
    if (end > table_.size(0)) {
      throw Error("a sequence of ", end, " positions is longer than the ", table_.size(0),
                  " learned ones; shorten data.max_length or train with a larger "
                  "model.max_positions");
    }
  } else if (!table_.defined() || table_.size(0) < end || table_.options().dtype() != x.dtype() ||
             table_.device() != x.device()) {
    static constexpr int64_t kStep = 512;  // grows in steps, so that decoding does not remake it
    const c10::InferenceMode off(false);   // made while translating, it serves training too
    const int64_t rounded = (end + kStep - 1) / kStep * kStep;
    table_ = positional_encoding_table(rounded, x.size(1)).to(x.options());
  }
  return table_;
}

}  // namespace transformer
