#pragma once

#include <torch/types.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace transformer {

/// Where each sequence of a packed batch lies in a tensor [positions, ...]. Immutable, cheap to copy, and safe to use
/// from several threads at once. Its tensors on a device are made when they are first used: a search makes a Packing at
/// every step and uses few of its tensors.
class Packing {
 public:
  Packing() : Packing(std::vector<int64_t>()) {}
  /// The lengths of the sequences, each at least 1; `device` is that of the packed tensor.
  explicit Packing(std::vector<int64_t> lengths, torch::Device device = torch::kCPU);

  int64_t num_sequences() const { return static_cast<int64_t>(layout_->lengths.size()); }
  int64_t num_positions() const { return layout_->num_positions; }
  int64_t max_length() const { return layout_->max_length; }
  const std::vector<int64_t>& lengths() const { return layout_->lengths; }
  /// Sequence b lies at positions offsets[b] ... offsets[b + 1] - 1: int64 [num_sequences + 1], on the CPU.
  const torch::Tensor& offsets() const { return layout_->offsets; }
  /// The device of the next three tensors.
  torch::Device device() const { return layout_->device; }
  /// `offsets` in int32 on `device()`, the cumulative sequence lengths that attention kernels take.
  const torch::Tensor& cu_seqlens() const;
  /// The position of each element in its sequence, from 0: int64 [positions].
  const torch::Tensor& position_ids() const { return ids().position; }
  /// The sequence of each element: int64 [positions].
  const torch::Tensor& sequence_ids() const { return ids().sequence; }

  /// x [positions, ...]. Returns [num_sequences, max_length, ...], zero after the end of the shorter sequences.
  torch::Tensor pad(const torch::Tensor& x) const;
  /// The inverse of `pad`: x [num_sequences, max_length, ...]. Returns [positions, ...].
  torch::Tensor unpad(const torch::Tensor& x) const;
  /// [num_sequences, max_length], true at positions of a sequence and false at padding.
  torch::Tensor padding_mask() const;

  /// The same packing on another device.
  Packing to(torch::Device device) const { return device == this->device() ? *this : Packing(lengths(), device); }

 private:
  struct Ids {
    torch::Tensor position, sequence;
    torch::Tensor padded_row;  // [positions]: the row of each position in [num_sequences * max_length, ...]
  };
  struct Layout {
    std::vector<int64_t> lengths;
    int64_t max_length = 0, num_positions = 0;
    torch::Tensor offsets;
    torch::Device device = torch::kCPU;

    // Computed when they are first asked for.
    mutable std::once_flag has_cu_seqlens = {}, has_ids = {};
    mutable torch::Tensor cu_seqlens = {};
    mutable Ids ids = {};
  };

  const Ids& ids() const;
  bool needs_no_padding() const { return max_length() * num_sequences() == num_positions(); }

  std::shared_ptr<const Layout> layout_;
};

/// A batch of sequences of different lengths, stored one after another, so that no work is done for padding and none
/// has to be masked. Token ids are a PackedSequence with data [positions]; layers take and return [positions, d_model].
/// Unlike torch::nn::utils::rnn::PackedSequence, whose rows are time-major, it has all rows of a sequence together.
struct PackedSequence {
  torch::Tensor data;  // [positions, ...]
  Packing packing;
  torch::Tensor rounded = {};  // `data` in the type of matrix products, if it was computed along with `data`

  /// The input of a matrix product: `rounded` if there is one, else `data`.
  const torch::Tensor& matmul_input() const { return rounded.defined() ? rounded : data; }

  /// Other values for the same positions, without `rounded`.
  PackedSequence with_data(torch::Tensor other) const { return {std::move(other), packing}; }
  /// [num_sequences, max_length, ...], zero after the end of the shorter sequences.
  torch::Tensor pad() const { return packing.pad(data); }
  /// Without `rounded`.
  PackedSequence to(torch::Device device) const;
};

}  // namespace transformer
