#include "ops/packing.h"

#include <algorithm>

namespace transformer {

Packing::Packing(std::vector<int64_t> lengths) : lengths_(std::move(lengths)), offsets_({0}) {
  for (const int64_t length : lengths_) {
    TORCH_CHECK(length > 0, "a sentence of length ", length);
    longest_ = std::max(longest_, length);
    offsets_.push_back(offsets_.back() + length);
  }
  places_ = torch::empty({positions()}, torch::kLong);
  rows_ = torch::empty({positions()}, torch::kLong);
  auto *place = places_.mutable_data_ptr<int64_t>(), *row = rows_.mutable_data_ptr<int64_t>();
  for (int64_t sentence = 0; sentence < sentences(); ++sentence) {
    for (int64_t t = 0; t < lengths_[static_cast<size_t>(sentence)]; ++t) {
      *place++ = t;
      *row++ = sentence * longest_ + t;
    }
  }
}

torch::Tensor Packing::pad(const torch::Tensor& x) const {
  TORCH_CHECK(x.size(0) == positions(), x.sizes(), " for ", positions(), " positions");
  auto padded_sizes = x.sizes().vec();
  padded_sizes[0] = sentences() * longest_;
  const auto padded = is_even() ? x : torch::zeros(padded_sizes, x.options()).index_copy(0, rows_, x);
  return padded.unflatten(0, {sentences(), longest_});
}

torch::Tensor Packing::unpad(const torch::Tensor& x) const {
  TORCH_CHECK(x.size(0) == sentences() && x.size(1) == longest_, x.sizes(), " for ", sentences(),
              " sentences of up to ", longest_, " positions");
  const auto rows = x.flatten(0, 1);
  return is_even() ? rows : rows.index_select(0, rows_);
}

torch::Tensor Packing::mask() const {
  const auto options = torch::TensorOptions(torch::kBool).device(rows_.device());
  return torch::zeros({sentences() * longest_}, options).index_fill_(0, rows_, true).view({sentences(), longest_});
}

Packing Packing::to(torch::Device device) const {
  Packing there = *this;
  there.places_ = to_device(places_, device);
  there.rows_ = to_device(rows_, device);
  return there;
}

}  // namespace transformer
