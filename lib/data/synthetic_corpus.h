#pragma once

#include <cstdint>
#include <string>

#include "text/special_tokens.h"

namespace transformer {

struct SyntheticCorpus {
  int64_t pairs;
  int64_t vocabulary_size;
  int64_t max_length;  // pieces of a sentence; no sentence has more than 98
  uint64_t seed;
  SpecialTokens special_tokens = {};  // the pieces have the ids after theirs
};

/// Writes a corpus of random sentence pairs, for benchmarks that need no text. Source lengths are distributed about as
/// in WMT14 (gamma distribution with a mean of 27 pieces, 28 with the end symbol), target lengths are near the
/// source's, and pieces follow Zipf's law. The same arguments give the same corpus. Throws Error if the file cannot be
/// written.
void write_synthetic_corpus(const std::string& path, const SyntheticCorpus& corpus);

}  // namespace transformer
