#pragma once

#include <torch/types.h>

#include <memory>
#include <utility>
#include <vector>

namespace transformer {

/// Where each sequence of a packed batch lies in a tensor [positions, ...]. Immutable and cheap to copy.
class Packing {
 public:
  Packing() : Packing(std::vector<int64_t>()) {}
  /// The lengths of the sequences, each at least 1.
  explicit Packing(std::vector<int64_t> lengths);

  int64_t num_sequences() const { return static_cast<int64_t>(layout_->lengths.size()); }
  int64_t num_positions() const { return layout_->position_ids.size(0); }
  int64_t max_length() const { return layout_->max_length; }
  const std::vector<int64_t>& lengths() const { return layout_->lengths; }
  /// Sequence b lies at positions offsets[b] ... offsets[b + 1] - 1: int64 [num_sequences + 1], on the CPU.
  const torch::Tensor& offsets() const { return layout_->offsets; }
  /// The same in int32, on the device of `position_ids`: what attention kernels call cumulative sequence lengths.
  const torch::Tensor& device_offsets() const { return layout_->device_offsets; }
  /// The position of each element in its sequence, from 0: int64 [positions].
  const torch::Tensor& position_ids() const { return layout_->position_ids; }
  /// The sequence of each element: int64 [positions].
  const torch::Tensor& sequence_ids() const { return layout_->sequence_ids; }

  /// x [positions, ...]. Returns [num_sequences, max_length, ...], zero after the end of the shorter sequences.
  torch::Tensor pad(const torch::Tensor& x) const;
  /// The inverse of `pad`: x [num_sequences, max_length, ...]. Returns [positions, ...].
  torch::Tensor unpad(const torch::Tensor& x) const;
  /// [num_sequences, max_length], true at positions of a sequence and false at padding.
  torch::Tensor padding_mask() const;

  /// The same packing with `device_offsets`, `position_ids` and `sequence_ids` on the device.
  Packing to(torch::Device device) const;

 private:
  struct Layout {
    std::vector<int64_t> lengths;
    int64_t max_length = 0;
    torch::Tensor offsets, device_offsets;
    torch::Tensor ids;  // [3, positions]: the next three tensors, which are copied to a device together
    torch::Tensor position_ids, sequence_ids;
    torch::Tensor padded_rows;  // [positions]: the row of each position in [num_sequences * max_length, ...]

    /// Sets `ids` and its three rows.
    void set_ids(const torch::Tensor& all);
  };

  bool needs_no_padding() const { return max_length() * num_sequences() == num_positions(); }

  std::shared_ptr<const Layout> layout_;
};

/// A batch of sequences of different lengths, stored one after another, so that no work is done for padding and none
/// has to be masked. Token ids are a PackedSequence with data [positions]; layers take and return [positions, d_model].
struct PackedSequence {
  torch::Tensor data;  // [positions, ...]
  Packing packing;
  torch::Tensor rounded = {};  // `data` in the type of matrix products, if it was computed along with `data`

  /// What a matrix product with `data` reads.
  const torch::Tensor& matmul_input() const { return rounded.defined() ? rounded : data; }

  /// Other values for the same positions.
  PackedSequence with_data(torch::Tensor other) const { return {std::move(other), packing}; }
  /// [num_sequences, max_length, ...], zero after the end of the shorter sequences.
  torch::Tensor pad() const { return packing.pad(data); }
  PackedSequence to(torch::Device device) const;
};

}  // namespace transformer
