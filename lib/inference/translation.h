#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decoding/alignment.h"
#include "text/tokenizer.h"

namespace transformer {

/// One translation of a line.
struct Translation {
  std::string text;                           // without line ends
  double score = 0;                           // log_prob / length penalty
  double log_prob = 0;                        // in nats
  std::vector<int64_t> tokens = {};           // including the end symbol, if the hypothesis has finished
  std::vector<std::string> pieces;            // of the tokens
  std::vector<float> token_log_probs;         // their sum is log_prob
  std::vector<AlignedPieces> alignment = {};  // if requested: of each piece except the end symbol
};

/// The tokens of a translation or hypothesis without the end symbol.
inline std::vector<int32_t> without_end(const std::vector<int64_t>& tokens) {
  std::vector<int32_t> pieces(tokens.begin(), tokens.end());
  if (!pieces.empty() && pieces.back() == kEnd) pieces.pop_back();
  return pieces;
}

}  // namespace transformer
