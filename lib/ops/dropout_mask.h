#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/packing.h"
#include "ops/vector_math.h"

namespace transformer {

// A counter-based generator: the element's number in its sentence, mixed in two rounds with two keys, gives 32 bits.
inline constexpr uint32_t kFirstFactor = 0x7FEB352D, kSecondFactor = 0x846CA68B;

/// An element is dropped where its bits are below this.
inline uint32_t dropout_threshold(double p) { return static_cast<uint32_t>(p * 4294967296.0); }

/// The mask of one sentence: 64 random bits as two keys, and what they are compared and scaled with.
struct SentenceMask {
  uint32_t key, second_key, threshold;
  float scale;

  SentenceMask(int64_t seed, double p)
      : key(static_cast<uint32_t>(seed)),
        second_key(static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32)),
        threshold(dropout_threshold(p)),
        scale(static_cast<float>(1.0 / (1.0 - p))) {}

  /// Drops from the elements `first` and following.
  [[gnu::always_inline]] void apply(Floats& x, uint32_t first) const {
    const Bits lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    Bits bits = (lanes + first) ^ key;
    bits ^= bits >> 16;
    bits *= kFirstFactor;
    bits += second_key;
    bits ^= bits >> 15;
    bits *= kSecondFactor;
    bits ^= bits >> 16;
    x = bits >= threshold ? x * scale : Floats{};
  }
};

/// Dropout's mask for every position: the sentence's, and the number of the position's first element in it.
class Masks {
 public:
  Masks(const Packing& packing, double p, const torch::Tensor& seeds, int64_t width)
      : offsets_(packing.offsets()), width_(width) {
    if (p == 0) return;
    for (int64_t b = 0; b < packing.sentences(); ++b) masks_.emplace_back(seeds.const_data_ptr<int64_t>()[b], p);
  }

  /// Calls work(position, mask or null, first element) for the positions begin ... end - 1.
  template <class Work>
  void for_each(int64_t begin, int64_t end, const Work& work) const {
    auto sentence =
        static_cast<size_t>(std::upper_bound(offsets_.begin(), offsets_.end(), begin) - offsets_.begin() - 1);
    for (int64_t position = begin; position < end; ++position) {
      while (position == offsets_[sentence + 1]) ++sentence;
      work(position, masks_.empty() ? nullptr : &masks_[sentence],
           static_cast<uint32_t>((position - offsets_[sentence]) * width_));
    }
  }

 private:
  const std::vector<int64_t>& offsets_;
  int64_t width_;
  std::vector<SentenceMask> masks_;
};

}  // namespace transformer
