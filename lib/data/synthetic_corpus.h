#pragma once

#include <cstdint>
#include <string>

namespace transformer {

/// Writes a corpus of made-up sentence pairs, for measurements that need no text: lengths as in WMT14 (a gamma
/// distribution with a mean of 27 pieces, so 28 with the end symbol), target lengths near their source's, and pieces by
/// Zipf's law. The same arguments give the same corpus.
void write_synthetic_corpus(const std::string& path, int64_t num_pairs, int64_t vocabulary_size, uint64_t seed);

}  // namespace transformer
