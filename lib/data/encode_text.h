#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/data_config.h"
#include "data/encoded_pair.h"
#include "text/line_pairs.h"
#include "text/tokenizers.h"

namespace transformer {

/// A part of a text: of the blocks of kBlockLines lines that the first lines of each file make, counted from 0, those
/// from `begin` on that leave the remainder `first` when divided by `step`.
struct TextPart {
  static constexpr size_t kBlockLines = 10000;

  int64_t first = 0, step = 1, begin = 0;
  int64_t max_lines_of_file = INT64_MAX;

  bool has(int64_t block) const { return block >= begin && block % step == first; }
};

using EncodedBlock = std::vector<EncodedPair>;
/// Takes the blocks of a text in order.
using BlockCallback = std::function<void(EncodedBlock& block)>;

/// Encodes a part of a text on `num_threads` threads, while `add` takes the one before. Pairs whose sides are not
/// in the scripts that the config names, if any, are marked. Returns the number of blocks, those of other
/// parts included. Throws Error if the text cannot be read or encoded.
int64_t encode_text(const std::vector<ParallelFiles>& text, const Tokenizers& tokenizers, const DataConfig& config,
                    int num_threads, const BlockCallback& add, const TextPart& part = {});

}  // namespace transformer
