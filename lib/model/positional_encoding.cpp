#include "model/positional_encoding.h"

#include <ATen/ceil_div.h>

#include <algorithm>

namespace transformer {

torch::Tensor positional_encoding_table(int64_t num_positions, const ModelConfig& config) {
  const auto d_model = static_cast<double>(config.d_model);
  // In double: at position 10,000 a float angle would be off by a thousandth.
  const auto positions = config.first_position + torch::arange(num_positions, torch::kDouble).unsqueeze(1);
  const auto channels = torch::arange(config.d_model, torch::kDouble);
  // Of each channel, i and whether it is a sine. Sine and cosine alternate in §3.5; other programs put all sines before
  // all cosines, and tensor2tensor, fairseq and Marian have the exponents 2i / (d_model - 2) (Deviation D1).
  const bool alternate = config.sinusoids == Sinusoids::interleaved;
  const auto i = alternate ? torch::floor(channels / 2) : torch::remainder(channels, d_model / 2);
  const auto is_sine = alternate ? torch::remainder(channels, 2) == 0 : channels < d_model / 2;
  const double divisor = config.sinusoids == Sinusoids::tensor2tensor ? std::max(d_model - 2, 1.0) : d_model;
  const auto angles = positions / torch::pow(10000.0, 2 * i / divisor);  // [num_positions, d_model]
  return torch::where(is_sine, torch::sin(angles), torch::cos(angles));
}

PositionalEncodingImpl::PositionalEncodingImpl(const ModelConfig& config) : config_(config) {
  if (config.position == Position::learned) {
    TORCH_CHECK(config.max_positions.has_value(), "learned positions need max_positions");
    table_ = register_parameter("weight", torch::empty({*config.max_positions, config.d_model}));
  }
}

torch::Tensor PositionalEncodingImpl::at(const torch::Tensor& x, const torch::Tensor& position_ids,
                                         int64_t num_positions) {
  return x + table(num_positions, x).index_select(0, position_ids);
}

torch::Tensor PositionalEncodingImpl::table(int64_t num_positions, const torch::Tensor& x) {
  const std::lock_guard lock(mutex_);
  if (config_.position == Position::learned) {
    TORCH_CHECK(num_positions <= table_.size(0), "a sequence of ", num_positions, " positions is longer than the ",
                table_.size(0), " learned ones");
  } else if (!table_.defined() || table_.size(0) < num_positions || table_.options().dtype() != x.dtype() ||
             table_.device() != x.device()) {
    static constexpr int64_t kMultiple = 512;  // so that a search does not compute a new table at every step
    const c10::InferenceMode off(false);       // a table computed during validation serves training, too
    const int64_t rounded = at::round_up(num_positions, kMultiple);
    table_ = positional_encoding_table(rounded, config_).to(x.options());
  }
  return table_;
}

}  // namespace transformer
