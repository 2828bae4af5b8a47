#pragma once

#include <torch/torch.h>

#include <vector>

#include "ops/to_device.h"

namespace transformer {

/// How the sentences of a batch lie in a tensor [positions, ...]: one after the other, as long as each is. So no work
/// is done for padding, and none has to be masked.
class Packing {
 public:
  Packing() : Packing(std::vector<int64_t>()) {}
  /// The sentences' lengths, each at least 1.
  explicit Packing(std::vector<int64_t> lengths);

  int64_t sentences() const { return static_cast<int64_t>(lengths_.size()); }
  int64_t positions() const { return offsets_.back(); }
  int64_t longest() const { return longest_; }
  const std::vector<int64_t>& lengths() const { return lengths_; }
  /// Where each sentence begins, and at the end the number of positions: [sentences + 1].
  const std::vector<int64_t>& offsets() const { return offsets_; }

  /// The place of each position in its sentence, from 0: [positions].
  const torch::Tensor& places() const { return places_; }
  /// x [positions, ...]. Returns [B, longest, ...], zeros behind the shorter sentences' ends.
  torch::Tensor pad(const torch::Tensor& x) const;
  /// The way back: x [B, longest, ...]. Returns [positions, ...].
  torch::Tensor unpad(const torch::Tensor& x) const;
  /// Where `pad` puts positions: [B, longest], true there.
  torch::Tensor mask() const;

  Packing to(torch::Device device) const;

 private:
  bool is_even() const { return longest_ * sentences() == positions(); }

  std::vector<int64_t> lengths_, offsets_;
  int64_t longest_ = 0;
  torch::Tensor places_, rows_;  // [positions]; rows_ counts through [B, longest]
};

/// A packing as autograd keeps it for a backward pass.
struct SharedPacking : torch::CustomClassHolder, Packing {
  explicit SharedPacking(const Packing& packing) : Packing(packing) {}
};
inline c10::intrusive_ptr<SharedPacking> share(const Packing& packing) {
  return c10::make_intrusive<SharedPacking>(packing);
}

/// Token ids of a batch's sentences.
struct Sentences {
  torch::Tensor tokens;  // [positions]
  Packing packing;

  Sentences to(torch::Device device) const { return {to_device(tokens, device), packing.to(device)}; }
};

}  // namespace transformer
