#include "ops/packed_sequence.h"

#include <algorithm>

#include "ops/to_device.h"

namespace transformer {

void Packing::Layout::set_ids(const torch::Tensor& all) {
  ids = all;
  position_ids = ids[0];
  sequence_ids = ids[1];
  padded_rows = ids[2];
}

Packing::Packing(std::vector<int64_t> lengths) {
  Layout layout;
  layout.lengths = std::move(lengths);
  const auto num_sequences = std::ssize(layout.lengths);
  layout.offsets = torch::zeros({num_sequences + 1}, torch::kLong);
  auto* offset = layout.offsets.mutable_data_ptr<int64_t>();
  for (int64_t b = 0; b < num_sequences; ++b) {
    const int64_t length = layout.lengths[static_cast<size_t>(b)];
    TORCH_CHECK(length > 0, "a sequence of length ", length);
    layout.max_length = std::max(layout.max_length, length);
    offset[b + 1] = offset[b] + length;
  }
  layout.set_ids(torch::empty({3, offset[num_sequences]}, torch::kLong));
  auto *position = layout.position_ids.mutable_data_ptr<int64_t>(),
       *sequence = layout.sequence_ids.mutable_data_ptr<int64_t>(),
       *padded_row = layout.padded_rows.mutable_data_ptr<int64_t>();
  for (int64_t b = 0; b < num_sequences; ++b) {
    for (int64_t t = 0; t < offset[b + 1] - offset[b]; ++t) {
      *position++ = t;
      *sequence++ = b;
      *padded_row++ = b * layout.max_length + t;
    }
  }
  layout.device_offsets = layout.offsets.to(torch::kInt);
  layout_ = std::make_shared<const Layout>(std::move(layout));
}

torch::Tensor Packing::pad(const torch::Tensor& x) const {
  TORCH_CHECK(x.size(0) == num_positions(), x.sizes(), " for ", num_positions(), " positions");
  auto padded_sizes = x.sizes().vec();
  padded_sizes[0] = num_sequences() * max_length();
  const auto padded =
      needs_no_padding() ? x : torch::zeros(padded_sizes, x.options()).index_copy(0, layout_->padded_rows, x);
  return padded.unflatten(0, {num_sequences(), max_length()});
}

torch::Tensor Packing::unpad(const torch::Tensor& x) const {
  TORCH_CHECK(x.size(0) == num_sequences() && x.size(1) == max_length(), x.sizes(), " for ", num_sequences(),
              " sequences of up to ", max_length(), " positions");
  const auto rows = x.flatten(0, 1);
  return needs_no_padding() ? rows : rows.index_select(0, layout_->padded_rows);
}

torch::Tensor Packing::padding_mask() const {
  const auto options = torch::TensorOptions(torch::kBool).device(layout_->padded_rows.device());
  return torch::zeros({num_sequences() * max_length()}, options)
      .index_fill_(0, layout_->padded_rows, true)
      .view({num_sequences(), max_length()});
}

Packing Packing::to(torch::Device device) const {
  if (layout_->padded_rows.device() == device) return *this;
  Layout layout = *layout_;
  layout.device_offsets = to_device(layout.device_offsets, device);
  layout.set_ids(to_device(layout.ids, device));
  Packing moved = *this;
  moved.layout_ = std::make_shared<const Layout>(std::move(layout));
  return moved;
}

PackedSequence PackedSequence::to(torch::Device device) const { return {to_device(data, device), packing.to(device)}; }

}  // namespace transformer
