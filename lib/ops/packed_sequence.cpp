#include "ops/packed_sequence.h"

#include <algorithm>

#include "ops/to_device.h"

namespace transformer {

Packing::Packing(std::vector<int64_t> lengths, torch::Device device) {
  const auto layout = std::make_shared<Layout>();
  layout->lengths = std::move(lengths);
  layout->device = device;
  const auto num_sequences = std::ssize(layout->lengths);
  layout->offsets = torch::zeros({num_sequences + 1}, torch::kLong);
  auto* offset = layout->offsets.mutable_data_ptr<int64_t>();
  for (int64_t b = 0; b < num_sequences; ++b) {
    const int64_t length = layout->lengths[static_cast<size_t>(b)];
    TORCH_CHECK(length > 0, "a sequence of length ", length);
    layout->max_length = std::max(layout->max_length, length);
    offset[b + 1] = offset[b] + length;
  }
  layout->num_positions = offset[num_sequences];
  layout_ = layout;
}

const torch::Tensor& Packing::cu_seqlens() const {
  std::call_once(layout_->has_cu_seqlens, [&] {
    const c10::InferenceMode off(false);  // what a search asks for first may serve training, too
    layout_->cu_seqlens = to_device(offsets().to(torch::kInt), device());
  });
  return layout_->cu_seqlens;
}

const Packing::Ids& Packing::ids() const {
  std::call_once(layout_->has_ids, [&] {
    const c10::InferenceMode off(false);
    const auto all = torch::empty({3, num_positions()}, torch::kLong);  // copied to a device together
    auto *position = all[0].mutable_data_ptr<int64_t>(), *sequence = all[1].mutable_data_ptr<int64_t>(),
         *padded_row = all[2].mutable_data_ptr<int64_t>();
    for (int64_t b = 0; b < num_sequences(); ++b) {
      for (int64_t t = 0; t < lengths()[static_cast<size_t>(b)]; ++t) {
        *position++ = t;
        *sequence++ = b;
        *padded_row++ = b * max_length() + t;
      }
    }
    const auto on_device = to_device(all, device());
    layout_->ids = {on_device[0], on_device[1], on_device[2]};
  });
  return layout_->ids;
}

torch::Tensor Packing::pad(const torch::Tensor& x) const {
  TORCH_CHECK(x.size(0) == num_positions(), x.sizes(), " for ", num_positions(), " positions");
  auto padded_sizes = x.sizes().vec();
  padded_sizes[0] = num_sequences() * max_length();
  const auto padded =
      needs_no_padding() ? x : torch::zeros(padded_sizes, x.options()).index_copy(0, ids().padded_row, x);
  return padded.unflatten(0, {num_sequences(), max_length()});
}

torch::Tensor Packing::unpad(const torch::Tensor& x) const {
  TORCH_CHECK(x.size(0) == num_sequences() && x.size(1) == max_length(), x.sizes(), " for ", num_sequences(),
              " sequences of up to ", max_length(), " positions");
  const auto rows = x.flatten(0, 1);
  return needs_no_padding() ? rows : rows.index_select(0, ids().padded_row);
}

torch::Tensor Packing::padding_mask() const {
  const auto options = torch::TensorOptions(torch::kBool).device(device());
  return torch::zeros({num_sequences() * max_length()}, options)
      .index_fill_(0, ids().padded_row, true)
      .view({num_sequences(), max_length()});
}

PackedSequence PackedSequence::to(torch::Device device) const { return {to_device(data, device), packing.to(device)}; }

}  // namespace transformer
